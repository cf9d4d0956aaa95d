// Reading the parts of an ID, and making one from an instant.
#pragma once

#include "error.hpp"
#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

template <class Id> Datum timestamp(PG_FUNCTION_ARGS) {
  PG_RETURN_TIMESTAMPTZ(from_unix(layout_of<Id>().time(get<Id>(PG_GETARG_DATUM(0)))));
}

/// A component that fits an SQL integer.
template <class Id, class Field> Datum component(PG_FUNCTION_ARGS) {
  static_assert(Field::width < 32);
  PG_RETURN_INT32(static_cast<std::int32_t>(Field::get(get<Id>(PG_GETARG_DATUM(0)))));
}

/// A component of one bit.
template <class Id, class Field> Datum flag(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(Field::get(get<Id>(PG_GETARG_DATUM(0))) != 0);
}

template <class Id> Datum floor(PG_FUNCTION_ARGS) {
  return put<Id>(kid::floor(layout_of<Id>(), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

template <class Id> Datum ceil(PG_FUNCTION_ARGS) {
  return put<Id>(kid::ceil(layout_of<Id>(), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

/// An argument that `layout` must hold.
template <class Id> unix_micros time_argument(Id const &layout, TimestampTz time) {
  unix_micros const micros = to_unix(time);

  if (!holds(layout, micros))
    time_error(layout);
  return micros;
}

/// An argument that must fit its field.
template <class Id, class Field> typename Id::word component(char const *name, std::int64_t value) {
  return Field::put(check_component<Id>(name, value, Field::max));
}

} // namespace kid::pg
