// The functions of the aggregates min and max, which all types share.
#include "all_types.hpp"

#include "../base/datum.hpp"

namespace kid::pg {

/// Returns the smaller or the larger of two IDs. PostgreSQL has checked that they are of one type.
static Datum choose(FunctionCallInfo fcinfo, bool larger) {
  auto const *type = static_cast<id_type const *>(fcinfo->flinfo->fn_extra);
  Datum const a = PG_GETARG_DATUM(0);
  Datum const b = PG_GETARG_DATUM(1);

  if (unlikely(type == nullptr)) {
    type = id_type_of(getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0)));
    if (type == nullptr)
      ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("arguments must be IDs"));
    fcinfo->flinfo->fn_extra = const_cast<id_type *>(type);
  }
  int const order = type->size == sizeof(Datum) ? three_way{}(DatumGetUInt64(a), DatumGetUInt64(b))
                                                : memcmp(stored(a), stored(b), type->size);
  return (order < 0) != larger ? a : b;
}

KID_DEFINE(kid_smaller) {
  return choose(fcinfo, false);
}

KID_DEFINE(kid_larger) {
  return choose(fcinfo, true);
}

} // namespace kid::pg
