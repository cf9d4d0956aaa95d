// How a logical clock moves: its next state as a pure function of the last one and the system clock.
//
// A logical clock is one 64-bit word, time unit above sequence:
//
//    63                                     sequence::width                0
//   +---------------------------------------+-------------------------------+
//   |               time unit               |           sequence            |
//   +---------------------------------------+-------------------------------+
//
// Time and sequence move in one compare-and-swap, so no two callers can be given the same pair, whatever the system
// clock does and however the callers interleave. (A generator that reads them apart can hand out a pair twice.)
//
// A `Clock`, on the page of its type in core/types, says what its states mean:
//
//   at(time)          the first state of the time unit that holds an instant
//   time(state)       when the time unit of a state begins
//   unit(state)       the first state of the time unit of a state
//   end(state)        the greatest number that can be a state of that time unit
//   next_unit(state)  the first state of the time unit after; the same state when there is none
//   begin(now, last)  the first state to issue in the unit `now`, which is later than that of `last`
//   used_up(state)    whether its unit has no state left to issue
//   count(state)      the state to issue after it, in the same unit: the next number
//   left(state)       how many states its unit has after one that was issued
//   states()          how many states every unit has, at least
//   holds(last, now)  what to do when the system clock goes back behind a state: keep the highest time and count on (a
//                     hybrid logical clock), so that states only ever rise; or wait until the system clock is there
//                     again
//   changes_sides     whether it has a third answer to that, see types/sno.hpp
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <cstdint>

namespace kid {

enum class step_kind : unsigned char {
  issued,  ///< `state` is the new state, and the caller's alone
  used_up, ///< the sequence of the unit of `state` is used up: the system clock must move on first
  behind,  ///< the system clock is behind the unit of `state`, which is not held: it must catch up first
  beyond,  ///< `state` is the next, but at or beyond the cell's limit, and not issued
  ended,   ///< there is no time unit after that of `state`
};

struct step_result {
  step_kind kind;
  std::uint64_t state;
};

/// No unit to carry from: it is not the first state of any.
constexpr std::uint64_t no_carry = ~std::uint64_t{0};

/// The step from `last` when the system clock is in the unit whose first state is `now`.
///
/// `carry_from` is the used-up unit, as its first state, that the caller may go on from into the next one, see
/// `carry_pace`.
template <class Clock>
constexpr step_result step(Clock const &clock, std::uint64_t last, std::uint64_t now,
                           std::uint64_t carry_from = no_carry) noexcept {
  // Time went on: start the sequence anew.
  if (now > last)
    return {step_kind::issued, clock.begin(now, last)};

  // The system clock went back behind the unit, and the logical clock is not to run ahead of it.
  if (!clock.holds(last, now) && now < clock.unit(last))
    return {step_kind::behind, last};

  // Same unit, or one that is held: count on.
  if (!clock.used_up(last))
    return {step_kind::issued, clock.count(last)};

  // The sequence is used up, and the next unit is not earned yet.
  if (clock.unit(last) != carry_from || !clock.holds(last, now))
    return {step_kind::used_up, last};

  // The system clock is behind but has moved on: carry into the next unit.
  std::uint64_t const next = clock.next_unit(last);
  if (next <= last)
    return {step_kind::ended, last};
  return {step_kind::issued, clock.begin(next, last)};
}

/// The state whose time the system clock must reach before a caller can get on who was given `result`, and then saw it
/// at `now`. Where that is at or below `now`, the caller already can.
template <class Clock>
constexpr std::uint64_t awaited(Clock const &clock, step_result result, std::uint64_t now) noexcept {
  if (result.kind == step_kind::used_up)
    return clock.next_unit(now);
  return clock.used_up(result.state) ? clock.next_unit(result.state) : clock.unit(result.state);
}

/// Decides when a used-up unit may be carried into the next one while the system clock is behind.
///
/// A caller earns a carry when it finds a unit of the logical clock used up, and then sees the system clock move on to
/// a later unit. It found the unit after the carry into it, so no two carries share a move of the system clock: the
/// logical clock runs ahead no faster than time passes, and a system clock that went back far catches up in the end.
class carry_pace {
public:
  /// The caller found `unit` used up, and then the system clock at `now`.
  constexpr void found_used_up(std::uint64_t unit, std::uint64_t now) noexcept {
    if (unit != unit_ || now < since_) {
      unit_ = unit;
      since_ = now;
    }
  }

