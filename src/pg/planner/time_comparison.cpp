#include "time_comparison.hpp"

#include "expressions.hpp"
#include "known_functions.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

struct time_comparison {
  comparison_function known; ///< without a type if this is not a comparison that planner support knows
  StrategyNumber strategy;   ///< of the operator, for an ID on its left; 0 for <@
  Node *id;
  Node *time;
  Node *setting; ///< null if not given
};

/// Describes a call of `function`, a comparison or T_compare(), with these arguments.
time_comparison read_call(Oid function, List *arguments) {
  time_comparison result = {};
  comparison_function const known = comparison_of(function);
  int const first = known.by_name ? 1 : 0;

  if (known.type == nullptr)
    return result;
  result.strategy = known.strategy;
  if (known.by_name) {
    auto const *const name = static_cast<Const *>(linitial(arguments));
    if (IsA(name, Const) && !name->constisnull)
      result.strategy = strategy_of(TextDatumGetCString(name->constvalue));
    if (result.strategy == 0)
      return result;
  }
  auto *const left = static_cast<Node *>(list_nth(arguments, first));
  auto *const right = static_cast<Node *>(list_nth(arguments, first + 1));
  result.id = known.id_first ? left : right;
  // The functions that make bounds take a tstzrange, not a kid_span.
  Node *const time = known.id_first ? right : left;
  result.time =
      applyRelabelType(time, getBaseType(exprType(time)), -1, exprCollation(time), COERCE_IMPLICIT_CAST, -1, false);
  result.setting = list_length(arguments) > first + 2 ? static_cast<Node *>(list_nth(arguments, first + 2)) : nullptr;
  result.known = known;
  return result;
}

/// Returns `list` with a constant of type text.
List *append_text(List *list, char const *value) {
  return lappend(list, makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(value), false, false));
}

/// Returns `list` with the operator of a comparison. The functions of <@ take no operator.
List *append_operator(List *list, time_comparison const &comparison) {
  return comparison.strategy == 0 ? list : append_text(list, operator_of(comparison.strategy));
}

/// Returns the call T_edge(`which`, [operator,] time [, setting]).
Expr *edge(time_comparison const &comparison, char const *which) {
  List *arguments = append_operator(append_text(NIL, which), comparison);

  arguments = lappend(arguments, copyObjectImpl(comparison.time));
  if (comparison.setting != nullptr)
    arguments = lappend(arguments, copyObjectImpl(comparison.setting));
  return call(comparison.strategy != 0 ? comparison.known.edge : comparison.known.edge_of_range, arguments);
}

/// Returns a call of `function` with the arguments of a comparison, and the operator before them. It replaces the
/// comparison, and takes its arguments over: copies at each level of nested comparisons would need quadratic memory.
Expr *call_instead(time_comparison const &comparison, Oid function) {
  List *arguments = lappend(lappend(append_operator(NIL, comparison), comparison.id), comparison.time);

  if (comparison.setting != nullptr)
    arguments = lappend(arguments, comparison.setting);
  return call(function, arguments);
}

/// Whether a bound is a constant all of whose bytes are `byte`. With 0 it is the smallest ID, with 0xff the greatest.
bool consists_of(OpExpr const *clause, unsigned char byte) {
  auto const *const bound = static_cast<Const *>(lsecond(clause->args));

  if (!IsA(bound, Const) || bound->constisnull)
    return false;
  auto const *const bytes =
      bound->constbyval ? reinterpret_cast<unsigned char const *>(&bound->constvalue) : stored(bound->constvalue);
  return std::count(bytes, bytes + bound->constlen, byte) == bound->constlen;
}

/// Whether a comparison is true of all IDs before an instant.
bool is_before(StrategyNumber strategy) {
  return strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber;
}

/// Returns the range of the instants that compare with a constant one as the operator of `strategy` says.
Node *constant_range(PlannerInfo *root, StrategyNumber strategy, Node *instant) {
  Node *const unbounded = reinterpret_cast<Node *>(makeNullConst(TIMESTAMPTZOID, -1, InvalidOid));
  bool const inclusive = strategy == BTLessEqualStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
  List *const bounds = is_before(strategy) ? list_make2(unbounded, instant) : list_make2(instant, unbounded);
  List *const arguments = append_text(bounds, inclusive ? "[]" : "()");
  return eval_const_expressions(
      root, reinterpret_cast<Node *>(makeFuncExpr(F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ_TEXT, TSTZRANGEOID, arguments,
                                                  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL)));
}

