// Times and spans of time as messages show them, and the error for a time that a type cannot have.
#pragma once

#include "datum.hpp"

namespace kid::pg {

inline char const *display(unix_micros time) {
  return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(from_unix(time))));
}

/// Returns what messages call IDs: "type kid64". For a kind of ID whose type is one of PostgreSQL's own, a
/// specialization returns the name alone: in types/kid53.cpp and types/uuidv7.cpp.
template <class Id> char const *label() {
  return psprintf("type %s", Id::name);
}

template <class Id> [[noreturn]] void time_error(Id const &layout) {
  ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range for %s", label<Id>()),
          errdetail("The range is %s to %s.", display(layout.first()), display(layout.last())));
}

/// Returns a span of time that is not negative as text for a message, rounded up to a millisecond: "1 day
/// 23:59:58.876".
inline char const *display_span(std::int64_t micros) {
  std::int64_t const millis = (micros + 999) / 1000;
  std::int64_t const days = millis / (SECS_PER_DAY * 1000);
  int const rest = static_cast<int>(millis % (SECS_PER_DAY * 1000));
  char const *const time =
      psprintf("%02d:%02d:%02d.%03d", rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);

  return days == 0 ? time : psprintf(INT64_FORMAT " day%s %s", static_cast<int64>(days), days == 1 ? "" : "s", time);
}

} // namespace kid::pg
