// `kid.node` and `kid.lanes`.
#pragma once

#include "identity.hpp"

namespace kid::pg {

/// Returns the identity by the settings of this session.
identity const &configured_identity();

/// Returns whether a number of this kind is drawn, or given by Citus. It is not in the configuration then, so a reload
/// keeps it.
constexpr bool is_assigned(node_kind kind) {
  return kind == node_kind::automatic || kind == node_kind::citus;
}

void define_identity_settings(int flags);

} // namespace kid::pg
