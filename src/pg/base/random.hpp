// Random bits for IDs.
#pragma once

#include "compat.hpp"

namespace kid::pg {

/// Returns `width` bits, at most 64, from PostgreSQL's strong random number generator.
std::uint64_t random_bits(unsigned width);

} // namespace kid::pg
