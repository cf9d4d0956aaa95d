// The random number that tells apart servers that are copies of one. A copy that is promoted is on another timeline of
// WAL, and draws its own number.
#pragma once

#include "../clocks/bound_page.hpp"

namespace kid::pg {

/// Returns the random number of this server on this timeline of WAL. If there is none yet, draws it and makes it
/// durable.
std::uint64_t drawn_number();

/// Sets `draw` to the number that was drawn last, for use during recovery. Returns false if none was drawn.
bool replayed_draw(page_draw &draw);

} // namespace kid::pg
