// BRIN minmax_multi, which merges the ranges that are nearest. It depends on no more than the size of an ID.
#include "id_bytes.hpp"

namespace kid::pg {

/// Returns the distance of two IDs for BRIN minmax_multi, which never passes the greater ID first.
static Datum brin_distance(FunctionCallInfo fcinfo, std::size_t size) {
  unsigned char integers[2][sizeof(Datum)];

  PG_RETURN_FLOAT8(
      excess(bytes_of(PG_GETARG_DATUM(1), size, integers[1]), bytes_of(PG_GETARG_DATUM(0), size, integers[0]), size));
}

} // namespace kid::pg

#define KID_EXPORT_SIZE(size)                                                                                          \
  KID_DEFINE(kid_brin_distance_##size) {                                                                               \
    return kid::pg::brin_distance(fcinfo, size);                                                                       \
  }

KID_EXPORT_SIZE(8)
KID_EXPORT_SIZE(10)
KID_EXPORT_SIZE(12)
