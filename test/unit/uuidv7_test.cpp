// The layout and bounds of UUID version 7, compared with uuidv7.tsv, and with the examples of RFC 9562. Its clock rises
// whatever the system clock does.
#include "../../src/core/range.hpp"
#include "../../src/core/step.hpp"
#include "../../src/core/types/uuidv7.hpp"

#include "threads.hpp"
#include "vectors.hpp"

#include <random>

namespace kid {
namespace {

constexpr unix_micros moment = 1'795'316'400'000'000; // 2026-11-22 03:00:00 UTC

uuidv7::word parse(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  return uuidv7::word{std::stoull(text.substr(0, 16), nullptr, 16)} << 64 | std::stoull(text.substr(16), nullptr, 16);
}

// The library's counter is 32 bits long, and begins in the bits that are the fraction here.
TEST(Uuidv7, AsTheLibrary) {
  auto const rows = read_vectors("uuidv7.tsv");
  ASSERT_EQ(rows.size(), 200U);
  for (auto const &row : rows) {
    auto const id = id_of<uuidv7>(row);
    auto const time = row.number("unix_ms") * 1000;
    EXPECT_TRUE(id == parse(row.text("text")));
    EXPECT_TRUE(uuidv7::is_one(id));
    EXPECT_EQ(uuidv7::time(id), time);
    EXPECT_EQ(uuidv7::fraction::get(id), row.unsigned_number("seq") >> 20);
    EXPECT_EQ(uuidv7::count::get(id), row.unsigned_number("seq") >> 16 & 15);
    EXPECT_TRUE(floor(uuidv7{}, time) <= id && id <= ceil(uuidv7{}, time + 999));
    EXPECT_TRUE(uuidv7::is_one(floor(uuidv7{}, time)) && uuidv7::is_one(ceil(uuidv7{}, time)));
    EXPECT_EQ(row.unsigned_number("unix_ms"), state_of(uuidv7{}, id) >> 16);
  }
}

// RFC 9562, appendix A.6: the version 7 UUID of 2022-02-22 14:22:22 -05:00, which is 0x017F22E279B0 ms.
TEST(Uuidv7, RfcExample) {
  auto const id = parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
  EXPECT_TRUE(uuidv7::is_one(id));
  EXPECT_EQ(uuidv7::millis::get(id), 0x017F22E279B0U);
  EXPECT_EQ(uuidv7::time(id), 1'645'557'742'000'000);
  EXPECT_EQ(uuidv7::fraction::get(id), 0xCC3U);
  EXPECT_EQ(uuidv7::count::get(id) << 58 | uuidv7::random::get(id), 0x18C4DC0C0C07398FU);
  EXPECT_TRUE((id & (uuidv7::version::mask | uuidv7::variant::mask)) == uuidv7::marks);
}

TEST(Uuidv7, OtherVersions) {
  EXPECT_FALSE(uuidv7::is_one(0));
  EXPECT_FALSE(uuidv7::is_one(~uuidv7::word{0}));
  EXPECT_FALSE(uuidv7::is_one(parse("919108f7-52d1-4320-9bac-f847db4148a8"))); // A.3, version 4
  EXPECT_FALSE(uuidv7::is_one(parse("1EC9414C-232A-6B00-B3C8-9F6BDECED846"))); // A.5, version 6
  EXPECT_FALSE(uuidv7::is_one(parse("017F22E2-79B0-7CC3-48C4-DC0C0C07398F"))); // another variant
  EXPECT_FALSE(uuidv7::is_one(parse("017F22E2-79B0-7CC3-D8C4-DC0C0C07398F")));
}

TEST(Uuidv7, Range) {
  EXPECT_EQ(uuidv7::first(), 0);
  EXPECT_EQ(uuidv7::last(), 281'474'976'710'655'999);
  EXPECT_TRUE(floor(uuidv7{}, uuidv7::last()) == parse("ffffffff-ffff-7000-8000-000000000000"));
  EXPECT_TRUE(ceil(uuidv7{}, uuidv7::last()) == parse("ffffffff-ffff-7fff-bfff-ffffffffffff"));
  EXPECT_TRUE(floor(uuidv7{}, 0) == parse("00000000-0000-7000-8000-000000000000"));

  // Bounds are those of the millisecond, and hold for every uuid.
  auto const is = [](comparison how, unix_micros time, uuidv7::word id) {
    auto const range = ids_that_are(how, uuidv7{}, time);
    return range.lowest <= id && id <= range.highest;
  };
  for (unix_micros const time : {moment, moment + 1, moment + 999})
    for (auto const id : {floor(uuidv7{}, moment), ceil(uuidv7{}, moment)}) {
      EXPECT_FALSE(is(comparison::less, time, id) || is(comparison::greater, time, id));
      EXPECT_TRUE(is(comparison::less_equal, time, id) && is(comparison::greater_equal, time, id));
      EXPECT_TRUE(is(comparison::less, time, floor(uuidv7{}, moment) - 1));
      EXPECT_TRUE(is(comparison::greater, time, ceil(uuidv7{}, moment) + 1));
    }
  EXPECT_TRUE(is(comparison::less, uuidv7::last() + 1, ~uuidv7::word{0}));
  EXPECT_TRUE(is(comparison::greater, -1, 0));
}

// A microsecond is read back exactly. A value between two microseconds belongs to the first.
TEST(Uuidv7Clock, Microseconds) {
  using clock = uuidv7_clock;
  for (unix_micros const from : {unix_micros{0}, moment, uuidv7::last() - 999})
    for (unix_micros time = from; time < from + 1000; time++) {
      auto const first = clock::at(time);
      ASSERT_EQ(clock::time(first), time);
      ASSERT_EQ(clock::unit(first), first);
      ASSERT_EQ(first >> 16, static_cast<std::uint64_t>(time) / 1000);
      auto const end = clock::end(first);
      auto const states = end - first + 1;
      ASSERT_TRUE(states == 64 || states == 80) << states;
      ASSERT_EQ(clock::left(first), states - 1);
      ASSERT_FALSE(clock::used_up(first + 15));
      ASSERT_FALSE(clock::used_up(end - 1));
      ASSERT_TRUE(clock::used_up(end));
      if (time < uuidv7::last()) {
        ASSERT_EQ(end + 1, clock::at(time + 1));
        ASSERT_EQ(clock::next_unit(first), end + 1);
        ASSERT_EQ(clock::next_unit(end), end + 1);
      }
    }
  for (std::uint64_t below = 0; below < 1 << 16; below++) {
    auto const state = clock::at(moment) | below;
    ASSERT_LE(clock::at(clock::time(state)), state);
    ASSERT_LT(state, clock::at(clock::time(state) + 1));
    ASSERT_EQ(clock::unit(state), clock::at(clock::time(state)));
    ASSERT_EQ(clock::end(state), clock::at(clock::time(state) + 1) - 1);
  }
}

TEST(Uuidv7Clock, IdOfState) {
  std::mt19937_64 random(20261122);
  std::uint64_t last = random();
  for (int i = 0; i < 100'000; i++) {
    auto const state = random();
    auto const id = uuidv7_clock::id(state) | uuidv7::random::put(random() >> 6);
    ASSERT_TRUE(uuidv7::is_one(id));
    ASSERT_EQ(state_of(uuidv7{}, id), state);
    ASSERT_EQ(uuidv7::time(id), uuidv7_clock::time(state) / 1000 * 1000);
    ASSERT_EQ(state < last, uuidv7_clock::id(state) < uuidv7_clock::id(last));
    last = state;
  }
}

// The state uses all of its 64 bits, and nothing wraps.
TEST(Uuidv7Clock, EndOfTime) {
  uuidv7_clock const clock;
  auto const last = ~std::uint64_t{0};
  auto const last_unit = clock.at(uuidv7::last());
  EXPECT_EQ(clock.end(last_unit), last);
  EXPECT_EQ(clock.next_unit(last), last);
  EXPECT_EQ(clock.next_unit(last_unit), last_unit);
  EXPECT_EQ(clock.time(last), uuidv7::last());
  EXPECT_EQ(clock.left(last), 0U);
  EXPECT_EQ(step(clock, last, last_unit).kind, step_kind::ended);
  EXPECT_EQ(step(clock, last, clock.at(0), last_unit).kind, step_kind::ended);
  EXPECT_EQ(step(clock, last - 1, last_unit).state, last);
  EXPECT_EQ(step(clock, clock.at(uuidv7::last() - 1), last_unit).state, last_unit);
}

template <class Now> std::uint64_t issue(atomic_cell &cell, Now &&now) {
  uuidv7_clock const clock;
  carry_pace pace;
  for (;;) {
    auto const reading = clock.at(now());
    auto const result = advance(clock, cell, reading, pace.carry_from(reading));
    if (result.kind == step_kind::issued)
      return result.state;
    pace.found_used_up(clock.unit(result.state), clock.at(now()));
  }
}

TEST(Uuidv7Clock, RisesWhateverTheClockDoes) {
  std::mt19937_64 random(20261122);
  atomic_cell cell;
  unix_micros time = moment;
  std::uint64_t last = 0;
  for (int i = 0; i < 2'000'000; i++) {
    if (random() % 10'000 == 0)
      time += static_cast<unix_micros>(random() % 7'200'000'000) - 3'600'000'000;
    auto const state = issue(cell, [&] { return time += random() % 50 == 0 ? 1 : 0; });
    ASSERT_GT(state, last);
    last = state;
  }
}

TEST(Uuidv7Clock, InBulk) {
  in_bulk<uuidv7_clock> const bulk{uuidv7_clock{}};
  atomic_cell cell;
  auto const now = uuidv7_clock::at(moment);
  std::uint64_t all = 0;
  for (std::uint64_t wanted = 100; advance(bulk, cell, now, no_carry, &wanted).kind == step_kind::issued;
       wanted = 100) {
    EXPECT_LE(wanted, 4U);
    all += wanted;
  }
  // The last sixteenth of a microsecond is for other callers.
  EXPECT_EQ(all, uuidv7_clock::end(now) - now + 1 - 4);
}

TEST(ClockThreads, Uuidv7NoDuplicateWithABadClock) {
  static std::atomic<unix_micros> ticks{0};
  auto const clock = [] {
    auto const tick = ticks.fetch_add(1, std::memory_order_relaxed);
    return moment + tick / 200 - (tick / 200'000) % 2 * 3000;
  };
  auto const all = issue_in_threads(
      8, 100'000, [&](atomic_cell &cell) { return issue(cell, clock); }, true);
  EXPECT_EQ(all.size(), 800'000U);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

} // namespace
} // namespace kid
