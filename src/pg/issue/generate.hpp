// Issuing IDs.
//
// The fast path checks that this transaction has entered the clock (horizon/horizon.hpp), reads the system clock, loads
// the state, its limit and, for a type with lanes, the identity, and ends with one compare-and-swap. If another session
// was first, it steps on from that session's state. Everything else is out of line.
#pragma once

#include "../base/error.hpp"
#include "../base/settings.hpp"
#include "../clocks/sides.hpp"
#include "../horizon/floors.hpp"
#include "backfill.hpp"

namespace kid::pg {

/// Waits a moment, at most 10 ms, for the system clock to reach `until`. Raises an error if the caller has waited for
/// `clock` for `kid.max_wait` since `start`, or if the query is canceled.
void wait_for_clock(clock_ref const &clock, step_kind reason, unix_micros until, instr_time start);

/// Returns the reading to use if the system clock is at `now`, which is out of range for `layout`, or raises an error.
template <class Id, class Clock>
pg_noinline pg_attribute_cold clock_reading out_of_range(Id const &layout, Clock const &clock, clock_cell &cell,
                                                         unix_micros now) {
  if (!goes_on(layout, clock, cell.load(), now))
    time_error(layout);
  // The state may stay the same before the range, so the tick counts units of the system clock: from the least instant
  // that there is, so that it is not negative.
  auto const since_least = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(PG_INT64_MIN);
  auto const unit_micros = static_cast<std::uint64_t>(clock.time(clock.next_unit(0)) - clock.time(0));
  return {clock.at(Max(now, 0)), since_least / unit_micros};
}

/// Reads the system clock.
template <class Id, class Clock>
pg_attribute_always_inline clock_reading read_clock(Id const &layout, Clock const &clock, clock_cell &cell) {
  unix_micros const now = GetCurrentTimestamp() + postgres_epoch;

  if (unlikely(!in_range(layout, now)))
    return out_of_range(layout, clock, cell, now);
  std::uint64_t const state = clock.at(now);
  return {state, state};
}

/// Counts a step back of the system clock, and warns of a long one. Called if the state of clock `id` is ahead of a
/// reading of the system clock.
pg_noinline pg_attribute_cold void notice_ahead(clock_id id, std::uint64_t state);

/// Makes one step of clock `id`, whose `cell` is a `limited_cell`. `count` is as for advance().
template <class Id, class Clock, class Cell>
step_result attempt(Id const &layout, Clock const &clock, clock_id id, Cell cell, carry_pace const &pace,
                    std::uint64_t *count) {
  if constexpr (Clock::changes_sides) {
    return advance_on_side(
        clock, cell, [&] { return read_clock(layout, clock, cell.cell).state; }, pace, count);
  } else {
    clock_reading const now = read_clock(layout, clock, cell.cell);
    step_result const result = advance(clock, cell, now.state, pace.carry_from(now.tick), count);

    if (unlikely(result.state > clock.end(now.state)))
      notice_ahead(id, result.state);
    return result;
  }
}

/// `Server` of core/issue_loop.hpp. `kid.max_wait` holds for a wait for the bound, and for one for the system clock.
template <class Id, class Clock> struct issuing_session {
  Id const &layout;
  Clock const &clock;
  clock_ref const ref;
  std::uint64_t *count;
  instr_time start = {};   ///< of the wait for the system clock
  bool is_counted = false; ///< in kid_stats()

  issuing_session(Id const &its_layout, Clock const &its_clock, clock_id id, std::uint64_t *wanted)
      : layout(its_layout), clock(its_clock), ref(clock_of(id)), count(wanted) {
    INSTR_TIME_SET_CURRENT(start);
  }

  step_result attempt(carry_pace const &pace) const {
    return pg::attempt(layout, clock, ref.id, limited_cell<&clock_cell::bound>{ref.cell}, pace, count);
  }
  clock_reading read() const { return read_clock(layout, clock, ref.cell); }
  void renew(std::uint64_t state) {
    renew_lease(ref, state);
    INSTR_TIME_SET_CURRENT(start);
  }
  step_result change_sides(std::uint64_t last) const {
    step_result const result = pg::change_sides(ref, last, read().state);
    if (result.kind == step_kind::issued && count != nullptr)
      *count = 1;
    return result;
  }
  void wait(step_kind reason, unix_micros until) {
    if (!is_counted)
      pg_atomic_fetch_add_u64(&ref.stats.waits, 1);
    is_counted = true;
    wait_for_clock(ref, reason, until, start);
  }
  [[noreturn]] void end() const { clock_ended_error(); }
  bool may_try_again() const {
    CHECK_FOR_INTERRUPTS();
    return true;
  }
};

/// Does the rest of issue() if the first step did not issue a state. Although it is cold, each type has its own: the
/// steps need the layout and the clock, which depend on settings and on the lane. `clock_rules` does not.
template <class Id, class Clock>
pg_noinline pg_attribute_cold step_result issue_slowly(Id const &layout, Clock const &clock, clock_id id,
                                                       step_result result, std::uint64_t *count) {
  issuing_session<Id, Clock> session(layout, clock, id, count);

  return issue_after(clock, session, result);
}

template <class Id, class Clock>
step_result issue_states(Id const &layout, Clock const &clock, clock_id id, clock_cell &cell, std::uint64_t *count) {
  step_result const result = attempt(layout, clock, id, limited_cell<&clock_cell::renew_at>{cell}, carry_pace{}, count);

  if (unlikely(result.kind != step_kind::issued))
    return issue_slowly(layout, clock, id, result, count);
  return result;
}

/// Issues a state of clock `id` that no other call was or will be given. The result is `issued`, or `stale` if `clock`
/// is a stale `clock_of_identity`. `count` is as for advance(); inlined, because the caller knows whether there is one.
/// `function` is for the message of an error in enter().
template <class Id, class Clock>
pg_attribute_always_inline step_result issue(Id const &layout, Clock const &clock, clock_id id, char const *function,
                                             std::uint64_t *count) {
  // This is all that the horizon costs, except for the first ID of a transaction.
  clock_cell *const entered_cell = entered[id];
  clock_cell &cell = likely(entered_cell != nullptr) ? *entered_cell : enter(id, function);

  if (count == nullptr)
    return issue_states(layout, clock, id, cell, nullptr);
  return issue_states(layout, in_bulk<Clock>(clock), id, cell, count);
}

// A `Generator` is constructed from the arguments of a call. `next(count)` issues states, and `id(state)` returns the
// ID of one.

template <class Generator> Datum next(PG_FUNCTION_ARGS) {
  Generator const generator(fcinfo);
  return put<typename Generator::type>(generator.id(generator.next(nullptr)));
}

/// The generator that returns a set. The last argument says how many IDs. Each step takes a batch of states, of at most
/// the number still wanted. If a select list is not read to the end, the rest of a batch is lost.
template <class Generator> Datum next_many(PG_FUNCTION_ARGS) {
  struct progress {
    std::uint64_t wanted;
    std::uint64_t left;   ///< states that were issued and not returned yet
    std::uint64_t state;  ///< the first of them
    std::uint64_t resets; ///< what `lease_state::resets` was when they were issued
  };

  if (SRF_IS_FIRSTCALL()) {
    std::int64_t const wanted = PG_GETARG_INT64(PG_NARGS() - 1);
    if (wanted < 0)
      ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("number of IDs must not be negative"));
    FuncCallContext *const first = SRF_FIRSTCALL_INIT();
    auto *const start = static_cast<progress *>(MemoryContextAllocZero(first->multi_call_memory_ctx, sizeof(progress)));
    start->wanted = static_cast<std::uint64_t>(wanted);
    first->user_fctx = start;
  }
  FuncCallContext *const context = SRF_PERCALL_SETUP();
  auto &set = *static_cast<progress *>(context->user_fctx);

  if (set.wanted == 0)
    SRF_RETURN_DONE(context);
  Generator const generator(fcinfo);
  std::uint64_t const resets = shared_memory == nullptr ? 0 : pg_atomic_read_u64(&shared_memory->lease.resets);
  if (set.left == 0 || set.resets != resets) {
    set.left = set.wanted;
    set.resets = resets;
    set.state = generator.next(&set.left);
  }
  set.wanted--;
  set.left--;
  SRF_RETURN_NEXT(context, put<typename Generator::type>(generator.id(set.state++)));
}

} // namespace kid::pg

/// Exports T_next and T_next_many.
#define KID_EXPORT_GENERATOR(T, generator)                                                                             \
  KID_FUNCTION(T##_next, kid::pg::next<generator>)                                                                     \
  KID_FUNCTION(T##_next_many, kid::pg::next_many<generator>)
