#include "types.hpp"

namespace kid::pg {

id_type const *id_type_of(Oid type) {
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  id_type const *found = nullptr;

  if (!HeapTupleIsValid(tuple))
    return nullptr;
  char const *const name = NameStr(reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple))->typname);
  for (id_type const *one : all_types)
    if (OidIsValid(one->core_type) ? one->core_type == type : strcmp(one->name, name) == 0)
      found = one;
  ReleaseSysCache(tuple);
  return found;
}

} // namespace kid::pg
