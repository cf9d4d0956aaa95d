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
// start (but see lease_length_at_start() in bounds.cpp).
//
// What belongs to the lease, by file:
//
//   lease_lock   the lock under which all of this is done
//   bounds       the bounds on the page and in shared memory, and opening the lease after a start
//   lease        renewing
//   move_clock   raising and lowering a clock, and changing its side
//   hold         which clocks are held while they are lowered
#pragma once

#include "shmem.hpp"

namespace kid::pg {

[[noreturn]] void clock_ended_error();

/// Renews the lease of `clock` if `next`, the state to be issued, is at or above `renew_at`. If `next` is below the
/// bound, does not wait for the lock or for standbys. Otherwise waits until a session has renewed the lease, or raises
/// an error after `kid.max_wait`. The caller must then try again: the bound can still be at or below `next`.
void renew_lease(clock_ref const &clock, std::uint64_t next);

/// Writes the page with a bound above `next`, and then raises the bound of `clock` to it. The caller holds the lock.
/// Returns false if standbys have yet to confirm the page.
bool extend(lease_state &lease, clock_ref const &clock, std::uint64_t next);

/// If the lease is off, makes this session write what was issued to the page when it ends. All sessions end before a
/// server stops, so after a planned stop the clocks start above all issued IDs.
void write_bounds_at_exit();

/// Starts the clocks, if they are not started yet. One that has a bound is. Its state does not tell: a change of lanes
/// moves a clock before it is started.
void open_clocks(clock_cell &cell);

/// Waits until the state of a clock cannot be lower after a failover to a synchronous standby. Until the clock has a
/// bound, the state comes from the page, which such a standby may not have.
void await_standbys(clock_cell &cell);

} // namespace kid::pg
