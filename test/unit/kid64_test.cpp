// The layout, text and bounds of kid64, and comparisons with time, compared with kid64.tsv, which the Erlang library
// uid printed. The bounds of adjacent units tile time.
#include "../../src/core/range.hpp"
#include "../../src/core/types/kid64.hpp"

#include "vectors.hpp"

#include <cstring>
#include <limits>

namespace kid {
namespace {

std::vector<vector_row> const &rows() {
  static auto const all = read_vectors("kid64.tsv");
  return all;
}

/// The microseconds that uid was given. uid keeps only their time unit.
unix_micros instant(vector_row const &row) {
  return (row.number("a_mega") * 1'000'000 + row.number("b_sec")) * 1'000'000 + row.number("c_micro");
}

TEST(Kid64, PacksAsUid) {
  ASSERT_EQ(rows().size(), 200U);
  for (auto const &row : rows()) {
    auto const id = kid64::lowest(instant(row)) | static_cast<std::uint64_t>(row.number("seq"));
    EXPECT_EQ(id, row.hex("hex"));
  }
}

TEST(Kid64, UnpacksAsUid) {
  for (auto const &row : rows()) {
    auto const id = row.hex("hex");
    EXPECT_EQ(kid64::a::get(id), static_cast<std::uint64_t>(row.number("a_mega")));
    EXPECT_EQ(kid64::b::get(id), static_cast<std::uint64_t>(row.number("b_sec")));
    EXPECT_EQ(kid64::c::get(id) * 1024, static_cast<std::uint64_t>(row.number("decoded_c_micro")));
    EXPECT_EQ(kid64::sequence::get(id), static_cast<std::uint64_t>(row.number("seq")));
    EXPECT_EQ(kid64::time(id), instant(row) - row.number("c_micro") + row.number("decoded_c_micro"));
    EXPECT_EQ(kid64::time(id) / 1000, row.number("t_ms"));
  }
}

TEST(Kid64, FormsAsUid) {
  for (auto const &row : rows())
    expect_forms<kid64>(row, "text64", row.hex("hex"));
}

TEST(Kid64, TextSortsAsIdsDo) {
  expect_same_order<kid64>(rows(), "text64");
}

// The alphabet, written by hand from uid's document: the first and the last character, and the last of each
// range.
TEST(Kid64, TextOfTheExtremes) {
  EXPECT_EQ(encode<kid64>(0), "...........");
  EXPECT_EQ(encode<kid64>(~std::uint64_t{0}), "zzzzzzzzzzw");
}

TEST(Kid64, BadText) {
  struct {
    char const *text;
    text_error error;
    std::size_t position;
  } const cases[] = {
      {"", text_error::length, 0},
      {".", text_error::length, 1},
      {".6.ndhuBk.", text_error::length, 10},
      {".6.ndhuBk...", text_error::length, 11},
      {"-6.ndhuBk..", text_error::character, 0},
      {".6.ndhuBk. ", text_error::character, 10},
      {".6.nd uBk..", text_error::character, 5},
      {".6.ndhuB\xff..", text_error::character, 8},
      {"{6.ndhuBk....", text_error::character, 0},
      {".6.ndhuBk.0", text_error::padding, 10},
      {".6.ndhuBk.1", text_error::padding, 10},
      {".6.ndhuBk.2", text_error::padding, 10},
      {"zzzzzzzzzzz", text_error::padding, 10},
  };
  for (auto const &bad : cases) {
    std::uint64_t id = 42;
    auto const status = kid64::text::decode(bad.text, std::strlen(bad.text), id);
    EXPECT_EQ(status.error, bad.error) << bad.text;
    EXPECT_EQ(status.position, bad.position) << bad.text;
    EXPECT_EQ(id, 42U) << bad.text;
  }
}

TEST(Kid64, BoundsOfAUnit) {
  for (auto const &row : rows()) {
    auto const id = row.hex("hex");
    EXPECT_EQ(floor(kid64{}, instant(row)), id & ~std::uint64_t{0x3fff});
    EXPECT_EQ(ceil(kid64{}, instant(row)), id | 0x3fff);
  }
}

TEST(Kid64, BoundsTileTime) {
  // From one microsecond to the next the bounds are equal, or the next floor follows the last ceil without a
  // gap. Checked for two seconds with the short units at their ends, and for the end of a megasecond.
  for (unix_micros const start : {unix_micros{0}, unix_micros{999'999'000'000}})
    for (unix_micros t = start; t < start + 2'000'000; t++) {
      auto const here = floor(kid64{}, t);
      auto const next = floor(kid64{}, t + 1);
      ASSERT_EQ(ceil(kid64{}, t), here | 0x3fff);
      if (next == here)
        continue;
      ASSERT_GT(next, ceil(kid64{}, t));
      ASSERT_EQ(kid64::time(next), t + 1);
      ASSERT_EQ(kid_clock::next_unit(ceil(kid64{}, t)), next);
    }
}

TEST(Kid64, BoundsSaturate) {
  auto const greatest_id = ~std::uint64_t{0};
  for (auto const before : {std::numeric_limits<unix_micros>::min(), unix_micros{-1}}) {
    EXPECT_EQ(floor(kid64{}, before), 0U);
    EXPECT_EQ(ceil(kid64{}, before), 0U);
  }
  // The end of megasecond 1048575, the last one of uid.
  unix_micros const end = unix_micros{1048576} * 1'000'000 * 1'000'000;
  for (auto const after : {end, std::numeric_limits<unix_micros>::max()}) {
    EXPECT_EQ(floor(kid64{}, after), greatest_id);
    EXPECT_EQ(ceil(kid64{}, after), greatest_id);
  }
  EXPECT_EQ(encode<kid64>(floor(kid64{}, end - 1)).substr(0, 3), "zzz");
  EXPECT_LT(ceil(kid64{}, end - 1), greatest_id);
}

// Bits that no generator makes still have a time, and a next unit above them.
TEST(Kid64, ArbitraryBitsCountOn) {
  auto const id = kid64::a::put(7) | kid64::b::put(1'048'575) | kid64::c::put(1023) | kid64::sequence::put(16383);
  EXPECT_EQ(kid64::time(id), ((7 * 1'000'000LL + 1'048'575) * 1'000'000) + 1023 * 1024);
  EXPECT_GT(kid_clock::next_unit(id), id);
  EXPECT_EQ(kid_clock::next_unit(~std::uint64_t{0}), ~std::uint64_t{0});
}

// Comparisons with an instant in the second unit, in the first, in the last, and out of range.
TEST(Kid64, ComparedWithTime) {
  auto const expect = [](comparison how, unix_micros time, std::uint64_t lowest, std::uint64_t highest) {
    auto const ids = ids_that_are(how, kid64{}, time);
    EXPECT_EQ(ids.lowest, lowest);
    EXPECT_EQ(ids.highest, highest);
  };
  constexpr std::uint64_t max = ~std::uint64_t{0};
  expect(comparison::less, 1500, 0, 0x3fff);
  expect(comparison::less_equal, 1500, 0, 0x7fff);
  expect(comparison::greater_equal, 1500, 0x4000, max);
  expect(comparison::greater, 1500, 0x8000, max);

  expect(comparison::less, 0, max, 0);
  expect(comparison::greater, 0, 0x4000, max);
  expect(comparison::greater_equal, 0, 0, max);
  // Above the last time there are only bit patterns that no generator makes.
  expect(comparison::greater, kid64::last(), 0xfffff'f423f'f40000 + 0x4000, max);

  for (unix_micros const before : {unix_micros{-1}, std::numeric_limits<unix_micros>::min()}) {
    expect(comparison::less, before, max, 0);
    expect(comparison::less_equal, before, max, 0);
    expect(comparison::greater_equal, before, 0, max);
    expect(comparison::greater, before, 0, max);
  }
  for (unix_micros const after : {kid64::last() + 1, std::numeric_limits<unix_micros>::max()}) {
    expect(comparison::less, after, 0, max);
    expect(comparison::less_equal, after, 0, max);
    expect(comparison::greater_equal, after, max, 0);
    expect(comparison::greater, after, max, 0);
  }
}

TEST(Kid64, CommonRange) {
  using range = id_range<kid64>;
  auto const both = common(range{0, 10}, range{5, 20});
  EXPECT_EQ(both.lowest, 5U);
  EXPECT_EQ(both.highest, 10U);
  EXPECT_GT(common(range{0, 4}, range{5, 20}).lowest, common(range{0, 4}, range{5, 20}).highest);
  EXPECT_EQ(common(range::none(), range::all()).highest, 0U);
}

} // namespace
} // namespace kid
