// The time of an ID, and the lowest and the highest ID of a time unit.
#pragma once

#include "../base/datum.hpp"

namespace kid::pg {

template <class Id> Datum timestamp(PG_FUNCTION_ARGS) {
  PG_RETURN_TIMESTAMPTZ(from_unix(layout_argument<Id>(fcinfo, 1).time(get<Id>(PG_GETARG_DATUM(0)))));
}

template <class Id> Datum floor(PG_FUNCTION_ARGS) {
  return put<Id>(kid::floor(layout_argument<Id>(fcinfo, 1), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

template <class Id> Datum ceil(PG_FUNCTION_ARGS) {
  return put<Id>(kid::ceil(layout_argument<Id>(fcinfo, 1), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

} // namespace kid::pg

#define KID_EXPORT_TIME(T)                                                                                             \
  KID_FUNCTION(T##_timestamp, kid::pg::timestamp<kid::T>)                                                              \
  KID_FUNCTION(T##_floor, kid::pg::floor<kid::T>)                                                                      \
  KID_FUNCTION(T##_ceil, kid::pg::ceil<kid::T>)
