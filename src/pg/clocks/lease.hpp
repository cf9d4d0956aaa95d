// The lease: how far IDs may advance before the page of the bounds (bound_page.hpp) is written again.
//
//            state              renew_at         bound
//   ---------|------------------|----------------|----------> IDs
//     issued | may be issued without a renewal   | not yet
//
// A bound is on the page, and its WAL is flushed, before it is raised in shared memory. So if a row is committed, a
// bound above its ID is durable. After a crash, a promotion or a recovery to a point in time a clock starts at the
// bound that is on the page then, whatever the system clock says.
//
// From `renew_at` on, halfway to the bound, one session at a time renews the lease. Only sessions that reach the bound
// wait for it.
//
// The bound stays near: at most `kid.lease` ahead of the system clock or, if the logical clock is further ahead, a
// little ahead of that. So repeated crashes do not push IDs further and further ahead. If writes are slow, the lease is
// longer, up to `slow_micros`.
//
// The first session that needs the lease after a start opens it. Its value of `kid.lease` is in force until the next
// start (but see lease_length_at_start()).
//
// What belongs to the lease, by file:
//
//   lease_lock   the lock under which all of this is done, and which clocks are held while they are lowered
//   lease        the bounds on the page and in shared memory, opening the lease after a start, renewing it
//   move_clock   moving a clock other than by issuing IDs
//   sides        what a clock with sides does besides
//
// The arithmetic is in the core: core/lease_span.hpp says how far a lease goes, and core/leave_unit.hpp where a clock
// goes after its bound was lowered.
#pragma once

#include "lease_lock.hpp"

namespace kid::pg {

/// The bound while the lease is off. No state reaches it.
constexpr std::uint64_t no_bound = ~std::uint64_t{0};

/// Reads the page, and starts the clocks above what is on it, if they are not started yet. The caller holds the lock;
/// with_lease() calls this.
void open_lease(shared_state &shared);

/// Calls `work` while this session holds the lock and the lease is open. If `work` returns false, it has written the
/// page, and standbys have yet to confirm that. Then the lock is released, and `work` is called again once they have.
template <class Work> void with_lease(clock_ref const *clock, Work work) {
  lease_state &lease = shared_memory->lease;
  bool done = false;

  do {
    done = true;
    take_lock(lease, clock);
    release_after(&lease.lock, [&] {
      open_lease(*shared_memory);
      if constexpr (std::is_void_v<decltype(work(lease))>)
        work(lease);
      else
        done = work(lease);
    });
    ConditionVariableBroadcast(&lease.released);
  } while (!done);
}

/// Returns the bound in force. Without the lock, another session may change the bound meanwhile.
inline std::uint64_t bound_of(clock_ref const &clock) {
  return pg_atomic_read_u64(&clock.cell.bound);
}

/// Returns `page` with `last` as the greatest state that `clock` may issue, and with the safe mark that `clock` has in
/// shared memory. The caller holds the lock.
page_bounds page_with(page_bounds page, clock_ref const &clock, std::uint64_t last);

/// Returns the bounds that are known to be on the page, or null. They are unknown after a write that raised an error:
/// the page may have what was to be written, or what it had before. Until a write succeeds, nobody may go on from the
/// page without writing it. The caller holds the lock.
page_bounds const *known_page(lease_state const &lease);

/// Writes `page` and flushes its WAL, unless it is known to be on the page already. Returns false if standbys have yet
/// to confirm it; then the caller must release the lock and begin anew.
bool put_page(lease_state &lease, page_bounds const &page);

/// Moves the bound of a clock, and the point of renewal. Raise a bound after the page is durable, and lower it before
/// you lower the state.
void set_bound(clock_ref const &clock, std::uint64_t bound, std::uint64_t renew_at);

/// Lowers the bound of a clock to 0, so that no session issues anything before the next renewal. Then moves the clock
/// to the end of a time unit, so that a session that has read the old bound, which was at most `bound`, issues nothing
/// either (core/leave_unit.hpp). Returns the new state of the clock.
std::uint64_t take_bound_back(clock_ref const &clock, std::uint64_t bound);

/// Takes the lock, and writes the page anew if it is damaged. Returns whether it did, and reports it. If the clocks are
/// running, the page gets its former content. Otherwise they will start at `time`, which must be at most
/// `kid.max_observe` ahead of the system clock.
bool mend_bounds(unix_micros time);

/// Returns whether the last attempt to write the page failed. If the lock is not free, returns false.
bool writing_failed(lease_state &lease);

[[noreturn]] void clock_ended_error();

/// Renews the lease of `clock` if `next`, the state to be issued, is at or above `renew_at`. If `next` is below the
/// bound, does not wait for the lock or for standbys. Otherwise waits until a session has renewed the lease, or raises
/// an error after `kid.max_wait`. The caller must then try again: the bound can still be at or below `next`.
void renew_lease(clock_ref const &clock, std::uint64_t next);

/// Sees to it that the page has a bound above `next`, and then moves the bound of `clock` to it. The caller holds the
/// lock. If an earlier call has written such a bound, publishes that one. If the bound in force is too far ahead of the
/// system clock, lowers it. Returns false if standbys have yet to confirm the page: the next call then publishes what
/// this one has written. Returns true without moving the bound if the system clock went back meanwhile.
bool extend(lease_state &lease, clock_ref const &clock, std::uint64_t next);

/// If the lease is off, makes this session write what was issued to the page when it ends. All sessions end before a
/// server stops, so after a planned stop the clocks start above all issued IDs.
void write_bounds_at_exit();

/// Makes sure that the clocks are started, and takes the lock for that only if they are not. A clock with a bound has
/// been started. A clock with a state need not be: a change of lanes moves it before.
void open_clocks(clock_cell &cell);

/// Waits until the state of a clock cannot be lower after a failover to a synchronous standby. Until the clock has a
/// bound, the state comes from the page, which such a standby may not have.
void await_standbys(clock_cell &cell);

} // namespace kid::pg
