// How a logical clock moves: its next state as a pure function of the last one and the system clock.
//
// A logical clock is one 64-bit word, its state. The time unit is above the sequence:
//
//    63                                     sequence::width                0
//   +---------------------------------------+-------------------------------+
//   |               time unit               |           sequence            |
//   +---------------------------------------+-------------------------------+
//
// Two clocks differ: that of sno has the tick between the two, and a time unit of uuidv7 does not end at a bit. But in
// every clock, a later time unit has greater states.
//
// Time and sequence move in one compare-and-swap, so no two callers can be given the same pair, whatever the system
// clock does and however the callers interleave.
//
// A `Clock`, in the file of its type in core/types, says what its states mean:
//
//   at(time)          the first state of the time unit that contains `time`. If `time` is before the range of the type,
//                     but not before 1970, the result is at or below the state of the first instant of the range, so
//                     that a clock that goes_on() does not take the system clock to be ahead. A clock that changes
//                     sides does not go on there, and may return any state
//   time(state)       when the time unit of a state begins
//   unit(state)       the first state of the time unit of a state
//   end(state)        the greatest number that can be a state of that time unit; for a clock that changes sides, on the
//                     side of `state`
//   next_unit(state)  the first state of the next time unit; the same state if there is none
//   begin(now, last)  the first state to issue in the unit that begins at `now`, which is later than the unit of `last`
//   used_up(state)    whether the unit of `state` has no state left to issue
//   count_on(state)   the next state to issue in the unit of `state`
//   left(state)       how many more states of its unit can be issued after `state`
//   states()          the least number of states in a unit
//   keeps(last, now)  what to do if the system clock goes back behind a state: if true, keep the highest time and
//                     count on (a hybrid logical clock); if false, wait until the system clock has reached it again
//   divided           whether servers divide the sequence into lanes, see lane.hpp
//   most_lanes        into how many at most; only of a divided clock
//   sequence          the field of the sequence in a state; only of a divided clock
//   changes_sides     whether the clock changes sides instead if the system clock goes back, see types/sno.hpp
//   is_stale()        whether the caller must choose its clock anew, because the server's settings have changed
//
// Beside it, state_of(layout, id) is the state that belongs to an ID. check_clock() below verifies the members.
//
// A `Cell` has the state of a clock, in one atomic word, and a limit, in another word. Only states below the limit may
// be issued:
//
//   load()                            the state
//   compare_exchange(expected, new)   stores `new` if the state is `expected`; otherwise sets `expected` to the state
//   permits(clock, state)             whether `state` may be issued, and the limit
//
// Uniqueness and order follow from the single modification order of the one word. Only `permits` needs a memory
// ordering: it must read the limit after the state. A session that lowers the limit moves the state afterwards. So a
// caller that has read the old limit fails its compare-and-swap.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace kid {

enum class step_kind : unsigned char {
  issued,  ///< `state` is the new state, and belongs to the caller alone
  used_up, ///< the sequence of the unit of `state` is used up: the system clock must move on first
  behind,  ///< the system clock is behind the unit of `state`, and the clock does not keep its time: wait for it
  beyond,  ///< `state` is the next one, but at or above the cell's limit, which must be renewed first
  stale,   ///< `state` is the next one, but the clock is stale: the caller must choose its clock anew
  ended,   ///< there is no time unit after that of `state`
};

/// What a cell says about a state that `clock` is about to issue.
struct permit {
  step_kind kind;      ///< `issued` if the state may be issued; otherwise `beyond` or `stale`
  std::uint64_t limit; ///< no state at or above it may be issued
};

struct step_result {
  step_kind kind;
  std::uint64_t state;
};

/// What most clocks have in common.
struct plain_clock {
  bool keep = true; ///< if the system clock goes back, keep the highest time and continue; otherwise wait

  static constexpr bool divided = false;
  static constexpr bool changes_sides = false;
  static constexpr bool is_stale() noexcept { return false; }
  constexpr bool keeps(std::uint64_t, std::uint64_t) const noexcept { return keep; }
  static constexpr std::uint64_t begin(std::uint64_t now, std::uint64_t) noexcept { return now; }
  static constexpr std::uint64_t count_on(std::uint64_t state) noexcept { return state + 1; }
};

