// The bounds of the clocks, on the page (bound_page.hpp) and in shared memory. The caller holds the lock of the lease,
// unless the comment on a function says otherwise.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

/// The bound while the lease is off. No state reaches it.
constexpr std::uint64_t no_bound = ~std::uint64_t{0};

/// If writes are slow, because of a disk or a synchronous standby, the lease is extended to at most this length.
constexpr std::int64_t slow_micros = 10'000'000;

/// The least step back of the system clock, or distance ahead of it, that is worth a warning.
constexpr unix_micros notable_micros = 1'000'000;

/// Starts the clocks above what is on the page, if they are not started yet.
void open_lease(shared_state &shared);

/// Returns the bound in force. Without the lock, another session may change the bound meanwhile.
inline std::uint64_t bound_of(clock_ref const &clock) {
  return pg_atomic_read_u64(&clock.cell.bound);
}

/// Returns a copy of the page in which `last` is the greatest state that `clock` may issue.
page_bounds page_with(lease_state &lease, clock_ref const &clock, std::uint64_t last);

/// Writes `page` and flushes its WAL, unless it is on the page already. Returns false if standbys have yet to confirm
/// it; then the caller must release the lock and begin anew.
bool put_page(lease_state &lease, page_bounds const &page);

/// Moves the bound of a clock, and the point of renewal. Raise a bound after the page is durable, and lower it before
/// you lower the state.
void set_bound(clock_ref const &clock, std::uint64_t bound, std::uint64_t renew_at);

/// Takes the bound of a clock back: nothing more is issued until the next renewal. Moves the clock to the end of a
/// unit, so that a session that has read the old bound fails its compare-and-swap. Returns the state of the clock.
std::uint64_t take_bound_back(clock_ref const &clock);

/// Makes a clock with sides keep its time, that of `last`, while the system clock, at `now`, catches up. Meanwhile a
/// used-up unit carries into the next one, up to `margin` after `last`. The clock changes sides if the system clock
/// goes back by more than `margin`.
void keep_time(clock_ref const &clock, std::uint64_t last, unix_micros now, unix_micros margin);

/// Takes the lock, and writes the page anew if it is damaged. Returns whether it did. If the clocks are running, the
/// page gets its former content. Otherwise they will start at `time`, which must be at most `kid.max_observe` ahead of
/// the system clock.
bool mend_bounds(unix_micros time);

/// Returns whether the last attempt to write the page failed. If the lock is not free, returns false.
bool writing_failed(lease_state &lease);

} // namespace kid::pg
