// The horizon in SQL: what the functions of all types that have one share.
#pragma once

#include "../horizon/horizon.hpp"
#include "../node/identity.hpp"
#include "clock.hpp"

namespace kid::pg {

/// Returns the horizon of a clock as a state. Raises an error if other servers make IDs for the tables of this
/// database, because their transactions are not known here.
inline std::uint64_t horizon_state(clock_id id, char const *function) {
  static_cast<void>(shared(function));
  if (has_citus())
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("%s is not available in a database that has Citus", function),
            errdetail("Transactions on other nodes may commit rows with lower IDs."));
  return horizon(id, function);
}

} // namespace kid::pg

/// Exports `function` of type T, which returns horizon_state() as an ID.
#define KID_EXPORT_HORIZON(T, function)                                                                                \
  static_assert(kid::pg::T##_type.state != nullptr, "a type with a horizon needs id_type::state");                     \
  KID_FUNCTION(function, kid::pg::function)
