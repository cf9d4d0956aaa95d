#include "all_types.hpp"

namespace kid::pg {

void register_clocks() {
#define X(name) all_clock_rules[clock_##name] = &name##_clock_rules;
  KID_CLOCKS
#undef X
}

char const *symbol_of(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  char const *symbol = nullptr;
  bool is_null = true;

  if (!HeapTupleIsValid(tuple))
    return nullptr;
  if (reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang == ClanguageId) {
    Datum const source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);
    symbol = is_null ? nullptr : TextDatumGetCString(source);
  }
  ReleaseSysCache(tuple);
  return symbol;
}

id_type const *id_type_of(Oid type) {
  // Core types have smaller OIDs.
  if (type < FirstNormalObjectId) {
    for (id_type const *one : all_types)
      if (OidIsValid(type) && one->core_type == type)
        return one;
    return nullptr;
  }
  Oid input = InvalidOid;
  Oid parameter = InvalidOid;
  getTypeInputInfo(type, &input, &parameter);
  char const *const symbol = symbol_of(input);
  if (symbol == nullptr)
    return nullptr;
  for (id_type const *one : all_types) {
    // Compare the names first: fmgr_info() loads the library of the function, which may be that of another extension.
    if (one->input == nullptr || strcmp(symbol, psprintf("%s_in", one->name)) != 0)
      continue;
    FmgrInfo function;
    fmgr_info(input, &function);
    return function.fn_addr == one->input ? one : nullptr;
  }
  return nullptr;
}

} // namespace kid::pg
