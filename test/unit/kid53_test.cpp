// The layout, bounds and clock of kid53, compared with kid53.tsv. A double represents every kid53 exactly.
#include "../../src/core/base32.hpp"
#include "../../src/core/lane.hpp"
#include "../../src/core/types/kid53.hpp"

#include "expect_step.hpp"
#include "threads.hpp"
#include "vectors.hpp"

namespace kid {
namespace {

constexpr std::uint64_t greatest_safe = 9'007'199'254'740'991; // Number.MAX_SAFE_INTEGER of ECMAScript
constexpr unix_micros moment = 1'795'316'400'000'000;          // 2026-11-22 03:00:00 UTC

TEST(Kid53, Vectors) {
  auto const rows = read_vectors("kid53.tsv");
  ASSERT_EQ(rows.size(), 200U);
  for (auto const &row : rows) {
    auto const time = row.number("unix_ms") * 1000;
    auto const id = row.unsigned_number("id");
    EXPECT_EQ(kid53{}.lowest(time + 999) | kid53::sequence::put(row.unsigned_number("sequence")), id);
    EXPECT_EQ(kid53{}.time(id), time);
    EXPECT_EQ(kid53::sequence::get(id), row.unsigned_number("sequence"));
    EXPECT_TRUE(kid53::is_one(id));
    EXPECT_EQ(static_cast<std::uint64_t>(static_cast<double>(id)), id);
    EXPECT_TRUE(floor(kid53{}, time) <= id && id <= ceil(kid53{}, time));
    EXPECT_EQ(state_of(kid53{}, id), id);

    char text[base32_of<kid53>::length];
    base32_of<kid53>::encode(id, text);
    EXPECT_EQ(std::string(text, sizeof text), row.text("base32"));
  }
}

TEST(Kid53, Range) {
  EXPECT_EQ(greatest<kid53>, greatest_safe);
  EXPECT_EQ(kid53{}.first(), 1'577'836'800'000'000);
  EXPECT_EQ(kid53{}.last(), 3'776'860'055'551'999); // 2089-09-06 15:47:35.551999 UTC
  EXPECT_EQ(floor(kid53{}, kid53{}.first() - 1), 0U);
  EXPECT_EQ(ceil(kid53{}, kid53{}.first() - 1), 0U);
  EXPECT_EQ(floor(kid53{}, kid53{}.last()), greatest_safe - 4095);
  EXPECT_EQ(ceil(kid53{}, kid53{}.last()), greatest_safe);
  EXPECT_EQ(floor(kid53{}, kid53{}.last() + 1), greatest_safe);
  EXPECT_EQ(floor(kid53{}, INT64_MAX), greatest_safe);
  EXPECT_FALSE(kid53::is_one(greatest_safe + 1));
  EXPECT_FALSE(kid53::is_one(~std::uint64_t{0})); // the bigint -1
}

TEST(Kid53Clock, Units) {
  kid53_clock const clock;
  auto const unit = clock.at(moment);
  EXPECT_EQ(clock.at(moment + 999), unit);
  EXPECT_EQ(clock.at(moment + 1000), unit + 4096);
  EXPECT_EQ(clock.time(unit + 4095), moment);
  EXPECT_EQ(clock.unit(unit + 4095), unit);
  EXPECT_EQ(clock.end(unit), unit + 4095);
  EXPECT_EQ(clock.next_unit(unit + 7), unit + 4096);
  EXPECT_STEP(step(clock, unit + 4094, unit), step_kind::issued, unit + 4095);
  EXPECT_STEP(step(clock, unit + 4095, unit), step_kind::used_up, unit + 4095);
  EXPECT_STEP(step(clock, unit + 4095, unit - 4096), step_kind::used_up, unit + 4095);
  EXPECT_STEP(step(clock, unit + 4094, unit - 4096), step_kind::issued, unit + 4095);
  EXPECT_STEP(step(kid53_clock{{false}}, unit, unit - 4096), step_kind::behind, unit);
}

TEST(Kid53Clock, EndOfTime) {
  kid53_clock const clock;
  auto const last_unit = clock.at(kid53{}.last());
  EXPECT_EQ(clock.end(last_unit), greatest_safe);
  EXPECT_EQ(clock.next_unit(last_unit), last_unit);
  EXPECT_STEP(step(clock, greatest_safe - 1, last_unit), step_kind::issued, greatest_safe);
  EXPECT_STEP(step(clock, greatest_safe, last_unit), step_kind::ended, greatest_safe);
}

// A system clock that is before 2020 must not seem to be ahead of a clock in the range.
TEST(Kid53Clock, BeforeTheRange) {
  kid53_clock const clock;
  EXPECT_EQ(clock.at(0), 0U);
  EXPECT_EQ(clock.at(kid53{}.first() - 1), 0U);
  EXPECT_TRUE(goes_on(kid53{}, clock, clock.at(moment), 0));
  EXPECT_FALSE(goes_on(kid53{}, kid53_clock{{false}}, clock.at(moment), 0));
  EXPECT_FALSE(goes_on(kid53{}, clock, clock.at(moment), kid53{}.last() + 1));
}

// 64 lanes of 64 sequences, of which no two share one.
TEST(Kid53Clock, Lanes) {
  std::vector<int> taken(4096);
  for (std::uint64_t node = 0; node < 64; node++) {
    in_lane<kid53_clock> const clock{{}, lane_of(kid53::sequence::max, 64, node)};
    EXPECT_EQ(clock.states(), 64U);
    auto const unit = clock.at(moment);
    for (auto state = step(clock, 0, unit); state.kind == step_kind::issued; state = step(clock, state.state, unit))
      taken[kid53::sequence::get(state.state)]++;
  }
  EXPECT_EQ(taken, std::vector<int>(4096, 1));
}

TEST(Kid53Clock, ThreadsNeverRepeat) {
  auto const issue = [](atomic_cell &cell) {
    kid53_clock const clock;
    for (;;) {
      step_result const result = advance(clock, cell, clock.at(system_clock()));
      if (result.kind == step_kind::issued)
        return result.state;
    }
  };
  auto const states = issue_in_threads(8, 20'000, issue, true);
  EXPECT_EQ(std::adjacent_find(states.begin(), states.end()), states.end());
  EXPECT_LE(states.back(), greatest_safe);
}

} // namespace
} // namespace kid
