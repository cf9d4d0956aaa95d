// The lease: how far IDs may go on before the page of the bounds (bound_page.hpp) is written again.
//
//            state              renew_at         bound
//   ---------|------------------|----------------|----------> IDs
//     issued | may be issued without a look here | on the page, and its WAL flushed, before it is raised
//
// Whoever has a committed row has the WAL of a bound above its ID, since that came first. After a crash, a promotion or
// a recovery to a point in time a clock starts at the bound that is on the page then, whatever the system clock says.
//
// From `renew_at` on, half-way to the bound, one session at a time renews the lease, and the others go on up to the
// bound. Only sessions that reach the bound wait.
//
// The bound stays near: at most `kid.lease` ahead of the system clock, or a little ahead of a logical clock that is
// ahead itself. So repeated crashes do not push IDs further and further ahead: each restart is at most one lease ahead.
//
// `kid.lease` is that of the session that makes the first ID after a start. A change takes effect with the next start.
//
// The lock of `lease_state` is held to write the page, `bound`, `renew_at` and the mark of a clock with sides, and
// while WAL is flushed. It is never held while anything is sent to a client (locked.hpp), nor while synchronous
// standbys are awaited, which can take for ever. Until they have confirmed what was written, `lease_state::written`
// says so, the lock cannot be had, and the bounds in shared memory stay as they were. No session owns that wait: any
// session that needs the lock looks whether standbys have confirmed, and goes on from the page. So a session that is
// canceled, terminated or stuck leaves nothing behind. All who wait can be interrupted.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

[[noreturn]] void clock_ended_error();

/// Renews the lease of `cell`, if `next`, the state to be issued, is at or above `renew_at`. Returns at once if `next`
/// is below the bound. Otherwise returns when the bound may be above `next`, or raises an error after `kid.max_wait`.
void renew_lease(clock_cell &cell, std::uint64_t next);

/// tick_tock() of a `Clock` with sides, see core/types/sno.hpp.
using toggle_rule = step_result (*)(void const *clock, std::uint64_t safe, std::uint64_t last, std::uint64_t now);

step_result change_sides(clock_cell &cell, std::uint64_t last, std::uint64_t now, toggle_rule toggle,
                         void const *clock);

/// Changes the side of a clock that has sides, when the system clock, at `now`, is behind `last`.
template <class Clock>
step_result change_sides(Clock const &clock, clock_cell &cell, std::uint64_t last, std::uint64_t now) {
  return change_sides(
      cell, last, now,
      [](void const *rules, std::uint64_t safe, std::uint64_t state, std::uint64_t time) {
        return tick_tock(*static_cast<Clock const *>(rules), safe, state, time);
      },
      &clock);
}

/// Moves a clock to `state`, which it need not have reached, or past it. One with sides: on the side of `state`.
void raise_clock(clock_cell &cell, std::uint64_t state);

/// The same on all sides, as nobody knows which were used. The clock then holds until the system clock is there.
void raise_all_sides(clock_cell &cell, std::uint64_t state);

/// Lowers a clock to the unit of `state`, above which nothing that was issued is still in use, and its bound with it.
void lower_clock(clock_cell &cell, std::uint64_t state);

/// Moves a clock on to the end of a unit, so that a session that read its state before cannot move it.
std::uint64_t leave_unit(clock_cell &cell);

/// Returns the random number of this server on this timeline of WAL. Draws it if nobody did, and makes it durable.
std::uint64_t drawn_number();

/// During recovery: what was drawn last. False if nothing was.
bool replayed_draw(page_draw &draw);

/// Writes the page anew if it is damaged: as it was, if the clocks are under way, or else for clocks that go on from
/// `time`, if that is at most `kid.max_observe` ahead of the system clock.
void mend_bounds(unix_micros time);

/// Whether the last attempt to write the page failed. Does not wait.
bool writing_failed(lease_state &lease);

} // namespace kid::pg
