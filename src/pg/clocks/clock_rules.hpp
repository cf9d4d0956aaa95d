// The logical clocks: a list of them, and what shared code needs to know about one. Each is described in the files of
// its type, types/T.cpp and core/types/T.hpp. core/step.hpp says how a clock moves, shmem.hpp where the clocks are.
//
// Words with one meaning in this folder, in horizon/ and in issue/. test/t/source_tree.pl rejects others that they had:
//
//   state   where a clock is: a time unit, and a number in it
//   first   the least state of a unit, and the least sequence of a lane
//   last    the greatest state that was, or can have been, issued, and the greatest sequence of a lane
//   bound   nothing at or above it is issued before the page has a higher one (lease.hpp)
//   now     where the system clock is, as an instant. `now_state` is the first state of the unit that it is in, which
//           the core calls `now`, because it knows no other
//   limit   where a step stops: `renew_at`, or the bound if the session may wait
//   enter   a transaction enters a clock before it takes states of it, and has left it when it ends
//   floor   of a transaction that has entered a clock: it takes no state below (horizon/horizon.hpp). That of an
//           instant, as T_floor() returns it in SQL, is an ID (core/range.hpp)
//   hold    a process holds a clock: no transaction enters (lease_lock.hpp). Locks are held, too
//   keep    a clock that is ahead of the system clock keeps its time: it counts on, and neither waits nor changes
//           sides. In SQL, `hold` is the value of kid.clock_backward for this
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

// A clock has the name of its type. Only `kid` differs: kid64 and kid96 share it.
#define KID_CLOCKS X(kid) X(flake) X(sno) X(uuidv7) X(kid53)

#define X(name) clock_##name,
enum clock_id { KID_CLOCKS clock_count };
#undef X

/// What the states of a clock mean: `Clock` of core/step.hpp, for code that does not depend on the type.
struct clock_rules {
  char const *name; ///< in kid_stats()
  std::uint64_t (*at)(unix_micros);
  unix_micros (*time)(std::uint64_t);
  std::uint64_t (*unit)(std::uint64_t);
  std::uint64_t (*end)(std::uint64_t);
  std::uint64_t (*next_unit)(std::uint64_t);
  unix_micros earliest; ///< the first and the last instant that it can represent
  unix_micros latest;
  bool divided;        ///< whether servers divide its sequence into lanes, see core/lane.hpp
  std::uint64_t sides; ///< the bits above the sequence that are not part of the time; 0 for a clock without sides
  /// The step to the other side, see step_to_other_side() in core/types/sno.hpp; null for a clock without sides.
  step_result (*step_to_other_side)(std::uint64_t safe, std::uint64_t last, std::uint64_t now_state);

  /// Returns the first state of the time unit that contains `instant`, or of the nearest unit in range.
  std::uint64_t state_at(unix_micros instant) const { return at(Min(Max(instant, earliest), latest)); }

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

/// By `clock_id`. register_clocks() of types/all_types.cpp fills it when the library is loaded.
inline clock_rules const *all_clock_rules[clock_count] = {};

} // namespace kid::pg
