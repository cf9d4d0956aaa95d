// libFuzzer: the text form of every type. Decoding never reads past the end (AddressSanitizer checks that),
// accepts only what encoding returns (of numbers, also the hexadecimal form), and is its inverse. The ordered
// alphabets are also compared with the plain form.
#include "../unit/plain_text.hpp"
#include "../unit/types.hpp"

#include <cstdlib>
#include <cstring>

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

template <class Id> void check(unsigned char const *data, std::size_t size) {
  using text = typename Id::text;
  char encoded[text::max_length];
  typename Id::word id = 0;

  auto const status = text::decode(reinterpret_cast<char const *>(data), size, id);
  require(status.position <= size);
  bool const hexadecimal = size > 1 && (data[1] == 'x' || data[1] == 'X');
  if (status.error == kid::text_error::none && !hexadecimal)
    require(text::encode(id, encoded) == size && std::memcmp(encoded, data, size) == 0);

  if (size >= Id::size) {
    auto const bits = kid::load_big<Id::size, typename Id::word>(data);
    auto const length = text::encode(bits, encoded);
    require(text::decode(encoded, length, id).error == kid::text_error::none && id == bits);
  }
}

template <class Id> void compare(unsigned char const *data, std::size_t size) {
  auto const *const text = reinterpret_cast<char const *>(data);
  typename Id::word id = 42, expected_id = 42;

  auto const status = Id::text::decode(text, size, id);
  auto const expected = kid::plain<Id>::decode(text, size, expected_id);
  require(status.error == expected.error && status.position == expected.position && id == expected_id);

  if (size >= Id::size) {
    auto const bits = kid::load_big<Id::size, typename Id::word>(data);
    char encoded[Id::text::length], expected_text[Id::text::length];
    require(Id::text::encode(bits, encoded) == kid::plain<Id>::encode(bits, expected_text));
    require(std::memcmp(encoded, expected_text, sizeof encoded) == 0);
  }
}

template <class Id> void try_type(unsigned char const *data, std::size_t size) {
  if constexpr (kid::has_text<Id>)
    check<Id>(data, size);
  if constexpr (kid::has_ordered_text<Id>)
    compare<Id>(data, size);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
#define X(T) try_type<kid::T>(data, size);
#include "../../src/types.def"
  return 0;
}
