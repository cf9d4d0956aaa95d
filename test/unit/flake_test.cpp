// The layout, text and bounds of flake, compared with flake.tsv, which flake-idgen printed, and with a table of its
// README.
#include "../../src/core/range.hpp"
#include "../../src/core/types/flake.hpp"

#include "vectors.hpp"

#include <cstring>

namespace kid {
namespace {

TEST(Flake, AsTheLibrary) {
  auto const rows = read_vectors("flake.tsv");
  ASSERT_EQ(rows.size(), 200U);
  for (auto const &row : rows) {
    flake const layout{row.number("epoch_ms") * 1000};
    auto const id =
        layout.lowest(row.number("unix_ms") * 1000) | flake::datacenter::put(row.unsigned_number("datacenter")) |
        flake::worker::put(row.unsigned_number("worker")) | flake::sequence::put(row.unsigned_number("counter"));
    expect_forms<flake>(row, "dec", id);
    EXPECT_EQ(layout.time(id), row.number("unix_ms") * 1000);
    EXPECT_EQ(flake::generator::get(id), row.unsigned_number("id"));
    EXPECT_EQ(flake::sequence::get(id), row.unsigned_number("counter"));

    std::uint64_t decoded = 0;
    auto const hexadecimal = "0x" + row.text("hex");
    EXPECT_EQ(decimal_text::decode(hexadecimal.data(), hexadecimal.size(), decoded).error, text_error::none);
    EXPECT_EQ(decoded, id);
  }
}

// The table in flake-idgen's README: timestamp, datacenter, worker, counter, ID.
TEST(Flake, ReadmeTable) {
  struct {
    std::int64_t millis;
    unsigned datacenter, worker, counter;
    char const *id;
  } const table[] = {
      {0x8c20543b0, 0, 0, 0, "0x02308150ec000000"}, {0x8c20543b1, 0, 0, 0, "0x02308150ec400000"},
      {0x8c20543b1, 0, 0, 1, "0x02308150ec400001"}, {0x8c20543b1, 0, 0, 2, "0x02308150ec400002"},
      {0x8c20543b1, 0, 0, 3, "0x02308150ec400003"}, {0x8c20c0335, 3, 1, 0, "0x02308300cd461000"},
      {0x8c20c0335, 3, 1, 1, "0x02308300cd461001"},
  };
  for (auto const &row : table) {
    std::uint64_t id = 0;
    EXPECT_EQ(decimal_text::decode(row.id, std::strlen(row.id), id).error, text_error::none);
    EXPECT_EQ(flake{}.time(id), row.millis * 1000);
    EXPECT_EQ(flake::datacenter::get(id), row.datacenter);
    EXPECT_EQ(flake::worker::get(id), row.worker);
    EXPECT_EQ(flake::sequence::get(id), row.counter);
  }
}

TEST(Flake, BadText) {
  struct {
    char const *text;
    text_error error;
    std::size_t position;
  } const cases[] = {
      {"", text_error::length, 0},
      {"-1", text_error::character, 0},
      {"+1", text_error::character, 0},
      {" 1", text_error::character, 0},
      {"1 ", text_error::character, 1},
      {"12a", text_error::character, 2},
      {"0x", text_error::character, 1},
      {"0x1g", text_error::character, 3},
      {"x1", text_error::character, 0},
      {"01", text_error::zero, 0},
      {"00", text_error::zero, 0},
      {"18446744073709551616", text_error::overflow, 0},
      {"99999999999999999999999", text_error::overflow, 0},
      {"0x10000000000000000", text_error::overflow, 0},
  };
  for (auto const &bad : cases) {
    std::uint64_t id = 42;
    auto const status = decimal_text::decode(bad.text, std::strlen(bad.text), id);
    EXPECT_EQ(status.error, bad.error) << bad.text;
    EXPECT_EQ(status.position, bad.position) << bad.text;
    EXPECT_EQ(id, 42U) << bad.text;
  }
}

TEST(Flake, Bounds) {
  flake const layout{1'300'000'000'000'000};
  EXPECT_EQ(floor(layout, layout.first() - 1), 0U);
  EXPECT_EQ(ceil(layout, layout.first()), 0x3fffffU);
  EXPECT_EQ(floor(layout, layout.first() + 1000), 0x400000U);
  EXPECT_EQ(ceil(layout, layout.last()), ~std::uint64_t{0});
  EXPECT_EQ(encode<flake>(~std::uint64_t{0}), "18446744073709551615");
}

} // namespace
} // namespace kid
