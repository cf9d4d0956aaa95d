// A logical clock as a value: a `Clock` of step.hpp whose type the compiler has forgotten. One function can then serve
// all clocks, as those do that move clocks other than by issuing IDs, and those that reserve IDs ahead of time.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstdint>

namespace kid {

/// What the states of a clock mean, for code that does not depend on the type.
struct clock_rules {
  char const *name; ///< in kid_stats()
  std::uint64_t (*at)(unix_micros);
  unix_micros (*time)(std::uint64_t);
  std::uint64_t (*unit)(std::uint64_t);
  std::uint64_t (*end)(std::uint64_t);
  std::uint64_t (*next_unit)(std::uint64_t);
  unix_micros earliest; ///< the first and the last instant that it can represent
  unix_micros latest;
  bool divided;        ///< whether servers divide its sequence into lanes, see lane.hpp
  std::uint64_t sides; ///< the bits above the sequence that are not part of the time; 0 for a clock without sides
  /// The step to the other side, see step_to_other_side() in types/sno.hpp; null for a clock without sides.
  step_result (*step_to_other_side)(std::uint64_t safe, std::uint64_t last, std::uint64_t now_state);

  /// Returns the first state of the time unit that contains `instant`, or of the nearest unit in range.
  std::uint64_t state_at(unix_micros instant) const { return at(std::clamp(instant, earliest, latest)); }

  /// Returns the first state after the unit that contains `instant`.
  std::uint64_t state_after(unix_micros instant) const { return next_unit(state_at(instant)); }

  /// Returns the greatest state of the unit of `state`, on the side of `side_of`.
  std::uint64_t end_of_unit(std::uint64_t state, std::uint64_t side_of) const {
    return end(unit(state) | (side_of & sides));
  }

  /// Returns the greatest state below `start`, the first state of a unit, on the side of `state`. Returns `state` if
  /// `start` is not above its unit.
  std::uint64_t last_before(std::uint64_t state, std::uint64_t start) const {
    // Computed from the time, because not every number is a state.
    return start > unit(state) ? end_of_unit(at(time(start) - 1), state) : state;
  }

  bool on_other_side(std::uint64_t a, std::uint64_t b) const { return ((a ^ b) & sides) != 0; }
};

/// Describes a clock from `Earliest` to `Latest`. One with sides then sets `sides` and `step_to_other_side`.
template <class Clock, unix_micros Earliest, unix_micros Latest>
constexpr clock_rules describe_clock(char const *name) {
  static_assert(Clock::changes_sides || Clock::at(0) <= Clock::at(Earliest),
                "a system clock that is before the range of a clock that goes_on() must not seem to be ahead of it");
  return {name,     Clock::at, Clock::time,    Clock::unit, Clock::end, Clock::next_unit,
          Earliest, Latest,    Clock::divided, 0,           nullptr};
}

} // namespace kid
