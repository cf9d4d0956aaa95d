// How a timeline moves: the next state as a pure function of the last one and the clock.
//
// A timeline is one 64-bit word, time unit above sequence, that only ever grows:
//
//    63                                     sequence::width                0
//   +---------------------------------------+-------------------------------+
//   |               time unit               |           sequence            |
//   +---------------------------------------+-------------------------------+
//
// Time and sequence move in one compare-and-swap, so no two callers can be given the same pair, whatever the
// clock does and however they interleave. (A generator that reads them apart can hand out a pair twice.)
#pragma once

#include "check.hpp"

#include <cstdint>

namespace kid {

enum class step_kind : unsigned char {
  issued,  ///< `state` is the new state, and the caller's alone
  used_up, ///< the sequence of the unit of `state` is used up: the clock must move on first
  ended,   ///< there is no time unit after that of `state`
};

struct step_result {
  step_kind kind;
  std::uint64_t state;
};

/// No unit to carry from. No timeline can go on from this state, so it permits nothing.
constexpr std::uint64_t no_carry = ~std::uint64_t{0};

/// The step from `last` when the clock is in the unit whose first state is `now`.
///
/// `carry_from` is the used-up state that the caller may carry the sequence of into the next unit, see `carry_pace`.
template <class Timeline>
constexpr step_result step(std::uint64_t last, std::uint64_t now, std::uint64_t carry_from = no_carry) noexcept {
  // Time went on: start the sequence anew.
  if (now > last)
    return {step_kind::issued, now};

  // Same unit, or the clock went back behind it: keep the highest time and count on.
  if (Timeline::sequence::get(last) < Timeline::sequence::max)
    return {step_kind::issued, last + 1};

  // The sequence is used up and the clock has yet to earn the next unit.
  if (last != carry_from)
    return {step_kind::used_up, last};

  // The clock is behind but has moved on: carry into the next unit.
  std::uint64_t const next = Timeline::next_unit(last);
  return {next > last ? step_kind::issued : step_kind::ended, next};
}

/// Decides when a used-up unit may be carried into the next one while the clock is behind.
///
/// A carry is earned when one caller saw the clock move on to a later unit since it found this state used up. The
/// state is younger than the carry before it, so no two carries share a move of the clock: the timeline
/// runs ahead no faster than time passes, and a clock that went back far catches up with it in the end.
class carry_pace {
public:
  /// The caller found `state` used up when the clock was at `now`.
  constexpr void found_used_up(std::uint64_t state, std::uint64_t now) noexcept {
    if (state != state_ || now < since_) {
      state_ = state;
      since_ = now;
    }
  }

  /// The state that may be carried from when the clock is at `now`.
  constexpr std::uint64_t carry_from(std::uint64_t now) const noexcept { return now > since_ ? state_ : no_carry; }

private:
  std::uint64_t state_ = no_carry;
  std::uint64_t since_ = ~std::uint64_t{0}; ///< the clock's unit when `state_` was found, the lowest seen since
};

/// Moves the timeline in `cell` by one step; on `issued` the new state is the caller's alone.
///
/// `Cell` is an atomic word with `load()` and `compare_exchange(expected, desired)`, which on failure sets
/// `expected` to what it found. Neither needs an ordering of its own: uniqueness and order follow from the
/// single modification order of the one word. Inlined: it is the better part of issuing an ID.
template <class Timeline, class Cell>
[[gnu::always_inline]] inline step_result advance(Cell &cell, std::uint64_t now,
                                                  std::uint64_t carry_from = no_carry) noexcept {
  std::uint64_t last = cell.load();
  for (;;) {
    step_result const next = step<Timeline>(last, now, carry_from);
    if (next.kind != step_kind::issued)
      return next;
    if (cell.compare_exchange(last, next.state))
      return next;
    // Another caller was first and `last` is its state now: step on from there. Somebody always gets on.
  }
}

} // namespace kid
