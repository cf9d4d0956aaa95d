// Text forms: an ID's bits, most significant first, in groups of 5 or 6, one character a group.
//
// The alphabets are in ASCII order, so text in collation "C" sorts as the IDs do. Where the bits do not fill
// the last character (64 bits in 11 characters), its low bits are padding, and zero in every valid text:
// an ID has exactly one text form.
//
// Or a number in decimal, for IDs that are known as numbers.
//
// An `Alphabet` says how many `bits` a character has, its `characters`, and their `description` for messages.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <array>
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

/// Sixteen digits, or their characters, side by side: an operation on all is one instruction where the processor has
/// registers of 16 bytes, and a few where it has not.
///
/// A half is the bits of eight characters, a to h, as a number. It is cut in two three times, the upper part below the
/// lower one, in lanes half as wide each time, until each lane is a byte:
///
///                        bit 63                                                  0
///     half              |     0     | a  b  c  d  e  f  g  h                      |
///     lanes of 32 bits  |     0     | e  f  g  h  |     0     | a  b  c  d        |
///     lanes of 16 bits  |  0  | g  h  |  0  | e  f  |  0  | c  d  |  0  | a  b    |
///     lanes of 8 bits   | 0 h | 0 g | 0 f | 0 e | 0 d | 0 c | 0 b | 0 a           |
///
/// So the first character is the least significant byte, as in a little-endian number. Decoding goes the same way back.
template <class Alphabet> struct text_lanes {
  typedef std::uint64_t halves __attribute__((vector_size(16)));
  typedef std::uint32_t lanes32 __attribute__((vector_size(16)));
  typedef std::uint16_t lanes16 __attribute__((vector_size(16)));
  typedef std::uint8_t lanes8 __attribute__((vector_size(16)));

  static constexpr unsigned bits = Alphabet::bits;
  static constexpr unsigned half_bits = 8 * bits;
  static constexpr std::uint64_t half_max = (std::uint64_t{1} << half_bits) - 1;

  static lanes8 digits_of_halves(halves half) noexcept {
    auto const in32 = (lanes32)(half >> 4 * bits | half << 32) & std::uint32_t{(1U << 4 * bits) - 1};
    auto const in16 = (lanes16)(in32 >> 2 * bits | in32 << 16) & std::uint16_t{(1U << 2 * bits) - 1};
    return (lanes8)(in16 >> bits | in16 << 8) & digit_max;
  }

  static halves halves_of_digits(lanes8 digits) noexcept {
    auto const pairs = (lanes16)digits;
    auto const in16 = (lanes32)((pairs << bits | pairs >> 8) & std::uint16_t{(1U << 2 * bits) - 1});
    auto const in32 = (halves)((in16 << 2 * bits | in16 >> 16) & std::uint32_t{(1U << 4 * bits) - 1});
    return (in32 << 4 * bits | in32 >> 32) & half_max;
  }

  /// What is no digit gives anything.
  static lanes8 characters_of_digits(lanes8 digits) noexcept { return characters_of_digits(digits, every_gap{}); }

  /// What is no character of the alphabet gives anything.
  static lanes8 digits_of_characters(lanes8 text) noexcept { return digits_of_characters(text, every_gap{}); }

  /// Whether all of `text` is in the alphabet, where it gave `digits`: those are digits, and give the text back.
  static bool valid(lanes8 text, lanes8 digits) noexcept {
    auto const wrong =
        (halves)((characters_of_digits(digits) ^ text) | (digits & static_cast<std::uint8_t>(~digit_max)));
    return (wrong[0] | wrong[1]) == 0;
  }

private:
  typedef std::int8_t signed8 __attribute__((vector_size(16)));

  static constexpr std::uint8_t digit_max = (1U << bits) - 1;
  static constexpr std::uint8_t first = static_cast<std::uint8_t>(Alphabet::characters[0]);
  static_assert(sizeof(Alphabet::characters) == digit_max + 2);

  /// Characters of ASCII between two of the alphabet.
  struct gap {
    std::int8_t digit;     ///< the last one below it
    std::int8_t character; ///< the last one in it
    std::uint8_t width;
  };

  static constexpr bool is_gap(unsigned digit) noexcept {
    return Alphabet::characters[digit + 1] != Alphabet::characters[digit] + 1;
  }

  static constexpr std::size_t gap_count() noexcept {
    std::size_t count = 0;
    for (unsigned digit = 0; digit < digit_max; digit++)
      count += is_gap(digit);
    return count;
  }

  static constexpr auto find_gaps() noexcept {
    std::array<gap, gap_count()> found{};
    std::size_t count = 0;
    for (unsigned digit = 0; digit < digit_max; digit++)
      if (is_gap(digit)) {
        auto const below = static_cast<unsigned char>(Alphabet::characters[digit]);
        auto const above = static_cast<unsigned char>(Alphabet::characters[digit + 1]);
        found[count++] = {static_cast<std::int8_t>(digit), static_cast<std::int8_t>(above - 1),
                          static_cast<std::uint8_t>(above - below - 1)};
      }
    return found;
  }

  static constexpr auto gaps = find_gaps();
  using every_gap = std::make_index_sequence<gap_count()>;

  /// All ones in the lanes that are greater. Bytes beyond ASCII are negative, and so below every character: SSE2 has no
  /// comparison without a sign.
  static lanes8 greater(lanes8 lanes, std::int8_t than) noexcept { return (lanes8)((signed8)lanes > than); }

  template <std::size_t... I> static lanes8 characters_of_digits(lanes8 digits, std::index_sequence<I...>) noexcept {
    lanes8 text = digits + first;
    ((text += greater(digits, gaps[I].digit) & gaps[I].width), ...);
    return text;
  }

  template <std::size_t... I> static lanes8 digits_of_characters(lanes8 text, std::index_sequence<I...>) noexcept {
    lanes8 digits = text - first;
    ((digits -= greater(text, gaps[I].character) & gaps[I].width), ...);
    return digits;
  }
};

