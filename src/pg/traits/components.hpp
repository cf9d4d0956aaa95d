// Functions that return a component of an ID that is a field of its layout.
#pragma once

#include "../base/datum.hpp"
#include "../base/export.hpp"

namespace kid::pg {

/// Returns a component that fits an SQL integer.
template <class Id, class Field> Datum component(PG_FUNCTION_ARGS) {
  static_assert(Field::width < 32);
  PG_RETURN_INT32(static_cast<std::int32_t>(Field::get(get<Id>(PG_GETARG_DATUM(0)))));
}

/// Returns a component of one bit.
template <class Id, class Field> Datum flag(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(Field::get(get<Id>(PG_GETARG_DATUM(0))) != 0);
}

} // namespace kid::pg
