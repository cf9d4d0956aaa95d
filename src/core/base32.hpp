// Crockford's base32, for IDs outside the database: an ID as a number, 5 bits in each character, most significant
// first. The first character has the remaining high bits:
//
//                                first character     others
//     53 bits,  11 characters    0 to 7              10
//     64 bits,  13 characters    0 to f              12
//     80 bits,  16 characters    0 to z              15
//     96 bits,  20 characters    0 and 1             19
//     128 bits, 26 characters    0 to 7              25
//
// The alphabet is in ASCII order and the length is fixed, so the text sorts as the IDs do. The last form, and the rules
// for prefixes, are those of TypeID, version 0.3 (https://github.com/jetify-com/typeid/tree/main/spec). On input a
// letter may be upper case. Crockford's other liberties are errors: i and l for 1, o for 0, and hyphens.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"
#include "text.hpp"

#include <array>
#include <string_view>

namespace kid {

/// The low `Bits` bits of `Word` in base32.
template <unsigned Bits, class Word> struct base32 {
  static constexpr char allowed[] = "0-9a-hjkmnp-tv-z"; ///< its characters, for messages
  static constexpr unsigned length = (Bits + 4) / 5;

  /// Writes `length` characters and no terminator.
  static constexpr void encode(Word id, char *text) noexcept {
    for (unsigned end = length; end > first; end -= part_length) {
      write(static_cast<std::uint64_t>(id), text + end - part_length, part_length);
      id >>= part_bits;
    }
    write(static_cast<std::uint64_t>(id), text, first);
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only if the text is valid.
  static constexpr text_status decode(char const *text, std::size_t size, Word &id) noexcept {
    if (size != length)
      return error_in(text, size);

    unsigned every_digit = 0;
    Word bits = read(text, first, every_digit);
    bool const fits = (bits >> first_bits) == 0;
    for (unsigned begin = first; begin < length; begin += part_length)
      bits = bits << part_bits | read(text + begin, part_length, every_digit);
    if (every_digit > digit_max || !fits)
      return error_in(text, size);

    id = bits;
    return {text_error::none, 0};
  }

private:
  static constexpr char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
  static constexpr unsigned digit_max = 31;
  static constexpr unsigned char invalid = 0xff;
  static constexpr unsigned lower_case = 'a' - 'A';
  static_assert(sizeof(alphabet) == digit_max + 2);

  // The text is read and written in parts of 12 characters, which fit in a register. The first part has the rest.
  static constexpr unsigned part_length = 12;
  static constexpr unsigned part_bits = 5 * part_length;
  static constexpr unsigned first = length % part_length;
  static constexpr unsigned first_bits = Bits - part_bits * (length / part_length);
  static_assert(first > 0 && first_bits > 0 && first_bits <= 5 * first);

  static constexpr auto digits = [] {
    std::array<unsigned char, 256> table{};
    for (auto &digit : table)
      digit = invalid;
    for (unsigned char i = 0; i <= digit_max; i++) {
      auto const character = static_cast<unsigned char>(alphabet[i]);
      table[character] = i;
      if (character >= 'a')
        table[character - lower_case] = i;
    }
    return table;
  }();

  static constexpr unsigned digit(char character) noexcept { return digits[static_cast<unsigned char>(character)]; }

  static constexpr void write(std::uint64_t part, char *text, unsigned count) noexcept {
    for (unsigned i = count; i-- > 0; part >>= 5)
      text[i] = alphabet[part & digit_max];
  }

  /// Returns the number of `count` characters. ORs each digit into `every_digit`: above `digit_max` if one is invalid.
  static constexpr std::uint64_t read(char const *text, unsigned count, unsigned &every_digit) noexcept {
    std::uint64_t part = 0;
    for (unsigned i = 0; i < count; i++) {
      part = part << 5 | digit(text[i]);
      every_digit |= digit(text[i]);
    }
    return part;
  }

  static constexpr text_status error_in(char const *text, std::size_t size) noexcept {
    return find_error(text, size, length, [](char character) { return digit(character) != invalid; },
                      {text_error::overflow, 0});
  }
};

/// The base32 form of a type.
template <class Id> using base32_of = base32<bits_of<Id>, typename Id::word>;

inline constexpr unsigned prefix_max = 63;
inline constexpr char prefix_separator = '_';

/// Returns whether `prefix` is one: at most `prefix_max` characters of a-z and "_", of which the first and the last are
/// letters. The empty prefix is valid, and is written without a separator.
constexpr bool is_prefix(std::string_view prefix) noexcept {
  for (char const character : prefix)
    if (!(character >= 'a' && character <= 'z') && character != prefix_separator)
      return false;
  return prefix.empty() ||
         (prefix.size() <= prefix_max && prefix.front() != prefix_separator && prefix.back() != prefix_separator);
}

} // namespace kid
