// Text forms: an ID's bits, most significant first, in groups of 5 or 6, one character a group.
//
// The alphabets are in ASCII order, so text in collation "C" sorts as the IDs do. Where the bits do not fill
// the last character (kid64: 64 bits in 11 characters), its low bits are padding, and zero in every valid text:
// an ID has exactly one text form.
#pragma once

#include "check.hpp"
#include "layout.hpp"

#include <array>

namespace kid {

/// 64 characters, `.` first: uid (kid64, kid96).
struct uid_alphabet {
  static constexpr unsigned bits = 6;
  static constexpr char characters[] = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  static constexpr char description[] = ".0-9A-Z_a-z";
};

enum class text_error : unsigned char {
  none,
  length,    ///< too short or too long, and valid up to `position`
  character, ///< the byte at `position` is not in the alphabet
  padding,   ///< the last character, at `position`, stands for bits that the ID does not have
};

struct text_status {
  text_error error;
  std::size_t position; ///< in bytes from the start
};

/// Text form of the low 8 * `Size` bits of `Word`.
template <class Alphabet, unsigned Size, class Word> struct ordered_text {
  using alphabet = Alphabet;
  static constexpr unsigned length = (8 * Size + Alphabet::bits - 1) / Alphabet::bits;

  /// Writes `length` characters and no terminator.
  static constexpr void encode(Word id, char *text) noexcept {
    text[length - 1] = Alphabet::characters[static_cast<std::size_t>(id << padding) & digit_mask];
    id >>= Alphabet::bits - padding;
    for (unsigned i = length - 1; i-- > 0; id >>= Alphabet::bits)
      text[i] = Alphabet::characters[static_cast<std::size_t>(id) & digit_mask];
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only when the text is valid.
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

} // namespace kid
