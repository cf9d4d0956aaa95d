// The error for a text that is not an ID.
#pragma once

#include "../base/error.hpp"

namespace kid::pg {

/// Returns a sentence that says which character of `text` is not one of `characters`.
inline char const *character_detail(char const *text, std::size_t position, char const *characters) {
  // In SQL_ASCII the length of the character is unknown, and a client could not read a part of it.
  if (IS_HIGHBIT_SET(text[position]) && GetDatabaseEncoding() == PG_SQL_ASCII)
    return psprintf("Byte 0x%02x at position %zu is not one of %s.", static_cast<unsigned char>(text[position]),
                    position + 1, characters);
  return psprintf("Character \"%.*s\" at position %zu is not one of %s.", pg_mblen(text + position), text + position,
                  position + 1, characters);
}

/// Returns a sentence that says which rule of the text form `text` breaks.
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
    return character_detail(text, status.position, form::allowed);
  case text_error::padding:
    return psprintf("The last character, \"%c\", has bits beyond the %u of a %s.", text[status.position], 8 * Id::size,
                    Id::name);
  case text_error::zero:
    return "A decimal number does not begin with 0.";
  case text_error::overflow:
    static_assert(!std::is_same_v<form, decimal_text> || sizeof(typename Id::word) <= sizeof(std::uint64_t),
                  "the message below prints 64 bits, as many as decimal_text reads");
    return psprintf("The greatest value of type %s is " UINT64_FORMAT ".", Id::name, static_cast<uint64>(greatest<Id>));
  }
  return "";
}

/// Returns whether `text` is an integer, as PostgreSQL writes one.
inline bool is_integer(char const *text) {
  char const *const digits = text + (*text == '-');
  return *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0';
}

/// Adds the hint to an error for `text`: what the caller probably meant, and how to write that.
template <class Id> int syntax_hint(char const *text) {
  // Of the types that a bigint can be cast to, one has decimal numbers as its text form.
  if (by_value<Id> && !std::is_same_v<typename Id::text, decimal_text> && is_integer(text))
    return errhint("To convert a number to an ID, cast it to bigint first, as in \"$1::bigint::%s\".", Id::name);
  return errhint("To compare an ID with a time, cast the time, as in \"id >= $1::timestamptz\" or \"id <@ "
                 "$1::tstzrange\".");
}

/// Raises an error for `text`. Returns only if `context` asks for a soft error.
template <class Id> void syntax_error(Node *context, char const *text, text_status status) {
  errsave(context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
          errmsg("invalid input syntax for %s: \"%s\"", label<Id>(), text),
          errdetail_internal("%s", syntax_detail<Id>(text, status)), syntax_hint<Id>(text));
}

} // namespace kid::pg
