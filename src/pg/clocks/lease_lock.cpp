#include "lease_lock.hpp"

#include "../base/settings.hpp"
#include "../base/wait.hpp"

namespace kid::pg {

namespace {

/// For this long, the first session that waits for standbys checks on them every millisecond. After that it checks
/// every 10 ms, and standbys are reminded, once in `remind_micros`.
constexpr std::int64_t soon_micros = 200'000;
constexpr std::int64_t remind_micros = 1'000'000;

/// Returns whether synchronous standbys have flushed `lsn`, or, if `flushed` is false, have written it. Does not wait,
/// as SyncRepWaitForLSN() would: an interrupt sends a message to the client then, which may not read it.
bool standbys_have(XLogRecPtr lsn, bool flushed) {
  LWLockAcquire(SyncRepLock, LW_SHARED);
  bool const confirmed = WalSndCtl->lsn[flushed ? SYNC_REP_WAIT_FLUSH : SYNC_REP_WAIT_WRITE] >= lsn;
  LWLockRelease(SyncRepLock);
  return confirmed;
}

/// What a session waits for: the lock, standbys that have yet to confirm the page, or a clock that is held.
enum class obstacle : unsigned char { none, lock_in_use, unconfirmed, held };

/// Logs the page once more. A standby that has just become a synchronous one has the WAL already, and would confirm it
/// only with the next WAL that it receives, or after wal_receiver_status_interval. kid is not told when that happens,
/// so whichever session waits reminds them. When another standby became synchronous, no IDs were made for 0.03 to 0.09
/// s; without reminders it was 0.8 to 8.8 s.
void remind_standbys(lease_state &lease) {
  std::int64_t const now = monotonic_micros();

  if (now - lease.written_at <= soon_micros || now < lease.remind_at)
    return;
  lease.remind_at = now + remind_micros;
  XLogFlush(write_page(lease.page));
}

/// Takes the lock if it returns `none`.
obstacle try_lock(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
    return obstacle::lock_in_use;
  if (is_confirmed(lease))
    return obstacle::none;
  release_after(&lease.lock, [&] { remind_standbys(lease); });
  return obstacle::unconfirmed;
}

[[noreturn]] void not_renewed_error(clock_ref const *clock, bool unconfirmed) {
  ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
          errmsg("bound of %s was not renewed in time",
                 clock == nullptr ? "IDs" : psprintf("IDs of %s", clock->rules.name)),
          unconfirmed
              ? errdetail("Synchronous standbys have not confirmed it, and the value of \"kid.max_wait\" is "
                          "%d ms.",
                          max_wait)
              : errdetail("Another session is writing it, and the value of \"kid.max_wait\" is %d ms.", max_wait),
          unconfirmed ? errhint("Check the standbys in \"synchronous_standby_names\".")
                      : errhint("Try again later, or increase \"kid.max_wait\"."));
}

/// Waits until `again` returns `none`; `last` is what it returned before. Raises an error after `kid.max_wait`.
/// `clock` is that of take_lock(), and not null if it may be held. Must wake by itself, because neither a standby wakes
/// it nor a session that raises an error while it has the lock. The first session that waits for standbys checks on
/// them more often, and wakes the others.
template <class Again> void wait(clock_ref const *clock, obstacle last, bool is_first, Again again) {
  bool const held = last == obstacle::held; // await_release() waits for nothing else, and take_lock() never for this
  std::uint32_t const event = number_of(held ? wait_event::hold : wait_event::lease);
  lease_state &lease = shared_memory->lease;
  std::int64_t const start = monotonic_micros();

  ConditionVariablePrepareToSleep(&lease.released);
  for (; last != obstacle::none; last = again(lease)) {
    bool const unconfirmed = last == obstacle::unconfirmed;
    std::int64_t const waited = monotonic_micros() - start;
    // With a lower kid.max_wait, too, the wait lasts 10 ms: otherwise each write of the bound by another session would
    // be an error.
    if (max_wait >= 0 && waited > Max(max_wait, 10) * INT64CONST(1000)) {
      if (held)
        held_error(*clock);
      not_renewed_error(clock, unconfirmed);
    }
    long const pause = !unconfirmed ? 10 : !is_first ? 50 : waited < soon_micros ? 1 : 10;
    ConditionVariableTimedSleep(&lease.released, pause, unconfirmed ? std::uint32_t{WAIT_EVENT_SYNC_REP} : event);
  }
  ConditionVariableCancelSleep();
}

extern "C" {
static void count_out(int, Datum waiting) {
  pg_atomic_fetch_sub_u64(reinterpret_cast<pg_atomic_uint64 *>(DatumGetPointer(waiting)), 1);
}
} // extern "C"

/// Does the same as wait() for a session that makes IDs of `clock`; kid_stats() shows that it waits.
template <class Again> void wait_counted(clock_ref const &clock, obstacle last, Again again) {
  clock_stats &stats = clock.stats;
  bool const is_first = pg_atomic_fetch_add_u64(&stats.waiting, 1) == 0;

  if (is_first)
    pg_atomic_write_u64(&stats.waiting_since, static_cast<std::uint64_t>(GetCurrentTimestamp()));
  // Decrement the count even if the session is terminated.
  PG_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats.waiting));
  { wait(&clock, last, is_first, again); }
  PG_END_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats.waiting));
  count_out(0, PointerGetDatum(&stats.waiting));
}

} // namespace

