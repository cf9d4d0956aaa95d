// Functions that return a component of an ID that is a field of its layout.
#pragma once

#include "../base/datum.hpp"
#include "../base/export.hpp"

namespace kid::pg {

/// Returns a component as an SQL integer. If it has one bit, that is also an SQL boolean.
template <class Id, class Field> Datum component(PG_FUNCTION_ARGS) {
  static_assert(Field::width < 32);
  PG_RETURN_INT32(static_cast<std::int32_t>(Field::get(get<Id>(PG_GETARG_DATUM(0)))));
}

} // namespace kid::pg
