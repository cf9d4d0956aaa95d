// What shared rooms need to know of a type. Each type says it on its page, types/T.cpp; the Makefile lists the types.
#pragma once

#include "../base/datum.hpp"
#include "../clocks/clock_rules.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

/// Values of a column, from one to another in the order of its btree, both included.
struct datum_range {
  Datum first;
  Datum last;
};

/// The IDs up to an instant, or those after it, as ranges of a column: the greatest IDs come first.
struct datum_ranges {
  int count;
  datum_range ranges[2];
};

/// An ID that a column holds.
struct stored_id {
  unix_micros time;   ///< when its time unit begins
  unix_micros latest; ///< no ID that sorts before it is of a later time unit than this
  char text[40];      ///< empty: none
};

/// A way to keep IDs in a column that is ordered as they are.
struct id_column {
  Oid type;                                              ///< of PostgreSQL's; InvalidOid is the type of kid's itself
  datum_ranges (*ranges)(unix_micros limit, bool after); ///< in the current memory context
  bool (*read)(Datum value, stored_id &id);              ///< false where the value is no ID
};

/// A setting that the layout of a type depends on. IDs do not carry it. Plans have its value as a constant: the assign
/// hook of the setting calls ResetPlanCache() where the value is another one.
struct id_setting {
  char const *name;
  Oid type;                         ///< of the argument that gives another value to a function
  Datum (*value)();                 ///< in force
  bool (*equals)(char const *text); ///< whether a text, as ALTER ROLE stores it, is the value in force
};

/// What a type takes of the node number.
struct node_share {
  char const *name;                        ///< the column of kid_identity(); null where it takes nothing
  std::int64_t (*of)(identity const &who); ///< -1 where there is none, and the generator raises an error
};

struct id_type {
  char const *name;              ///< in messages, and of the type in SQL if that is kid's own
  char const *prefix;            ///< what names of its functions in SQL begin with
  PGFunction input;              ///< the input function of a type of kid's own, which proves that a type is this one
  Oid core_type;                 ///< PostgreSQL's own type that the IDs are of; InvalidOid: it is kid's
  id_setting const *setting;     ///< null: the layout depends on none
  char const *exact;             ///< the type that an ID is compared with time as; null: they order exactly by time
  unix_micros (*time)(Datum id); ///< when the time unit of any value of its type begins
  unix_micros (*first)();        ///< the first instant that an ID can tell
  Datum (*floor)(unix_micros);   ///< the lowest ID of the time unit that holds an instant, as T_floor() returns it
  void (*define_settings)(int flags); ///< those of this type alone; null where it has none
  clock_id clock;                     ///< `clock_count` where IDs need no logical clock
  id_column const *columns;           ///< where its IDs may be; null without a logical clock
  int column_count;
  node_share share;
  /// The ID next to a bound that is none, above or below it; false where there is none. Null: all values are IDs.
  bool (*next_id)(Datum bound, bool above, Datum *id) = nullptr;
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

/// Returns what kid knows about the IDs of a type, or null if the type has none. A name proves nothing: anybody may
/// create a type called kid64. A type is kid's own if its input function is this library's, as only a superuser can
/// make a type with that.
id_type const *id_type_of(Oid type);

template <class Id> unix_micros time_of(Datum id) {
  return layout_of<Id>().time(get<Id>(id));
}

template <class Id> unix_micros first_of() {
  return layout_of<Id>().first();
}

template <class Id> Datum floor_of(unix_micros time) {
  return put<Id>(kid::floor(layout_of<Id>(), time));
}

/// The setting that the layout of a type depends on, on the page of that type.
template <class Id> constexpr id_setting const *setting_of = nullptr;

template <class Id> constexpr char const *exact_name() {
  if constexpr (orders_exactly<Id>)
    return nullptr;
  else
    return Id::exact::name;
}

/// A type whose IDs need no logical clock.
template <class Id> constexpr id_type describe_type(PGFunction input, void (*define_settings)(int flags) = nullptr) {
  static_assert(std::is_empty_v<Id> == (setting_of<Id> == nullptr));
  return {Id::name,
          Id::name,
          input,
          InvalidOid,
          setting_of<Id>,
          exact_name<Id>(),
          time_of<Id>,
          first_of<Id>,
          floor_of<Id>,
          define_settings,
          clock_count,
          nullptr,
          0,
          {}};
}

/// One whose IDs move `clock`, and may be in these `columns`.
template <class Id, int Count>
constexpr id_type describe_type(PGFunction input, clock_id clock, id_column const (&columns)[Count],
                                void (*define_settings)(int flags) = nullptr, node_share share = {}) {
  id_type type = describe_type<Id>(input, define_settings);
  type.clock = clock;
  type.columns = columns;
  type.column_count = Count;
  type.share = share;
  return type;
}

/// IDs that are some of the values of a type of PostgreSQL's own.
constexpr id_type in_core_type(Oid core_type, char const *prefix, bool (*next_id)(Datum bound, bool above, Datum *id),
                               id_type type) {
  type.core_type = core_type;
  type.prefix = prefix;
  type.next_id = next_id;
  return type;
}

} // namespace kid::pg