/// Does not compile unless `Clock` has the members that the head of this file lists, with these types.
template <class Clock> constexpr bool check_clock() {
  using state = std::uint64_t;
  using clock = Clock const &;

  static_assert(std::is_same_v<state, decltype(std::declval<clock>().at(unix_micros{}))>);
  static_assert(std::is_same_v<unix_micros, decltype(std::declval<clock>().time(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().unit(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().end(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().next_unit(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().begin(state{}, state{}))>);
  static_assert(std::is_same_v<bool, decltype(std::declval<clock>().used_up(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().count_on(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().left(state{}))>);
  static_assert(std::is_same_v<state, decltype(std::declval<clock>().states())>);
  static_assert(std::is_same_v<bool, decltype(std::declval<clock>().keeps(state{}, state{}))>);
  static_assert(std::is_same_v<bool, decltype(std::declval<clock>().is_stale())>);
  static_assert(std::is_same_v<bool const, decltype(Clock::changes_sides)>);
  static_assert(std::is_same_v<bool const, decltype(Clock::divided)>);
  if constexpr (Clock::divided)
    static_assert(Clock::sequence::max >= std::uint32_t{Clock::most_lanes} - 1, "a lane has at least one sequence");
  return true;
}

/// Does not compile unless `Cell` has the members that the head of this file lists, with these types.
template <class Clock, class Cell> constexpr bool check_cell() {
  using state = std::uint64_t;
  using cell = Cell &;

  static_assert(std::is_same_v<state, decltype(std::declval<cell>().load())>);
  static_assert(
      std::is_same_v<bool, decltype(std::declval<cell>().compare_exchange(std::declval<state &>(), state{}))>);
  static_assert(std::is_same_v<permit, decltype(std::declval<cell>().permits(std::declval<Clock const &>(), state{}))>);
  return true;
}

/// No unit to carry from: this number is not the first state of any unit.
constexpr std::uint64_t no_carry = ~std::uint64_t{0};

/// Returns the step from `last` if the system clock is in the unit whose first state is `now`. The caller may carry
/// from the used-up unit whose first state is `carry_from`, see `carry_pace`.
template <class Clock>
constexpr step_result step(Clock const &clock, std::uint64_t last, std::uint64_t now,
                           std::uint64_t carry_from = no_carry) noexcept {
  static_assert(check_clock<Clock>());

  // Time went on: start the sequence anew.
  if (now > last)
    return {step_kind::issued, clock.begin(now, last)};

  // The system clock went back behind the unit, and this clock waits.
  if (!clock.keeps(last, now) && now < clock.unit(last))
    return {step_kind::behind, last};

  // Same unit, or a later one that is kept: count on.
  if (!clock.used_up(last))
    return {step_kind::issued, clock.count_on(last)};

  // The sequence of the last unit is used up. To wait for the next unit would be to wait for ever.
  std::uint64_t const next = clock.next_unit(last);
  if (next <= last)
    return {step_kind::ended, last};

  // The sequence is used up, and the caller may not carry from this unit.
  if (clock.unit(last) != carry_from || !clock.keeps(last, now))
    return {step_kind::used_up, last};

  // The system clock has moved on by at least one unit since this one was found used up: carry into the next unit.
  return {step_kind::issued, clock.begin(next, last)};
}

/// Returns the state to wait for: the caller can proceed once the system clock has reached its time. The caller got
/// `result` first, and read `now` afterwards. If that state is at or before `now`, the caller can proceed at once.
///
/// If a unit is used up, the caller waits for the unit after `now`, although the used-up one may be far ahead: once the
/// system clock has moved on by a unit, the caller may carry into the next one, see `carry_pace`. A clock that does not
/// keep its time cannot carry. But there the step found the system clock in the used-up unit, so the unit after `now`
/// follows that unit.
template <class Clock>
constexpr std::uint64_t awaited(Clock const &clock, step_result result, std::uint64_t now) noexcept {
  if (result.kind == step_kind::used_up)
    return now > result.state ? now : clock.next_unit(now);
  return clock.used_up(result.state) ? clock.next_unit(result.state) : clock.unit(result.state);
}

/// Returns whether a clock goes on although the system clock is at `instant`, which is out of range for `layout`:
/// before the range, it counts on if it keeps the time of `state`, which is in the range. A clock with sides has no
/// side for such an instant.
template <class Id, class Clock>
constexpr bool goes_on(Id const &layout, Clock const &clock, std::uint64_t state, unix_micros instant) noexcept {
  return !Clock::changes_sides && instant < layout.first() && clock.keeps(state, 0) && state > clock.at(layout.first());
}

/// Decides when a clock may carry: go on in the next unit although the system clock is not there yet.
///
/// A caller earns a carry if it finds a unit of the logical clock used up, and then sees the system clock move to a
/// later unit. One move earns one carry: the unit that the carry leads into has to be used up, and the system clock has
/// to move on again, before the next carry. So the logical clock advances no faster than time passes, and a system
/// clock that went back far catches up in the end.
class carry_pace {
public:
  /// Records that the caller found `unit` used up, and afterwards read the system clock as `now`: the unit that it is
  /// in, or another number that rises by units, as `tick` of clock_reading in issue_loop.hpp.
  constexpr void found_used_up(std::uint64_t unit, std::uint64_t now) noexcept {
    if (unit != unit_ || now < since_) {
      unit_ = unit;
      since_ = now;
    }
  }

  /// Returns the unit that may be carried from if the system clock is at `now`.
  constexpr std::uint64_t carry_from(std::uint64_t now) const noexcept { return now > since_ ? unit_ : no_carry; }

private:
  std::uint64_t unit_ = no_carry;
  std::uint64_t since_ = ~std::uint64_t{0}; ///< the earliest `now` that was seen since
};

/// The view of a logical clock for callers that want many states at once. So that they do not starve callers that want
/// a single state, a step takes at most a sixteenth of a unit, and the last sixteenth is left to the others:
///
///    0    1/16                                                                    15/16  1
///    |----|----|----|----|----|----|----|----|----|----|----|----|----|----|----|......|
///     one step                                                                   others
///
/// If a unit has fewer than 16 states, a step takes one, and none are left to the others.
template <class Clock> struct in_bulk : Clock {
  constexpr explicit in_bulk(Clock const &clock) noexcept : Clock(clock) {}

  constexpr bool used_up(std::uint64_t state) const noexcept { return Clock::left(state) <= share(); }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    std::uint64_t const rest_of_step = share() > 0 ? share() - 1 : 0;
    return used_up(state) ? 0 : std::min(Clock::left(state) - share(), rest_of_step);
  }

private:
  constexpr std::uint64_t share() const noexcept { return Clock::states() / 16; }
};

/// Tries to take the state in `next`, which follows `expected`, with a `count` as advance() does. Returns true if the
/// states are the caller's, or if `next.kind` says that the cell does not permit them. Returns false if another caller
/// was first; then `expected` is the state that caller left.
template <class Clock, class Cell>
[[gnu::always_inline]] inline bool take(Clock const &clock, Cell &cell, std::uint64_t &expected, step_result &next,
                                        std::uint64_t *count) noexcept {
  static_assert(check_cell<Clock, Cell>());
  permit const permitted = cell.permits(clock, next.state);
  if (permitted.kind != step_kind::issued) {
    next.kind = permitted.kind;
    return true;
  }
  // How many more states the caller gets: at most those that it wants, that the unit has left, and below the limit.
  std::uint64_t const more =
      count == nullptr ? 0 : std::min({*count - 1, clock.left(next.state), permitted.limit - 1 - next.state});
  if (!cell.compare_exchange(expected, next.state + more))
    return false;
  if (count != nullptr)
    *count = more + 1;
  return true;
}

/// Moves the logical clock in `cell` by one step. If the result is `issued`, its state is the caller's alone. With a
/// `count`, takes up to `count` states, from the result's state on, and sets `count` to how many: fewer if `clock` or
/// the limit of the cell leaves fewer. Always inlined, because it is most of the work of issuing an ID.
template <class Clock, class Cell>
[[gnu::always_inline]] inline step_result advance(Clock const &clock, Cell &cell, std::uint64_t now,
                                                  std::uint64_t carry_from = no_carry,
                                                  std::uint64_t *count = nullptr) noexcept {
  std::uint64_t last = cell.load();
  for (;;) {
    step_result next = step(clock, last, now, carry_from);
    if (next.kind != step_kind::issued || take(clock, cell, last, next, count))
      return next;
    // Step on from the other caller's state. One of the callers always succeeds.
  }
}

} // namespace kid