  /// The unit that may be carried from when the system clock is at `now`.
  constexpr std::uint64_t carry_from(std::uint64_t now) const noexcept { return now > since_ ? unit_ : no_carry; }

private:
  std::uint64_t unit_ = no_carry;
  std::uint64_t since_ =
      ~std::uint64_t{0}; ///< the unit of the system clock when `unit_` was found, the lowest seen since
};

/// A logical clock as those see it who want many states. They take them faster than others can, and would use up every
/// unit as it begins, so that whoever wants a single one waits for a moment of luck. Therefore a step takes at most a
/// sixteenth of a unit, and the last sixteenth is not for them:
///
///    0    1/16                                                                    15/16  1
///    |----|----|----|----|----|----|----|----|----|----|----|----|----|----|----|......|
///     one step                                                                   others
///
/// Where a unit has fewer than 16 states, a step takes one, and nothing is kept.
template <class Clock> struct in_bulk : Clock {
  constexpr explicit in_bulk(Clock const &clock) noexcept : Clock(clock) {}

  constexpr bool used_up(std::uint64_t state) const noexcept { return Clock::left(state) <= share(); }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    std::uint64_t const all = Clock::left(state);
    std::uint64_t const rest_of_step = share() > 0 ? share() - 1 : 0;
    if (all <= share())
      return 0;
    return all - share() < rest_of_step ? all - share() : rest_of_step;
  }

private:
  constexpr std::uint64_t share() const noexcept { return Clock::states() / 16; }
};

/// How many states can be taken with `state`, when `count` in all are wanted.
template <class Clock>
constexpr std::uint64_t more_states(Clock const &clock, std::uint64_t state, std::uint64_t limit,
                                    std::uint64_t count) noexcept {
  std::uint64_t const left = clock.left(state) < limit - 1 - state ? clock.left(state) : limit - 1 - state;
  return count - 1 < left ? count - 1 : left;
}

/// Takes the state that `next` has issued after `last`, and up to `count` in all. True when it is the caller's, or the
/// limit is in the way; false when another caller was first, whose state is `last` now.
template <class Clock, class Cell>
[[gnu::always_inline]] inline bool take(Clock const &clock, Cell &cell, std::uint64_t &last, step_result &next,
                                        std::uint64_t *count) noexcept {
  std::uint64_t const limit = cell.limit();
  if (next.state >= limit) {
    next.kind = step_kind::beyond;
    return true;
  }
  std::uint64_t const more = count == nullptr ? 0 : more_states(clock, next.state, limit, *count);
  if (!cell.compare_exchange(last, next.state + more))
    return false;
  if (count != nullptr)
    *count = more + 1;
  return true;
}

/// Moves the logical clock in `cell` by one step; on `issued` the new state is the caller's alone.
///
/// `Cell` is an atomic word with `load()`, `compare_exchange(expected, desired)`, which on failure sets `expected` to
/// what it found, and `limit()`, which no state may reach. None needs an ordering of its own, as uniqueness and order
/// follow from the single modification order of the one word; but whoever lowers limit and state does it in this
/// order, and here the limit is read after the state, so that a lowered state is not held against the old limit.
/// Inlined: it is the better part of issuing an ID.
///
/// With a `count` it takes up to so many states in that one step, from `state` on, and sets `count` to how many: as
/// many as `clock` and the limit leave.
template <class Clock, class Cell>
[[gnu::always_inline]] inline step_result advance(Clock const &clock, Cell &cell, std::uint64_t now,
                                                  std::uint64_t carry_from = no_carry,
                                                  std::uint64_t *count = nullptr) noexcept {
  std::uint64_t last = cell.load();
  for (;;) {
    step_result next = step(clock, last, now, carry_from);
    if (next.kind != step_kind::issued || take(clock, cell, last, next, count))
      return next;
    // Step on from the other caller's state. Somebody always gets on.
  }
}

} // namespace kid
