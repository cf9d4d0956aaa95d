// What the pages of this folder share: expressions that they find and make.
#pragma once

#include "../base/compat.hpp"
#include "../types/id_type.hpp"

namespace kid::pg {

/// The function `name` of these arguments, called with them. It is looked up by its exact signature, which this
/// extension has in its schema, so it is ours whatever else is there; and as an operator's own function is, without
/// asking whether the user may look into that schema. Null where there is none.
Expr *call(Oid schema, char const *name, List *arguments);

/// `id >= bound` or `id <= bound`, by the strategy; `>` or `<` the ID next to a bound that is known and none: the
/// bounds of a type of PostgreSQL's own are met by others, who may take IDs for granted. Null where there is no bound,
/// or no such operator.
OpExpr *compare_with(PlannerInfo *root, id_type const &of, Node *id, int strategy, Expr *bound);

/// Whether `node` (null counts) is cheap enough to evaluate twice: it contains no sub-select, is small, and costs no
/// more than PostgreSQL's inline_function() tolerates.
bool is_cheap(Node *node);

/// Whether a sub-select in an expression that is being planned may give something else each time it is evaluated.
/// PostgreSQL's contain_volatile_functions() does not look into those.
bool has_volatile_subselect(PlannerInfo *root, Node *node);

/// The value that a setting has now, as a constant, for an expression of a query that is being planned; null for any
/// other. Plans end with the value, see `id_setting`. An expression that outlives it, as are an index predicate, a
/// partition key and a CHECK that the planner believes, must not have it.
Node *value_in_query(id_setting const &setting, PlannerInfo const *root);

} // namespace kid::pg
