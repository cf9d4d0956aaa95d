// Text forms: an ID's bits, most significant first, in groups of 5 or 6, one character a group.
//
// The alphabets are in ASCII order, so text in collation "C" sorts as the IDs do. Where the bits do not fill
// the last character (kid64: 64 bits in 11 characters), its low bits are padding, and zero in every valid text:
// an ID has exactly one text form.
//
// Or a number in decimal, for those that are known as numbers (flake).
#pragma once

#include "check.hpp"
#include "layout.hpp"

#include <array>
#include <charconv>
#include <system_error>

namespace kid {

/// 64 characters, `.` first: uid (kid64, kid96).
struct uid_alphabet {
  static constexpr unsigned bits = 6;
  static constexpr char characters[] = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  static constexpr char description[] = ".0-9A-Z_a-z";
};

/// 64 characters, `-` first: Flax ID (flax).
struct flax_alphabet {
  static constexpr unsigned bits = 6;
  static constexpr char characters[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  static constexpr char description[] = "-0-9A-Z_a-z";
};

/// 32 characters: sno.
struct sno_alphabet {
  static constexpr unsigned bits = 5;
  static constexpr char characters[] = "23456789abcdefghijklmnopqrstuvwx";
  static constexpr char description[] = "2-9a-x";
};

enum class text_error : unsigned char {
  none,
  length,    ///< too short or too long, and valid up to `position`
  character, ///< the byte at `position` is not in the alphabet
  padding,   ///< the last character, at `position`, stands for bits that the ID does not have
  zero,      ///< a decimal number begins with a needless 0
  overflow,  ///< a number above the greatest ID
};

struct text_status {
  text_error error;
  std::size_t position; ///< in bytes from the start
};

/// Text form of the low 8 * `Size` bits of `Word`.
template <class Alphabet, unsigned Size, class Word> struct ordered_text {
  static constexpr char const *characters = Alphabet::description;
  static constexpr unsigned length = (8 * Size + Alphabet::bits - 1) / Alphabet::bits;
  static constexpr unsigned min_length = length;
  static constexpr unsigned max_length = length;

  /// Writes `length` characters and no terminator; returns how many that is.
  static constexpr unsigned encode(Word id, char *text) noexcept {
    text[length - 1] = Alphabet::characters[static_cast<std::size_t>(id << padding) & digit_mask];
    id >>= Alphabet::bits - padding;
    for (unsigned i = length - 1; i-- > 0; id >>= Alphabet::bits)
      text[i] = Alphabet::characters[static_cast<std::size_t>(id) & digit_mask];
    return length;
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

/// A 64-bit number without a sign: decimal, or on input hexadecimal after 0x.
struct decimal_text {
  static constexpr char const *characters = "0-9, or after 0x 0-9a-fA-F";
  static constexpr unsigned min_length = 1;
  static constexpr unsigned max_length = 20;

  /// Writes no terminator; returns the number of characters.
  static unsigned encode(std::uint64_t id, char *text) noexcept {
    return static_cast<unsigned>(std::to_chars(text, text + max_length, id).ptr - text);
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only when the text is valid.
  static text_status decode(char const *text, std::size_t size, std::uint64_t &id) noexcept {
    bool const hexadecimal = size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char const *const digits = text + (hexadecimal ? 2 : 0);
    std::uint64_t value = 0;

    if (size == 0)
      return {text_error::length, 0};
    auto const [end, error] = std::from_chars(digits, text + size, value, hexadecimal ? 16 : 10);
    if (end != text + size)
      return {text_error::character, static_cast<std::size_t>(end - text)};
    if (error == std::errc::result_out_of_range)
      return {text_error::overflow, 0};
    if (!hexadecimal && size > 1 && text[0] == '0')
      return {text_error::zero, 0};

    id = value;
    return {text_error::none, 0};
  }
};

} // namespace kid
