// Order and hashing: what operators, aggregates and index access methods call.
#pragma once

#include "pg.hpp"
#include "value.hpp"

#include <functional>

namespace kid::pg {

/// `Comparison` is one of std::less<> and its kin.
template <class Id, class Comparison> Datum compare(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(Comparison{}(get<Id>(PG_GETARG_DATUM(0)), get<Id>(PG_GETARG_DATUM(1))));
}

template <class Id> Datum cmp(PG_FUNCTION_ARGS) {
  auto const a = get<Id>(PG_GETARG_DATUM(0));
  auto const b = get<Id>(PG_GETARG_DATUM(1));

  PG_RETURN_INT32(a < b ? -1 : a > b ? 1 : 0);
}

/// The argument that `Comparison` puts first.
template <class Id, class Comparison> Datum choose(PG_FUNCTION_ARGS) {
  bool const first = Comparison{}(get<Id>(PG_GETARG_DATUM(0)), get<Id>(PG_GETARG_DATUM(1)));

  PG_RETURN_DATUM(PG_GETARG_DATUM(first ? 0 : 1));
}

template <class Id> Datum sortsupport(PG_FUNCTION_ARGS) {
  auto *const support = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));

  static_assert(by_value<Id>, "types that are passed by reference need abbreviated keys here");
  // tuplesort recognises this very pointer and inlines the comparison.
  support->comparator = ssup_datum_unsigned_cmp;
  PG_RETURN_VOID();
}

/// A hash is of the binary form, so that it does not depend on how a type is passed.
template <class Id> Datum hash(PG_FUNCTION_ARGS) {
  unsigned char bytes[Id::size];

  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), bytes);
  return hash_any(bytes, Id::size);
}

template <class Id> Datum hash_extended(PG_FUNCTION_ARGS) {
  unsigned char bytes[Id::size];

  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), bytes);
  return hash_any_extended(bytes, Id::size, DatumGetUInt64(PG_GETARG_DATUM(1)));
}

/// For BRIN minmax_multi, which never passes the greater value first.
template <class Id> Datum brin_distance(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(static_cast<double>(get<Id>(PG_GETARG_DATUM(1)) - get<Id>(PG_GETARG_DATUM(0))));
}

} // namespace kid::pg
