#include "generate.hpp"

#include "../base/wait.hpp"
#include "../clocks/lease_lock.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

void notice_ahead(clock_id id, std::uint64_t state) {
  clock_ref const clock = clock_of(id);
  clock_rules const &rules = clock.rules;
  pg_atomic_uint64 &counted_until = clock.stats.counted_until;
  unix_micros const ahead = rules.time(state) - to_unix(GetCurrentTimestamp());

  // The earlier reading was merely old, or this unit was seen before: one write for each unit is enough.
  std::uint64_t seen = pg_atomic_read_u64(&counted_until);
  if (ahead <= 0 || state < seen)
    return;
  // While the system clock is behind, the logical clock moves by single units. So a longer move means another step.
  bool const another = state >= rules.next_unit(rules.next_unit(seen));
  if (!compare_exchange(counted_until, seen, rules.next_unit(state)) || !another)
    return;
  pg_atomic_fetch_add_u64(&clock.stats.backward_steps, 1);
  if (ahead >= notable_micros && keeps_highest_time())
    ereport(WARNING, errmsg("IDs of %s are %s ahead of the system clock", rules.name, display_span(ahead)),
            errdetail("The system clock is behind the time of the last ID issued, and IDs continue from that time."),
            errhint("IDs stay unique and ordered. If the system clock is behind now, set it forward. If it was ahead "
                    "before and is right now, see kid_reset_clock()."));
}

void wait_for_clock(clock_ref const &clock, step_kind reason, unix_micros until, instr_time start) {
  bool const behind = reason == step_kind::behind;
  char const *const name = clock.rules.name;
  wait_event const event = behind ? wait_event::clock : wait_event::sequence;
  instr_time waited;

  CHECK_FOR_INTERRUPTS();
  unix_micros const missing = until - to_unix(GetCurrentTimestamp());
  if (missing <= 0)
    return;
  // The holder waits for this transaction, which could go on only when the holder has lowered the clock.
  if (behind && is_held(clock.id))
    held_error(clock);
  long timeout = Min(missing / 1000, 10);
  INSTR_TIME_SET_CURRENT(waited);
  INSTR_TIME_SUBTRACT(waited, start);
  if (max_wait >= 0) {
    auto const remaining = max_wait - static_cast<long>(INSTR_TIME_GET_MILLISEC(waited));
    if (remaining <= 0)
      ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
              behind ? errmsg("system clock is behind the last ID of %s", name)
                     : errmsg("all IDs of %s in the current time unit are used up", name),
              behind ? errdetail("It must advance by %s before the next ID can be made, and the value of "
                                 "\"kid.max_wait\" is %d ms.",
                                 display_span(missing), max_wait)
                     : errdetail("The next time unit begins in %.3f ms, and the value of \"kid.max_wait\" is %d ms.",
                                 static_cast<double>(missing) / 1e3, max_wait),
              errhint("Try again later, or increase \"kid.max_wait\"."));
    timeout = Min(timeout, remaining);
  }

  if (missing < 1000) {
    // A latch waits for whole milliseconds, by which time the awaited time unit would be over.
    pgstat_report_wait_start(number_of(event));
    pg_usleep(static_cast<long>(missing));
    pgstat_report_wait_end();
    return;
  }
  wait_briefly(timeout, event);
}

} // namespace kid::pg
