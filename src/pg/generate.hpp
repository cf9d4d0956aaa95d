// Issuing IDs.
//
// The fast path is: check that this process is attached, read the clock, split it into the ID's fields, one load and
// one compare-and-swap. All else is out of line.
#pragma once

#include "error.hpp"
#include "guc.hpp"
#include "lease.hpp"
#include "pg.hpp"
#include "state.hpp"
#include "value.hpp"

namespace kid::pg {

/// Waits a moment, at most 10 ms, for the clock to reach `until`. An error when waiting took `kid.max_wait` since
/// `start`, or when the query is cancelled.
void wait_for_clock(step_kind reason, unix_micros until, instr_time start);

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
template <class Id, class Timeline>
pg_attribute_always_inline std::uint64_t clock(Id const &layout, Timeline const &line, timeline &cell) {
  unix_micros now = GetCurrentTimestamp() + postgres_epoch;

  if (unlikely(!holds(layout, now)))
    now = out_of_range(layout, line, cell, now);
  return line.at(now);
}

/// Called when the state of a timeline is ahead of a reading of the clock.
pg_noinline pg_attribute_cold void notice_ahead(timeline &line, std::uint64_t state);

/// One step of a timeline, in `cell`, which is `line` itself or all of its lease. `count` as of `advance`.
template <class Id, class Timeline, class Cell>
step_result attempt(Id const &layout, Timeline const &rules, timeline &line, Cell &cell, carry_pace const &pace,
                    std::uint64_t *count) {
  if constexpr (Timeline::changes_sides) {
    return advance_in_order(
        rules, cell, [&] { return clock(layout, rules, line); }, count);
  } else {
    std::uint64_t const now = clock(layout, rules, line);
    step_result const result = advance(rules, cell, now, pace.carry_from(now), count);

    if (unlikely(result.state > (now | Timeline::sequence::mask)))
      notice_ahead(line, result.state);
    return result;
  }
}

/// The rest of `issue`, when the first step did not get on.
template <class Id, class Timeline>
pg_noinline pg_attribute_cold std::uint64_t issue_slowly(Id const &layout, Timeline const &rules, timeline &line,
                                                         step_result result, std::uint64_t *count) {
  whole_lease cell = {line};
  carry_pace pace;
  instr_time start;
  bool waited = false;

  INSTR_TIME_SET_CURRENT(start);
  for (;;) {
    switch (result.kind) {
    case step_kind::issued:
      return result.state;
    case step_kind::ended:
      timeline_ended_error();
    case step_kind::beyond:
      CHECK_FOR_INTERRUPTS();
      renew_lease(line, result.state);
      break;
    case step_kind::used_up:
    case step_kind::behind:
      // This reading of the clock is younger than the state that was found: `carry_pace` wants it so, and if it is not
      // behind, then an earlier one was, and there is nothing to wait for.
      std::uint64_t const now = clock(layout, rules, line);
      if constexpr (Timeline::changes_sides) {
        if (result.kind == step_kind::behind) {
          result = change_sides(rules, line, result.state, now);
          if (result.kind == step_kind::issued) {
            if (count != nullptr)
              *count = 1;
            return result.state;
          }
        }
      }
      std::uint64_t const next = awaited(rules, result, now);
      pace.found_used_up(rules.unit(result.state), now);
      if (next > now) {
        if (!waited)
          pg_atomic_fetch_add_u64(&stats_of(line).waits, 1);
        waited = true;
        wait_for_clock(result.kind, rules.time(next), start);
      }
      break;
    }
    result = attempt(layout, rules, line, cell, pace, count);
  }
}

template <class Id, class Timeline>
std::uint64_t issue_states(Id const &layout, Timeline const &rules, timeline &line, std::uint64_t *count) {
  step_result const result = attempt(layout, rules, line, line, carry_pace{}, count);

  if (unlikely(result.kind != step_kind::issued))
    return issue_slowly(layout, rules, line, result, count);
  return result.state;
}

/// A state of the timeline that no other call was or will be given. With a `count`, that is how many are wanted, and is
/// set to how many were given, from that state on. Inlined: whether there is one is known where it is called.
template <class Id, class Timeline>
pg_attribute_always_inline std::uint64_t issue(Id const &layout, Timeline const &rules, timeline &line,
                                               std::uint64_t *count) {
  if (count == nullptr)
    return issue_states(layout, rules, line, nullptr);
  return issue_states(layout, in_bulk<Timeline>(rules), line, count);
}

/// A generator's SQL function. `Maker` is made of the call's arguments; `next` issues states, and `id` is the ID of
/// one.
template <class Maker> Datum next(PG_FUNCTION_ARGS) {
  Maker const maker(fcinfo);
  return put<typename Maker::type>(maker.id(maker.next(nullptr)));
}

/// The one that returns a set: the argument after those of `Maker` says how many. States are issued as many at a time
/// as one step gives, and when they are asked for: all of them in FROM, and in a select list as far as the query goes.
template <class Maker> Datum next_many(PG_FUNCTION_ARGS) {
  struct progress {
    std::uint64_t wanted;
    std::uint64_t left; ///< of those issued
    std::uint64_t state;
    std::uint64_t resets; ///< when they were issued
  };

  if (SRF_IS_FIRSTCALL()) {
    std::int64_t const wanted = PG_GETARG_INT64(Maker::arguments);
    if (wanted < 0)
      ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("number of IDs must not be negative"));
    FuncCallContext *const first = SRF_FIRSTCALL_INIT();
    auto *const start = static_cast<progress *>(MemoryContextAllocZero(first->multi_call_memory_ctx, sizeof(progress)));
    start->wanted = static_cast<std::uint64_t>(wanted);
    first->user_fctx = start;
  }
  FuncCallContext *const context = SRF_PERCALL_SETUP();
  auto &now = *static_cast<progress *>(context->user_fctx);

  if (now.wanted == 0)
    SRF_RETURN_DONE(context);
  Maker const maker(fcinfo);
  std::uint64_t const resets = attached == nullptr ? 0 : pg_atomic_read_u64(&attached->lease.resets);
  if (now.left == 0 || now.resets != resets) {
    now.left = now.wanted;
    now.resets = resets;
    now.state = maker.next(&now.left);
  }
  now.wanted--;
  now.left--;
  SRF_RETURN_NEXT(context, put<typename Maker::type>(maker.id(now.state++)));
}

} // namespace kid::pg
