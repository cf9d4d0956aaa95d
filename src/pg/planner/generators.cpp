// Planner support for generators of sets: estimates how many IDs a call returns.
#include "../base/compat.hpp"
#include "../base/export.hpp"

namespace kid::pg {

namespace {

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

static Datum support_rows(PG_FUNCTION_ARGS) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  bool const estimated =
      IsA(request, SupportRequestRows) && estimate_rows(reinterpret_cast<SupportRequestRows *>(request));
  PG_RETURN_POINTER(estimated ? request : nullptr);
}

} // namespace kid::pg

KID_FUNCTION(kid_support_rows, kid::pg::support_rows)
