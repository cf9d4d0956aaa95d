// What the planner is told of generators: that two calls are two, and how many IDs a set has.
#include "../base/compat.hpp"
#include "../base/export.hpp"

namespace kid::pg {

extern "C" {

/// Whether an expression contains `call`.
static bool find_call(Node *node, void *call) {
  // For each call of a query, all that it groups by is looked through.
  CHECK_FOR_INTERRUPTS();
  return node != nullptr && (equal(node, call) || walk(node, find_call, call));
}

} // extern "C"

namespace {

/// Whether GROUP BY contains `call`. From 18 on nothing of GROUP BY is in the select list any more when its calls are
/// simplified, but references to what is grouped, so the answer is no, and the grouped call gets its number.
bool groups_by(Query *query, FuncExpr *call) {
  ListCell *cell = nullptr;

  foreach (cell, query->groupClause)
    if (find_call(get_sortgroupclause_expr(static_cast<SortGroupClause *>(lfirst(cell)), query->targetList), call))
      return true;
  return false;
}

/// PostgreSQL computes equal expressions of a select list once, below a Sort, and so it would do with two calls of a
/// generator. Each call therefore gets a number of its own, so that no two are equal. A view or a DEFAULT has none, as
/// this is done when a query is planned.
///
/// The number stands where calls with arguments of text have their collation. No generator has such an argument, and
/// nothing looks there but the comparison of expressions: EXPLAIN, privileges and whatever else belongs to the function
/// stay as they are.
///
/// In the select list, a call that GROUP BY contains refers to the value of the group, so it gets no number.
Node *number_call(SupportRequestSimplify *request) {
  static Oid calls_numbered = InvalidOid;
  FuncExpr *const written = request->fcall;

  // An expression may be simplified more than once, and then was copied, perhaps.
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

/// A set of IDs has as many rows as its argument of type bigint says.
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
