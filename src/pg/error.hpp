// The core's findings in PostgreSQL's words.
#pragma once

#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

/// Which rule of the text form `text` broke.
template <class Id> char const *syntax_detail(char const *text, text_status status) {
  using form = typename Id::text;

  switch (status.error) {
  case text_error::none:
    break;
  case text_error::length:
    return form::min_length == form::max_length
               ? psprintf("A value of type %s has %u characters, not %d.", Id::name, form::max_length,
                          pg_mbstrlen(text))
               : psprintf("A value of type %s has at least %u character.", Id::name, form::min_length);
  case text_error::character:
    return psprintf("Character \"%.*s\" at position %zu is not one of %s.", pg_mblen(text + status.position),
                    text + status.position, status.position + 1, form::characters);
  case text_error::padding:
    return psprintf("The last character, \"%c\", has bits beyond the %u of a %s.", text[status.position], 8 * Id::size,
                    Id::name);
  case text_error::zero:
    return "A decimal number does not begin with 0.";
  case text_error::overflow:
    return psprintf("The greatest value of type %s is " UINT64_FORMAT ".", Id::name,
                    static_cast<std::uint64_t>(greatest<Id>));
  }
  return "";
}

/// Returns only where `context` asks for a soft error.
template <class Id> void syntax_error(Node *context, char const *text, text_status status) {
  errsave(context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
          errmsg("invalid input syntax for type %s: \"%s\"", Id::name, text),
          errdetail_internal("%s", syntax_detail<Id>(text, status)));
}

template <class Id> [[noreturn]] void binary_error(int length) {
  ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
          errmsg("incorrect binary data format for type %s", Id::name),
          errdetail("A value of type %s has %u bytes, not %d.", Id::name, Id::size, length));
}

inline char const *display(unix_micros time) {
  return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(from_unix(time))));
}

template <class Id> [[noreturn]] void time_error(Id const &layout) {
  ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range for type %s", Id::name),
          errdetail("The range is %s to %s.", display(layout.first()), display(layout.last())));
}

/// Raises an error unless `value`, a component of an ID, is from 0 to `max`.
template <class Id> std::uint64_t check_component(char const *component, std::int64_t value, std::uint64_t max) {
  if (value < 0 || static_cast<std::uint64_t>(value) > max)
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%s " INT64_FORMAT " is out of range for type %s", component, value, Id::name),
            errdetail("The range is 0 to " UINT64_FORMAT ".", max));
  return static_cast<std::uint64_t>(value);
}

} // namespace kid::pg
