// The layout, text, bounds and sort keys of kid96, and the hash of a node's name, compared with kid96.tsv and
// kid96_phash2.tsv, which the Erlang library uid and Erlang printed.
#include "../../src/core/range.hpp"
#include "../../src/core/types/kid96.hpp"

#include "vectors.hpp"

#include <random>

namespace kid {
namespace {

std::vector<vector_row> const &rows() {
  static auto const all = read_vectors("kid96.tsv");
  return all;
}

kid96 layout(vector_row const &row) {
  return {static_cast<unsigned>(row.number("drift_bits"))};
}

unix_micros instant(vector_row const &row) {
  return (row.number("a_mega") * 1'000'000 + row.number("b_sec")) * 1'000'000 + row.number("c_micro");
}

TEST(Kid96, PacksAsUid) {
  ASSERT_EQ(rows().size(), 200U);
  for (auto const &row : rows()) {
    auto const local = kid64::lowest(instant(row)) | static_cast<std::uint64_t>(row.number("seq"));
    expect_forms<kid96>(row, "text64", layout(row).global(local, row.hex("node_hex")));
  }
}

TEST(Kid96, UnpacksAsUid) {
  for (auto const &row : rows()) {
    auto const id = id_of<kid96>(row);
    EXPECT_EQ(layout(row).node(id), row.hex("node_hex"));
    EXPECT_EQ(kid64::sequence::get(layout(row).local(id)), static_cast<std::uint64_t>(row.number("dec_seq")));
    EXPECT_EQ(layout(row).time(id),
              (row.number("dec_a") * 1'000'000 + row.number("dec_b")) * 1'000'000 + row.number("dec_c"));
  }
}

TEST(Kid96, TextSortsAsIdsDo) {
  expect_same_order<kid96>(rows(), "text64");
}

// The bytes in uid's README. Their text there encodes the same bytes.
TEST(Kid96, ReadmeDecodes) {
  unsigned char const bytes[] = {0, 96, 57, 138, 3, 235, 39, 50, 123, 105, 128, 1};
  auto const id = load_big<kid96::size, uint128>(bytes);
  EXPECT_EQ(encode<kid96>(id), ".5.tXVEf8n8vPN.0");
  kid96 const layout{8};
  EXPECT_EQ(layout.time(id), (1539 * 1'000'000LL + 625'275) * 1'000'000 + (432'128 >> 10 << 10));
  EXPECT_EQ(kid64::sequence::get(layout.local(id)), 1U);
}

// The edges of the neighborhood, for all sizes from none to the widest.
TEST(Kid96, Bounds) {
  for (unsigned bits = 0; bits <= kid96::neighborhood_max; bits++) {
    kid96 const layout{bits};
    unix_micros const second = 1'000'000;
    unix_micros const start = 1'539 * 1'000'000 * second + (second << bits) * 7;
    unix_micros const end = start + (second << bits);
    EXPECT_EQ(layout.time(floor(layout, start)), start);
    EXPECT_TRUE(floor(layout, end - 1) == floor(layout, start));
    EXPECT_TRUE(ceil(layout, start) == ceil(layout, end - 1));
    EXPECT_TRUE(floor(layout, end) > ceil(layout, start));
    for (auto const node : {std::uint64_t{0}, kid96::node_max}) {
      EXPECT_TRUE(layout.global(kid64::lowest(start), node) >= floor(layout, start));
      EXPECT_TRUE(layout.global(kid64::highest(end - 1), node) <= ceil(layout, start));
    }
  }
}

// Whatever the IDs and nodes are, the order of the keys is that of the IDs. For a single node, the keys keep
// all but the last bit.
TEST(Kid96, SortKeys) {
  std::mt19937_64 random(96);
  for (unsigned bits = 0; bits <= kid96::neighborhood_max; bits++) {
    kid96 const layout{bits};
    auto const some = [&random](std::uint64_t range) { return random() % range; };
    for (int i = 0; i < 100'000; i++) {
      std::uint64_t const home = i % 5 == 0 ? (some(2) * kid96::node_max) : 7 + some(3);
      auto const any = [&] {
        std::uint64_t const node = (home + some(5) - 2) & kid96::node_max;
        return layout.global(0x006'1234'5678'0000 + (some(16) << (20 + some(20))) + some(4) + 0x3ffe * some(2), node);
      };
      uint128 const a = any();
      uint128 const b = any();
      auto const key_a = layout.sort_key(a, home);
      auto const key_b = layout.sort_key(b, home);
      if (key_a != key_b) {
        ASSERT_EQ(key_a < key_b, a < b);
      } else if (layout.node(a) == home && layout.node(b) == home) {
        ASSERT_TRUE(a >> 1 == b >> 1);
      }
    }
  }
}

TEST(Kid96, NodeHashAsErlang) {
  auto const names = read_vectors("kid96_phash2.tsv");
  ASSERT_EQ(names.size(), 23U);
  for (auto const &row : names)
    EXPECT_EQ(node_hash(row.text("node_name").data(), row.text("node_name").size()), row.hex("hash_hex"));
}

} // namespace
} // namespace kid
