// Planner support for comparisons of an ID with time. It turns them into comparisons of the ID with IDs, which indexes,
// partitions, statistics and other servers understand.
//
//   id <@ range        id >= T_lowest(range)      AND id <= T_highest(range)
//   id < time          id >= T_lowest('<', time)  AND id <= T_highest('<', time)      <=, >= and > likewise
//
// The two inclusive bounds are equivalent to the comparison wherever it stands:
//
//   - If no ID matches, the bounds are the greatest ID and the smallest one.
//   - If every ID matches, the bounds are the smallest ID and the greatest one.
//   - If the time is NULL, the bounds are NULL.
//
// A constant bound that excludes no ID is dropped, but not both of them.
//
// The order of some types is coarser than their time. Their bounds admit a few more IDs, so the comparison itself is
// kept beside the bounds, as T_recheck(…). If the time is a constant, it is kept as T_between(id, first, last), whose
// bounds are IDs of the type that compares exactly.
//
// A sub-select or a costly expression must not be evaluated twice, so its comparison stays as it is. An index can use
// that comparison all the same. An index condition need not distinguish false from NULL, so one bound is enough:
//
//   id < time          id <= T_last('<', time)                                       <= likewise; > and >= T_first
//
// The functions of an instant are LEAKPROOF, as the operators are. So an index condition can be evaluated before the
// policies of row-level security.
//
// If the layout depends on a setting, there are variants of these functions with its value as last argument. The
// variants are not LEAKPROOF, because an invalid value is an error. A comparison that stays takes the value too:
// T_lt_time(id, time, setting). Outside queries the value is not added, and a comparison without it is not rewritten.
#include "../base/export.hpp"
#include "expressions.hpp"

namespace kid::pg {

namespace {

/// What an operator means for an ID on its left.
struct meaning {
  char const *symbol;   ///< null for <@
  char const *function; ///< T_`function`(id, time, setting) is the comparison; null for <@, which has kid_within()
  bool upward;          ///< whether a matching ID has a lower bound, else an upper one; unused for <@
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
  Node *setting; ///< null if not given
};

/// Returns an expression as its base type. The functions that make bounds take a tstzrange, not a kid_span.
Node *without_domain(Node *node) {
  Oid const type = getBaseType(exprType(node));
  return applyRelabelType(node, type, -1, exprCollation(node), COERCE_IMPLICIT_CAST, -1, false);
}

/// Describes a call of `function` with these arguments. The `type` is null if the type of the ID is not one of kid's.
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

/// Returns the first argument of the functions that make bounds: the operator as text. Returns NIL for <@.
List *operator_argument(time_comparison const &comparison) {
  if (comparison.how->symbol == nullptr)
    return NIL;
  Datum const text = CStringGetTextDatum(comparison.how->symbol);
  return list_make1(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, text, false, false));
}

/// Returns the call T_`name`([operator,] [ID,] time [, setting]).
Expr *call_with_operator(time_comparison const &comparison, char const *name, Node *id = nullptr) {
  List *arguments = operator_argument(comparison);

  arguments = append_copy(append_copy(append_copy(arguments, id), comparison.time), comparison.setting);
  return call(comparison.schema, function_name(comparison, name), arguments);
}

/// Returns the same comparison as a call with the setting as its last argument. In such a call the ID comes first. It
/// replaces the comparison, and takes its arguments over: copies at each level of nested comparisons would need
/// quadratic memory.
Expr *call_with_setting(time_comparison const &comparison) {
  List *const arguments = list_make3(comparison.id, comparison.time, comparison.setting);
  char const *const function = comparison.how->function;
  return call(comparison.schema, function == nullptr ? "kid_within" : function_name(comparison, function), arguments);
}

/// Whether a bound is a constant all of whose bytes are `byte`. With 0 it is the smallest ID, with 0xff the greatest.
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

/// Returns the exact comparison that is kept beside the bounds, for a type whose order is coarser than its time.
Expr *recheck(PlannerInfo *root, time_comparison const &comparison) {
  if (!IsA(comparison.time, Const))
    return call_with_operator(comparison, "recheck", comparison.id);
  List *arguments = list_make1(copyObjectImpl(comparison.id));
  for (char const *const name : {"lowest", "highest"}) {
    Expr *const bound = call(comparison.schema, psprintf("%s_%s", comparison.type->exact_name, name),
                             append_copy(operator_argument(comparison), comparison.time));
    if (bound == nullptr)
      return nullptr;
    arguments = lappend(arguments, eval_const_expressions(root, reinterpret_cast<Node *>(bound)));
  }
  return call(comparison.schema, function_name(comparison, "between"), append_copy(arguments, comparison.setting));
}

/// Returns what replaces a comparison, or null if it stays as it is.
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
  // Arguments that are volatile must be evaluated once for each row.
  if (!is_cheap(comparison.id) || !is_cheap(comparison.time) || !is_cheap(comparison.setting) ||
      contain_volatile_functions(reinterpret_cast<Node *>(request->fcall->args)))
    return needs_setting ? reinterpret_cast<Node *>(call_with_setting(comparison)) : nullptr;

  OpExpr *const low = compare_with(request->root, *comparison.type, comparison.id, BTGreaterEqualStrategyNumber,
                                   call_with_operator(comparison, "lowest"));
  OpExpr *const high = compare_with(request->root, *comparison.type, comparison.id, BTLessEqualStrategyNumber,
                                    call_with_operator(comparison, "highest"));
  if (low == nullptr || high == nullptr)
    return nullptr;
  // One bound always stays, so that a NULL ID gives NULL.
  List *clauses = NIL;
  if (!consists_of(low, 0))
    clauses = lappend(clauses, low);
  if (clauses == NIL || !consists_of(high, 0xff))
    clauses = lappend(clauses, high);
  if (comparison.type->exact_name != nullptr) {
    Expr *const kept = recheck(request->root, comparison);
    if (kept == nullptr)
      return nullptr;
    clauses = lappend(clauses, kept);
  }
  auto *const result = reinterpret_cast<Node *>(make_ands_explicit(clauses));
  // With the setting, all arguments may be constants now.
  return needs_setting ? eval_const_expressions(request->root, result) : result;
}

/// Returns the index condition of a comparison that was not rewritten, if the index orders IDs. Returns NIL if the time
/// may change during a scan. Also returns NIL if a volatile sub-select would be evaluated more than once, for two
/// bounds or for a recheck.
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
      ((how.symbol == nullptr || comparison.type->exact_name != nullptr) &&
       (has_volatile_subselect(request->root, comparison.time) ||
        has_volatile_subselect(request->root, comparison.setting))))
    return NIL;
  request->lossy = comparison.type->exact_name != nullptr;
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

/// Estimates that a recheck removes no row: the bounds beside it already account for the selectivity.
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