/// Text form of the low 8 * `Size` bits of `Word`.
template <class Alphabet, unsigned Size, class Word> struct ordered_text {
  static constexpr char const *characters = Alphabet::description;
  static constexpr unsigned length = (8 * Size + Alphabet::bits - 1) / Alphabet::bits;
  static constexpr unsigned min_length = length;
  static constexpr unsigned max_length = length;

  /// Writes `length` characters and no terminator; returns how many that is.
  static unsigned encode(Word id, char *text) noexcept {
    auto const second = static_cast<std::uint64_t>(id << excess) & lanes::half_max;
    auto const written = lanes::characters_of_digits(lanes::digits_of_halves(halves{first_half(id), second}));
    auto const bytes = in_memory_order((halves)written);

    std::memcpy(text, &bytes, length);
    return length;
  }

  /// Reads at most `size` bytes at `text`, which need no terminator. Sets `id` only when the text is valid.
  static text_status decode(char const *text, std::size_t size, Word &id) noexcept {
    if (size != length)
      return find_error(text, size);

    auto const read = (typename lanes::lanes8)load(text);
    auto const digits = lanes::digits_of_characters(read);
    halves const half = lanes::halves_of_digits(digits);
    if (!lanes::valid(read, digits) || (half[1] & ((std::uint64_t{1} << excess) - 1)) != 0)
      return find_error(text, size);

    id = static_cast<Word>(half[0]) << first_shift | static_cast<Word>(half[1] >> excess);
    return {text_error::none, 0};
  }

private:
  using lanes = text_lanes<Alphabet>;
  using halves = typename lanes::halves;

  static constexpr unsigned excess = 2 * lanes::half_bits - 8 * Size; ///< low bits of the second half that no ID has
  static constexpr unsigned first_shift = 8 * Size - lanes::half_bits;
  static_assert(length >= 8 && length <= 16);

  static std::uint64_t first_half(Word id) noexcept {
    // A shift of 128 bits becomes one instruction, and on some processors a slower one than these. "|" would, too.
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

  /// The text, filled up to 16 characters with that of 0. The second eight are read up to the end of the text, where
  /// they may overlap the first.
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

  /// The error of a text that is not valid.
  [[gnu::cold, gnu::noinline]] static text_status find_error(char const *text, std::size_t size) noexcept {
    for (unsigned i = 0; i < length; i++) {
      if (i == size)
        return {text_error::length, i};
      if (std::memchr(Alphabet::characters, text[i], sizeof(Alphabet::characters) - 1) == nullptr)
        return {text_error::character, i};
    }
    if (size > length)
      return {text_error::length, length};
    return {text_error::padding, length - 1};
  }
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
