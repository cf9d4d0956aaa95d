// The random number that tells servers apart which were one: a copy that is promoted is on another timeline of WAL, and
// draws its own.
#pragma once

#include "../clocks/bound_page.hpp"

namespace kid::pg {

/// Returns the random number of this server on this timeline of WAL. If there is none yet, draws it and makes it
/// durable.
std::uint64_t drawn_number();

/// During recovery: sets `draw` to what was drawn last. Returns false if nothing was.
bool replayed_draw(page_draw &draw);

} // namespace kid::pg
