// libFuzzer: the text form of every type. Decoding never reads past the end (AddressSanitizer watches), takes only what
// encoding gives, and undoes it.
#include "../../src/core/kid64.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

template <class Id> void check(unsigned char const *data, std::size_t size) {
  using text = typename Id::text;
  char encoded[text::length];
  typename Id::word id = 0;

  auto const status = text::decode(reinterpret_cast<char const *>(data), size, id);
  require(status.position <= std::min<std::size_t>(size, text::length));
  if (status.error == kid::text_error::none) {
    text::encode(id, encoded);
    require(size == text::length && std::memcmp(encoded, data, size) == 0);
  }

  if (size >= Id::size) {
    auto const bits = kid::load_big<Id::size, typename Id::word>(data);
    text::encode(bits, encoded);
    require(text::decode(encoded, text::length, id).error == kid::text_error::none && id == bits);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
  check<kid::kid64>(data, size);
  return 0;
}
