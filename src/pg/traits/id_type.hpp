// What the shared code needs to know about a type. Each type describes itself in types/T.cpp; src/types.def lists the
// types.
#pragma once

#include "../base/datum.hpp"
#include "../clocks/clock_rules.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

/// The values of a column from `first` to `last`, both included, in btree order.
struct datum_range {
  Datum first;
  Datum last;
};

/// The IDs up to an instant, or the IDs after it, as ranges of values. The range of the greatest IDs comes first.
struct datum_ranges {
  int count;
  datum_range ranges[2];
};

/// An ID found in a column.
struct stored_id {
  unix_micros time;   ///< when its time unit begins
  unix_micros latest; ///< upper bound of the time of every ID that sorts at or before this one
  char text[40];      ///< empty if there is no ID
};

/// A type of column that can contain IDs, and how to find and read them.
struct id_column {
  Oid type;                                              ///< a core type; InvalidOid stands for kid's own type
  datum_ranges (*ranges)(unix_micros limit, bool after); ///< in the current memory context
  bool (*read)(Datum value, stored_id &id);              ///< returns false if the value is not an ID
};

/// An array of `id_column`, or none.
struct id_column_list {
  id_column const *first = nullptr;
  int count = 0;

  constexpr id_column_list() = default;
  template <int Count> constexpr id_column_list(id_column const (&columns)[Count]) : first(columns), count(Count) {}
  constexpr id_column const *begin() const { return first; }
  constexpr id_column const *end() const { return first + count; }
};

/// A setting that the layout of a type depends on. IDs do not contain its value. Plans contain it as a constant, so the
/// assign hook of the setting must call ResetPlanCache() if the value changes.
struct id_setting {
  char const *name;
  Oid type;                         ///< of the argument that overrides the setting in a function call
  Datum (*value)();                 ///< the value in force
  bool (*equals)(char const *text); ///< whether `text`, as ALTER ROLE stores it, is the value in force
};

/// The part of the node number that goes into IDs of a type.
struct part_of_node {
  char const *name = nullptr;                        ///< the column of kid_identity()
  std::int64_t (*of)(identity const &who) = nullptr; ///< returns -1 if the generator would raise an error
};

/// Describes a type. basic() fills in the members that follow from the layout. A type sets the other members by name
/// if their default does not fit.
struct id_type {
  // From the layout:
  char const *name = nullptr;              ///< in messages; also the name in SQL if the type is kid's own
  id_setting const *setting = nullptr;     ///< null if the layout depends on no setting
  bool orders_exactly = true;              ///< whether the order is exactly that of time units
  unix_micros (*time)(Datum id) = nullptr; ///< when the time unit of a value begins, for every value of the SQL type
  unix_micros (*first)() = nullptr;        ///< the first instant that an ID can carry
  Datum (*floor)(unix_micros) = nullptr;   ///< the lowest ID of a time unit, as T_floor() returns it

  // From types/T.cpp:
  char const *prefix = nullptr; ///< what its functions in SQL begin with; the name of the type unless set
  PGFunction input = nullptr;   ///< the input function of kid's own type, by which id_type_of() recognizes it
  Oid core_type = InvalidOid;   ///< the core type that has the IDs among its values, if the type is not kid's own
  void (*define_settings)(int flags) = nullptr; ///< defines the settings that only this type has
  clock_id clock = clock_count;                 ///< `clock_count` if IDs need no logical clock
  /// Returns the state from which an ID was made, or 0 if no generator makes such an ID. The member is null if the type
  /// has no horizon.
  std::uint64_t (*state)(Datum id) = nullptr;
  id_column_list columns = {}; ///< where IDs may be stored; empty without a logical clock
  part_of_node node_part = {}; ///< empty if IDs have no part of the node number

  /// Sets `id` to the nearest ID above or below a bound that is not itself an ID. Returns false if the bound is an ID,
  /// or if there is no such ID. The member is null if every value of the type is an ID.
  bool (*next_id)(Datum bound, bool above, Datum *id) = nullptr;
};

template <class Id> unix_micros time_of(Datum id) {
  return layout_of<Id>().time(get<Id>(id));
}

template <class Id> unix_micros first_of() {
  return layout_of<Id>().first();
}

template <class Id> Datum floor_of(unix_micros time) {
  return put<Id>(kid::floor(layout_of<Id>(), time));
}

/// The longest time by which an ID of any type can be earlier than an ID that sorts before it.
constexpr unix_micros coarsest_order = std::int64_t{1024} * 1'000'000;

/// The setting that the layout of a type depends on, or null. types/T.cpp specializes it.
template <class Id> constexpr id_setting const *setting_of = nullptr;

/// Returns the members of an `id_type` that follow from the layout `Id`.
template <class Id> constexpr id_type basic() {
  static_assert(std::is_empty_v<Id> == (setting_of<Id> == nullptr),
                "a layout has members if and only if it depends on a setting");
  id_type type;
  type.name = Id::name;
  type.prefix = Id::name;
  type.setting = setting_of<Id>;
  type.orders_exactly = orders_exactly<Id>;
  type.time = time_of<Id>;
  type.first = first_of<Id>;
  type.floor = floor_of<Id>;
  return type;
}

void incomplete_type();

/// Returns `type`. A type that has a clock must have the columns where its IDs are found, for kid_observe_all(), and a
/// type without a clock has none: otherwise a constant of this does not compile, as incomplete_type() is no constant.
constexpr id_type checked(id_type type) {
  if ((type.clock == clock_count) != (type.columns.count == 0))
    incomplete_type();
  return type;
}

} // namespace kid::pg
