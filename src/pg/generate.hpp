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

/// Waits a moment, at most a millisecond, for the clock to move on. An error when that took `kid.max_wait` since
/// `start`, or when the query is cancelled.
void wait_for_clock(instr_time start);

[[noreturn]] void timeline_ended_error();

/// The nearest to `now` of the instants that `Id` can hold.
template <class Id> pg_noinline pg_attribute_cold unix_micros nearest(unix_micros now) {
  return now < Id::first() ? Id::first() : Id::last();
}

/// The clock's time. One that `Id` cannot hold is taken for the nearest it can: a clock before it is one that went
/// back.
template <class Id> unix_micros clock() {
  unix_micros const now = GetCurrentTimestamp() + postgres_epoch;

  if (unlikely(!holds(Id{}, now)))
    return nearest<Id>(now);
  return now;
}

/// The rest of `issue`, once the sequence of a time unit is used up.
template <class Id, class Timeline>
pg_noinline pg_attribute_cold std::uint64_t issue_after_wait(timeline &line, step_result result) {
  carry_pace pace;
  instr_time start;

  INSTR_TIME_SET_CURRENT(start);
  while (result.kind == step_kind::used_up) {
    // The clock is read after the state was, as `carry_pace` wants it.
    pace.found_used_up(result.state, Id::lowest(clock<Id>()));
    wait_for_clock(start);
    std::uint64_t const now = Id::lowest(clock<Id>());
    result = advance<Timeline>(line, now, pace.carry_from(now));
  }
  if (result.kind == step_kind::ended)
    timeline_ended_error();
  return result.state;
}

/// A state of the timeline that no other call was or will be given.
template <class Id, class Timeline> std::uint64_t issue(timeline &line) {
  step_result const result = advance<Timeline>(line, Id::lowest(clock<Id>()));

  if (unlikely(result.kind != step_kind::issued))
    return issue_after_wait<Id, Timeline>(line, result);
  return result.state;
}

} // namespace kid::pg
