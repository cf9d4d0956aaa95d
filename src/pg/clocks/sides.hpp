// The clock with sides, see core/types/sno.hpp.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

/// Changes the side of a clock with sides if the system clock, at `now`, is behind `last`. The result is as for
/// `toggle` of clock_rules; if the result is `issued`, the clock has moved.
step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now);

} // namespace kid::pg
