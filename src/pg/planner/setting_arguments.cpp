// Planner support for functions that depend on a setting, because the layout of their type does. In a query it replaces
// a call by a call of the function of the same name that takes the setting as its last argument, with the current
// value:
//
//   kid_timestamp(id)        kid_timestamp(id, 8)
//
// That function is IMMUTABLE. So the call can be folded, prune partitions, match an index, and run on another server.
#include "../base/export.hpp"
#include "expressions.hpp"

namespace kid::pg {

namespace {

/// Returns the setting that a function depends on, or null. It is the setting of the type of ID that the function
/// returns, or else of its first argument that is an ID.
id_setting const *setting_of_call(FuncExpr const *written) {
  id_type const *type = id_type_of(written->funcresulttype);
  ListCell *cell = nullptr;

  if (type != nullptr)
    return type->setting;
  foreach (cell, written->args) {
    type = id_type_of(exprType(static_cast<Node *>(lfirst(cell))));
    if (type != nullptr)
      return type->setting;
  }
  return nullptr;
}

bool are_constant(List const *arguments) {
  ListCell *cell = nullptr;

  foreach (cell, arguments)
    if (!IsA(lfirst(cell), Const))
      return false;
  return true;
}

Node *with_setting(SupportRequestSimplify *request) {
  FuncExpr const *const written = request->fcall;
  id_setting const *const setting = setting_of_call(written);
  Node *const value = setting != nullptr ? value_in_query(*setting, request->root) : nullptr;

  if (value == nullptr)
    return nullptr;
  auto *const whole = reinterpret_cast<Node *>(call(get_func_namespace(written->funcid), get_func_name(written->funcid),
                                                    lappend(list_copy(written->args), value)));
  // The arguments are simplified already. To look at them again at each level would take cubic time if calls are
  // nested.
  return are_constant(written->args) && IsA(value, Const) ? eval_const_expressions(request->root, whole) : whole;
}

} // namespace

static Datum support_setting(PG_FUNCTION_ARGS) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  PG_RETURN_POINTER(IsA(request, SupportRequestSimplify)
                        ? with_setting(reinterpret_cast<SupportRequestSimplify *>(request))
                        : nullptr);
}

} // namespace kid::pg

KID_FUNCTION(kid_support_setting, kid::pg::support_setting)
