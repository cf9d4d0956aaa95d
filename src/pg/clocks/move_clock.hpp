// Moves a clock, other than by issuing IDs.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

/// Raises all sides of a clock to the time of `state`, because IDs of that time may be of any side. The clock then
/// keeps its time until the system clock reaches `state`.
void raise_all_sides(clock_ref const &clock, std::uint64_t state);

/// Lowers a clock, and its bound with it, to the unit of `state`, unless it is not above that unit. No issued ID above
/// it may still be in use. `lower_state` lowers the state, and with it the floors of sessions (horizon/floors.hpp).
/// Returns whether the clock was lowered, and reports by how much.
bool lower_clock(clock_ref const &clock, std::uint64_t state,
                 void (*lower_state)(clock_ref const &clock, std::uint64_t to));

/// Moves a clock past the time of `state`, on all sides. Raises an error if `state` is too far ahead of the system
/// clock for this user.
void observe(clock_ref const &clock, std::uint64_t state);

/// Moves a clock to the end of its unit or, if it is there, of the next one, so that a session that has read its state
/// fails its compare-and-swap. Returns the new state.
std::uint64_t leave_unit(clock_ref const &clock);

/// If the system clock, at `now`, has left the time unit of a clock, moves the clock to the end of that unit. The
/// horizon can then be above all IDs of the unit. If the clock is ahead of the system clock, does so once in 100 ms at
/// most, so that polling hardly delays the time when the system clock catches up.
void leave_passed_unit(clock_ref const &clock, std::uint64_t now);

/// Changes the side of a clock with sides (core/types/sno.hpp) if the system clock, at `now`, is behind `last`. The
/// result is as for `toggle` of clock_rules; if the result is `issued`, the clock has moved.
step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now);

} // namespace kid::pg
