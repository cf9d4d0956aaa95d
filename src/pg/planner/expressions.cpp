#include "expressions.hpp"

namespace kid::pg {

Oid function_of(Oid schema, char const *name, Oid const *types, int count) {
  return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                         PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));
}

Expr *call(Oid function, List *arguments) {
  if (!OidIsValid(function))
    return nullptr;
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, get_func_rettype(function), arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

/// Replaces a constant bound that is not an ID by the nearest ID beyond it, and makes `strategy` exclude that ID.
static Expr *to_id(id_type const &type, Expr *bound, int *strategy) {
  auto const *const known = reinterpret_cast<Const *>(bound);
  bool const upper = *strategy == BTLessEqualStrategyNumber;
  Datum id = 0;

  if (type.next_id == nullptr || !IsA(bound, Const) || known->constisnull ||
      !type.next_id(known->constvalue, upper, &id))
    return bound;
  *strategy = upper ? BTLessStrategyNumber : BTGreaterStrategyNumber;
  return reinterpret_cast<Expr *>(makeConst(known->consttype, known->consttypmod, known->constcollid, known->constlen,
                                            id, false, known->constbyval));
}

OpExpr *compare_with(PlannerInfo *root, id_type const &of, Node *id, int strategy, Expr *bound) {
  if (bound == nullptr)
    return nullptr;
  auto *const folded = reinterpret_cast<Expr *>(eval_const_expressions(root, reinterpret_cast<Node *>(bound)));
  Expr *const known = to_id(of, folded, &strategy);
  Oid const type = exprType(id);
  Oid const family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  Oid const op =
      OidIsValid(family) ? get_opfamily_member(family, type, type, static_cast<std::int16_t>(strategy)) : InvalidOid;

  if (!OidIsValid(op))
    return nullptr;
  auto *const clause = reinterpret_cast<OpExpr *>(
      make_opclause(op, BOOLOID, false, static_cast<Expr *>(copyObjectImpl(id)), known, InvalidOid, InvalidOid));
  set_opfuncid(clause);
  return clause;
}

extern "C" {

/// Whether an expression has more nodes than the integer `nodes_left`, which is decremented for each node.
static bool has_more_nodes(Node *node, void *nodes_left) {
  return node != nullptr && ((*static_cast<int *>(nodes_left))-- == 0 || walk(node, has_more_nodes, nodes_left));
}

} // extern "C"

bool is_cheap(Node *node) {
  // Cost alone is no limit, because any role may set cpu_operator_cost to 0. Without a limit an expression of nested
  // comparisons would double in size with each level that is rewritten.
  int nodes_left = 50;

  if (node == nullptr)
    return true;
  if (contain_subplans(node) || has_more_nodes(node, &nodes_left))
    return false;
  QualCost cost;
  cost_qual_eval(&cost, list_make1(node), nullptr);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost;
}

extern "C" {

static bool find_volatile_subselect(Node *node, void *context) {
  auto *const root = static_cast<PlannerInfo *>(context);

  if (node == nullptr)
    return false;
  if (!IsA(node, SubPlan))
    return walk(node, find_volatile_subselect, context);
  // The sub-select is planned already. Its own sub-selects are SubPlan nodes of the query, or in `init_plans` if they
  // are uncorrelated.
  int const plan = reinterpret_cast<SubPlan *>(node)->plan_id;
  auto const *const planned = list_nth_node(PlannerInfo, root->glob->subroots, plan - 1);
  auto *const query = reinterpret_cast<Node *>(planned->parse);
  return contain_volatile_functions(query) || walk(query, find_volatile_subselect, context) ||
         walk(reinterpret_cast<Node *>(planned->init_plans), find_volatile_subselect, context) ||
         walk(node, find_volatile_subselect, context);
}

} // extern "C"

bool has_volatile_subselect(PlannerInfo *root, Node *node) {
  return find_volatile_subselect(node, root);
}

Node *value_in_query(id_type const &type, PlannerInfo const *root) {
  id_setting const *const setting = type.setting;

  // The planner simplifies the expressions of a query itself before it lists the relations of the query. Expressions
  // that it simplifies later are copies of these, or come from a catalog, such as a CHECK.
  static_assert(PG_VERSION_NUM < 210000, "sql/time_plans.sql shows whether this still holds: then increase the number");
  if (setting == nullptr || root == nullptr || root->parse == nullptr || root->simple_rel_array != nullptr)
    return nullptr;
  return reinterpret_cast<Node *>(makeConst(setting->type, -1, InvalidOid, get_typlen(setting->type), setting->value(),
                                            false, get_typbyval(setting->type)));
}

} // namespace kid::pg
