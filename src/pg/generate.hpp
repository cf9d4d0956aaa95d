// Issuing IDs.
//
// The fast path is: check that this process is attached, read the clock, split it into the ID's fields, one load and
// one compare-and-swap. All else is out of line.
#pragma once

#include "error.hpp"
#include "guc.hpp"
#include "pg.hpp"
#include "state.hpp"
#include "value.hpp"

namespace kid::pg {

/// Waits a moment, at most 10 ms, for the clock, which has `missing` to go. An error when waiting took `kid.max_wait`
/// since `start`, or when the query is cancelled.
void wait_for_clock(step_kind reason, unix_micros missing, instr_time start);

[[noreturn]] void timeline_ended_error();

/// The time to take when the clock says `now`, which `layout` cannot hold. A timeline that keeps the highest time goes
/// on from that when the clock went back before all that an ID can carry; anything else is an error.
template <class Id, class Timeline>
pg_noinline pg_attribute_cold unix_micros out_of_range(Id const &layout, Timeline const &line, timeline &cell,
                                                       unix_micros now) {
  if (!line.holds() || now > layout.last() || cell.load() <= line.at(layout.first()))
    time_error(layout);
  return Max(now, 0);
}

/// The unit of `line` that the clock is in, as its first state.
template <class Id, class Timeline> std::uint64_t clock(Id const &layout, Timeline const &line, timeline &cell) {
  unix_micros now = GetCurrentTimestamp() + postgres_epoch;

  if (unlikely(!holds(layout, now)))
    now = out_of_range(layout, line, cell, now);
  return line.at(now);
}

/// One step of a timeline.
template <class Id, class Timeline>
step_result attempt(Id const &layout, Timeline const &line, timeline &cell, carry_pace const &pace) {
  std::uint64_t const now = clock(layout, line, cell);
  return advance(line, cell, now, pace.carry_from(now));
}

/// That of sno when the clock is behind `last`.
pg_noinline pg_attribute_cold step_result change_sides(sno_timeline const &line, tick_tock_timeline &cell,
                                                       std::uint64_t last);

inline step_result attempt(sno const &layout, sno_timeline const &line, tick_tock_timeline &cell, carry_pace const &) {
  step_result const result = advance_in_order(line, cell, [&] { return clock(layout, line, cell); });

  if (unlikely(result.kind == step_kind::behind))
    return change_sides(line, cell, result.state);
  return result;
}

/// The rest of `issue`, when the first step did not get on.
template <class Id, class Timeline, class Cell>
pg_noinline pg_attribute_cold std::uint64_t issue_after_wait(Id const &layout, Timeline const &line, Cell &cell,
                                                             step_result result) {
  carry_pace pace;
  instr_time start;

  INSTR_TIME_SET_CURRENT(start);
  while (result.kind != step_kind::issued) {
    if (result.kind == step_kind::ended)
      timeline_ended_error();
    // This reading of the clock is younger than the state that was found: `carry_pace` wants it so, and if it is not
    // behind, then an earlier one was, and there is nothing to wait for.
    std::uint64_t const now = clock(layout, line, cell);
    std::uint64_t const next = awaited(line, result, now);
    pace.found_used_up(result.state, now);
    if (next > now)
      wait_for_clock(result.kind, line.time(next) - line.time(now), start);
    result = attempt(layout, line, cell, pace);
  }
  return result.state;
}

/// A state of the timeline that no other call was or will be given.
template <class Id, class Timeline, class Cell>
std::uint64_t issue(Id const &layout, Timeline const &line, Cell &cell) {
  step_result const result = attempt(layout, line, cell, carry_pace{});

  if (unlikely(result.kind != step_kind::issued))
    return issue_after_wait(layout, line, cell, result);
  return result.state;
}

} // namespace kid::pg
