// Bit fields and byte order: how an ID is laid out in memory and on the wire.
//
// An ID is one unsigned integer (`word`), and each component a field of it, declared on top of the one below by its
// width.
#pragma once

#include "no_postgres.hpp"

#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kid {

__extension__ typedef unsigned __int128 uint128; // holds the IDs of 80, 96 and 128 bits

/// Microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted: the core's only notion of time.
using unix_micros = std::int64_t;

/// A field of an ID: `Width` bits, of which bit `Shift` is the least significant.
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

/// How many bits an ID has: those of its binary form, unless its layout has a member `bits`, because it is stored with
/// leading zeros.
template <class Id, class = void> inline constexpr unsigned bits_of = 8 * Id::size;
template <class Id> inline constexpr unsigned bits_of<Id, std::void_t<decltype(Id::bits)>> = Id::bits;

/// Returns `Size` bytes, at most 8, as a number.
template <unsigned Size> std::uint64_t load_part(unsigned char const *bytes) noexcept {
  return boost::endian::endian_load<std::uint64_t, Size, boost::endian::order::big>(bytes);
}

/// Returns the ID whose binary form is at `bytes`: its `Size` low bytes, most significant first. It runs for every row
/// of a scan, and GCC would emit it out of line without `inline`.
template <unsigned Size, class Word> inline Word load_big(unsigned char const *bytes) noexcept {
  static_assert(Size >= 8 && Size <= sizeof(Word));

  Word id = load_part<8>(bytes);
  if constexpr (Size > 8)
    id = (id << (8 * (Size - 8))) | load_part<Size - 8>(bytes + 8);
  return id;
}

/// Writes the binary form of `id` to `bytes`.
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

/// Compares like std::less<>, but returns -1, 0 or 1 if `a` is less than, equal to or greater than `b`.
struct three_way {
  template <class Word> constexpr int operator()(Word a, Word b) const noexcept { return a < b ? -1 : a > b; }
};

/// Compares two binary forms as the IDs compare. If their first 8 bytes differ, as usual, the rest is not even loaded.
template <unsigned Size, class Comparison>
inline auto compare_big(unsigned char const *a, unsigned char const *b, Comparison comparison) noexcept {
  static_assert(Size > 8, "a binary form of 8 bytes has no rest: compare it as a number");
  auto const first_a = load_part<8>(a);
  auto const first_b = load_part<8>(b);
  return first_a != first_b ? comparison(first_a, first_b)
                            : comparison(load_part<Size - 8>(a + 8), load_part<Size - 8>(b + 8));
}

/// Returns an abbreviated sort key for an ID with an origin field (node, partition) in the middle: `width` bits at
/// `shift`. Most IDs share one origin, `from`, so the key omits it. Key order never contradicts ID order. Two keys of
/// origin `from` are equal only if the IDs are equal in all but the last bit.
///
///    63                shift shift-1            0
///   +-----------------------+---------------------+
///   | bits above the origin | 0                   |  if the origin is below `from`
///   |                       | 1 + bits below it/2 |  if the origin is `from`
///   |                       | all ones            |  if the origin is above `from`
///   +-----------------------+---------------------+
template <class Word>
constexpr std::uint64_t origin_sort_key(Word id, unsigned shift, unsigned width, std::uint64_t from) noexcept {
  std::uint64_t const ones = (std::uint64_t{1} << shift) - 1;
  std::uint64_t const origin = static_cast<std::uint64_t>(id >> shift) & ((std::uint64_t{1} << width) - 1);
  std::uint64_t const below = static_cast<std::uint64_t>(id) & ones;
  std::uint64_t const rank = origin < from ? 0 : origin > from ? ones : 1 + below / 2;
  return static_cast<std::uint64_t>(id >> (shift + width)) << shift | rank;
}

/// Whether an `Id` has an origin, and therefore such a sort key.
template <class Id, class = void> inline constexpr bool has_origin = false;
template <class Id> inline constexpr bool has_origin<Id, std::void_t<decltype(&Id::origin)>> = true;

} // namespace kid
