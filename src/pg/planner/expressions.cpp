#include "expressions.hpp"

namespace kid::pg {

Expr *call(Oid schema, char const *name, List *arguments) {
  Oid types[4];
  int count = 0;
  ListCell *cell = nullptr;

  foreach (cell, arguments)
    types[count++] = exprType(static_cast<Node *>(lfirst(cell)));
  Oid const function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                                       PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));
  if (!OidIsValid(function))
    return nullptr;
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, get_func_rettype(function), arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

/// A query's own expressions are simplified before the planner lists its relations. What it simplifies later is copied
/// from them, or comes from a catalog: a CHECK.
static bool plans_query(PlannerInfo const *root) {
  return root != nullptr && root->parse != nullptr && root->simple_rel_array == nullptr;
}

Node *value_in_query(id_setting const &setting, PlannerInfo const *root) {
  std::int16_t length = 0;
  bool by_value = false;

  if (!plans_query(root))
    return nullptr;
  get_typlenbyval(setting.type, &length, &by_value);
  return reinterpret_cast<Node *>(makeConst(setting.type, -1, InvalidOid, length, setting.value(), false, by_value));
}

} // namespace kid::pg
