// The types, as src/types.def lists them, and what the shared code needs to know about one. Each type describes itself
// in types/T.cpp.
//
// A type that differs from the others specializes these templates there:
//
//   label()             base/error.hpp     what messages call its IDs
//   id_argument()       traits/base32.hpp  the ID in an argument; raises an error for other values of the core type
//   timestamp()         traits/time.hpp    the time of an ID, or NULL if a value is no ID
//   state_argument()    traits/clock.hpp   the state of the logical clock from which the ID in an argument was made
//   observe_name        traits/clock.hpp   what SQL calls observe()
//
// A type whose layout depends on a setting specializes these, too:
//
//   layout_of()         base/datum.hpp     the layout with the setting in force
//   layout_with()       base/datum.hpp     the layout with the value of an argument
//   setting_of          below              the setting
#pragma once

#include "../base/datum.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

/// A setting that the layout of a type depends on. IDs do not contain its value. Plans contain it as a constant, so the
/// assign hook of the setting must call ResetPlanCache() if the value changes.
struct id_setting {
  Oid type;         ///< of the argument that overrides the setting in a function call
  Datum (*value)(); ///< the value in force
};

/// The part of the node number that goes into IDs of a type.
struct part_of_node {
  char const *name = nullptr;                        ///< the column of kid_identity()
  std::int64_t (*of)(identity const &who) = nullptr; ///< returns -1 if the generator would raise an error
};

/// Describes a type. basic() fills in the first members. A type sets the other members by name if their default does
/// not fit.
struct id_type {
  // From the layout, and the input function:
  char const *name = nullptr;          ///< in messages; also the name in SQL if the type is kid's own
  unsigned size = 0;                   ///< bytes
  id_setting const *setting = nullptr; ///< null if the layout depends on no setting
  bool orders_exactly = true;          ///< whether the order is exactly that of time units
  PGFunction input = nullptr;          ///< the input function of kid's own type, by which id_type_of() recognizes it
  char const *prefix = nullptr;        ///< what its functions in SQL begin with: the name of the type, unless changed

  // From types/T.cpp:
  /// The core type whose values are compared with time as these IDs, if the type is not kid's own. The planner rewrites
  /// such comparisons. bigint is no such type, because most numbers are not IDs, so kid53 leaves the member unset.
  Oid core_type = InvalidOid;
  void (*define_settings)(int flags) = nullptr; ///< defines the settings that only this type has
  clock_id clock = clock_count;                 ///< the clock of the horizon, or `clock_count` if there is none
  /// Returns the state from which an ID was made. If no generator makes such an ID, it returns 0, or raises the type's
  /// own error, for example if a uuid is not of version 7. The member is null if the type has no horizon.
  std::uint64_t (*state)(Datum id) = nullptr;
  part_of_node node_part = {}; ///< empty if IDs have no part of the node number

  /// Sets `id` to the nearest ID above or below a bound that is not itself an ID. Returns false if the bound is an ID,
  /// or if there is no such ID. The member is null if every value of the type is an ID.
  bool (*next_id)(Datum bound, bool above, Datum *id) = nullptr;
};

/// The setting that the layout of a type depends on, or null. types/T.cpp specializes it.
template <class Id> constexpr id_setting const *setting_of = nullptr;

/// Returns the members of an `id_type` that follow from the layout `Id`. A type of kid's own has `input`.
template <class Id> constexpr id_type basic(PGFunction input = nullptr) {
  static_assert(std::is_empty_v<Id> == (setting_of<Id> == nullptr),
                "a layout has members if and only if it depends on a setting");
  return {Id::name, Id::size, setting_of<Id>, orders_exactly<Id>, input, Id::name};
}

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
