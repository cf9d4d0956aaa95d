// libFuzzer: base32 of every type, and prefixes. Decoding never reads past the end (AddressSanitizer checks that),
// accepts only what encoding returns, in lower or upper case, and is its inverse.
#include "../../src/core/base32.hpp"
#include "../../src/core/range.hpp"

#include "../unit/types.hpp"

#include <cstdlib>

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

template <class Id> void try_type(unsigned char const *data, std::size_t size) {
  using form = kid::base32_of<Id>;
  auto const *const text = reinterpret_cast<char const *>(data);
  char encoded[form::length];
  typename Id::word id = 0;

  auto const status = form::decode(text, size, id);
  require(status.position <= size);
  if (status.error == kid::text_error::none) {
    require(size == form::length);
    form::encode(id, encoded);
    for (unsigned i = 0; i < size; i++)
      require(encoded[i] == text[i] || (encoded[i] >= 'a' && encoded[i] - 'a' == text[i] - 'A'));
  }

  if (size >= Id::size) {
    auto const bits = kid::load_big<Id::size, typename Id::word>(data) & kid::greatest<Id>;
    form::encode(bits, encoded);
    require(form::decode(encoded, sizeof encoded, id).error == kid::text_error::none && id == bits);
  }
}

void try_prefix(std::string_view text) {
  if (kid::is_prefix(text))
    require(text.size() <= kid::prefix_max &&
            (text.empty() || (text.front() != kid::prefix_separator && text.back() != kid::prefix_separator)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
#define X(T) try_type<kid::T>(data, size);
#include "../../src/types.def"
  try_prefix({reinterpret_cast<char const *>(data), size});
  return 0;
}
