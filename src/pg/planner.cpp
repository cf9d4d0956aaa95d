// What the planner is told of kid's functions. At the end of the page, that two calls of a generator are two. Before
// that, how to make comparisons of an ID with time into comparisons of the ID with IDs, which indexes, partitions and
// statistics know:
//
//   id <@ range        id >= T_lowest(range)      AND id <= T_highest(range)
//   id < time          id >= T_lowest('<', time)  AND id <= T_highest('<', time)      <=, >= and > likewise
//
// A pair of inclusive bounds says it exactly, wherever the comparison stands: where there is no such ID it is the
// greatest ID and the smallest, and where every ID is one, the smallest and the greatest; NULL gives NULL. The time of
// some types is finer than their order: those bounds take in some more, and the comparison itself is kept beside them.
#include "export.hpp"
#include "types.hpp"

namespace kid::pg {

namespace {

/// The function `prefix`_`name`, called with `arguments`. It is looked up by its exact signature, which this
/// extension has in its schema, so it is ours whatever else is there; and as an operator's own function is, without
/// asking whether the user may look into that schema. Null where a superuser took it out of the extension.
Expr *call(Oid schema, char const *prefix, char const *name, List *arguments) {
  Oid types[3];
  int count = 0;
  ListCell *cell = nullptr;
  foreach (cell, arguments)
    types[count++] = exprType(static_cast<Node *>(lfirst(cell)));
  Oid const function =
      GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(psprintf("%s_%s", prefix, name)),
                      PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));
  if (!OidIsValid(function))
    return nullptr;
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, get_func_rettype(function), arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

/// What there is to know of the IDs that a comparison of this extension has on one side. Null where a superuser renamed
/// their type.
id_type const *kind_of(Oid type) {
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  id_type const *result = nullptr;

  if (!HeapTupleIsValid(tuple))
    return nullptr;
  char const *const name = NameStr(reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple))->typname);
  for (id_type const *kind : all_types)
    if (OidIsValid(kind->core_type) ? kind->core_type == type : strcmp(kind->name, name) == 0)
      result = kind;
  ReleaseSysCache(tuple);
  return result;
}

Expr *compare_with(PlannerInfo *root, Oid type, Oid family, int strategy, Node *id, Expr *bound) {
  Oid const op = get_opfamily_member(family, type, type, static_cast<std::int16_t>(strategy));
  if (!OidIsValid(op) || bound == nullptr)
    return nullptr;
  auto *const known = reinterpret_cast<Expr *>(eval_const_expressions(root, reinterpret_cast<Node *>(bound)));
  Expr *const clause =
      make_opclause(op, BOOLOID, false, reinterpret_cast<Expr *>(copyObjectImpl(id)), known, InvalidOid, InvalidOid);
  set_opfuncid(reinterpret_cast<OpExpr *>(clause));
  return clause;
}

/// What is evaluated twice must give the same twice, and be cheap.
bool may_be_repeated(Node *node) {
  return !contain_volatile_functions(node) && !contain_subplans(node);
}

/// A range that came as kid_span, as what it is without: the bounds are those of any tstzrange.
Node *without_domain(Node *node) {
  Oid const type = getBaseType(exprType(node));
  return applyRelabelType(node, type, -1, exprCollation(node), COERCE_IMPLICIT_CAST, -1, false);
}

