// How a timeline moves: the next state as a pure function of the last one and the clock.
//
// A timeline is one 64-bit word, time unit above sequence:
//
//    63                                     sequence::width                0
//   +---------------------------------------+-------------------------------+
//   |               time unit               |           sequence            |
//   +---------------------------------------+-------------------------------+
//
// Time and sequence move in one compare-and-swap, so no two callers can be given the same pair, whatever the
// clock does and however they interleave. (A generator that reads them apart can hand out a pair twice.)
//
// A `Timeline` (kid_timeline, flake_timeline, sno_timeline) says what its states mean:
//
//   at(time)          the first state of the time unit that holds an instant
//   time(state)       when the time unit of a state begins
//   unit(state)       the first state of the time unit of a state
//   next_unit(state)  the first state of the time unit after; the same state when there is none
//   begin(now, last)  the first state to issue in the unit `now`, which is later than that of `last`
//   used_up(state)    whether its unit has no state left to issue
//   count(state)      the state to issue after it, in the same unit: the next number
//   left(state)       how many states its unit has after one that was issued
//   states()          how many states a unit has
//   holds()           when the clock goes back, whether to keep the highest time and count on (a hybrid logical
//                     clock), so that states only ever rise, or to wait for the clock
//   changes_sides     whether it has another answer yet to that, see tick_tock.hpp
#pragma once

#include "check.hpp"
#include "layout.hpp"

#include <cstdint>

namespace kid {

enum class step_kind : unsigned char {
  issued,  ///< `state` is the new state, and the caller's alone
  used_up, ///< the sequence of the unit of `state` is used up: the clock must move on first
  behind,  ///< the clock is behind the unit of `state`, which the timeline does not hold: it must catch up first
  beyond,  ///< `state` is the next, but at or beyond the cell's limit, and not issued
  ended,   ///< there is no time unit after that of `state`
};

struct step_result {
  step_kind kind;
  std::uint64_t state;
};

/// No unit to carry from: it is not the first state of any.
constexpr std::uint64_t no_carry = ~std::uint64_t{0};

/// The step from `last` when the clock is in the unit whose first state is `now`.
///
/// `carry_from` is the used-up unit, as its first state, that the caller may go on from into the next one, see
/// `carry_pace`.
template <class Timeline>
constexpr step_result step(Timeline const &line, std::uint64_t last, std::uint64_t now,
                           std::uint64_t carry_from = no_carry) noexcept {
  // Time went on: start the sequence anew.
  if (now > last)
    return {step_kind::issued, line.begin(now, last)};

  // The clock went back behind the unit, and the timeline is not to run ahead of it.
  if (!line.holds() && now < line.unit(last))
    return {step_kind::behind, last};

  // Same unit, or one that is held: count on.
  if (!line.used_up(last))
    return {step_kind::issued, line.count(last)};

  // The sequence is used up and the clock has yet to earn the next unit.
  if (line.unit(last) != carry_from || !line.holds())
    return {step_kind::used_up, last};

  // The clock is behind but has moved on: carry into the next unit.
  std::uint64_t const next = line.next_unit(last);
  return {next > last ? step_kind::issued : step_kind::ended, next};
}

/// The state whose time the clock must reach before a caller who was given `result`, and then saw the clock at `now`,
/// can get on. At or below `now` it already can.
template <class Timeline>
constexpr std::uint64_t awaited(Timeline const &line, step_result result, std::uint64_t now) noexcept {
  if (result.kind == step_kind::used_up)
    return line.next_unit(now);
  return line.used_up(result.state) ? line.next_unit(result.state) : line.unit(result.state);
}

/// Decides when a used-up unit may be carried into the next one while the clock is behind.
///
/// A carry is earned when one caller saw the clock move on to a later unit since it found this unit of the timeline
/// used up. That was after the carry into it, so no two carries share a move of the clock: the timeline runs ahead no
/// faster than time passes, and a clock that went back far catches up with it in the end.
class carry_pace {
public:
  /// The caller found `unit` used up, and then the clock at `now`.
  constexpr void found_used_up(std::uint64_t unit, std::uint64_t now) noexcept {
    if (unit != unit_ || now < since_) {
      unit_ = unit;
      since_ = now;
    }
  }

