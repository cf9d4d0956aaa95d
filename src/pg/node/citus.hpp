// What Citus says of this server, where the current database has it. kid is not linked to it, and does not need it.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

/// No Citus in this database.
constexpr int no_citus = -1;

/// The group ID of this Citus node: 0 is the coordinator, or a server that no coordinator has added yet.
int citus_group();

} // namespace kid::pg
