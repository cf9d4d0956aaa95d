// A step of a logical clock: what it issues when time goes on, stands still or goes back, when it carries into the next
// unit, and when it has to wait. Sessions that step the same clock never get the same state.
// Promise: While the server runs, no two sessions get the same state
#include "../../src/core/step.hpp"
#include "../../src/core/types/flake.hpp"
#include "../../src/core/types/kid64.hpp"

#include "expect_step.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kid {
namespace {

// Packed words as uid makes them, from test/vectors/kid64.tsv; the last unit of a second and of a megasecond.
constexpr std::uint64_t unit_0 = 0x0000000000000000;        // 0, 0, 0
constexpr std::uint64_t end_of_second = 0x0000000000f40000; // 0, 0, 999999
constexpr std::uint64_t second_1 = 0x0000000001000000;      // 0, 1, 0
constexpr std::uint64_t end_of_a = 0x00000f423ff40000;      // 0, 999999, 999999
constexpr std::uint64_t end_of_time = 0xfffffF423ff40000;   // 1048575, 999999, 999999
constexpr std::uint64_t a_1 = 0x0000100000000000;           // 1, 0, 0
constexpr std::uint64_t used_up = 0x3fff;                   // 16383, the last sequence

auto const next = [](auto... arguments) { return step(kid_clock{}, arguments...); };
auto const waiting = [](auto... arguments) { return step(kid_clock{false}, arguments...); };

TEST(Step, TimeWentOn) {
  EXPECT_STEP(next(unit_0, end_of_second), step_kind::issued, end_of_second);
  EXPECT_STEP(next(end_of_second + 5, second_1), step_kind::issued, second_1);
  EXPECT_STEP(next(end_of_second | used_up, second_1), step_kind::issued, second_1);
}

TEST(Step, SameUnit) {
  EXPECT_STEP(next(second_1, second_1), step_kind::issued, second_1 + 1);
  EXPECT_STEP(next(second_1 + 16382, second_1), step_kind::issued, second_1 | used_up);
}

TEST(Step, ClockWentBack) {
  EXPECT_STEP(next(second_1 + 7, end_of_second), step_kind::issued, second_1 + 8);
  EXPECT_STEP(next(a_1 + 7, unit_0), step_kind::issued, a_1 + 8);
}

TEST(Step, UsedUp) {
  EXPECT_STEP(next(second_1 | used_up, second_1), step_kind::used_up, second_1 | used_up);
  EXPECT_STEP(next(second_1 | used_up, unit_0), step_kind::used_up, second_1 | used_up);
  // A carry earned for another unit does not count.
  EXPECT_STEP(next(second_1 | used_up, unit_0, end_of_second), step_kind::used_up, second_1 | used_up);
}

TEST(Step, Carry) {
  auto const carry = [](std::uint64_t unit) { return next(unit | used_up, unit_0, unit); };
  EXPECT_STEP(carry(second_1), step_kind::issued, second_1 + 0x4000);
  EXPECT_STEP(carry(end_of_second), step_kind::issued, second_1);
  EXPECT_STEP(carry(end_of_a), step_kind::issued, a_1);
}

TEST(Step, EndOfTime) {
  auto const last = end_of_time | used_up;
  EXPECT_STEP(next(last, unit_0), step_kind::ended, last);
  EXPECT_STEP(next(last, unit_0, end_of_time), step_kind::ended, last);
  EXPECT_STEP(next(no_carry, unit_0), step_kind::ended, no_carry);
}

TEST(Step, Wait) {
  EXPECT_STEP(waiting(end_of_second + 5, second_1), step_kind::issued, second_1);
  EXPECT_STEP(waiting(second_1 + 7, second_1), step_kind::issued, second_1 + 8);
  EXPECT_STEP(waiting(second_1 + 7, end_of_second), step_kind::behind, second_1 + 7);
  EXPECT_STEP(waiting(second_1 | used_up, unit_0), step_kind::behind, second_1 | used_up);
  EXPECT_STEP(waiting(second_1 | used_up, second_1), step_kind::used_up, second_1 | used_up);
  // The state never gets ahead of the clock.
  EXPECT_STEP(waiting(second_1 | used_up, second_1, second_1), step_kind::used_up, second_1 | used_up);
}

TEST(Step, Awaited) {
  kid_clock const clock;
  EXPECT_EQ(awaited(clock, {step_kind::used_up, second_1 | used_up}, second_1), second_1 + 0x4000);
  EXPECT_EQ(awaited(clock, {step_kind::used_up, second_1 | used_up}, unit_0), unit_0 + 0x4000);
  // The system clock has left the used-up unit: there is nothing to wait for.
  EXPECT_EQ(awaited(clock, {step_kind::used_up, unit_0 | used_up}, second_1), second_1);
  EXPECT_EQ(awaited(clock, {step_kind::behind, second_1 + 7}, unit_0), second_1);
  EXPECT_EQ(awaited(clock, {step_kind::behind, second_1 | used_up}, unit_0), second_1 + 0x4000);
}

// A flake's milliseconds are whole, and its sequence may be shorter than its field.
TEST(Step, Flake) {
  flake_clock const clock{{true}, 4};
  auto const ms = [](unix_micros millis) { return flake_clock::at(millis * 1000); };
  EXPECT_EQ(ms(0x8c20543b0), 0x8c20543b0000U);
  EXPECT_EQ(flake_clock::time(0x8c20543b0003), 0x8c20543b0 * 1000);
  EXPECT_STEP(step(clock, ms(7) + 3, ms(7)), step_kind::issued, ms(7) + 4);
  EXPECT_STEP(step(clock, ms(7) + 4, ms(7)), step_kind::used_up, ms(7) + 4);
  EXPECT_STEP(step(clock, ms(7) + 9, ms(7)), step_kind::used_up, ms(7) + 9);
  EXPECT_STEP(step(clock, ms(7) + 4, ms(5), ms(7)), step_kind::issued, ms(8));
  EXPECT_STEP(step(clock, ms(7) + 4, ms(8)), step_kind::issued, ms(8));
  EXPECT_EQ(flake_clock::next_unit(no_carry), no_carry);
}

TEST(CarryPace, WantsTheClockToMove) {
  carry_pace pace;
  EXPECT_EQ(pace.carry_from(~std::uint64_t{0}), no_carry);

  pace.found_used_up(a_1, end_of_second);
  EXPECT_EQ(pace.carry_from(end_of_second), no_carry);
  EXPECT_EQ(pace.carry_from(unit_0), no_carry);
  EXPECT_EQ(pace.carry_from(second_1), a_1);
}

TEST(CarryPace, StartsAnewForAnotherUnit) {
  carry_pace pace;
  pace.found_used_up(a_1, unit_0);
  pace.found_used_up(a_1 + 0x4000, second_1);
  EXPECT_EQ(pace.carry_from(second_1), no_carry);
  EXPECT_EQ(pace.carry_from(second_1 + 0x4000), a_1 + 0x4000);
}

TEST(CarryPace, KeepsTheEarliestSighting) {
  carry_pace pace;
  pace.found_used_up(a_1, unit_0);
  pace.found_used_up(a_1, end_of_second);
  EXPECT_EQ(pace.carry_from(end_of_second), a_1);
}

TEST(CarryPace, ClockGoesBackWhileWaiting) {
  carry_pace pace;
  pace.found_used_up(a_1, second_1);
  pace.found_used_up(a_1, unit_0);
  EXPECT_EQ(pace.carry_from(unit_0), no_carry);
  EXPECT_EQ(pace.carry_from(end_of_second), a_1);
}

/// One caller that retries when a unit is used up. `clock` returns microseconds.
template <class Clock> std::uint64_t issue(atomic_cell &cell, Clock &&clock) {
  retrying_caller<kid_clock, Clock> caller{kid_clock{}, cell, clock};
  return caller.issue();
}

// A clock that the test controls: it creeps, stands still, jumps ahead, and goes back.
TEST(LogicalClock, RisesWhateverTheClockDoes) {
  std::mt19937_64 random(20261121);
  atomic_cell cell;
  unix_micros time = 1'767'225'600'000'000;
  std::uint64_t last = 0;
  auto const clock = [&] { return time += static_cast<unix_micros>(random() % 3); };

  for (int i = 0; i < 2'000'000; i++) {
    if (random() % 100'000 == 0)
      time += static_cast<unix_micros>(random() % 7'200'000'000) - 3'600'000'000;
    auto const id = issue(cell, clock);
    ASSERT_GT(id, last);
    last = id;
  }
}

// After a step back the logical clock may carry, but never faster than the system clock runs: how far it is
// ahead never grows.
TEST(LogicalClock, CarriesNoFasterThanTimePasses) {
  atomic_cell cell;
  unix_micros time = 1'767'225'600'000'000;
  unsigned reading = 0;
  auto const clock = [&] { return time += reading++ % 32 == 0 ? 1 : 0; };

  issue(cell, clock);
  time -= 3'600'000'000;
  unix_micros const ahead = kid64::time(cell.load()) - time;
  unsigned carries = 0;
  for (std::uint64_t last = cell.load(); carries < 2000;) {
    auto const id = issue(cell, clock);
    carries += (id >> 14) != (last >> 14) ? 1 : 0;
    last = id;
    // One unit of slack, because the clock is compared in whole units.
    ASSERT_LE(kid64::time(id) - time, ahead + kid64::unit_micros);
  }
}

// Several states in one step: consecutive states of a unit, and none at or beyond the limit.
TEST(Advance, Several) {
  constexpr std::uint64_t now = second_1;
  atomic_cell cell;
  auto const take = [&cell](std::uint64_t wanted) {
    step_result const result = advance(kid_clock{}, cell, now, no_carry, &wanted);
    return std::pair(result.state, result.kind == step_kind::issued ? wanted : 0);
  };
  EXPECT_EQ(take(10), std::pair(now, std::uint64_t{10}));
  EXPECT_EQ(take(1), std::pair(now + 10, std::uint64_t{1}));
  EXPECT_EQ(cell.load(), now + 10);
  cell.end = now + 21;
  EXPECT_EQ(take(100), std::pair(now + 11, std::uint64_t{10}));
  EXPECT_EQ(take(100), std::pair(now + 21, std::uint64_t{0}));
  cell.end = ~std::uint64_t{0};
  EXPECT_EQ(take(~std::uint64_t{0}), std::pair(now + 21, std::uint64_t{0x4000 - 21}));
  EXPECT_EQ(take(100), std::pair(now | used_up, std::uint64_t{0}));
}

// A stale clock issues nothing, whatever the limit, and does not move the cell.
TEST(Advance, Stale) {
  struct stale_clock : kid_clock {
    static bool is_stale() noexcept { return true; }
  };
  atomic_cell cell;
  EXPECT_STEP(advance(stale_clock{}, cell, second_1), step_kind::stale, second_1);
  cell.end = second_1;
  EXPECT_STEP(advance(stale_clock{}, cell, second_1), step_kind::stale, second_1);
  std::uint64_t wanted = 10;
  EXPECT_STEP(advance(in_bulk<stale_clock>{stale_clock{}}, cell, second_1, no_carry, &wanted), step_kind::stale,
              second_1);
  EXPECT_EQ(cell.load(), 0u);
}

TEST(Advance, SeveralOfFlake) {
  atomic_cell cell;
  flake_clock clock;
  clock.sequence_max = 99;
  std::uint64_t const now = clock.at(1'000'000);
  std::uint64_t wanted = 1000;
  EXPECT_STEP(advance(clock, cell, now, no_carry, &wanted), step_kind::issued, now);
  EXPECT_EQ(wanted, 100u);
  // The setting was lowered meanwhile.
  clock.sequence_max = 9;
  EXPECT_EQ(clock.left(now + 50), 0u);
}

TEST(ClockThreads, NoDuplicateWithTheSystemClock) {
  auto const all = issue_in_threads(
      8, 100'000, [](atomic_cell &cell) { return issue(cell, system_clock); }, true);
  EXPECT_EQ(all.size(), 800'000U);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// The clock runs slower than the sequences are used up, and goes back now and then. So every branch is taken by
// contending threads.
TEST(ClockThreads, NoDuplicateWithABadClock) {
  static std::atomic<unix_micros> ticks{0};
  auto const clock = [] {
    auto const tick = ticks.fetch_add(1, std::memory_order_relaxed);
    return 1'767'225'600'000'000 + tick / 50 - (tick / 200'000) % 2 * 3'000'000;
  };
  auto const all = issue_in_threads(
      8, 100'000, [&](atomic_cell &cell) { return issue(cell, clock); }, true);
  EXPECT_EQ(all.size(), 800'000U);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// A caller that wants many states leaves the last sixteenth of a unit to others, and takes no more than that in
// one step.
TEST(InBulk, LeavesSomeToOthers) {
  constexpr std::uint64_t now = second_1;
  atomic_cell cell;
  in_bulk<kid_clock> const bulk{kid_clock{}};
  auto const take = [&](std::uint64_t wanted) {
    step_result const result = advance(bulk, cell, now, no_carry, &wanted);
    return std::pair(result.state, result.kind == step_kind::issued ? wanted : 0);
  };
  for (std::uint64_t taken = 0; taken < 15; taken++)
    EXPECT_EQ(take(1'000'000), std::pair(now + 1024 * taken, std::uint64_t{1024}));
  EXPECT_EQ(take(1), std::pair(now + 15 * 1024 - 1, std::uint64_t{0}));
  // The last step may be shorter.
  cell.word = now + 15 * 1024 - 11;
  EXPECT_EQ(take(1'000'000), std::pair(now + 15 * 1024 - 10, std::uint64_t{10}));
  // Other callers continue, up to the end.
  for (std::uint64_t state = now + 15 * 1024; state <= (now | used_up); state++)
    EXPECT_STEP(advance(kid_clock{}, cell, now), step_kind::issued, state);
  EXPECT_STEP(advance(kid_clock{}, cell, now), step_kind::used_up, now | used_up);
}

TEST(InBulk, OfAFewStates) {
  atomic_cell cell;
  flake_clock clock;
  clock.sequence_max = 3;
  std::uint64_t const now = clock.at(1'000'000);
  for (std::uint64_t state = now; state < now + 4; state++) {
    std::uint64_t wanted = 100;
    EXPECT_STEP(advance(in_bulk{clock}, cell, now, no_carry, &wanted), step_kind::issued, state);
    EXPECT_EQ(wanted, 1u);
  }
  EXPECT_STEP(advance(in_bulk{clock}, cell, now), step_kind::used_up, now + 3);
}

// While the system clock is behind, a carry is earned even if others move the logical clock within the unit
// meanwhile.
TEST(InBulk, Carries) {
  atomic_cell cell;
  in_bulk<kid_clock> const bulk{kid_clock{}};
  carry_pace pace;
  cell.word = a_1 + 15 * 1024;
  std::uint64_t wanted = 100;
  EXPECT_STEP(advance(bulk, cell, unit_0, pace.carry_from(unit_0), &wanted), step_kind::used_up, a_1 + 15 * 1024);
  pace.found_used_up(a_1, unit_0);
  EXPECT_STEP(advance(kid_clock{}, cell, unit_0), step_kind::issued, a_1 + 15 * 1024 + 1);
  EXPECT_STEP(advance(bulk, cell, end_of_second, pace.carry_from(end_of_second), &wanted), step_kind::issued,
              a_1 + 0x4000);
  EXPECT_EQ(wanted, 100u);
}

} // namespace
} // namespace kid
