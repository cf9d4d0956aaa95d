// The core's findings in PostgreSQL's words.
#pragma once

#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

/// Returns only where `context` asks for a soft error.
template <class Id> void syntax_error(fmNodePtr context, char const *text, text_status status) {
  switch (status.error) {
  case text_error::none:
    break;
  case text_error::length:
    errsave(context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", Id::name, text),
            errdetail("A value of type %s has %u characters, not %d.", Id::name, Id::text::length, pg_mbstrlen(text)));
    break;
  case text_error::character:
    errsave(context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", Id::name, text),
            errdetail("Character \"%.*s\" at position %zu is not one of %s.", pg_mblen(text + status.position),
                      text + status.position, status.position + 1, Id::text::alphabet::description));
    break;
  case text_error::padding:
    errsave(context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", Id::name, text),
            errdetail("The last character, \"%c\", has bits beyond the %u of a %s.", text[status.position],
                      8 * Id::size, Id::name));
    break;
  }
}

template <class Id> [[noreturn]] void binary_error(int length) {
  ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
          errmsg("incorrect binary data format for type %s", Id::name),
          errdetail("A value of type %s has %u bytes, not %d.", Id::name, Id::size, length));
}

template <class Id> [[noreturn]] void time_error() {
  ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range for type %s", Id::name),
          errdetail("The range is %s to %s.",
                    DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(from_unix(Id::first)))),
                    DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(from_unix(Id::last))))));
}

/// `component` is out of the range of its field.
template <class Id, class Field> [[noreturn]] void component_error(char const *component, std::int64_t value) {
  ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
          errmsg("%s " INT64_FORMAT " is out of range for type %s", component, value, Id::name),
          errdetail("The range is 0 to " UINT64_FORMAT ".", static_cast<std::uint64_t>(Field::max)));
}

} // namespace kid::pg
