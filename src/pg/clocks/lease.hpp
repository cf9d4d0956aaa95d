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
// From `renew_at` on, halfway to the bound, one session at a time renews the lease, and the others go on up to the
// bound. Only sessions that reach the bound wait.
//
// The bound stays near: at most `kid.lease` ahead of the system clock or, if the logical clock is further ahead than
// that, a little ahead of the logical clock. So repeated crashes do not push IDs further and further ahead: each
// restart is at most one lease ahead. If writes are slow, the lease is longer, up to `slow_micros`.
//
// The first session that needs the lease after a start opens it. The value that `kid.lease` has in that session is in
// force until the next start, except that the lease cannot be off while a bound is ahead of the system clock (see
// lease_length_at_start() in bounds.cpp).
//
// What belongs to the lease, by file:
//
//   lease_lock   the lock under which all of this is done
//   bounds       the bounds on the page and in shared memory, and opening the lease after a start
//   lease        renewing
//   move_clock   raising and lowering a clock
//   hold         keeping transactions from a clock while it is lowered; kid_hold_clocks() and kid_lower_clocks()
//   sides        the clock with sides
//   clocks       what users may do: observe(), and the SQL function kid_stats()
#pragma once

#include "shmem.hpp"

namespace kid::pg {

[[noreturn]] void clock_ended_error();

/// Renews the lease of `clock` if `next`, the state to be issued, is at or above `renew_at`. If `next` is below the
/// bound, renews only if the lock is free, and does not wait for standbys. Otherwise waits until this or another
/// session has renewed the lease, or raises an error after `kid.max_wait`. The caller must then try again: the bound
/// can still be at or below `next`.
void renew_lease(clock_ref const &clock, std::uint64_t next);

/// Writes the page with a bound above `next`, and then raises the bound of `clock` to it. The caller holds the lock.
/// Returns false if standbys have yet to confirm the page.
bool extend(lease_state &lease, clock_ref const &clock, std::uint64_t next);

/// Makes this session write what was issued to the page when it ends, if the lease is off then. Nothing of kid's runs
/// when the server stops, but all sessions end before. So after a planned stop the clocks start above all issued IDs.
void write_bounds_at_exit();

/// Changes the side of a clock with sides if the system clock, at `now`, is behind `last`. The result is as for
/// `toggle` of clock_rules; if the result is `issued`, the clock has moved.
step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now);

/// Raises a clock to `state`, unless the clock is past `state` already. If the clock has sides, raises the side of
/// `state`.
void raise_clock(clock_ref const &clock, std::uint64_t state);

/// Raises all sides of a clock to the time of `state`, because it is not known which were used: an ID tells one side,
/// and sno_ceil() always the same. The clock then holds until the system clock reaches `state`.
void raise_all_sides(clock_ref const &clock, std::uint64_t state);

/// Lowers a clock, and its bound with it, to the unit of `state`. No issued ID above that unit may still be in use.
/// Reports by how much the clock was lowered. Returns whether it was: a clock that is not above that unit stays.
bool lower_clock(clock_ref const &clock, std::uint64_t state);

/// Moves a clock past the time of `state`, on all sides. Raises an error if `state` is too far ahead of the system
/// clock for this user.
void observe(clock_ref const &clock, std::uint64_t state);

/// Moves a clock to the end of a unit, so that a session that has read its state fails its compare-and-swap. Returns
/// the state that the clock has then.
std::uint64_t leave_unit(clock_ref const &clock);

} // namespace kid::pg
