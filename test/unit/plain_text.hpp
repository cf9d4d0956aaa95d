// The text forms written plainly, one character at a time. core/text.hpp must give the same results.
#pragma once

#include "../../src/core/text.hpp"

#include <array>

namespace kid {

/// Text form of the low 8 * `Size` bits of `Word`.
template <class Alphabet, unsigned Size, class Word> struct plain_text {
  static constexpr unsigned length = (8 * Size + Alphabet::bits - 1) / Alphabet::bits;

  /// Writes `length` characters without a terminator, and returns how many.
  static constexpr unsigned encode(Word id, char *text) noexcept {
    text[length - 1] = Alphabet::characters[static_cast<std::size_t>(id << padding) & digit_mask];
    id >>= Alphabet::bits - padding;
    for (unsigned i = length - 1; i-- > 0; id >>= Alphabet::bits)
      text[i] = Alphabet::characters[static_cast<std::size_t>(id) & digit_mask];
    return length;
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only if the text is valid.
  static constexpr text_status decode(char const *text, std::size_t size, Word &id) noexcept {
    Word bits = 0;
    unsigned digit = 0;
    for (unsigned i = 0; i < length; i++) {
      if (i == size)
        return {text_error::length, i};
      digit = values[static_cast<unsigned char>(text[i])];
      if (digit == invalid)
        return {text_error::character, i};
      bits =
          i + 1 < length ? (bits << Alphabet::bits) | digit : (bits << (Alphabet::bits - padding)) | (digit >> padding);
    }
    if (size > length)
      return {text_error::length, length};
    if ((digit & ((1U << padding) - 1)) != 0)
      return {text_error::padding, length - 1};

    id = bits;
    return {text_error::none, 0};
  }

private:
  static constexpr unsigned padding = length * Alphabet::bits - 8 * Size;
  static constexpr std::size_t digit_mask = (std::size_t{1} << Alphabet::bits) - 1;
  static constexpr unsigned char invalid = 0xff;

  static constexpr std::array<unsigned char, 256> invert() noexcept {
    std::array<unsigned char, 256> table{};
    for (auto &value : table)
      value = invalid;
    for (unsigned char i = 0; i <= digit_mask; i++)
      table[static_cast<unsigned char>(Alphabet::characters[i])] = i;
    return table;
  }

  static constexpr std::array<unsigned char, 256> values = invert();

  static_assert(sizeof(Alphabet::characters) == digit_mask + 2);
};

/// The plain form of an `ordered_text`.
template <class Text> struct plain_form;
template <class Alphabet, unsigned Size, class Word> struct plain_form<ordered_text<Alphabet, Size, Word>> {
  using type = plain_text<Alphabet, Size, Word>;
};
template <class Id> using plain = typename plain_form<typename Id::text>::type;

} // namespace kid
