// Planner support for all functions: kid_support(), and kid_support_recheck() for comparisons beside bounds. A
// superuser can give it to functions that are not kid's, so nothing is known about the arguments of a call.
#include "../base/datum.hpp"
#include "expressions.hpp"
#include "time_comparison.hpp"

namespace kid::pg {

namespace {

/// Sets the number of rows of a set of IDs to the last argument. Returns false if that is not a constant bigint.
bool estimate_rows(SupportRequestRows *request) {
  List *const arguments = is_funcclause(request->node) ? reinterpret_cast<FuncExpr *>(request->node)->args : NIL;
  if (arguments == NIL)
    return false;
  auto *const wanted =
      reinterpret_cast<Const *>(estimate_expression_value(request->root, static_cast<Node *>(llast(arguments))));
  if (!IsA(wanted, Const) || wanted->consttype != INT8OID)
    return false;
  request->rows = wanted->constisnull ? 0 : static_cast<double>(DatumGetInt64(wanted->constvalue));
  return true;
}

/// Replaces a call in a query by a call of the function of the same name that takes the setting as its last argument:
///
///   kid_timestamp(id)        kid_timestamp(id, 8)
///
/// That function is IMMUTABLE. So the call can be folded, prune partitions, match an index, and run on another server.
/// Both have one definition in C. Another function of that name could be of another type, or belong to another role.
Node *with_setting(SupportRequestSimplify *request) {
  FuncExpr const *const written = request->fcall;
  // The type of ID that the function returns, or else of its first argument.
  id_type const *type = id_type_of(written->funcresulttype);
  if (type == nullptr && written->args != NIL)
    type = id_type_of(exprType(static_cast<Node *>(linitial(written->args))));
  Node *const value = type != nullptr ? value_in_query(*type, request->root) : nullptr;
  // The function may have been dropped since the query was parsed.
  char const *const symbol = symbol_of(written->funcid);
  int count = 0;
  bool constant = true;
  ListCell *cell = nullptr;

  if (value == nullptr || symbol == nullptr)
    return nullptr;
  List *const arguments = lappend(list_copy(written->args), value);
  auto *const types = static_cast<Oid *>(palloc(static_cast<std::size_t>(list_length(arguments)) * sizeof(Oid)));
  foreach (cell, arguments) {
    types[count++] = exprType(static_cast<Node *>(lfirst(cell)));
    constant = constant && IsA(lfirst(cell), Const);
  }
  Oid const function = function_of(get_func_namespace(written->funcid), get_func_name(written->funcid), types, count);
  char const *const found = symbol_of(function);
  if (found == nullptr || strcmp(found, symbol) != 0)
    return nullptr;
  auto *const whole = reinterpret_cast<Node *>(call(function, arguments));
  // Other arguments are simplified already. To look at them again at each level would take cubic time if calls are
  // nested.
  return constant ? eval_const_expressions(request->root, whole) : whole;
}

} // namespace

KID_DEFINE(kid_support) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (IsA(request, SupportRequestSimplify)) {
    auto *const simplify = reinterpret_cast<SupportRequestSimplify *>(request);
    // Those functions of kid that have this support and return boolean compare an ID with time.
    PG_RETURN_POINTER(simplify->fcall->funcresulttype == BOOLOID ? rewrite_comparison(simplify)
                                                                 : with_setting(simplify));
  }
  if (IsA(request, SupportRequestIndexCondition))
    PG_RETURN_POINTER(index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request)));
  PG_RETURN_POINTER(IsA(request, SupportRequestRows) && estimate_rows(reinterpret_cast<SupportRequestRows *>(request))
                        ? request
                        : nullptr);
}

/// Estimates that a recheck removes no row: the bounds beside it already account for the selectivity.
KID_DEFINE(kid_support_recheck) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (!IsA(request, SupportRequestSelectivity))
    return 0;
  reinterpret_cast<SupportRequestSelectivity *>(request)->selectivity = 1;
  PG_RETURN_POINTER(request);
}

} // namespace kid::pg
