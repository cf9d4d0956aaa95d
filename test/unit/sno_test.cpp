// The layout, text, range and sort keys of sno, compared with sno.tsv and sno_time.tsv, which the Go library printed.
#include "../../src/core/range.hpp"
#include "../../src/core/types/sno.hpp"

#include "vectors.hpp"

#include <random>

namespace kid {
namespace {

uint128 payload(vector_row const &row, char const *meta, char const *partition) {
  return sno::meta::put(row.unsigned_number(meta)) | sno::partition::put(row.unsigned_number(partition)) |
         sno::sequence::put(row.unsigned_number("sequence"));
}

TEST(Sno, FormsAndFieldsAsTheLibrary) {
  auto const rows = read_vectors("sno.tsv");
  ASSERT_EQ(rows.size(), 200U);
  for (auto const &row : rows) {
    auto const micros = row.number("unix_ns") / 1000;
    auto const id =
        sno{}.lowest(micros) | sno::tick::put(row.unsigned_number("tick_tock")) | payload(row, "meta", "partition");
    expect_forms<sno>(row, "text", id);
    EXPECT_EQ(sno{}.time(id), micros);
    EXPECT_EQ(sno::tick::get(id), row.unsigned_number("tick_tock"));
    EXPECT_EQ(sno::meta::get(id), row.unsigned_number("meta"));
    EXPECT_EQ(sno::partition::get(id), row.unsigned_number("partition"));
    EXPECT_EQ(sno::sequence::get(id), row.unsigned_number("sequence"));
  }
  expect_same_order<sno>(rows, "text");
}

TEST(Sno, TimeAsTheLibrary) {
  auto const rows = read_vectors("sno_time.tsv");
  ASSERT_EQ(rows.size(), 90U);
  for (auto const &row : rows) {
    // The library takes nanoseconds. These rows have no instant before the first one of a microsecond.
    auto const id = sno{}.lowest(row.number("in_unix_ns") / 1000) | payload(row, "meta_in", "partition_in");
    expect_forms<sno>(row, "text", id);
    EXPECT_EQ(sno{}.time(id), row.number("unix_ns") / 1000);
  }
}

// The range in the document: 2010-01-01 00:00:00 to the end of the unit 2079-09-07 15:47:35.548.
TEST(Sno, Range) {
  EXPECT_EQ(sno{}.first(), 1'262'304'000'000'000);
  EXPECT_EQ(sno{}.last(), 3'461'327'255'551'999);
  EXPECT_TRUE(ceil(sno{}, sno{}.last()) == greatest<sno>);
  EXPECT_TRUE(floor(sno{}, sno{}.last() + 1) == greatest<sno>);
  EXPECT_TRUE(ceil(sno{}, sno{}.first() - 1) == 0);
  EXPECT_EQ(encode<sno>(greatest<sno>), "xxxxxxxxxxxxxxxx");
}

TEST(Sno, SortKeys) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 300'000; i++) {
    auto const some = [&random](std::uint64_t range) { return random() % range; };
    std::uint64_t const home = some(4) == 0 ? some(2) * 0xffff : 7 + some(3);
    auto const any = [&] {
      return sno::units::put(1000 + some(2)) | sno::tick::put(some(2)) | sno::meta::put(some(2)) |
             sno::partition::put((home + some(5) - 2) & 0xffff) | sno::sequence::put((some(6) - 3) & 0xffff);
    };
    uint128 const a = any();
    uint128 const b = any();
    auto const key_a = sno::sort_key(a, home);
    auto const key_b = sno::sort_key(b, home);
    if (key_a != key_b) {
      ASSERT_EQ(key_a < key_b, a < b);
    } else if (sno::origin(a) == home && sno::origin(b) == home) {
      ASSERT_TRUE(a >> 1 == b >> 1);
    }
  }
}

} // namespace
} // namespace kid
