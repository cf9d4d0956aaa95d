// The types, as src/types.def lists them.
#pragma once

#include "../traits/id_type.hpp"

namespace kid::pg {

#define X(name) extern clock_rules const name##_clock_rules;
KID_CLOCKS
#undef X

/// Fills `all_clock_rules`.
void register_clocks();

#define X(T) extern id_type const T##_type;
#include "../../types.def"

constexpr id_type const *all_types[] = {
#define X(T) &T##_type,
#include "../../types.def"
};

/// Returns what kid knows about the IDs of a type, or null if the type has none. A name proves nothing, because anybody
/// may create a type called kid64. A type is kid's own if its input function is this library's: only a superuser can
/// create a type with that function.
id_type const *id_type_of(Oid type);

/// Returns the symbol of a function in C, or null if the function is in another language. Only a superuser can create a
/// function in C.
char const *symbol_of(Oid function);

} // namespace kid::pg