/// Returns the exact comparison that is kept beside the bounds, for a type whose order is coarser than its time.
Expr *recheck(PlannerInfo *root, time_comparison comparison) {
  if (comparison.strategy != 0 && IsA(comparison.time, Const)) {
    comparison.time = constant_range(root, comparison.strategy, comparison.time);
    comparison.strategy = 0;
  }
  return call_instead(comparison,
                      comparison.strategy != 0 ? comparison.known.recheck : comparison.known.recheck_of_range);
}

} // namespace

Node *rewrite_comparison(SupportRequestSimplify *request) {
  time_comparison comparison = read_call(request->fcall->funcid, request->fcall->args);
  id_type const *const type = comparison.known.type;

  CHECK_FOR_INTERRUPTS();
  if (type == nullptr)
    return nullptr;
  bool const needs_setting = type->setting != nullptr && comparison.setting == nullptr;
  if (needs_setting) {
    comparison.setting = value_in_query(*type, request->root);
    if (comparison.setting == nullptr)
      return nullptr;
  }
  // Arguments that are volatile must be evaluated once for each row. The comparison stays then, with the setting.
  if (!is_cheap(comparison.id) || !is_cheap(comparison.time) || !is_cheap(comparison.setting) ||
      contain_volatile_functions(reinterpret_cast<Node *>(request->fcall->args)))
    return !needs_setting
               ? nullptr
               : reinterpret_cast<Node *>(call_instead(comparison, comparison.strategy != 0 ? comparison.known.compare
                                                                                            : comparison.known.within));

  OpExpr *const low =
      compare_with(request->root, *type, comparison.id, BTGreaterEqualStrategyNumber, edge(comparison, "lowest"));
  OpExpr *const high =
      compare_with(request->root, *type, comparison.id, BTLessEqualStrategyNumber, edge(comparison, "highest"));
  if (low == nullptr || high == nullptr)
    return nullptr;
  // One bound always stays, so that a NULL ID gives NULL.
  List *clauses = NIL;
  if (!consists_of(low, 0))
    clauses = lappend(clauses, low);
  if (clauses == NIL || !consists_of(high, 0xff))
    clauses = lappend(clauses, high);
  if (!type->orders_exactly) {
    Expr *const kept = recheck(request->root, comparison);
    if (kept == nullptr)
      return nullptr;
    clauses = lappend(clauses, kept);
  }
  auto *const result = reinterpret_cast<Node *>(make_ands_explicit(clauses));
  // With the setting, all arguments may be constants now.
  return needs_setting ? eval_const_expressions(request->root, result) : result;
}

List *index_condition(SupportRequestIndexCondition *request) {
  List *const arguments = is_opclause(request->node)     ? reinterpret_cast<OpExpr *>(request->node)->args
                          : is_funcclause(request->node) ? reinterpret_cast<FuncExpr *>(request->node)->args
                                                         : NIL;
  if (arguments == NIL)
    return NIL;
  time_comparison const comparison = read_call(request->funcid, arguments);
  id_type const *const type = comparison.known.type;

  if (type == nullptr || list_nth(arguments, request->indexarg) != comparison.id ||
      (type->setting != nullptr) != (comparison.setting != nullptr) ||
      !is_pseudo_constant_for_index(request->root, comparison.time, request->index) ||
      (comparison.setting != nullptr &&
       !is_pseudo_constant_for_index(request->root, comparison.setting, request->index)) ||
      ((comparison.strategy == 0 || !type->orders_exactly) &&
       (has_volatile_subselect(request->root, comparison.time) ||
        has_volatile_subselect(request->root, comparison.setting))))
    return NIL;
  auto const compared = [&](int strategy, char const *which) -> OpExpr * {
    OpExpr *const clause = compare_with(request->root, *type, comparison.id, strategy, edge(comparison, which));
    return clause != nullptr && op_in_opfamily(clause->opno, request->opfamily) ? clause : nullptr;
  };
  request->lossy = !type->orders_exactly;
  if (comparison.strategy != 0) {
    OpExpr *const only = is_before(comparison.strategy) ? compared(BTLessEqualStrategyNumber, "last")
                                                        : compared(BTGreaterEqualStrategyNumber, "first");
    return only != nullptr ? list_make1(only) : NIL;
  }
  OpExpr *const low = compared(BTGreaterEqualStrategyNumber, "lowest");
  OpExpr *const high = compared(BTLessEqualStrategyNumber, "highest");
  return low != nullptr && high != nullptr ? list_make2(low, high) : NIL;
}

} // namespace kid::pg
