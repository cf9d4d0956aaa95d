// The logical clocks: which there are, and what shared rooms need to know of one. What each is like is said on the page
// of its type, types/T.cpp and core/types/T.hpp. How one moves: core/step.hpp. Where they live: shmem.hpp.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

// Each has the name of its type; kid is the one that kid64 and kid96 share.
#define KID_CLOCKS X(kid) X(flake) X(sno) X(uuidv7)

#define X(name) clock_##name,
enum clock_id { KID_CLOCKS clock_count };
#undef X

/// What the states of a clock mean, as `Clock` in core/step.hpp says.
struct clock_rules {
  char const *name; ///< in kid_stats
  std::uint64_t (*at)(unix_micros);
  unix_micros (*time)(std::uint64_t);
  std::uint64_t (*unit)(std::uint64_t);
  std::uint64_t (*end)(std::uint64_t);
  std::uint64_t (*next_unit)(std::uint64_t);
  std::uint64_t sides; ///< the bits above the sequence that are not of the time; 0 for a clock without sides
  bool divided;        ///< whether servers divide its sequence into lanes, see core/lane.hpp
  unix_micros first;   ///< the instants that it can tell
  unix_micros last;
};

template <class Clock>
constexpr clock_rules describe_clock(char const *name, unix_micros first, unix_micros last, std::uint64_t sides = 0,
                                     bool divided = false) {
  return {name, Clock::at, Clock::time, Clock::unit, Clock::end, Clock::next_unit, sides, divided, first, last};
}

#define X(name) extern clock_rules const name##_clock_rules;
KID_CLOCKS
#undef X

inline clock_rules const &rules_of(clock_id id) {
#define X(name) &name##_clock_rules,
  static constexpr clock_rules const *all[] = {KID_CLOCKS};
#undef X
  return *all[id];
}

/// Whether a number is a state of a clock. It need not be one: there are bits that no state has set, and time units can
/// be written in other ways.
inline bool is_state(clock_id id, std::uint64_t number) {
  clock_rules const &rules = rules_of(id);
  std::uint64_t const unit = rules.at(rules.time(number));
  return unit <= number && number <= rules.end(unit | (number & rules.sides));
}

/// The first state of the time unit that holds an instant, or the nearest in range.
inline std::uint64_t state_at(clock_id id, unix_micros time) {
  clock_rules const &rules = rules_of(id);
  return rules.at(Min(Max(time, rules.first), rules.last));
}

} // namespace kid::pg
