// What the files of this folder share: inspecting and building expressions.
#pragma once

#include "../base/compat.hpp"
#include "../types/all_types.hpp"

namespace kid::pg {

/// Returns the OID of the function `name` in `schema` with arguments of these types, or InvalidOid if there is none.
///
/// Only the extension's own function has that signature in its schema. As for the function of an operator, the user
/// needs no USAGE privilege on the schema.
Oid function_of(Oid schema, char const *name, Oid const *types, int count);

/// Returns a call of a function with these arguments, or null for InvalidOid.
Expr *call(Oid function, List *arguments);

/// Returns `id >= bound` or `id <= bound`, depending on `strategy`. Returns null if `bound` is null, or if there is no
/// such operator.
///
/// If the bound is a constant but not an ID, compares with the nearest ID by `>` or `<` instead. The constant of a core
/// type such as uuid is also seen by other code, which may expect a valid ID.
OpExpr *compare_with(PlannerInfo *root, id_type const &of, Node *id, int strategy, Expr *bound);

/// Whether `node` (null counts) is cheap enough to evaluate twice: it contains no sub-select, is small, and costs no
/// more than PostgreSQL's inline_function() tolerates.
bool is_cheap(Node *node);

/// Whether an expression that is being planned contains a volatile sub-select. PostgreSQL's
/// contain_volatile_functions() does not look into sub-selects that are planned already.
bool has_volatile_subselect(PlannerInfo *root, Node *node);

/// Returns the current value of the setting that a type depends on, as a constant. Returns null if there is no such
/// setting, or unless an expression of a query is being planned.
///
/// If the value changes, plans that contain it are discarded, see `id_setting`. Index predicates, partition keys and
/// CHECK constraints outlive the value, so it must not become part of them.
Node *value_in_query(id_type const &type, PlannerInfo const *root);

} // namespace kid::pg
