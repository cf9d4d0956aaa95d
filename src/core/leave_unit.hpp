// Moving a clock to the end of a time unit, so that no caller issues what it was about to issue.
//
// A session lowers the limit of a clock, or changes the lane, and moves the state afterwards. So a caller that read the
// state, and then the old limit or lane, fails its compare-and-swap.
//
//     ..x....]               from within a unit to its end
//     .......x.......]       from there to the end of the next unit
//     .......x|              but not if the limit is there: the clock stays
//
// In the last case, the limit is where the next unit begins. The caller would need a state of that unit, and no limit
// that it read permits one. Nor may the clock move: nothing at or above the limit is durable. After a crash the clock
// would start below that state, and issue IDs below a horizon that a consumer has read.
#pragma once

#include "clock_rules.hpp"
#include "no_postgres.hpp"

namespace kid {

/// Returns where a clock goes from `last`, if no caller has read a greater limit than `limit`.
inline std::uint64_t after_leaving(clock_rules const &rules, std::uint64_t last, std::uint64_t limit) {
  std::uint64_t const end = rules.end_of_unit(last, last);

  if (last < end)
    return end;
  std::uint64_t const next = rules.next_unit(last);
  return next < limit ? rules.end_of_unit(next, last) : last;
}

/// Moves the clock in `cell`, and returns its new state. No caller has read a greater limit than `limit`. After a
/// change of the lane, others may raise the limit meanwhile: a caller reads the limit and then the lane, so one that
/// has read the raised limit has the new lane. test/unit/leave_unit_test.cpp explores the interleavings.
template <class Cell> std::uint64_t leave_unit(clock_rules const &rules, Cell &cell, std::uint64_t limit) {
  std::uint64_t last = cell.load();

  for (;;) {
    std::uint64_t const next = after_leaving(rules, last, limit);
    if (next == last || cell.compare_exchange(last, next))
      return next;
  }
}

} // namespace kid