/// `symbol` is the operator, of an ID on the left, or null for <@.
Node *rewrite(SupportRequestSimplify *request, char const *symbol) {
  List *const arguments = request->fcall->args;
  auto *const first = static_cast<Node *>(linitial(arguments));
  auto *const second = static_cast<Node *>(lsecond(arguments));
  Oid const time_type = symbol == nullptr ? TSTZRANGEOID : TIMESTAMPTZOID;
  bool const id_first = getBaseType(exprType(second)) == time_type;
  Node *const id = id_first ? first : second;
  Node *const time = without_domain(id_first ? second : first);
  Oid const type = exprType(id);
  id_type const *const kind = kind_of(type);
  Oid const family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  Oid const schema = get_func_namespace(request->fcall->funcid);

  if (kind == nullptr || !OidIsValid(family) || !may_be_repeated(id) || !may_be_repeated(time))
    return nullptr;

  auto const list = [&](List *rest) {
    if (symbol == nullptr)
      return rest;
    Datum const text = CStringGetTextDatum(symbol);
    return lcons(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, text, false, false), rest);
  };
  auto const compared = [&](char const *name, int strategy) {
    Expr *const bound = call(schema, kind->prefix, name, list(list_make1(copyObjectImpl(time))));
    return compare_with(request->root, type, family, strategy, id, bound);
  };
  Expr *const low = compared("lowest", BTGreaterEqualStrategyNumber);
  Expr *const high = compared("highest", BTLessEqualStrategyNumber);
  if (low == nullptr || high == nullptr)
    return nullptr;
  List *clauses = list_make2(low, high);
  if (!kind->exact) {
    Expr *const recheck =
        call(schema, kind->prefix, "recheck", list(list_make2(copyObjectImpl(id), copyObjectImpl(time))));
    if (recheck == nullptr)
      return nullptr;
    clauses = lappend(clauses, recheck);
  }
  return reinterpret_cast<Node *>(make_andclause(clauses));
}

Datum support(FunctionCallInfo fcinfo, char const *symbol) {
  auto *const request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

  Node *const result = IsA(request, SupportRequestSimplify)
                           ? rewrite(reinterpret_cast<SupportRequestSimplify *>(request), symbol)
                           : nullptr;
  PG_RETURN_POINTER(result);
}

} // namespace

static Datum support_within(PG_FUNCTION_ARGS) {
  return support(fcinfo, nullptr);
}
static Datum support_lt(PG_FUNCTION_ARGS) {
  return support(fcinfo, "<");
}
static Datum support_le(PG_FUNCTION_ARGS) {
  return support(fcinfo, "<=");
}
static Datum support_ge(PG_FUNCTION_ARGS) {
  return support(fcinfo, ">=");
}
static Datum support_gt(PG_FUNCTION_ARGS) {
  return support(fcinfo, ">");
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

namespace {

/// Whether the query groups by something that a generator may be called for, by itself or by a function that is yet to
/// be inlined.
bool groups_by_volatile(Query *query) {
  ListCell *cell = nullptr;

  foreach (cell, query->groupClause)
    if (contain_volatile_functions(
            get_sortgroupclause_expr(static_cast<SortGroupClause *>(lfirst(cell)), query->targetList)))
      return true;
  return contain_volatile_functions(reinterpret_cast<Node *>(group_expressions(query)));
}

/// PostgreSQL computes equal expressions of a select list once, below a Sort, and so it would do with two calls of a
/// generator. Each call therefore gets a number of its own, so that no two are equal. A view or a DEFAULT has none, as
/// this is done when a query is planned.
///
/// The number stands where calls with arguments of text have their collation. No generator has such an argument, and
/// nothing looks there but the comparison of expressions: EXPLAIN, privileges and whatever else belongs to the function
/// stay as they are.
///
/// A call in GROUP BY is what the same call in the select list refers to, so calls in such a query get no number.
Node *number_call(SupportRequestSimplify *request) {
  static Oid calls_numbered = InvalidOid;
  FuncExpr const *const written = request->fcall;

  // An expression may be simplified more than once, and then was copied, perhaps.
  if (OidIsValid(written->inputcollid))
    return nullptr;
  if (request->root != nullptr && groups_by_volatile(request->root->parse))
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
KID_FUNCTION(kid_support_recheck, kid::pg::support_recheck)
KID_FUNCTION(kid_support_within, kid::pg::support_within)
KID_FUNCTION(kid_support_lt, kid::pg::support_lt)
KID_FUNCTION(kid_support_le, kid::pg::support_le)
KID_FUNCTION(kid_support_ge, kid::pg::support_ge)
KID_FUNCTION(kid_support_gt, kid::pg::support_gt)
