// The lease: how far IDs may go on before the page of the bounds (bound_page.hpp) is written again.
//
//            state              renew_at         bound
//   ---------|------------------|----------------|----------> IDs
//     issued | may be issued without a look here | on the page, and its WAL flushed, before it is raised
//
// Whoever has a committed row has the WAL of a bound above its ID, since that came first. After a crash, a promotion or
// a recovery to a point in time a clock starts at the bound that is on the page then, whatever the system clock says.
//
// While the server runs, one session at a time renews the lease, from `renew_at` on, half-way to the bound, and the
// others go on up to the bound. Only those that reach it wait.
//
// The bound stays near: `kid.lease` ahead of the system clock, or a little ahead of a logical clock that is ahead
// itself. So a start that begins at the bound, and the next one after another crash, add nothing to each other.
//
// The lock of `lease_state` is held to write the page, `bound`, `renew_at` and the mark of a clock with sides. It is
// held while WAL is flushed. While standbys are waited for, which can take for ever, it is given up, but `busy` keeps
// everybody else from taking it. Who waits for the lock can be interrupted.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

[[noreturn]] void clock_ended_error();

/// Has the `kid.lease` of the settings in force, unless that which is comes from newer settings. Where the lease was
/// off, the bound of what was issued since is durable when this returns.
void put_lease_in_force();

/// Renews the lease of `cell`, where `next`, the state to be issued, is at or above `renew_at`. Does nothing where
/// another session is about it, unless `next` has reached the bound: then returns when the bound may be above `next`,
/// or raises an error. `start` is when the caller began to wait.
void renew_lease(clock_cell &cell, std::uint64_t next, instr_time start);

/// tick_tock() of a `Clock` with sides, see core/types/sno.hpp.
using toggle_rule = step_result (*)(void const *clock, std::uint64_t safe, std::uint64_t last, std::uint64_t now);

step_result change_sides(clock_cell &cell, std::uint64_t last, std::uint64_t now, instr_time start, toggle_rule toggle,
                         void const *clock);

/// Changes the side of a clock that has sides, when the system clock, at `now`, is behind `last`.
template <class Clock>
step_result change_sides(Clock const &clock, clock_cell &cell, std::uint64_t last, std::uint64_t now,
                         instr_time start) {
  return change_sides(
      cell, last, now, start,
      [](void const *rules, std::uint64_t safe, std::uint64_t state, std::uint64_t time) {
        return tick_tock(*static_cast<Clock const *>(rules), safe, state, time);
      },
      &clock);
}

/// Moves a clock to `state`, which it need not have reached, or past it. One with sides: on the side of `state`.
void raise_clock(clock_cell &cell, std::uint64_t state);

/// Lowers a clock to the unit of `state`, above which nothing that was issued is still in use, and its bound with it.
void lower_clock(clock_cell &cell, std::uint64_t state);

/// Moves a clock on to the end of a unit, so that whoever read it before that cannot move it.
std::uint64_t leave_unit(clock_cell &cell);

/// The number of chance of this server, on this timeline of WAL: draws it if nobody did, and makes it durable.
std::uint64_t drawn_number();

/// During recovery: what was drawn last. False where there is none.
bool replayed_draw(page_draw &draw);

/// Where the page is damaged, writes it anew: for clocks that go on from `time`, if that is at most `kid.max_observe`
/// ahead of the system clock, or, where they are under way, as it was.
void mend_bounds(unix_micros time);

} // namespace kid::pg
