// Between PostgreSQL's representation and the core's: IDs and instants.
#pragma once

#include "postgres.hpp"

namespace kid::pg {

/// Types of 8 bytes live in the Datum as an integer; longer ones behind it, unaligned, as their binary form.
template <class Id> constexpr bool by_value = Id::size == sizeof(Datum);

inline unsigned char const *stored(Datum datum) {
  return reinterpret_cast<unsigned char const *>(DatumGetPointer(datum));
}

template <class Id> typename Id::word get(Datum datum) {
  if constexpr (by_value<Id>)
    return DatumGetUInt64(datum);
  else
    return load_big<Id::size, typename Id::word>(stored(datum));
}

template <class Id> Datum put(typename Id::word id) {
  if constexpr (by_value<Id>) {
    return UInt64GetDatum(id);
  } else {
    auto *bytes = static_cast<unsigned char *>(palloc(Id::size));
    store_big<Id::size>(id, bytes);
    return PointerGetDatum(bytes);
  }
}

/// The layout that the settings give a type.
template <class Id> Id layout_of() {
  return Id{};
}

/// The layout with the value of an argument, an error where that is none, in place of the setting.
template <class Id> Id layout_with(Datum) {
  return Id{};
}

/// Of a function that has a setting as its last argument, the `place`-th from 0, or does not: then it is that in force.
template <class Id> Id layout_argument(FunctionCallInfo fcinfo, int place) {
  if constexpr (std::is_empty_v<Id>)
    return Id{};
  else
    return PG_NARGS() > place ? layout_with<Id>(PG_GETARG_DATUM(place)) : layout_of<Id>();
}

/// A timestamptz counts microseconds from 2000-01-01 UTC.
constexpr unix_micros postgres_epoch = INT64CONST(946684800000000);

/// An instant too late for the core's count, as is 'infinity', is its greatest: no ID reaches that far.
inline unix_micros to_unix(TimestampTz time) {
  return time > PG_INT64_MAX - postgres_epoch ? PG_INT64_MAX : time + postgres_epoch;
}

inline TimestampTz from_unix(unix_micros time) {
  return time - postgres_epoch;
}

} // namespace kid::pg
