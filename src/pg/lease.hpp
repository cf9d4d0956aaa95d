// The lease: a file in the data directory with bounds that no issued ID has reached.
//
//            state              renew_at         bound
//   ---------|------------------|----------------|----------> IDs
//     issued | may be issued without a look here | written and flushed, before it is raised
//
// After a crash a clock starts at the bound in the file, above all that may have been issued. While the server runs
// one session at a time renews the lease, from `renew_at` on, half-way to the bound, and the others go on up to the
// bound. Only those that reach it wait.
//
// The lock of `lease_state` is held to write the file, `bound`, `renew_at` and `safe`.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

[[noreturn]] void clock_ended_error();

/// Renews the lease of `cell`, where `next`, the state to be issued, is at or above `renew_at`. Does nothing where
/// another session is about it, unless `next` has reached the bound: then returns when the bound is above `next`, or
/// raises an error.
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

/// Lowers a clock to the unit of `state`, above which nothing that was issued is still in use.
void lower_clock(clock_cell &cell, std::uint64_t state);

} // namespace kid::pg
