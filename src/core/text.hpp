// Text forms: an ID's bits, most significant first, in groups of 5 or 6, one character for each group. IDs that are
// known as numbers are decimal numbers instead.
//
// The alphabets are in ASCII order, so text in collation "C" sorts as the IDs do. Padding bits in the last character
// (64 bits in 11 characters) must be zero, so an ID has exactly one text form.
//
// An `Alphabet` says how many `bits` a character has, its `characters`, and their `description` for messages.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

namespace kid {

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

/// Returns the error in a text that is not valid: `last` if there is none in its characters and its length.
template <class IsValid>
[[gnu::cold, gnu::noinline]] constexpr text_status find_error(char const *text, std::size_t size, std::size_t length,
                                                              IsValid is_valid, text_status last) noexcept {
  for (std::size_t i = 0; i < length; i++) {
    if (i == size)
      return {text_error::length, i};
    if (!is_valid(text[i]))
      return {text_error::character, i};
  }
  return size > length ? text_status{text_error::length, length} : last;
}

/// Sixteen digits, or their characters, side by side. With registers of 16 bytes, an operation on all of them is one
/// instruction. A half is the bits of eight characters, a to h, as a number. It is split three times, until each part
/// is a byte. Each split moves the upper bits below the lower ones:
///
///                        bit 63                                                  0
///     half              |     0     | a  b  c  d  e  f  g  h                      |
///     parts of 32 bits  |     0     | e  f  g  h  |     0     | a  b  c  d        |
///     parts of 16 bits  |  0  | g  h  |  0  | e  f  |  0  | c  d  |  0  | a  b    |
///     parts of 8 bits   | 0 h | 0 g | 0 f | 0 e | 0 d | 0 c | 0 b | 0 a           |
///
/// So the first character is the least significant byte, as in a little-endian number.
template <class Alphabet> struct text_vector {
  typedef std::uint64_t halves __attribute__((vector_size(16)));
  typedef std::uint32_t parts32 __attribute__((vector_size(16)));
  typedef std::uint16_t parts16 __attribute__((vector_size(16)));
  typedef std::uint8_t parts8 __attribute__((vector_size(16)));

  static constexpr unsigned bits = Alphabet::bits;
  static constexpr unsigned half_bits = 8 * bits;
  static constexpr std::uint64_t half_max = (std::uint64_t{1} << half_bits) - 1;

  static parts8 digits_of_halves(halves half) noexcept {
    auto const in32 = (parts32)(half >> 4 * bits | half << 32) & std::uint32_t{(1U << 4 * bits) - 1};
    auto const in16 = (parts16)(in32 >> 2 * bits | in32 << 16) & std::uint16_t{(1U << 2 * bits) - 1};
    return (parts8)(in16 >> bits | in16 << 8) & digit_max;
  }

  static halves halves_of_digits(parts8 digits) noexcept {
    auto const pairs = (parts16)digits;
    auto const in16 = (parts32)((pairs << bits | pairs >> 8) & std::uint16_t{(1U << 2 * bits) - 1});
    auto const in32 = (halves)((in16 << 2 * bits | in16 >> 16) & std::uint32_t{(1U << 4 * bits) - 1});
    return (in32 << 4 * bits | in32 >> 32) & half_max;
  }

  /// Returns the characters of `digits`. For a byte that is not a digit, the result is arbitrary.
  static parts8 characters_of_digits(parts8 digits) noexcept {
    return digits + first + gaps_below(neighbors{}, digits, [](unsigned digit) { return digit; });
  }

  /// Returns the digits of `text`. For a byte that is not in the alphabet, the result is arbitrary.
  static parts8 digits_of_characters(parts8 text) noexcept {
    return text - first -
           gaps_below(neighbors{}, text, [](unsigned digit) { return Alphabet::characters[digit + 1] - 1; });
  }

  /// Returns whether all of `text` is in the alphabet. `digits` is what digits_of_characters() returned for it.
  static bool valid(parts8 text, parts8 digits) noexcept {
    auto const wrong =
        (halves)((characters_of_digits(digits) ^ text) | (digits & static_cast<std::uint8_t>(~digit_max)));
    return (wrong[0] | wrong[1]) == 0;
  }

private:
  typedef std::int8_t signed8 __attribute__((vector_size(16)));

  static constexpr std::uint8_t digit_max = (1U << bits) - 1;
  static constexpr std::uint8_t first = static_cast<std::uint8_t>(Alphabet::characters[0]);
  static_assert(sizeof(Alphabet::characters) == digit_max + 2);

  using neighbors = std::make_index_sequence<digit_max>;

  /// Returns how many ASCII characters are between the characters of `digit` and of the next one.
  static constexpr std::uint8_t gap_after(unsigned digit) noexcept {
    return static_cast<std::uint8_t>(Alphabet::characters[digit + 1] - Alphabet::characters[digit] - 1);
  }

  /// Returns, for each byte, how many characters are in the gaps below it. `last(digit)` is the greatest byte that is
  /// not above the gap after `digit`.
  template <class Last, std::size_t... Digit>
  static parts8 gaps_below(std::index_sequence<Digit...>, parts8 bytes, Last last) noexcept {
    return ((greater(bytes, static_cast<std::int8_t>(last(Digit))) & gap_after(Digit)) + ...);
  }

  /// Returns all ones for each byte that is greater. SSE2 has no unsigned comparison, so bytes beyond ASCII are below
  /// all.
  static parts8 greater(parts8 bytes, std::int8_t than) noexcept { return (parts8)((signed8)bytes > than); }
};

/// The text form of the low 8 * `Size` bits of `Word`.
template <class Alphabet, unsigned Size, class Word> struct ordered_text {
  static constexpr char const *allowed = Alphabet::description; ///< its characters, for messages
  static constexpr unsigned length = (8 * Size + Alphabet::bits - 1) / Alphabet::bits;
  static constexpr unsigned min_length = length;
  static constexpr unsigned max_length = length;

  /// Writes `length` characters and no terminator. Returns `length`.
  static unsigned encode(Word id, char *text) noexcept {
    auto const second = static_cast<std::uint64_t>(id << excess) & vector::half_max;
    auto const written = vector::characters_of_digits(vector::digits_of_halves(halves{first_half(id), second}));
    auto const bytes = in_memory_order((halves)written);

    std::memcpy(text, &bytes, length);
    return length;
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only if the text is valid.
  static text_status decode(char const *text, std::size_t size, Word &id) noexcept {
    if (size != length)
      return error_in(text, size);

    auto const read = (typename vector::parts8)load(text);
    auto const digits = vector::digits_of_characters(read);
    halves const half = vector::halves_of_digits(digits);
    if (!vector::valid(read, digits) || (half[1] & ((std::uint64_t{1} << excess) - 1)) != 0)
      return error_in(text, size);

    id = static_cast<Word>(half[0]) << first_shift | static_cast<Word>(half[1] >> excess);
    return {text_error::none, 0};
  }

private:
  using vector = text_vector<Alphabet>;
  using halves = typename vector::halves;

  static constexpr unsigned excess = 2 * vector::half_bits - 8 * Size; ///< low bits of the second half that no ID has
  static constexpr unsigned first_shift = 8 * Size - vector::half_bits;
  static_assert(length >= 8 && length <= 16);

  static std::uint64_t first_half(Word id) noexcept {
    // Not a 128-bit shift, nor "|": they compile to one instruction, which is slower on some processors.
    if constexpr (sizeof(Word) > 8)
      return (static_cast<std::uint64_t>(id >> 64) << (64 - first_shift)) +
             (static_cast<std::uint64_t>(id) >> first_shift);
    else
      return id >> first_shift;
  }

  static halves in_memory_order(halves numbers) noexcept {
    using boost::endian::native_to_little;
    return halves{native_to_little(std::uint64_t{numbers[0]}), native_to_little(std::uint64_t{numbers[1]})};
  }

  /// Returns the text, filled up to 16 characters with the character of 0. The second eight bytes may overlap the
  /// first.
  static halves load(char const *text) noexcept {
    using boost::endian::load_little_u64;
    constexpr unsigned missing = 16 - length;
    constexpr auto zeros = static_cast<std::uint64_t>(Alphabet::characters[0]) * 0x0101010101010101;
    auto const *const bytes = reinterpret_cast<unsigned char const *>(text);

    std::uint64_t second = load_little_u64(bytes + length - 8) >> 8 * missing;
    if constexpr (missing > 0)
      second |= zeros << 8 * (8 - missing);
    return halves{load_little_u64(bytes), second};
  }

  static text_status error_in(char const *text, std::size_t size) noexcept {
    return find_error(
        text, size, length,
        [](char c) { return std::memchr(Alphabet::characters, c, sizeof(Alphabet::characters) - 1) != nullptr; },
        {text_error::padding, length - 1});
  }
};

/// An unsigned 64-bit number: decimal, and on input also hexadecimal after 0x.
struct decimal_text {
  static constexpr char const *allowed = "0-9, or after 0x 0-9a-fA-F"; ///< its characters, for messages
  static constexpr unsigned min_length = 1;
  static constexpr unsigned max_length = 20;

  /// Writes the number, without a terminator. Returns how many characters it has.
  static unsigned encode(std::uint64_t id, char *text) noexcept {
    return static_cast<unsigned>(std::to_chars(text, text + max_length, id).ptr - text);
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only if the text is valid.
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
