// Bit fields and byte order: how an ID is laid out in memory and on the wire.
//
// An ID is one unsigned integer (`word`); each component is a field of it. A width is written once,
// where the field is declared on top of the one below it; shifts, masks and ranges follow from it.
#pragma once

#include "no_postgres.hpp"

#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kid {

__extension__ typedef unsigned __int128 uint128; // holds the 80- and 96-bit IDs

/// Microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted: the core's only notion of time.
using unix_micros = std::int64_t;

/// `Width` bits of an ID, of which bit `Shift` is the least significant.
template <class Word, unsigned Shift, unsigned Width> struct field {
  using word = Word;
  static constexpr unsigned width = Width;
  static constexpr unsigned end = Shift + Width;
  static constexpr Word max = (Word{1} << Width) - 1;
  static constexpr Word mask = max << Shift;

  static_assert(Width > 0 && Width < 64 && end <= 8 * sizeof(Word));

  static constexpr std::uint64_t get(Word id) noexcept { return static_cast<std::uint64_t>((id >> Shift) & max); }

  /// `value` must be at most `max`.
  static constexpr Word put(std::uint64_t value) noexcept { return static_cast<Word>(value) << Shift; }
};

/// The field that sits right above `Below`.
template <class Below, unsigned Width> using above = field<typename Below::word, Below::end, Width>;

/// `Size` bytes, 8 at most, as a number.
template <unsigned Size> std::uint64_t load_part(unsigned char const *bytes) noexcept {
  return boost::endian::endian_load<std::uint64_t, Size, boost::endian::order::big>(bytes);
}

/// The binary form of an ID: its `Size` low bytes, most significant first. `inline` is for the optimizer, which leaves
/// a template that is used so often out of line; it is a few instructions, for each row of a scan.
template <unsigned Size, class Word> inline Word load_big(unsigned char const *bytes) noexcept {
  static_assert(Size >= 8 && Size <= sizeof(Word));

  Word id = load_part<8>(bytes);
  if constexpr (Size > 8)
    id = (id << (8 * (Size - 8))) | load_part<Size - 8>(bytes + 8);
  return id;
}

template <unsigned Size, class Word> void store_big(Word id, unsigned char *bytes) noexcept {
  using boost::endian::endian_store;
  using boost::endian::order;
  static_assert(Size >= 8 && Size <= sizeof(Word));

  if constexpr (Size > 8) {
    endian_store<std::uint64_t, Size - 8, order::big>(bytes + 8, static_cast<std::uint64_t>(id));
    id >>= 8 * (Size - 8);
  }
  endian_store<std::uint64_t, 8, order::big>(bytes, static_cast<std::uint64_t>(id));
}

/// The third way to compare, beside std::less<> and its kin: -1, 0 or 1, as `a` is less than, equal to or greater
/// than `b`.
struct three_way {
  template <class Word> constexpr int operator()(Word a, Word b) const noexcept { return a < b ? -1 : a > b; }
};

/// Compares binary forms as the IDs. Where the first 8 bytes differ, the rest is not even loaded; they are the same
/// only among IDs of one origin and one unit of time.
template <unsigned Size, class Comparison>
inline auto compare_big(unsigned char const *a, unsigned char const *b, Comparison comparison) noexcept {
  auto const first_a = load_part<8>(a);
  auto const first_b = load_part<8>(b);
  return first_a != first_b ? comparison(first_a, first_b)
                            : comparison(load_part<Size - 8>(a + 8), load_part<Size - 8>(b + 8));
}

/// Abbreviated sort key for IDs with an origin field (node, partition) in the middle: `width` bits at `shift`. Most IDs
/// share one origin, `from`, so the first 64 bits would mostly repeat it. We drop it; key order never contradicts ID
/// order, and keys of `from` are equal only where all but the last bit of the IDs are. The parts above and below the
/// origin have 64 bits together.
///
///    63                shift shift-1            0
///   +-----------------------+---------------------+
///   | what is above         | 0                   |  from lower ones than `from`
///   |                       | 1 + what is below/2 |  from `from`
///   |                       | all ones            |  from higher ones
///   +-----------------------+---------------------+
template <class Word>
constexpr std::uint64_t origin_sort_key(Word id, unsigned shift, unsigned width, std::uint64_t from) noexcept {
  std::uint64_t const ones = (std::uint64_t{1} << shift) - 1;
  std::uint64_t const origin = static_cast<std::uint64_t>(id >> shift) & ((std::uint64_t{1} << width) - 1);
  std::uint64_t const below = static_cast<std::uint64_t>(id) & ones;
  std::uint64_t const rank = origin < from ? 0 : origin > from ? ones : 1 + below / 2;
  return static_cast<std::uint64_t>(id >> (shift + width)) << shift | rank;
}

/// Whether an `Id` has an origin, and so a sort key of that kind.
template <class Id, class = void> inline constexpr bool has_origin = false;
template <class Id> inline constexpr bool has_origin<Id, std::void_t<decltype(&Id::origin)>> = true;

} // namespace kid
