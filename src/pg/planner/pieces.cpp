// What the planner is told of kid_within(id, multirange). From its first piece to the last the times are a range, which
// indexes, partitions and statistics know; the pieces are looked at for each row in there:
//
//   kid_within(id, times)
//
//   id >= T_lowest(kid_hull(times)) AND id <= T_highest(kid_hull(times)) AND kid_recheck(id, times)
//
// What must not be evaluated more than once, as it is costly or a sub-select, stays in the function, and an index has
// the same bounds. Settings as in time.cpp.
#include "../export.hpp"
#include "expressions.hpp"

namespace kid::pg {

namespace {

struct pieces {
  Oid schema;
  id_type const *type; ///< null: kid does not know it
  Node *id;
  Node *times;
  Node *setting; ///< null: not given
};

pieces read_call(FuncExpr const *call) {
  auto *const id = static_cast<Node *>(linitial(call->args));
  return {get_func_namespace(call->funcid), id_type_of(exprType(id)), id, static_cast<Node *>(lsecond(call->args)),
          list_length(call->args) > 2 ? static_cast<Node *>(lthird(call->args)) : nullptr};
}

bool lacks_setting(pieces const &given) {
  return given.type->setting != nullptr && given.setting == nullptr;
}

/// `name`(id, times [, setting])
Expr *call_with_setting(pieces const &given, char const *name) {
  List *arguments = list_make2(copyObjectImpl(given.id), copyObjectImpl(given.times));
  if (given.setting != nullptr)
    arguments = lappend(arguments, copyObjectImpl(given.setting));
  return call(given.schema, name, arguments);
}

/// The bounds of all pieces together. None where a superuser took a function out of the extension.
List *bounds(PlannerInfo *root, pieces const &given) {
  auto const compared = [&](int strategy, char const *bound) {
    Expr *const hull = call(given.schema, "kid_hull", list_make1(copyObjectImpl(given.times)));
    List *arguments = list_make1(hull);
    if (given.setting != nullptr)
      arguments = lappend(arguments, copyObjectImpl(given.setting));
    char const *const name = psprintf("%s_%s", given.type->prefix, bound);
    return compare_with(root, *given.type, given.id, strategy,
                        hull != nullptr ? call(given.schema, name, arguments) : nullptr);
  };
  OpExpr *const low = compared(BTGreaterEqualStrategyNumber, "lowest");
  OpExpr *const high = compared(BTLessEqualStrategyNumber, "highest");

  return low != nullptr && high != nullptr ? list_make2(low, high) : NIL;
}

Node *rewrite(SupportRequestSimplify *request) {
  pieces given = read_call(request->fcall);

  if (given.type == nullptr)
    return nullptr;
  bool const needs_setting = lacks_setting(given);
  if (needs_setting) {
    given.setting = value_in_query(*given.type->setting, request->root);
    if (given.setting == nullptr)
      return nullptr;
  }
  // What is volatile is compared anew with each row.
  if (!is_cheap(given.id) || !is_cheap(given.times) || !is_cheap(given.setting) ||
      contain_volatile_functions(reinterpret_cast<Node *>(request->fcall->args)))
    return needs_setting ? reinterpret_cast<Node *>(call_with_setting(given, "kid_within")) : nullptr;

  List *const clauses = bounds(request->root, given);
  Expr *const recheck = call_with_setting(given, "kid_recheck");
  if (clauses == NIL || recheck == nullptr)
    return nullptr;
  return eval_const_expressions(request->root, reinterpret_cast<Node *>(make_andclause(lappend(clauses, recheck))));
}

/// Bounds of what was not rewritten, for an index that knows the order of IDs. None where the times are not the same
/// for a whole scan, or a volatile sub-select gives them.
List *index_condition(SupportRequestIndexCondition *request) {
  if (request->indexarg != 0 || !is_funcclause(request->node))
    return NIL;
  pieces const given = read_call(reinterpret_cast<FuncExpr *>(request->node));

  if (given.type == nullptr || lacks_setting(given) ||
      !is_pseudo_constant_for_index(request->root, given.times, request->index) ||
      (given.setting != nullptr && !is_pseudo_constant_for_index(request->root, given.setting, request->index)) ||
      has_volatile_subselect(request->root, given.times) || has_volatile_subselect(request->root, given.setting))
    return NIL;
  List *const clauses = bounds(request->root, given);
  if (clauses == NIL || !op_in_opfamily(linitial_node(OpExpr, clauses)->opno, request->opfamily))
    return NIL;
  return clauses;
}

double length(RangeBound const &from, RangeBound const &to) {
  return static_cast<double>(DatumGetTimestampTz(to.val)) - static_cast<double>(DatumGetTimestampTz(from.val));
}

/// How much of the time from the first piece to the last is in a piece, where that is known.
double part_of_hull(PlannerInfo *root, Node *argument) {
  auto *const known = reinterpret_cast<Const *>(estimate_expression_value(root, argument));
  if (!IsA(known, Const) || known->constisnull)
    return 1;
  MultirangeType const *const times = DatumGetMultirangeTypeP(known->constvalue);
  TypeCacheEntry *const type = lookup_type_cache(MultirangeTypeGetOid(times), TYPECACHE_MULTIRANGE_INFO);
  RangeBound first = {};
  RangeBound lower = {};
  RangeBound upper = {};
  double in_pieces = 0;
  for (std::uint32_t piece = 0; piece < times->rangeCount; piece++) {
    multirange_get_bounds(type->rngtype, times, piece, &lower, &upper);
    if (lower.infinite || upper.infinite)
      return 1;
    if (piece == 0)
      first = lower;
    in_pieces += length(lower, upper);
  }
  return in_pieces > 0 ? in_pieces / length(first, upper) : 1;
}

} // namespace

/// The range from the first instant of a multirange to the last, both included: of instants in the same unit of an ID,
/// another than the last can end a piece that takes in the unit.
static Datum hull(PG_FUNCTION_ARGS) {
  MultirangeType const *const times = PG_GETARG_MULTIRANGE_P(0);
  TypeCacheEntry *const type = multirange_get_typcache(fcinfo, MultirangeTypeGetOid(times));
  RangeBound first;
  RangeBound last;
  RangeBound between;

  if (MultirangeIsEmpty(times))
    PG_RETURN_RANGE_P(make_empty_range(type->rngtype));
  multirange_get_bounds(type->rngtype, times, 0, &first, &between);
  multirange_get_bounds(type->rngtype, times, times->rangeCount - 1, &between, &last);
  first.inclusive = !first.infinite;
  last.inclusive = !last.infinite;
  PG_RETURN_RANGE_P(make_range_of(type->rngtype, &first, &last));
}

static Datum support_within_pieces(PG_FUNCTION_ARGS) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (IsA(request, SupportRequestSimplify))
    PG_RETURN_POINTER(rewrite(reinterpret_cast<SupportRequestSimplify *>(request)));
  if (IsA(request, SupportRequestIndexCondition))
    PG_RETURN_POINTER(index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request)));
  if (!IsA(request, SupportRequestSelectivity))
    PG_RETURN_DATUM(0);
  // As a range of which nothing is known.
  reinterpret_cast<SupportRequestSelectivity *>(request)->selectivity = DEFAULT_RANGE_INEQ_SEL;
  PG_RETURN_POINTER(request);
}

/// The bounds beside it say how many rows there are from the first piece to the last.
static Datum support_recheck_pieces(PG_FUNCTION_ARGS) {
  auto *const node = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  if (!IsA(node, SupportRequestSelectivity))
    PG_RETURN_DATUM(0);
  auto *const request = reinterpret_cast<SupportRequestSelectivity *>(node);
  request->selectivity = part_of_hull(request->root, static_cast<Node *>(lsecond(request->args)));
  PG_RETURN_POINTER(request);
}

} // namespace kid::pg

KID_FUNCTION(kid_hull, kid::pg::hull)
KID_FUNCTION(kid_support_within_pieces, kid::pg::support_within_pieces)
KID_FUNCTION(kid_support_recheck_pieces, kid::pg::support_recheck_pieces)
