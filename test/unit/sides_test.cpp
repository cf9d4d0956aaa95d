// The clock of sno repeats no ID, whatever the system clock does: it changes sides, or waits. Also where a step of any
// clock stops.
#include "../../src/core/types/sno.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <random>

namespace kid {
namespace {

constexpr unix_micros start = 1'767'225'600'000'000; // 2026-01-01 00:00:00 UTC

std::uint64_t at(int units) {
  return sno_clock::at(start + units * sno::unit_micros);
}
constexpr std::uint64_t other_side = std::uint64_t{1} << 16;

TEST(SnoClock, IdOfState) {
  std::uint64_t const state = sno_clock::units::put(0x123456789a) | other_side | 0xbeef;
  sno::word const id = sno_clock::id(state);
  EXPECT_EQ(sno::units::get(id), 0x123456789aU);
  EXPECT_EQ(sno::tick::get(id), 1U);
  EXPECT_EQ(sno::meta::get(id), 0U);
  EXPECT_EQ(sno::partition::get(id), 0U);
  EXPECT_EQ(sno::sequence::get(id), 0xbeefU);
  EXPECT_EQ(sno_clock::time(at(5) | other_side | 9), start + 5 * sno::unit_micros);
  EXPECT_EQ(sno_clock::next_unit(at(5) | other_side | 9), at(6));
  std::uint64_t const end = sno_clock::at(sno{}.last()) | other_side | 9;
  EXPECT_EQ(sno_clock::next_unit(end), end);
}

TEST(SnoClock, Bounds) {
  sno_clock const clock{100, 103};
  auto const next = [&](std::uint64_t last, std::uint64_t now) { return step(clock, last, now); };
  EXPECT_EQ(next(at(1) | 103, at(2)).state, at(2) | 100);
  EXPECT_EQ(next(at(2) | other_side | 100, at(2)).state, at(2) | other_side | 101);
  EXPECT_EQ(next(at(2) | other_side | 102, at(3)).state, at(3) | other_side | 100);
  EXPECT_EQ(next(at(2) | 103, at(2)).kind, step_kind::used_up);
  EXPECT_EQ(next(at(2) | 100, at(1)).kind, step_kind::behind);
  // The settings of the sequences were changed a moment ago.
  EXPECT_EQ(next(at(2) | 7, at(2)).state, at(2) | 100);
  EXPECT_EQ(next(at(2) | 200, at(2)).kind, step_kind::used_up);
}

// Of 50 sequences a step takes at most 3, a sixteenth, and the last 3 are left to callers that want a single ID.
TEST(SnoClock, InBulk) {
  sno_clock const pool{1000, 1049};
  atomic_cell cell;
  std::uint64_t expected = at(1) | 1000;
  for (std::uint64_t most : {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2}) {
    std::uint64_t taken = 100;
    EXPECT_EQ(advance(in_bulk{pool}, cell, at(1), no_carry, &taken).state, expected);
    EXPECT_EQ(taken, most);
    expected += most;
  }
  EXPECT_EQ(advance(in_bulk{pool}, cell, at(1)).kind, step_kind::used_up);
}

// As sno's document says: the first step back changes sides. A second one, below the safe mark, waits.
TEST(Sides, ChangeThenWait) {
  auto const expect = [](std::uint64_t safe, std::uint64_t last, std::uint64_t now, step_kind kind,
                         std::uint64_t state) {
    step_result const result = step_to_other_side(sno_clock{}, safe, last, now);
    EXPECT_EQ(result.kind, kind);
    EXPECT_EQ(result.state, state);
  };
  expect(0, at(100) | 5, at(50), step_kind::issued, at(50) | other_side);
  // The clock is back in time that the other side used. This side continues as soon as the clock has caught up
  // with it.
  expect(at(100), at(60) | other_side | 5, at(55), step_kind::behind, at(60) | other_side | 5);
  // Past the mark, and back to it: the unit of the mark may be used up.
  expect(at(100), at(120) | other_side | 5, at(100), step_kind::behind, at(101));
  expect(at(100), at(120) | other_side | 5, at(101), step_kind::issued, at(101));
  // The clock is not behind any more.
  expect(at(10), at(100) | 6, at(100), step_kind::behind, at(100));
}

TEST(Step, Limit) {
  atomic_cell cell;
  cell.end = at(3);
  EXPECT_EQ(advance_on_side(sno_clock{}, cell, [] { return at(2); }).kind, step_kind::issued);
  EXPECT_EQ(advance_on_side(sno_clock{}, cell, [] { return at(3); }).kind, step_kind::beyond);
  EXPECT_EQ(advance(sno_clock{}, cell, at(3)).kind, step_kind::beyond);
  EXPECT_EQ(cell.load(), at(2));
  cell.end++;
  EXPECT_EQ(advance(sno_clock{}, cell, at(3)).kind, step_kind::issued);
  EXPECT_EQ(advance(sno_clock{}, cell, at(3)).kind, step_kind::beyond);
}

/// What all callers of a clock share, and `Server` of issue_loop.hpp for one of them. Instead of waiting it tries
/// again: the system clock advances with each reading.
template <class Clock> struct generator {
  sno_clock logical;
  Clock clock;
  std::mutex lock{};
  std::uint64_t safe = 0;
  std::atomic<unsigned> changes{0};

  struct caller {
    generator &shared;
    atomic_cell &cell;

    clock_reading read() {
      std::uint64_t const state = sno_clock::at(shared.clock());
      return {state, state};
    }
    step_result attempt(carry_pace const &pace) {
      return advance_on_side(
          shared.logical, cell, [&] { return read().state; }, pace);
    }
    step_result change_sides(std::uint64_t last) {
      std::uint64_t const now = read().state;
      std::lock_guard<std::mutex> const guard(shared.lock);
      step_result result = step_to_other_side(shared.logical, shared.safe, last, now);
      if (result.kind != step_kind::issued)
        return result;
      if (!cell.compare_exchange(last, result.state))
        return {step_kind::behind, now};
      shared.safe = sno_clock::unit(last);
      shared.changes++;
      return result;
    }
    void wait(step_kind, unix_micros) {}
    void renew(std::uint64_t) { ADD_FAILURE() << "there is no limit"; }
    void end() { ADD_FAILURE() << "the range is used up"; }
    bool may_try_again() { return true; }
  };

  std::uint64_t issue(atomic_cell &cell) {
    caller one{*this, cell};
    return issue_after(logical, one, one.attempt(carry_pace{})).state;
  }
};

TEST(Sides, NoDuplicateWhateverTheClockDoes) {
  std::mt19937_64 random(20261121);
  unix_micros time = start;
  auto const clock = [&] {
    if (random() % 2'000 == 0)
      time += static_cast<unix_micros>(random() % 4'000'000) - 2'000'000;
    return time += static_cast<unix_micros>(random() % 3'000);
  };
  generator<decltype(clock)> sno{{10, 29}, clock};
  atomic_cell cell;
  std::vector<std::uint64_t> states;
  for (int i = 0; i < 1'000'000; i++)
    states.push_back(sno.issue(cell));
  std::sort(states.begin(), states.end());
  EXPECT_EQ(std::adjacent_find(states.begin(), states.end()), states.end());
  EXPECT_GT(sno.changes, 100U);
  for (auto const state : states)
    ASSERT_TRUE((state & 0xffff) >= 10 && (state & 0xffff) <= 29);
}

// One step back by an hour is one change of sides without a wait. A caller that read the clock before the change does
// not move the new side to the old time.
TEST(ClockThreads, SnoIgnoresLateReadings) {
  static std::atomic<unix_micros> ticks{0};
  auto const clock = [] {
    unix_micros const tick = ticks.fetch_add(1, std::memory_order_relaxed);
    unix_micros const time = start + tick * 100 - (tick < 200'000 ? 0 : 3'600'000'000);
    if (tick % 64 == 0)
      std::this_thread::yield();
    return time;
  };
  generator<decltype(clock)> sno{{}, clock};
  auto const all = issue_in_threads(
      8, 50'000, [&](atomic_cell &cell) { return sno.issue(cell); }, false);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(sno.changes, 1U);
  EXPECT_LT(ticks, 4'000'000);
}

TEST(ClockThreads, SnoNoDuplicateWithABadClock) {
  static std::atomic<unix_micros> ticks{0};
  auto const clock = [] {
    auto const tick = ticks.fetch_add(1, std::memory_order_relaxed);
    return start + tick - (tick / 100'000) % 3 * 30'000;
  };
  generator<decltype(clock)> sno{{0, 999}, clock};
  auto const all = issue_in_threads(
      8, 50'000, [&](atomic_cell &cell) { return sno.issue(cell); }, false);
  EXPECT_EQ(all.size(), 400'000U);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_GT(sno.changes, 0U);
}

} // namespace
} // namespace kid