  /// The unit that may be carried from when the clock is at `now`.
  constexpr std::uint64_t carry_from(std::uint64_t now) const noexcept { return now > since_ ? unit_ : no_carry; }

private:
  std::uint64_t unit_ = no_carry;
  std::uint64_t since_ = ~std::uint64_t{0}; ///< the clock's unit when `unit_` was found, the lowest seen since
};

/// A timeline as those see it who want many states. They take them faster than others can, and would use up every unit
/// as it begins, so that whoever wants a single one waits for a moment of luck. Therefore a step takes at most a
/// sixteenth of a unit, and the last sixteenth is not for them:
///
///    0    1/16                                                                    15/16  1
///    |----|----|----|----|----|----|----|----|----|----|----|----|----|----|----|......|
///     one step                                                                   others
///
/// Where a unit has fewer than 16 states, a step takes one, and nothing is kept.
template <class Timeline> struct in_bulk : Timeline {
  constexpr explicit in_bulk(Timeline const &line) noexcept : Timeline(line) {}

  constexpr bool used_up(std::uint64_t state) const noexcept { return Timeline::left(state) <= share(); }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    std::uint64_t const all = Timeline::left(state);
    std::uint64_t const rest_of_step = share() > 0 ? share() - 1 : 0;
    if (all <= share())
      return 0;
    return all - share() < rest_of_step ? all - share() : rest_of_step;
  }

private:
  constexpr std::uint64_t share() const noexcept { return Timeline::states() / 16; }
};

/// How many states can be taken with `state`, when `count` in all are wanted.
template <class Timeline>
constexpr std::uint64_t more_states(Timeline const &line, std::uint64_t state, std::uint64_t limit,
                                    std::uint64_t count) noexcept {
  std::uint64_t const left = line.left(state) < limit - 1 - state ? line.left(state) : limit - 1 - state;
  return count - 1 < left ? count - 1 : left;
}

/// Takes the state that `next` has issued after `last`, and up to `count` in all. True when it is the caller's, or the
/// limit is in the way; false when another caller was first, whose state is `last` now.
template <class Timeline, class Cell>
[[gnu::always_inline]] inline bool take(Timeline const &line, Cell &cell, std::uint64_t &last, step_result &next,
                                        std::uint64_t *count) noexcept {
  std::uint64_t const limit = cell.limit();
  if (next.state >= limit) {
    next.kind = step_kind::beyond;
    return true;
  }
  std::uint64_t const more = count == nullptr ? 0 : more_states(line, next.state, limit, *count);
  if (!cell.compare_exchange(last, next.state + more))
    return false;
  if (count != nullptr)
    *count = more + 1;
  return true;
}

/// Moves the timeline in `cell` by one step; on `issued` the new state is the caller's alone.
///
/// `Cell` is an atomic word with `load()`, `compare_exchange(expected, desired)`, which on failure sets `expected` to
/// what it found, and `limit()`, which no state may reach. None needs an ordering of its own, as uniqueness and order
/// follow from the single modification order of the one word; but whoever lowers limit and state does it in this
/// order, and here the limit is read after the state, so that a lowered state is not held against the old limit.
/// Inlined: it is the better part of issuing an ID.
///
/// With a `count` it takes up to so many states in that one step, from `state` on, and sets `count` to how many: as
/// many as `line` and the limit leave.
template <class Timeline, class Cell>
[[gnu::always_inline]] inline step_result advance(Timeline const &line, Cell &cell, std::uint64_t now,
                                                  std::uint64_t carry_from = no_carry,
                                                  std::uint64_t *count = nullptr) noexcept {
  std::uint64_t last = cell.load();
  for (;;) {
    step_result next = step(line, last, now, carry_from);
    if (next.kind != step_kind::issued || take(line, cell, last, next, count))
      return next;
    // Step on from the other caller's state. Somebody always gets on.
  }
}

} // namespace kid
