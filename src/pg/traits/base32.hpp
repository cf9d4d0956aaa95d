// kid_encode() and T_decode(): base32, after a prefix and a separator if the prefix is not empty.
#pragma once

#include "syntax_error.hpp"

namespace kid::pg {

/// Returns a sentence that says which rule of base32 is broken by `text` from position `begin` on.
template <class Id> char const *base32_detail(char const *text, std::size_t begin, text_status status) {
  using form = base32_of<Id>;

  if (status.error == text_error::length)
    return psprintf("A value of %s has %u characters in base32, not %d.", label<Id>(), form::length,
                    pg_mbstrlen(text + begin));
  if (status.error == text_error::character)
    return character_detail(text, begin + status.position, form::allowed);
  return psprintf("The first character in base32, \"%c\", has bits beyond the %u of a %s.", text[begin], bits_of<Id>,
                  Id::name);
}

/// Returns a sentence that says how the prefix of a text differs from the expected one. Either may be empty.
inline char const *prefix_detail(char const *found, char const *expected) {
  if (found[0] == '\0')
    return psprintf("There is no prefix \"%s\".", expected);
  if (expected[0] == '\0')
    return psprintf("There is a prefix \"%s\".", found);
  return psprintf("The prefix is \"%s\", not \"%s\".", found, expected);
}

/// Returns a prefix that the caller of a function gave. Raises an error if it is invalid.
inline std::string_view prefix_argument(text const *value) {
  std::string_view const prefix = text_view(value);

  if (unlikely(!is_prefix(prefix)))
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("invalid prefix of an ID: \"%s\"", text_to_cstring(value)),
            errdetail("A prefix has at most %u characters of a-z_, and begins and ends with a letter.", prefix_max));
  return prefix;
}

/// Returns where the base32 begins after a prefix.
inline std::size_t begin_after(std::string_view prefix) {
  return prefix.empty() ? 0 : prefix.size() + 1;
}

/// Raises the error of a text that is not `prefix` and an ID.
template <class Id> [[noreturn]] [[gnu::cold]] void decode_error(text const *value, std::string_view prefix) {
  char const *const whole = text_to_cstring(value);
  std::string_view const given = text_view(value);
  std::size_t const begin = given.rfind(prefix_separator) + 1; // 0 if there is none
  std::string_view const found = given.substr(0, begin > 0 ? begin - 1 : 0);
  typename Id::word id = 0;
  char const *detail = nullptr;

  if (begin == 1 && prefix.empty())
    detail = "A text without a prefix does not contain \"_\".";
  else if (found != prefix)
    detail = prefix_detail(pnstrdup(found.data(), found.size()), pnstrdup(prefix.data(), prefix.size()));
  else
    detail = base32_detail<Id>(whole, begin, base32_of<Id>::decode(whole + begin, given.size() - begin, id));
  ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
          errmsg("invalid input syntax for %s: \"%s\"", label<Id>(), whole), errdetail_internal("%s", detail),
          Id::size < UUID_LEN && given.size() - begin == base32<8 * UUID_LEN, uint128>::length
              ? errhint("A sealed ID is opened by %s_unseal(), of the extension kid_seal.", Id::name)
              : 0);
}

/// Returns the ID in an argument. A type of IDs that has other values, too, raises an error for those.
template <class Id> typename Id::word id_argument(Datum argument) {
  return get<Id>(argument);
}

template <class Id> Datum to_base32(PG_FUNCTION_ARGS) {
  using form = base32_of<Id>;
  std::string_view const prefix = prefix_argument(PG_GETARG_TEXT_PP(1));
  std::size_t const begin = begin_after(prefix);
  std::size_t const size = VARHDRSZ + begin + form::length;
  auto *const result = static_cast<text *>(palloc(size));
  char *const written = VARDATA(result);

  SET_VARSIZE(result, size);
  memcpy(written, prefix.data(), prefix.size());
  if (begin > 0)
    written[prefix.size()] = prefix_separator;
  form::encode(id_argument<Id>(PG_GETARG_DATUM(0)), written + begin);
  PG_RETURN_TEXT_P(result);
}

template <class Id> Datum from_base32(PG_FUNCTION_ARGS) {
  text const *const value = PG_GETARG_TEXT_PP(0);
  std::string_view const given = text_view(value);
  std::string_view const prefix = prefix_argument(PG_GETARG_TEXT_PP(1));
  std::size_t const begin = begin_after(prefix);
  typename Id::word id = 0;

  bool const begins_well = given.size() >= begin && memcmp(given.data(), prefix.data(), prefix.size()) == 0 &&
                           (begin == 0 || given[prefix.size()] == prefix_separator);
  if (unlikely(!begins_well ||
               base32_of<Id>::decode(given.data() + begin, given.size() - begin, id).error != text_error::none))
    decode_error<Id>(value, prefix);
  return put<Id>(id);
}

} // namespace kid::pg

#define KID_EXPORT_BASE32(T)                                                                                           \
  KID_FUNCTION(T##_encode, kid::pg::to_base32<kid::T>)                                                                 \
  KID_FUNCTION(T##_decode, kid::pg::from_base32<kid::T>)
