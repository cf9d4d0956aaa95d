// The layout, text and range of flax, compared with flax.tsv, and with the example of the README of Flax ID.
#include "../../src/core/range.hpp"
#include "../../src/core/types/flax.hpp"

#include "vectors.hpp"

namespace kid {
namespace {

TEST(Flax, AsTheLibrary) {
  auto const rows = read_vectors("flax.tsv");
  ASSERT_EQ(rows.size(), 200U);
  for (auto const &row : rows) {
    auto const id = flax{}.lowest(row.number("unix_ms") * 1000) | flax::random::put(row.hex("random56_hex"));
    expect_forms<flax>(row, "text16", id);
    EXPECT_EQ(flax{}.time(id), row.number("unix_ms") * 1000);
    EXPECT_EQ(flax::random::get(id), row.hex("random56_hex"));
  }
  expect_same_order<flax>(rows, "text16");
}

// The example in Flax ID's README: its 40 bits of time, its 56 random bits, its text.
TEST(Flax, ReadmeExample) {
  auto const id = flax::units::put(0b10111001010010101010101001010001111) |
                  flax::random::put(0b01110110100000001100101110001011101110011011110111000001);
  EXPECT_EQ(encode<flax>(id), "0RdKJcxqVBiAiQr0");
}

TEST(Flax, Range) {
  EXPECT_EQ(flax{}.first(), 1'420'070'400'000'000);
  EXPECT_TRUE(ceil(flax{}, flax{}.last()) == greatest<flax>);
  EXPECT_TRUE(floor(flax{}, flax{}.last() + 1) == greatest<flax>);
  EXPECT_EQ(encode<flax>(greatest<flax>), "zzzzzzzzzzzzzzzz");
}

} // namespace
} // namespace kid
