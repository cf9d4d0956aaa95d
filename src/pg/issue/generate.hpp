// Issuing IDs.
//
// The fast path is: check that this process is attached, read the system clock, split it into the ID's fields, one load
// and one compare-and-swap. All else is out of line.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../base/export.hpp"
#include "../base/settings.hpp"
#include "../clocks/lease.hpp"
#include "backfill.hpp"

namespace kid::pg {

/// Waits a moment, at most 10 ms, for the system clock to reach `until`. Raises an error when waiting for the clock of
/// `cell` took `kid.max_wait` since `start`, or when the query is canceled.
void wait_for_clock(clock_cell const &cell, step_kind reason, unix_micros until, instr_time start);

/// The time to take when the system clock says `now`, which `layout` cannot hold. A logical clock that keeps the
/// highest time goes on from that when the system clock went back before all that an ID can carry; anything else is an
/// error.
template <class Id, class Clock>
pg_noinline pg_attribute_cold unix_micros out_of_range(Id const &layout, Clock const &clock, clock_cell &cell,
                                                       unix_micros now) {
  if (!clock.holds(cell.load(), 0) || now > layout.last() || cell.load() <= clock.at(layout.first()))
    time_error(layout);
  return Max(now, 0);
}

/// The unit of `clock` that the system clock is in, as its first state.
template <class Id, class Clock>
pg_attribute_always_inline std::uint64_t read_clock(Id const &layout, Clock const &clock, clock_cell &cell) {
  unix_micros now = GetCurrentTimestamp() + postgres_epoch;

  if (unlikely(!holds(layout, now)))
    now = out_of_range(layout, clock, cell, now);
  return clock.at(now);
}

/// Called when the state of a clock is ahead of a reading of the system clock.
pg_noinline pg_attribute_cold void notice_ahead(clock_cell &cell, std::uint64_t state);

/// Whether a `Clock` is that of an identity, and has it as `identity`, packed: its sequence is divided into lanes.
template <class Clock, class = void> inline constexpr bool has_identity = false;
template <class Clock> inline constexpr bool has_identity<Clock, std::void_t<decltype(&Clock::identity)>> = true;

/// Whether the clock can be gone by: it has no identity, or the one in force.
template <class Clock> pg_attribute_always_inline bool is_in_force(Clock const &clock) {
  if constexpr (has_identity<Clock>)
    return clock.identity == pg_atomic_read_u64(&shared_memory->identity.word);
  else
    return true;
}

/// `View` as long as `clock` is in force, and nothing of it afterwards.
template <class Clock, class View> struct while_in_force {
  Clock const &clock;
  View &view;

  std::uint64_t load() noexcept { return view.load(); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return view.compare_exchange(expected, desired);
  }
  std::uint64_t limit() noexcept {
    // The barrier in here is between the state and the identity, too: pairs with the one in put_in_force(), which
    // moves the clock after it has changed the identity.
    std::uint64_t const limit = view.limit();
    return is_in_force(clock) ? limit : 0;
  }
};

/// One step of a clock, in `view`, which is `cell` itself or all of its lease. `count` as of `advance`.
template <class Id, class Clock, class View>
step_result attempt(Id const &layout, Clock const &clock, clock_cell &cell, View &view, carry_pace const &pace,
                    std::uint64_t *count) {
  if constexpr (Clock::changes_sides) {
    return advance_in_order(
        clock, view, [&] { return read_clock(layout, clock, cell); }, pace, count);
  } else {
    while_in_force<Clock, View> current = {clock, view};
    std::uint64_t const now = read_clock(layout, clock, cell);
    step_result const result = advance(clock, current, now, pace.carry_from(now), count);

    if (unlikely(result.state > clock.end(now)))
      notice_ahead(cell, result.state);
    return result;
  }
}

/// No state: nothing is issued at the beginning of time.
constexpr std::uint64_t no_state = 0;

/// The rest of `issue`, when the first step did not get on.
template <class Id, class Clock>
pg_noinline pg_attribute_cold std::uint64_t issue_slowly(Id const &layout, Clock const &clock, clock_cell &cell,
                                                         step_result result, std::uint64_t *count) {
  whole_lease view = {cell};
  carry_pace pace;
  instr_time start;
  bool waited = false;

  INSTR_TIME_SET_CURRENT(start);
  for (;;) {
    switch (result.kind) {
    case step_kind::issued:
      return result.state;
    case step_kind::ended:
      clock_ended_error();
    case step_kind::beyond:
      if (!is_in_force(clock))
        return no_state;
      CHECK_FOR_INTERRUPTS();
      renew_lease(cell, result.state);
      // Waiting for the bound and waiting for the system clock have `kid.max_wait` each.
      INSTR_TIME_SET_CURRENT(start);
      break;
    case step_kind::used_up:
    case step_kind::behind:
      // This reading of the system clock is younger than the state that was found: `carry_pace` wants it so, and if it
      // is not behind, then an earlier one was, and there is nothing to wait for.
      std::uint64_t const now = read_clock(layout, clock, cell);
      if constexpr (Clock::changes_sides) {
        if (result.kind == step_kind::behind) {
          result = change_sides(clock, cell, result.state, now);
          if (result.kind == step_kind::issued) {
            if (count != nullptr)
              *count = 1;
            return result.state;
          }
        }
      }
      std::uint64_t const next = awaited(clock, result, now);
      pace.found_used_up(clock.unit(result.state), now);
      if (next > now) {
        if (!waited)
          pg_atomic_fetch_add_u64(&stats_of(cell).waits, 1);
        waited = true;
        wait_for_clock(cell, result.kind, clock.time(next), start);
      }
      break;
    }
    result = attempt(layout, clock, cell, view, pace, count);
  }
}

template <class Id, class Clock>
std::uint64_t issue_states(Id const &layout, Clock const &clock, clock_cell &cell, std::uint64_t *count) {
  step_result const result = attempt(layout, clock, cell, cell, carry_pace{}, count);

  if (unlikely(result.kind != step_kind::issued))
    return issue_slowly(layout, clock, cell, result, count);
  return result.state;
}

/// A state of the clock that no other call was or will be given. With a `count`, that is how many are wanted, and is
/// set to how many were given, from that state on. Inlined: whether there is one is known where it is called.
/// `no_state` where another identity than that of the clock is in force.
template <class Id, class Clock>
pg_attribute_always_inline std::uint64_t issue(Id const &layout, Clock const &clock, clock_cell &cell,
                                               std::uint64_t *count) {
  if (count == nullptr)
    return issue_states(layout, clock, cell, nullptr);
  return issue_states(layout, in_bulk<Clock>(clock), cell, count);
}

// A `Generator` is made of the arguments of a call, of which `arguments` come first. `next(count)` issues states, and
// `id(state)` is the ID of one. `id_at(time)`, static, makes the ID of T_at().

template <class Generator> Datum next(PG_FUNCTION_ARGS) {
  Generator const generator(fcinfo);
  return put<typename Generator::type>(generator.id(generator.next(nullptr)));
}

/// The one that returns a set: the argument after those of `Generator` says how many. States are issued as many at a
/// time as one step gives, and when they are asked for: all of them in FROM, and in a select list as far as the query
/// goes.
template <class Generator> Datum next_many(PG_FUNCTION_ARGS) {
  struct progress {
    std::uint64_t wanted;
    std::uint64_t left; ///< of those issued
    std::uint64_t state;
    std::uint64_t resets; ///< when they were issued
  };

  if (SRF_IS_FIRSTCALL()) {
    std::int64_t const wanted = PG_GETARG_INT64(Generator::arguments);
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
  Generator const generator(fcinfo);
  std::uint64_t const resets = shared_memory == nullptr ? 0 : pg_atomic_read_u64(&shared_memory->lease.resets);
  if (now.left == 0 || now.resets != resets) {
    now.left = now.wanted;
    now.resets = resets;
    now.state = generator.next(&now.left);
  }
  now.wanted--;
  now.left--;
  SRF_RETURN_NEXT(context, put<typename Generator::type>(generator.id(now.state++)));
}

} // namespace kid::pg

/// Exports T_next(), T_next(n) and T_at(), which is called with `fcinfo`.
#define KID_EXPORT_GENERATOR(T, generator, at)                                                                         \
  KID_FUNCTION(T##_next, kid::pg::next<generator>)                                                                     \
  KID_FUNCTION(T##_next_many, kid::pg::next_many<generator>)                                                           \
  KID_FUNCTION(T##_at, at)