std::int64_t monotonic_micros() {
  timespec now = {};

  // Not instr_time: from PostgreSQL 19 on, a setting of the session chooses the clock that instr_time uses.
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

bool replicates_synchronously() {
  // The checkpointer's status is the same for all sessions. Right after a start it may not be set yet; then the setting
  // of this session has to do.
  auto const status = WalSndCtl->sync_standbys_status;
  bool const known = (status & SYNC_STANDBY_INIT) != 0;
  return SyncRepRequested() && (known ? (status & SYNC_STANDBY_DEFINED) != 0 : *SyncRepStandbyNames != '\0');
}

bool is_confirmed(lease_state &lease) {
  Assert(LWLockHeldByMeInMode(&lease.lock, LW_EXCLUSIVE));
  if (lease.unconfirmed == InvalidXLogRecPtr || !replicates_synchronously())
    return true;
  // The standbys confirmed at some time since the last check, which may be long ago. So count at most twice the time
  // that had passed then.
  std::int64_t const pending = monotonic_micros() - lease.written_at;
  std::int64_t const write_micros = Min(2 * lease.pending_micros, pending);
  if (standbys_have(lease.unconfirmed, true)) {
    lease.unconfirmed = InvalidXLogRecPtr;
    lease.write_micros = write_micros;
    return true;
  }
  lease.pending_micros = pending;
  if (synchronous_commit != SYNCHRONOUS_COMMIT_REMOTE_WRITE || !standbys_have(lease.unconfirmed, false))
    return false;
  // Each write may come before standbys have flushed the one before. Then only this line lengthens the lease.
  lease.write_micros = Max(lease.write_micros, write_micros);
  return true;
}

void take_lock(lease_state &lease, clock_ref const *clock) {
  obstacle const first = try_lock(lease);

  if (first == obstacle::none)
    return;
  if (clock == nullptr)
    wait(nullptr, first, true, try_lock);
  else
    wait_counted(*clock, first, try_lock);
}

void held_error(clock_ref const &clock) {
  ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("IDs of %s are held back", clock.rules.name),
          errdetail("Process %d holds their clock for kid_reset_clock(), and the value of \"kid.max_wait\" is %d ms.",
                    holding_process(), max_wait),
          errhint("Try again later, or increase \"kid.max_wait\"."));
}

void await_release(clock_ref const &clock) {
  if (!is_held(clock.id))
    return;
  if (holding_process() == MyProcPid)
    held_error(clock);
  wait_counted(clock, obstacle::held,
               [id = clock.id](lease_state &) { return is_held(id) ? obstacle::held : obstacle::none; });
}

} // namespace kid::pg
