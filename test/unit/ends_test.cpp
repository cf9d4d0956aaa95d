// Every clock at instants around its ends. A call must give an ID, raise an error, or wait for the system clock. A call
// that retries at once again and again would be a busy loop, which `kid.max_wait` does not end.
#include "types.hpp"

#include "../../src/core/issue_loop.hpp"
#include "../../src/core/range.hpp"
#include "../../src/core/step.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

namespace kid {
namespace {

/// As after a start: sno's clock keeps its time, whatever the system clock says.
struct keeping_sno_clock : sno_clock {
  static constexpr bool keeps(std::uint64_t, std::uint64_t) noexcept { return true; }
};

enum class outcome : unsigned char { issued, waits, out_of_range, ended, spins };

/// `Server` of issue_loop.hpp, with a system clock that stands still. With `leased`, there is no bound at first, and
/// each renewal puts it one second ahead, as src/pg/clocks/lease.cpp does. A call ends when it would wait.
template <class Id, class Clock> struct generator {
  Id layout;
  Clock clock;
  unix_micros now;
  bool leased;
  std::uint64_t safe = 0;
  atomic_cell cell{};
  step_result result{};
  outcome out = outcome::spins;
  int tries = 0;

  outcome call(std::uint64_t state) {
    cell.word = state;
    cell.end = leased ? 0 : ~std::uint64_t{0};
    result = issue_after(clock, *this, attempt(carry_pace{}));
    return result.kind == step_kind::issued ? outcome::issued : out;
  }

  clock_reading read() const {
    std::uint64_t const at = clock.at(in_range(layout, now) ? now : std::max<unix_micros>(now, 0));
    return {at, at};
  }
  step_result attempt(carry_pace const &pace) {
    if (!in_range(layout, now) && !goes_on_before(cell.load())) {
      out = outcome::out_of_range;
      return {step_kind::ended, cell.load()};
    }
    clock_reading const at = read();
    if constexpr (Clock::changes_sides)
      return advance_on_side(
          clock, cell, [at] { return at.state; }, pace);
    else
      return advance(clock, cell, at.state, pace.carry_from(at.tick));
  }
  void renew(std::uint64_t state) {
    std::uint64_t const before = cell.end;
    unix_micros const until = std::max(now, clock.time(state)) + 1'000'000;
    cell.end = std::max(before, clock.next_unit(clock.at(std::clamp(until, layout.first(), layout.last()))));
    if (cell.end == before)
      out = outcome::ended;
  }
  step_result change_sides(std::uint64_t last) { return step_to_other_side(clock, safe, last, read().state); }
  void wait(step_kind, unix_micros) { out = outcome::waits; }
  void end() {
    if (out == outcome::spins)
      out = outcome::ended;
  }
  bool may_try_again() { return out == outcome::spins && ++tries < 10; }

  bool goes_on_before(std::uint64_t state) const { return kid::goes_on(layout, clock, state, now); }
};

template <class Id, class Clock> void try_all(Id const &layout, Clock const &clock) {
  constexpr unix_micros day = 86'400'000'000;
  unix_micros const first = layout.first();
  unix_micros const last = layout.last();
  unix_micros const middle = first + (last - first) / 2;
  std::vector<unix_micros> instants;
  for (unix_micros const near : {unix_micros{0}, unix_micros{946'684'800'000'000}, first, middle, last})
    for (unix_micros const offset : {unix_micros{0}, unix_micros{1}, unix_micros{5'000}, 40 * 365 * day})
      for (unix_micros const instant : {near - offset, near + offset})
        instants.push_back(instant);

  for (bool const leased : {false, true})
    for (unix_micros const now : instants)
      for (unix_micros const then : instants) {
        if (!in_range(layout, then))
          continue;
        std::uint64_t const unit = clock.at(then);
        for (std::uint64_t const state : {std::uint64_t{0}, unit, clock.end(unit) - 1, clock.end(unit)})
          for (std::uint64_t const safe : {std::uint64_t{0}, unit, clock.at(last)}) {
            generator<Id, Clock> one{layout, clock, now, leased, safe};
            outcome const out = one.call(state);
            std::string const where = std::to_string(now) + " after " + std::to_string(state);
            ASSERT_NE(out, outcome::spins) << where;
            if (now > last || (now < first && Clock::changes_sides)) {
              ASSERT_EQ(out, outcome::out_of_range) << where;
            }
            if (out != outcome::issued)
              continue;
            unix_micros const time = clock.time(one.result.state);
            ASSERT_GE(time, first) << where;
            ASSERT_LE(time, std::max(now, clock.time(state))) << where;
            ASSERT_TRUE(one.result.state > state || Clock::changes_sides) << where;
          }
      }
}

TEST(Ends, EveryClock) {
  for (bool const keep : {false, true}) {
    try_all(kid64{}, kid_clock{keep});
    try_all(uuidv7{}, uuidv7_clock{keep});
    try_all(kid53{}, kid53_clock{keep});
    for (unix_micros const epoch : {unix_micros{0}, unix_micros{1'300'000'000'000'000}, flake::epoch_max})
      try_all(flake{epoch}, flake_clock{keep});
  }
  try_all(sno{}, sno_clock{});
  try_all(sno{}, keeping_sno_clock{});
}

} // namespace
} // namespace kid
