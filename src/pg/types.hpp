// What shared rooms need to know of a type. Each type says it on its page, types/T.cpp; the Makefile lists the types.
#pragma once

#include "compat.hpp"

namespace kid::pg {

struct id_type {
  char const *name;                   ///< in SQL
  bool exact;                         ///< whether IDs order exactly by time; else comparisons with time are rechecked
  void (*define_settings)(int flags); ///< those of this type alone; null where it has none
};

// One X(T) for each type.
#ifndef KID_TYPES
#error "KID_TYPES comes from the Makefile"
#endif

#define X(T) extern id_type const T##_type;
KID_TYPES
#undef X

#define X(T) &T##_type,
constexpr id_type const *all_types[] = {KID_TYPES};
#undef X

template <class Id> constexpr id_type describe_type(void (*define_settings)(int flags) = nullptr) {
  return {Id::name, orders_exactly<Id>, define_settings};
}

} // namespace kid::pg
