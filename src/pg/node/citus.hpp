// The number that Citus gives to its nodes. kid is not linked to Citus, and does not need it.
//
// Citus has no hook that returns the number. It has C functions that do, but they are internal: if one changed in a
// later version, a call would crash the session. So kid reads the number from the table in which Citus keeps it. If the
// table has changed, kid acts as if there were none. Only citus.cpp knows the table, and reads it when a process
// attaches, not for each ID. In a database without Citus that is one look-up in the catalog cache.
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
