#include "lease_lock.hpp"

#include "../base/settings.hpp"

namespace kid::pg {

namespace {

/// How long the first session that waits for standbys looks each millisecond whether they have confirmed.
constexpr std::int64_t soon_micros = 200'000;

instr_time monotonic_now() {
  instr_time now;
  INSTR_TIME_SET_CURRENT(now);
  return now;
}

std::int64_t micros_since(instr_time start) {
  instr_time passed = monotonic_now();
  INSTR_TIME_SUBTRACT(passed, start);
  return static_cast<std::int64_t>(INSTR_TIME_GET_MICROSEC(passed));
}

enum class lock_attempt : unsigned char { taken, in_use, unconfirmed };

lock_attempt try_lock(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
    return lock_attempt::in_use;
  if (is_confirmed(lease))
    return lock_attempt::taken;
  LWLockRelease(&lease.lock);
  return lock_attempt::unconfirmed;
}

[[noreturn]] void not_renewed_error(char const *name, lock_attempt last) {
  bool const unconfirmed = last == lock_attempt::unconfirmed;

  ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("bound of %s was not renewed in time", name),
          unconfirmed
              ? errdetail("Synchronous standbys have not confirmed it, and the value of \"kid.max_wait\" is "
                          "%d ms.",
                          max_wait)
              : errdetail("Another session is writing it, and the value of \"kid.max_wait\" is %d ms.", max_wait),
          unconfirmed ? errhint("Check the standbys in \"synchronous_standby_names\".")
                      : errhint("Try again later, or increase \"kid.max_wait\"."));
}

/// How long to sleep, in milliseconds, before the next attempt: neither a holder that raises an error nor a standby
/// wakes those who wait. The first session looks often whether standbys have confirmed, and wakes the others.
long sleep_before_next(lock_attempt last, bool is_first, instr_time start) {
  if (last == lock_attempt::in_use)
    return 10;
  if (!is_first)
    return 50;
  return micros_since(start) < soon_micros ? 1 : 10;
}

/// Waits until it has the lock, or raises an error when that took `kid.max_wait`. `name` is for its message.
void wait_for_lock(lease_state &lease, char const *name, lock_attempt last, bool is_first) {
  static std::uint32_t event = 0;
  instr_time const start = monotonic_now();
  bool for_standbys = false;

  if (event == 0)
    event = wait_event("KidLease");
  ConditionVariablePrepareToSleep(&lease.released);
  for (; last != lock_attempt::taken; last = try_lock(lease)) {
    bool const unconfirmed = last == lock_attempt::unconfirmed;
    for_standbys = for_standbys || unconfirmed;
    if (max_wait >= 0 && micros_since(start) > Max(max_wait, 10) * INT64CONST(1000))
      not_renewed_error(name, last);
    ConditionVariableTimedSleep(&lease.released, sleep_before_next(last, is_first, start),
                                unconfirmed ? std::uint32_t{WAIT_EVENT_SYNC_REP} : event);
  }
  ConditionVariableCancelSleep();
  if (for_standbys)
    lease.write_micros = micros_since(start);
}

extern "C" {
static void count_out(int, Datum stats) {
  pg_atomic_fetch_sub_u64(&reinterpret_cast<clock_stats *>(DatumGetPointer(stats))->waiting, 1);
}
} // extern "C"

} // namespace

bool is_held(lease_state &lease) {
  return LWLockHeldByMeInMode(&lease.lock, LW_EXCLUSIVE);
}

bool is_confirmed(lease_state &lease) {
  Assert(is_held(lease));
  if (lease.written == InvalidXLogRecPtr || !replicates_synchronously())
    return true;
  if (!standbys_have(lease.written, true))
    return synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE && standbys_have(lease.written, false);
  lease.written = InvalidXLogRecPtr;
  return true;
}

void take_lock(lease_state &lease, clock_ref const *clock) {
  lock_attempt const first = try_lock(lease);

  if (first == lock_attempt::taken)
    return;
  if (clock == nullptr) {
    wait_for_lock(lease, "IDs", first, true);
    return;
  }
  clock_stats &stats = clock->stats;
  bool const is_first = pg_atomic_fetch_add_u64(&stats.waiting, 1) == 0;
  if (is_first)
    pg_atomic_write_u64(&stats.waiting_since, static_cast<std::uint64_t>(GetCurrentTimestamp()));
  // Counted out also if the session is terminated.
  PG_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats));
  { wait_for_lock(lease, psprintf("IDs of %s", clock->rules.name), first, is_first); }
  PG_END_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats));
  count_out(0, PointerGetDatum(&stats));
}

} // namespace kid::pg
