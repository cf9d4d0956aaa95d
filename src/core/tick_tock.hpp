// The timeline of sno: when the clock goes back, it changes sides instead of waiting or holding.
//
// The tick bit makes two pools of every time unit. One side is in use; of the other all that may have been issued is
// at or below the safe mark:
//
//             safe         last
//   tick 0 ----|............|            . issued        clock: back from `last` to some `now`
//   tick 1 -------------|...             - not issued
//                      now               now > safe: toggle. Side 1 is free from `now` on, and the mark of side 0
//                                                    is the unit of `last`
//                                        now <= safe: a second step back into time that side 1 used. Wait
//
// A state is time unit, tick and sequence, and is never repeated, so the compare-and-swap that toggles cannot mistake
// one for another. The mark is changed only when that has happened, to the unit of `last`, and is looked at only when
// the clock has gone back: a lock guards it, and the fast path needs none.
#pragma once

#include "check.hpp"
#include "layout.hpp"
#include "sno.hpp"
#include "step.hpp"

namespace kid {

struct sno_timeline {
  using sequence = field<std::uint64_t, 0, sno::sequence::width>;
  using tick = above<sequence, sno::tick::width>;
  using units = above<tick, sno::units::width>;

  /// The pool of this generator, which others may share the partition with; its document asks for four at least.
  static constexpr std::uint64_t pool_min = 4;
  std::uint64_t sequence_min = 0;
  std::uint64_t sequence_max = sequence::max;

  static constexpr std::uint64_t at(unix_micros time) noexcept {
    return units::put(sno::units::get(sno{}.lowest(time)));
  }
  static constexpr unix_micros time(std::uint64_t state) noexcept { return sno{}.time(id(state)); }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept { return state & units::mask; }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    return units::get(state) < units::max ? unit(state) + units::put(1) : state;
  }

  static constexpr bool changes_sides = true;
  static constexpr bool holds() noexcept { return false; }
  constexpr std::uint64_t begin(std::uint64_t now, std::uint64_t last) const noexcept {
    return now | (last & tick::mask) | sequence_min;
  }
  constexpr bool used_up(std::uint64_t state) const noexcept { return sequence::get(state) >= sequence_max; }
  constexpr std::uint64_t count(std::uint64_t state) const noexcept {
    return sequence::get(state) < sequence_min ? begin(unit(state), state) : state + 1;
  }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    return used_up(state) ? 0 : sequence_max - sequence::get(state);
  }
  constexpr std::uint64_t states() const noexcept { return sequence_max - sequence_min + 1; }

  static constexpr std::uint64_t side(std::uint64_t state) noexcept { return state & tick::mask; }

  /// The first state at `now` on the other side.
  constexpr std::uint64_t toggled(std::uint64_t now, std::uint64_t last) const noexcept {
    return begin(now, last ^ tick::mask);
  }

  /// The ID of a state, without metabyte and partition.
  static constexpr sno::word id(std::uint64_t state) noexcept {
    return sno::units::put(units::get(state)) | sno::tick::put(tick::get(state)) |
           sno::sequence::put(sequence::get(state));
  }
};

/// As `advance`, but reads the clock itself, `clock()`, between two looks at the state that find the same side.
///
/// A reading from before the state was changed to the other side, by a clock that went back, would take that side up
/// to the time that the clock has left, and all would have to wait until it is there again. One from before the last
/// look can seem to be behind it, when other callers went on meanwhile: that is told only of a second one.
template <class Timeline, class Cell, class Clock>
[[gnu::always_inline]] inline step_result advance_in_order(Timeline const &line, Cell &cell, Clock const &clock,
                                                           std::uint64_t *count = nullptr) {
  std::uint64_t last = cell.load();
  for (bool again = false;; again = true) {
    std::uint64_t const side = line.side(last);
    std::uint64_t const now = clock();
    last = cell.load();
    while (line.side(last) == side) {
      step_result next = step(line, last, now);
      if (next.kind == step_kind::behind && !again)
        break;
      if (next.kind != step_kind::issued || take(line, cell, last, next, count))
        return next;
    }
  }
}

/// The step from `last` to the other side, when the clock was seen at `now` after it: to `issued`, which the caller
/// has yet to exchange for `last`, with the lock that guards `safe` held, the first state of the last unit that the
/// other side may have issued in.
///
/// Otherwise `behind`, with the state to wait for: where that is not ahead of `now`, the clock is no longer behind, and
/// the caller can start again.
constexpr step_result tick_tock(sno_timeline const &line, std::uint64_t safe, std::uint64_t last,
                                std::uint64_t now) noexcept {
  if (now >= sno_timeline::unit(last))
    return {step_kind::behind, now};
  if (now <= safe) {
    std::uint64_t const free = sno_timeline::next_unit(safe);
    return {step_kind::behind, free < last ? free : last};
  }
  return {step_kind::issued, line.toggled(now, last)};
}

} // namespace kid
