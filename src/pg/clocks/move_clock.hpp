// Moving a clock other than by issuing IDs. kid_reset_clock() lowers clocks in admin/reset_clock.cpp.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

/// Moves a clock past the time of `state`, on all sides, because IDs of that time may be of any side. The clock then
/// keeps its time until the system clock reaches `state`. Raises an error if `state` is too far ahead of the system
/// clock for this user.
void observe(clock_ref const &clock, std::uint64_t state);

/// If the system clock, at `now_state`, has left the time unit of a clock, moves the clock to the end of that unit. The
/// horizon can then be above all IDs of the unit. If the clock is ahead of the system clock, does so once in 100 ms at
/// most, so that polling hardly delays the time when the system clock catches up.
void leave_passed_unit(clock_ref const &clock, std::uint64_t now_state);

} // namespace kid::pg
