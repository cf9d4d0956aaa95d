// What each type of kid's own has.
#pragma once

#include "base32.hpp"
#include "io.hpp"
#include "order.hpp"
#include "time.hpp"

namespace kid::pg {

/// Returns a component that is a field of the layout, as an SQL integer. If it has one bit, that is also an SQL
/// boolean.
template <class Id, class Field> Datum component(PG_FUNCTION_ARGS) {
  static_assert(Field::width < 32);
  PG_RETURN_INT32(static_cast<std::int32_t>(Field::get(get<Id>(PG_GETARG_DATUM(0)))));
}

} // namespace kid::pg

#define KID_EXPORT_OWN_TYPE(T)                                                                                         \
  KID_EXPORT_IO(T)                                                                                                     \
  KID_EXPORT_BASE32(T)                                                                                                 \
  KID_EXPORT_ORDER(T)                                                                                                  \
  KID_EXPORT_TIME(T)                                                                                                   \
  KID_FUNCTION(T##_range_contains, kid::pg::within<kid::T, kid::pg::id_last>)
