#include "all_types.hpp"

namespace kid::pg {

namespace {

/// Returns the input function of a type, or InvalidOid if it is not a base type.
Oid input_of(Oid type) {
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));

  if (!HeapTupleIsValid(tuple))
    return InvalidOid;
  auto const &form = *reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
  Oid const input = form.typtype == TYPTYPE_BASE ? form.typinput : InvalidOid;
  ReleaseSysCache(tuple);
  return input;
}

} // namespace

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
  Oid const input = input_of(type);
  char const *const symbol = OidIsValid(input) ? symbol_of(input) : nullptr;
  if (symbol == nullptr)
    return nullptr;
  for (id_type const *one : all_types) {
    // Compare the names first: fmgr_info() loads the library of the function, which may be that of another extension.
    std::size_t const length = strlen(one->name);
    if (one->input == nullptr || strncmp(symbol, one->name, length) != 0 || strcmp(symbol + length, "_in") != 0)
      continue;
    FmgrInfo function;
    fmgr_info(input, &function);
    return function.fn_addr == one->input ? one : nullptr;
  }
  return nullptr;
}

} // namespace kid::pg
