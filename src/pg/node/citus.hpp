// The number that Citus gives to its nodes. kid is not linked to Citus, and does not need it.
//
// Citus has no hook that tells the number. Its C functions that do are its own business, and one that has changed would
// crash the caller. So kid reads the number where Citus keeps it, in a table, and a table that has changed counts as
// none. Only citus.cpp knows that table, and reads it when a process attaches, not for each ID. In a database without
// Citus that is one look-up in the catalog cache.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

constexpr int no_citus = -1;

/// The group ID of this Citus node when this process last looked: 0 on the coordinator, or a server that no coordinator
/// has added yet; `no_citus` if the current database does not have Citus.
inline int local_group = no_citus;

/// Reads the group ID.
void look_for_citus();

inline bool has_citus() {
  return local_group != no_citus;
}

/// Returns whether this session is on a Citus worker. A worker computes what a coordinator sends to it, including
/// defaults.
inline bool on_citus_worker() {
  return local_group > 0;
}

} // namespace kid::pg
