// Random bits for IDs.
#pragma once

#include "compat.hpp"

namespace kid::pg {

/// `width` bits of PostgreSQL's strong generator, 64 at most, as a number.
std::uint64_t random_bits(unsigned width);

} // namespace kid::pg
