// The bounds of the clocks, on the page (bound_page.hpp) and in shared memory. The caller of a function holds the lock
// of the lease, unless the comment on the function says otherwise.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

/// The bound while the lease is off. No state reaches it.
constexpr std::uint64_t no_bound = ~std::uint64_t{0};

/// If a slow disk or a slow synchronous standby makes a write take long, the lease is extended to at most this length,
/// so that there is time to renew it.
constexpr std::int64_t slow_micros = 10'000'000;

/// The least step back of the system clock, or distance ahead of it, that is worth a warning. Every clock is adjusted
/// by less now and then.
constexpr unix_micros notable_micros = 1'000'000;

/// Starts the clocks above what is on the page, if they are not started yet.
void open_lease(shared_state &shared);

/// Returns the bound in force. The caller need not hold the lock: another session may then change the bound meanwhile.
inline std::uint64_t bound_of(clock_ref const &clock) {
  return pg_atomic_read_u64(&clock.cell.bound);
}

/// Returns a copy of the page in which `last` is the greatest state that `clock` may issue.
page_bounds page_with(lease_state &lease, clock_ref const &clock, std::uint64_t last);

/// Writes `page` and flushes its WAL, unless the page is the same already. Returns whether this session may rely on the
/// page. If standbys have yet to confirm it, returns false; then the caller must release the lock and begin anew.
bool put_page(lease_state &lease, page_bounds const &page);

/// Moves the bound of a clock, and with it the point of renewal. Raise a bound only after the page is durable. Lower a
/// bound before you lower the state.
void set_bound(clock_ref const &clock, std::uint64_t bound, std::uint64_t renew_at);

/// Takes the bound of a clock back: nothing more is issued until the next renewal. A session that has read the old
/// bound fails its compare-and-swap, because the clock moves to the end of a unit. Returns the state that the clock has
/// then.
std::uint64_t take_bound_back(clock_ref const &clock);

/// Makes a clock with sides keep its time, that of `last`, while the system clock, which is at `now`, catches up.
/// Meanwhile a used-up unit carries into the next one, up to `margin` after `last`. It changes sides if the system
/// clock goes back by more than `margin`.
void keep_time(clock_ref const &clock, std::uint64_t last, unix_micros now, unix_micros margin);

/// Takes the lock, and writes the page anew if it is damaged. If the clocks are running, the page gets its former
/// content. Otherwise it gets bounds with which the clocks start at `time`; if `time` is further ahead of the system
/// clock than `kid.max_observe`, the page stays damaged. Returns whether it wrote the page.
bool mend_bounds(unix_micros time);

/// Returns whether the last attempt to write the page failed. Takes the lock for a moment; if the lock is not free,
/// returns false instead of waiting.
bool writing_failed(lease_state &lease);

} // namespace kid::pg
