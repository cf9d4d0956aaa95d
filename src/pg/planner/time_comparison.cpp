// What the planner is told of comparisons of an ID with time: how to make them comparisons of the ID with IDs, which
// indexes, partitions, statistics and other servers know.
//
//   id <@ range        id >= T_lowest(range)      AND id <= T_highest(range)
//   id < time          id >= T_lowest('<', time)  AND id <= T_highest('<', time)      <=, >= and > likewise
//
// A pair of inclusive bounds says it exactly, wherever the comparison stands: where there is no such ID it is the
// greatest ID and the smallest, and where every ID is one, the smallest and the greatest; NULL gives NULL. A bound that
// is known, and bounds nothing, is left out. The time of some types is finer than their order: those bounds take in
// some more, and the comparison itself is kept beside them: as T_recheck(…), or, where the time is known, as
// T_between(id, first, last), whose bounds are IDs of the type that it is compared with time as.
//
// What must not be evaluated twice, as it is costly or a sub-select, stays in the comparison, which an index can use
// all the same: as a condition of the index, which does not have to tell false from NULL, it needs but one bound.
//
//   id < time          id <= T_last('<', time)                                       <= likewise; > and >= T_first
//
// These functions of an instant are LEAKPROOF, as the operators are, so that an index can come before row-level
// security.
//
// Where the layout depends on a setting, all these functions have it as their last argument, and are not LEAKPROOF, as
// one that is no setting is an error. So has a comparison that stays: T_lt_time(id, time, setting). Without that
// argument a comparison is not rewritten.
#include "../base/export.hpp"
#include "expressions.hpp"

