// Arguments of functions that make an ID: its components, and its time.
#pragma once

#include "error.hpp"

namespace kid::pg {

/// Raises an error unless `value`, a component of an ID, is from 0 to `max`.
template <class Id> std::uint64_t check_component(char const *component, std::int64_t value, std::uint64_t max) {
  if (value < 0 || static_cast<std::uint64_t>(value) > max)
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%s " INT64_FORMAT " is out of range for %s", component, static_cast<int64>(value), label<Id>()),
            errdetail("The range is 0 to " UINT64_FORMAT ".", static_cast<uint64>(max)));
  return static_cast<std::uint64_t>(value);
}

/// Returns an argument, put into its field. Raises an error if it does not fit.
template <class Id, class Field> typename Id::word component_argument(char const *name, std::int64_t value) {
  return Field::put(check_component<Id>(name, value, Field::max));
}

/// Returns an argument as an instant. Raises an error if it is out of range for `layout`.
template <class Id> unix_micros time_argument(Id const &layout, TimestampTz time) {
  unix_micros const micros = to_unix(time);

  if (!in_range(layout, micros))
    time_error(layout);
  return micros;
}

} // namespace kid::pg
