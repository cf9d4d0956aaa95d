// How SQL calls functions. Converts IDs and instants between PostgreSQL's representation and the core's.
#pragma once

#include "compat.hpp"

#include <string_view>

/// Begins the definition of the C function `symbol`, which SQL calls with `fcinfo`.
#define KID_DEFINE(symbol)                                                                                             \
  extern "C" {                                                                                                         \
  PGDLLEXPORT Datum symbol(PG_FUNCTION_ARGS);                                                                          \
  PG_FUNCTION_INFO_V1(symbol);                                                                                         \
  }                                                                                                                    \
  Datum symbol([[maybe_unused]] PG_FUNCTION_ARGS)

/// Exports a function to SQL as the C function `symbol`.
#define KID_FUNCTION(symbol, ...)                                                                                      \
  KID_DEFINE(symbol) {                                                                                                 \
    return __VA_ARGS__(fcinfo);                                                                                        \
  }

namespace kid::pg {

/// Whether a Datum contains the ID itself, as an integer of 8 bytes. Otherwise it points to the binary form, which is
/// unaligned.
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

/// Prepares a result of rows, and returns where to put them. Raises an error unless SQL declares this many columns.
inline ReturnSetInfo &begin_rows(FunctionCallInfo fcinfo, int columns) {
  InitMaterializedSRF(fcinfo, 0);
  auto &result = *reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  if (result.setDesc->natts != columns)
    elog(ERROR, "return type must be a row type of %d columns", columns);
  return result;
}

inline std::string_view text_view(text const *value) {
  return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

/// Returns the layout that the settings give a type. The file of a type with settings specializes it.
template <class Id> Id layout_of() {
  static_assert(std::is_empty_v<Id>, "a layout that depends on a setting needs the specialization of its type");
  return Id{};
}

/// Returns the layout with the value of an argument in place of the setting. Raises an error if the value is invalid.
template <class Id> Id layout_with(Datum);

/// Returns the layout for a function that may take a setting as its last argument, whose position is `place`, from 0.
/// If the function is called without that argument, the setting in force applies.
template <class Id> Id layout_argument(FunctionCallInfo fcinfo, int place) {
  if constexpr (std::is_empty_v<Id>)
    return Id{};
  else
    return PG_NARGS() > place ? layout_with<Id>(PG_GETARG_DATUM(place)) : layout_of<Id>();
}

/// A timestamptz counts microseconds from 2000-01-01 UTC.
constexpr unix_micros postgres_epoch = INT64CONST(946684800000000);

/// Converts an instant. If it is too late for `unix_micros`, as 'infinity' is, returns the greatest value, which no ID
/// reaches.
inline unix_micros to_unix(TimestampTz time) {
  return time > PG_INT64_MAX - postgres_epoch ? PG_INT64_MAX : time + postgres_epoch;
}

inline TimestampTz from_unix(unix_micros time) {
  return time - postgres_epoch;
}

} // namespace kid::pg