namespace kid::pg {

namespace {

/// What an operator means for an ID on its left.
struct meaning {
  char const *symbol;   ///< null for <@
  char const *function; ///< T_`function` compares with a setting as the last argument; for <@ kid_within does
  bool upward;          ///< whether the IDs have a first one, else a last one; for <@ they have both
};

constexpr meaning within = {nullptr, nullptr, false};
constexpr meaning less = {"<", "lt_time", false};
constexpr meaning less_equal = {"<=", "le_time", false};
constexpr meaning greater_equal = {">=", "ge_time", true};
constexpr meaning greater = {">", "gt_time", true};

struct time_comparison {
  meaning const *how;
  Oid schema;
  id_type const *type;
  Node *id;
  Node *time;
  Node *setting; ///< null: not given
};

/// A range that came as kid_span, as what it is without: the bounds are those of any tstzrange.
Node *without_domain(Node *node) {
  Oid const type = getBaseType(exprType(node));
  return applyRelabelType(node, type, -1, exprCollation(node), COERCE_IMPLICIT_CAST, -1, false);
}

/// A call of `function` with these arguments; its `type` is null where kid does not know that of the ID.
time_comparison read_call(meaning const &how, Oid function, List *arguments) {
  auto *const first = static_cast<Node *>(linitial(arguments));
  auto *const second = static_cast<Node *>(lsecond(arguments));
  auto *const third = list_length(arguments) > 2 ? static_cast<Node *>(lthird(arguments)) : nullptr;
  bool const id_first = getBaseType(exprType(second)) == (how.symbol == nullptr ? TSTZRANGEOID : TIMESTAMPTZOID);
  Node *const id = id_first ? first : second;

  return {&how, get_func_namespace(function), id_type_of(exprType(id)), id, without_domain(id_first ? second : first),
          third};
}

List *append_copy(List *list, Node *node) {
  return node != nullptr ? lappend(list, copyObjectImpl(node)) : list;
}

char const *function_name(time_comparison const &comparison, char const *name) {
  return psprintf("%s_%s", comparison.type->prefix, name);
}

/// The operator as the first argument of those that follow, or none.
List *operator_argument(time_comparison const &comparison) {
  if (comparison.how->symbol == nullptr)
    return NIL;
  Datum const text = CStringGetTextDatum(comparison.how->symbol);
  return list_make1(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, text, false, false));
}

/// T_`name`([operator,] [ID,] time [, setting])
Expr *call_with_operator(time_comparison const &comparison, char const *name, Node *id = nullptr) {
  List *arguments = operator_argument(comparison);

  arguments = append_copy(append_copy(append_copy(arguments, id), comparison.time), comparison.setting);
  return call(comparison.schema, function_name(comparison, name), arguments);
}

/// The same comparison, with its setting. In such a call the ID comes first.
Expr *call_with_setting(time_comparison const &comparison) {
  List *const arguments =
      append_copy(append_copy(append_copy(NIL, comparison.id), comparison.time), comparison.setting);
  char const *const function = comparison.how->function;
  return call(comparison.schema, function == nullptr ? "kid_within" : function_name(comparison, function), arguments);
}

/// Whether a bound is known to consist of such bytes: zeroes are the smallest of all IDs, ones the greatest.
bool consists_of(OpExpr const *clause, unsigned char byte) {
  auto const *const bound = static_cast<Const *>(lsecond(clause->args));

  if (!IsA(bound, Const) || bound->constisnull)
    return false;
  auto const *const bytes = bound->constbyval
                                ? reinterpret_cast<unsigned char const *>(&bound->constvalue)
                                : reinterpret_cast<unsigned char const *>(DatumGetPointer(bound->constvalue));
  for (int i = 0; i < bound->constlen; i++)
    if (bytes[i] != byte)
      return false;
  return true;
}

/// What of a type whose order is coarser than its time is kept beside bounds.
Expr *recheck(PlannerInfo *root, time_comparison const &comparison) {
  if (!IsA(comparison.time, Const))
    return call_with_operator(comparison, "recheck", comparison.id);
  List *arguments = list_make1(copyObjectImpl(comparison.id));
  for (char const *const name : {"lowest", "highest"}) {
    Expr *const bound = call(comparison.schema, psprintf("%s_%s", comparison.type->exact, name),
                             append_copy(operator_argument(comparison), comparison.time));
    if (bound == nullptr)
      return nullptr;
    arguments = lappend(arguments, eval_const_expressions(root, reinterpret_cast<Node *>(bound)));
  }
  return call(comparison.schema, function_name(comparison, "between"), append_copy(arguments, comparison.setting));
}

/// Null where the comparison stays as it is.
Node *rewrite(SupportRequestSimplify *request, meaning const &how) {
  time_comparison comparison = read_call(how, request->fcall->funcid, request->fcall->args);

  CHECK_FOR_INTERRUPTS();
  if (comparison.type == nullptr)
    return nullptr;
  bool const needs_setting = comparison.type->setting != nullptr && comparison.setting == nullptr;
  if (needs_setting) {
    comparison.setting = value_in_query(*comparison.type->setting, request->root);
    if (comparison.setting == nullptr)
      return nullptr;
  }
  // What is volatile is compared anew with each row.
  if (!is_cheap(comparison.id) || !is_cheap(comparison.time) || !is_cheap(comparison.setting) ||
      contain_volatile_functions(reinterpret_cast<Node *>(request->fcall->args)))
    return needs_setting ? reinterpret_cast<Node *>(call_with_setting(comparison)) : nullptr;

  OpExpr *const low = compare_with(request->root, *comparison.type, comparison.id, BTGreaterEqualStrategyNumber,
                                   call_with_operator(comparison, "lowest"));
  OpExpr *const high = compare_with(request->root, *comparison.type, comparison.id, BTLessEqualStrategyNumber,
                                    call_with_operator(comparison, "highest"));
  if (low == nullptr || high == nullptr)
    return nullptr;
  // One of them stays, to make NULL of NULL.
  List *clauses = NIL;
  if (!consists_of(low, 0))
    clauses = lappend(clauses, low);
  if (clauses == NIL || !consists_of(high, 0xff))
    clauses = lappend(clauses, high);
  if (comparison.type->exact != nullptr) {
    Expr *const kept = recheck(request->root, comparison);
    if (kept == nullptr)
      return nullptr;
    clauses = lappend(clauses, kept);
  }
  auto *const result = reinterpret_cast<Node *>(make_ands_explicit(clauses));
  // All of it may be known only with the setting.
  return needs_setting ? eval_const_expressions(request->root, result) : result;
}

/// Bounds of what was not rewritten, for an index that knows the order of IDs. None where the time is not the same for
/// a whole scan; nor where a volatile sub-select would be evaluated more than once, for two bounds or for a recheck.
List *index_condition(SupportRequestIndexCondition *request, meaning const &how) {
  List *const arguments = is_opclause(request->node)     ? reinterpret_cast<OpExpr *>(request->node)->args
                          : is_funcclause(request->node) ? reinterpret_cast<FuncExpr *>(request->node)->args
                                                         : NIL;
  if (arguments == NIL)
    return NIL;
  time_comparison const comparison = read_call(how, request->funcid, arguments);
  auto const compared = [&](int strategy, char const *bound) -> OpExpr * {
    OpExpr *const clause =
        compare_with(request->root, *comparison.type, comparison.id, strategy, call_with_operator(comparison, bound));
    return clause != nullptr && op_in_opfamily(clause->opno, request->opfamily) ? clause : nullptr;
  };

  if (comparison.type == nullptr || list_nth(arguments, request->indexarg) != comparison.id ||
      (comparison.type->setting != nullptr) != (comparison.setting != nullptr) ||
      !is_pseudo_constant_for_index(request->root, comparison.time, request->index) ||
      (comparison.setting != nullptr &&
       !is_pseudo_constant_for_index(request->root, comparison.setting, request->index)) ||
      ((how.symbol == nullptr || comparison.type->exact != nullptr) &&
       (has_volatile_subselect(request->root, comparison.time) ||
        has_volatile_subselect(request->root, comparison.setting))))
    return NIL;
  request->lossy = comparison.type->exact != nullptr;
  if (how.symbol != nullptr) {
    OpExpr *const only =
        how.upward ? compared(BTGreaterEqualStrategyNumber, "first") : compared(BTLessEqualStrategyNumber, "last");
    return only != nullptr ? list_make1(only) : NIL;
  }
  OpExpr *const low = compared(BTGreaterEqualStrategyNumber, "lowest");
  OpExpr *const high = compared(BTLessEqualStrategyNumber, "highest");
  return low != nullptr && high != nullptr ? list_make2(low, high) : NIL;
}

Datum support(FunctionCallInfo fcinfo, meaning const &how) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (IsA(request, SupportRequestSimplify))
    PG_RETURN_POINTER(rewrite(reinterpret_cast<SupportRequestSimplify *>(request), how));
  if (IsA(request, SupportRequestIndexCondition))
    PG_RETURN_POINTER(index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request), how));
  PG_RETURN_DATUM(0);
}

} // namespace

