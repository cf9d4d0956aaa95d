// kid_identity(): what each type takes from the node number of this server.
#include "base/datum.hpp"
#include "types/all_types.hpp"

namespace kid::pg {

/// Returns one row. Besides "node" and "lanes", a column has the name of the part of the node number that a type uses.
KID_DEFINE(kid_identity) {
  identity const who = identity_to_show();
  TupleDesc columns = nullptr;
  Datum values[16] = {};
  bool nulls[16] = {};

  if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE || columns->natts > 16)
    elog(ERROR, "return type must be a row type");
  for (int i = 0; i < columns->natts; i++) {
    char const *const name = NameStr(TupleDescAttr(columns, i)->attname);
    std::int64_t value = -1;
    if (strcmp(name, "node") == 0)
      value = who.known ? std::int64_t{who.node} : -1;
    if (strcmp(name, "lanes") == 0)
      value = who.lanes;
    for (id_type const *type : all_types)
      if (type->node_part.of != nullptr && strcmp(name, type->node_part.name) == 0)
        value = type->node_part.of(who);
    values[i] = Int64GetDatum(value);
    nulls[i] = value < 0;
  }
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

} // namespace kid::pg
