// The number that Citus gives this server, if the current database has Citus. kid is not linked to Citus, and does not
// need it.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

/// The result of citus_group() if this database does not have Citus.
constexpr int no_citus = -1;

/// Returns the group ID of this Citus node. 0 is the coordinator, or a server that no coordinator has added yet.
int citus_group();

} // namespace kid::pg