static Datum support_within(PG_FUNCTION_ARGS) {
  return support(fcinfo, within);
}
static Datum support_lt(PG_FUNCTION_ARGS) {
  return support(fcinfo, less);
}
static Datum support_le(PG_FUNCTION_ARGS) {
  return support(fcinfo, less_equal);
}
static Datum support_ge(PG_FUNCTION_ARGS) {
  return support(fcinfo, greater_equal);
}
static Datum support_gt(PG_FUNCTION_ARGS) {
  return support(fcinfo, greater);
}

/// The bounds beside a recheck have said already how many rows there are.
static Datum support_recheck(PG_FUNCTION_ARGS) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (IsA(request, SupportRequestSelectivity))
    reinterpret_cast<SupportRequestSelectivity *>(request)->selectivity = 1;
  else
    request = nullptr;
  PG_RETURN_POINTER(request);
}

} // namespace kid::pg

KID_FUNCTION(kid_support_recheck, kid::pg::support_recheck)
KID_FUNCTION(kid_support_within, kid::pg::support_within)
KID_FUNCTION(kid_support_lt, kid::pg::support_lt)
KID_FUNCTION(kid_support_le, kid::pg::support_le)
KID_FUNCTION(kid_support_ge, kid::pg::support_ge)
KID_FUNCTION(kid_support_gt, kid::pg::support_gt)
