// The binary form of an ID whose type is not known, but its size: what support of GiST and that of BRIN share.
#pragma once

#include "../base/datum.hpp"

namespace kid::pg {

/// Returns the binary form of an ID. IDs of 8 bytes are passed by value, see datum.hpp; `integer` has space for them.
inline unsigned char const *bytes_of(Datum id, std::size_t size, unsigned char *integer) {
  if (size != sizeof(Datum))
    return stored(id);
  store_big<sizeof(Datum)>(DatumGetUInt64(id), integer);
  return integer;
}

/// Returns `a - b`, or 0 if that is negative. The result is rounded if it needs more bits than a double has.
inline double excess(unsigned char const *a, unsigned char const *b, std::size_t size) {
  double result = 0;

  for (std::size_t i = 0; i < size; i++)
    result = result * 256 + (a[i] - b[i]);
  return Max(result, 0);
}

} // namespace kid::pg
