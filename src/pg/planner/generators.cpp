// Planner support for generators: keeps equal calls apart, and estimates the number of rows of a set of IDs.
#include "../base/compat.hpp"
#include "../base/export.hpp"

namespace kid::pg {

extern "C" {

/// Whether an expression contains `call`.
static bool find_call(Node *node, void *call) {
  // Each call of a query makes one pass over all its GROUP BY expressions, so the total is quadratic.
  CHECK_FOR_INTERRUPTS();
  return node != nullptr && (equal(node, call) || walk(node, find_call, call));
}

} // extern "C"

namespace {

/// Whether GROUP BY contains `call`. From PostgreSQL 18 on, the select list has only references to the grouped
/// expressions by the time its calls are simplified. The result is then false, and the grouped call gets a number.
bool groups_by(Query *query, FuncExpr *call) {
  ListCell *cell = nullptr;

  foreach (cell, query->groupClause)
    if (find_call(get_sortgroupclause_expr(static_cast<SortGroupClause *>(lfirst(cell)), query->targetList), call))
      return true;
  return false;
}

/// Returns a copy of a call with a number of its own, or null to leave the call as it is.
///
/// Below a Sort, PostgreSQL computes equal expressions of a select list only once. Two calls of a generator would then
/// return the same ID. The number makes them unequal. It is added when a query is planned, so the stored expression of
/// a view or a DEFAULT has none.
///
/// The number takes the place of the input collation. No generator has an argument with a collation, and only the
/// comparison of expressions reads this field. EXPLAIN and privileges do not change.
///
/// A call in the select list that GROUP BY contains stands for the value of the group, so it gets no number.
Node *number_call(SupportRequestSimplify *request) {
  static Oid calls_numbered = InvalidOid;
  FuncExpr *const written = request->fcall;

  // An expression may be simplified more than once, and may be copied in between. The copies must stay equal.
  if (OidIsValid(written->inputcollid))
    return nullptr;
  if (request->root != nullptr && request->root->parse != nullptr && groups_by(request->root->parse, written))
    return nullptr;
  if (!OidIsValid(++calls_numbered))
    ++calls_numbered;
  auto *const numbered = makeNode(FuncExpr);
  *numbered = *written;
  numbered->inputcollid = calls_numbered;
  return reinterpret_cast<Node *>(numbered);
}

/// Sets the number of rows of a set of IDs to its argument of type bigint. Returns false if the argument is not a
/// constant.
bool estimate_rows(SupportRequestRows *request) {
  if (!is_funcclause(request->node))
    return false;
  ListCell *cell = nullptr;
  foreach (cell, reinterpret_cast<FuncExpr *>(request->node)->args) {
    auto *const argument = static_cast<Node *>(lfirst(cell));
    if (exprType(argument) != INT8OID)
      continue;
    auto *const wanted = reinterpret_cast<Const *>(estimate_expression_value(request->root, argument));
    if (!IsA(wanted, Const))
      return false;
    request->rows = wanted->constisnull ? 0 : static_cast<double>(DatumGetInt64(wanted->constvalue));
    return true;
  }
  return false;
}

} // namespace

static Datum support_next(PG_FUNCTION_ARGS) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  Node *result = nullptr;

  if (IsA(request, SupportRequestSimplify))
    result = number_call(reinterpret_cast<SupportRequestSimplify *>(request));
  else if (IsA(request, SupportRequestRows) && estimate_rows(reinterpret_cast<SupportRequestRows *>(request)))
    result = request;
  PG_RETURN_POINTER(result);
}

} // namespace kid::pg

KID_FUNCTION(kid_support_next, kid::pg::support_next)
