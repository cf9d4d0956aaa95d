// Settings, all named kid.*; see their descriptions in guc.cpp.
#pragma once

#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

extern int max_wait;     ///< milliseconds; -1 is for ever
extern int neighborhood; ///< bits

/// The node of this server, for kid96.
std::uint32_t node();

template <> inline kid96 layout_of<kid96>() {
  return {static_cast<unsigned>(neighborhood)};
}

void define_settings();

} // namespace kid::pg
