// The functions that compare an ID with time, and the functions that planner support puts in their place.
#pragma once

#include "../types/all_types.hpp"

namespace kid::pg {

/// What planner support knows about a function.
struct comparison_function {
  Oid function;        ///< the function
  id_type const *type; ///< of the IDs that it compares; null if it is no comparison of an ID with time
  Oid id;              ///< the OID of that type
  bool id_first;       ///< whether the ID is on the left
  bool by_name;        ///< whether the first argument is the operator, as that of T_compare() is
  /// That of the operator for an ID on its left; 0 for <@, and if the first argument says it.
  StrategyNumber strategy;

  // Functions of the same schema, or InvalidOid. If the layout depends on a setting, its value is one more argument.
  Oid edge;             ///< T_edge(which, operator, time)
  Oid edge_of_range;    ///< T_edge(which, range)
  Oid recheck;          ///< T_recheck(operator, ID, time)
  Oid recheck_of_range; ///< T_recheck(ID, range)
  Oid compare;          ///< T_compare(operator, ID, time)
  Oid within;           ///< kid_within(ID, range)
};

/// Returns what is known about a function. Looks it up once in a session, and again after functions were changed.
comparison_function comparison_of(Oid function);

/// Returns the symbol of the operator that has a strategy, which is that of <, <=, >= or >.
char const *operator_of(StrategyNumber strategy);

/// Returns the strategy of the operator that has a symbol. Returns 0 if the symbol is none of <, <=, >= and >.
StrategyNumber strategy_of(std::string_view symbol);

} // namespace kid::pg
