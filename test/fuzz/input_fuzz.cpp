// libFuzzer: what clients send. The functions of every type that read a text, a binary value, a bytea or base32 take
// any bytes: they return an ID, whose output is what they have read, or raise an error of bad input. Its texts consist
// of whole characters.
//
// The first byte of an input chooses the encoding and how values are stored, the second one says how long the prefix
// is that follows. The rest is the value.
#include "../unit/types.hpp"

#include "server.hpp"

#include "../../src/pg/traits/base32.hpp"
#include "../../src/pg/traits/io.hpp"

extern "C" {

struct varlena *pg_detoast_datum_packed(struct varlena *value) {
  return value;
}

char *text_to_cstring(text const *value) {
  return pnstrdup(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

char const *pq_getmsgbytes(StringInfo message, int length) {
  fuzz::require(length >= 0 && length <= message->len - message->cursor);
  char const *const bytes = message->data + message->cursor;
  message->cursor += length;
  return bytes;
}

} // extern "C"

namespace {

using fuzz::require;
using kid::pg::get;
using kid::pg::put;

bool short_headers = false; ///< whether values that PostgreSQL would store with a header of one byte have one
int before = 0;             ///< how many bytes of its message a receive function does not get

Datum call(PGFunction function, Datum first, Datum second = 0) {
  alignas(FunctionCallInfoBaseData) static char memory[SizeForFunctionCallInfo(2)];
  auto *const fcinfo = reinterpret_cast<FunctionCallInfo>(memory);
  std::memset(memory, 0, sizeof memory);
  fcinfo->nargs = 2;
  fcinfo->args[0].value = first;
  fcinfo->args[1].value = second;
  return function(fcinfo);
}

/// Returns a text or a bytea. Its memory ends with its last byte.
Datum stored(std::string_view value) {
  bool const is_short = short_headers && value.size() + VARHDRSZ_SHORT <= VARATT_SHORT_MAX;
  std::size_t const size = value.size() + (is_short ? VARHDRSZ_SHORT : VARHDRSZ);
  auto *const memory = static_cast<char *>(palloc(size));
  if (is_short)
    SET_VARSIZE_SHORT(memory, size);
  else
    SET_VARSIZE(memory, size);
  std::memcpy(memory + (size - value.size()), value.data(), value.size());
  return PointerGetDatum(memory);
}

std::string_view view(Datum value) {
  return kid::pg::text_view(reinterpret_cast<text const *>(DatumGetPointer(value)));
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char &character : lower)
    if (character >= 'A' && character <= 'Z')
      character = static_cast<char>(character + ('a' - 'A'));
  return lower;
}

/// Requires that the last error is one of bad input, and not another one.
void require_error(int sqlstate) {
  require(fuzz::error.level == ERROR && fuzz::error.sqlstate == sqlstate);
}

template <class Id> void read_text(std::string_view value) {
  char *const given = pnstrdup(value.data(), value.size());
  Datum id = 0;
  if (!fuzz::succeeds([&] { id = call(kid::pg::in<Id>, CStringGetDatum(given)); }))
    return require_error(ERRCODE_INVALID_TEXT_REPRESENTATION);
  char const *const written = DatumGetCString(call(kid::pg::out<Id>, id));
  bool const hexadecimal = value.size() > 1 && (value[1] == 'x' || value[1] == 'X');
  require(hexadecimal || value == written);
  require(get<Id>(call(kid::pg::in<Id>, CStringGetDatum(written))) == get<Id>(id));
}

/// `read` gets `argument`, which stands for the bytes of `value`.
template <class Id> void read_bytes(std::string_view value, PGFunction read, Datum argument) {
  Datum id = 0;
  bool const accepted = fuzz::succeeds([&] { id = call(read, argument); });
  require(accepted == (value.size() == Id::size));
  if (accepted)
    require(view(call(kid::pg::send<Id>, id)) == value);
  else
    require_error(ERRCODE_INVALID_BINARY_REPRESENTATION);
}

template <class Id> void read_binary(std::string_view value) {
  int const length = static_cast<int>(value.size());
  auto *const data = static_cast<char *>(palloc(value.size() + static_cast<std::size_t>(before)));
  std::memset(data, 0, static_cast<std::size_t>(before));
  std::memcpy(data + before, value.data(), value.size());
  StringInfoData message = {data, before + length, before + length, before};
  read_bytes<Id>(value, kid::pg::recv<Id>, PointerGetDatum(&message));
  read_bytes<Id>(value, kid::pg::from_bytea<Id>, stored(value));
}

template <class Id> void read_base32(std::string_view value, std::string_view prefix) {
  std::size_t const begin = prefix.empty() ? 0 : prefix.size() + 1;
  typename Id::word expected = 0;
  bool const is_one =
      kid::is_prefix(prefix) && value.size() >= begin && value.substr(0, prefix.size()) == prefix &&
      (begin == 0 || value[prefix.size()] == kid::prefix_separator) &&
      kid::base32_of<Id>::decode(value.data() + begin, value.size() - begin, expected).error == kid::text_error::none;
  Datum id = 0;
  bool const accepted = fuzz::succeeds([&] { id = call(kid::pg::from_base32<Id>, stored(value), stored(prefix)); });
  require(accepted == is_one);
  if (!accepted)
    return require_error(kid::is_prefix(prefix) ? ERRCODE_INVALID_TEXT_REPRESENTATION
                                                : ERRCODE_INVALID_PARAMETER_VALUE);
  require(get<Id>(id) == expected);
  require(view(call(kid::pg::to_base32<Id>, id, stored(prefix))) == in_lower_case(value));
}

template <class Id> void try_type(std::string_view value, std::string_view prefix, bool is_text) {
  if constexpr (kid::has_text<Id>) {
    if (is_text)
      read_text<Id>(value);
    read_binary<Id>(value);
  }
  if (is_text)
    read_base32<Id>(value, prefix);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
  if (size < 2)
    return 0;
  fuzz::run const run;
  std::string_view const rest(reinterpret_cast<char const *>(data) + 2, size - 2);
  std::string_view const prefix = rest.substr(0, data[1]);
  std::string value(rest.substr(prefix.size()));
  fuzz::is_utf8 = (data[0] & 1) != 0;
  short_headers = (data[0] & 2) != 0;
  before = data[0] >> 4;
  if ((data[0] & 4) != 0)
    value = std::string(prefix) + kid::prefix_separator + value;
  bool const is_text = fuzz::is_valid(prefix) && fuzz::is_valid(value);
#define X(T) try_type<kid::T>(value, prefix, is_text);
#include "../../src/types.def"
  return 0;
}
