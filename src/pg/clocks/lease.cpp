#include "lease.hpp"

#include "../base/datum.hpp"
#include "../base/settings.hpp"
#include "sides.hpp"

namespace kid::pg {

page_bounds page_with(page_bounds page, clock_ref const &clock, std::uint64_t last) {
  page.last[clock.id] = last;
  page.safe[clock.id] = pg_atomic_read_u64(&clock.cell.safe);
  return page;
}

page_bounds const *known_page(lease_state const &lease) {
  return lease.failed ? nullptr : &lease.page;
}

bool put_page(lease_state &lease, page_bounds const &page) {
  Assert(LWLockHeldByMeInMode(&lease.lock, LW_EXCLUSIVE));
  page_bounds const *const known = known_page(lease);
  if (known != nullptr && memcmp(&page, known, sizeof page) == 0)
    return true;
  lease.written_at = monotonic_micros();
  // An error in the write leaves this function at once. So the failure is noted before, and withdrawn after.
  lease.failed = true;
  lease.unconfirmed = write_page(page);
  XLogFlush(lease.unconfirmed);
  lease.page = page;
  lease.failed = false;
  lease.pending_micros = monotonic_micros() - lease.written_at;
  if (!replicates_synchronously())
    lease.write_micros = lease.pending_micros;
  return is_confirmed(lease);
}

void set_bound(clock_ref const &clock, std::uint64_t bound, std::uint64_t renew_at) {
  Assert(LWLockHeldByMeInMode(&shared_memory->lease.lock, LW_EXCLUSIVE));
  pg_atomic_write_u64(&clock.cell.renew_at, Min(renew_at, bound));
  pg_atomic_write_u64(&clock.cell.bound, bound);
  pg_write_barrier(); // pairs with the one in permits()
}

std::uint64_t take_bound_back(clock_ref const &clock, std::uint64_t bound) {
  set_bound(clock, 0, 0);
  return leave_unit(clock.rules, clock.cell, bound);
}

namespace {

/// Returns the lease to put in force, in milliseconds. It cannot be off while a bound is ahead of the system clock: the
/// clocks start at that bound, and without a new bound the next start would begin there again.
int lease_length_at_start(page_bounds const &page, unix_micros now) {
  int length = lease_length;

  for_each_clock(*shared_memory, [&](clock_ref const &clock) {
    if (length == 0 && clock.rules.time(page.last[clock.id]) >= now)
      length = default_lease_length;
  });
  return length;
}

/// Starts a clock at the end of the unit of `written`, the state on the page, above which nothing was issued. Without a
/// lease, that state can be within its unit. A horizon or a change of lanes may move the clock to the end before the
/// page is written, so that after a crash it has to start there again.
void start_clock(lease_state &lease, clock_ref const &clock, std::uint64_t written, unix_micros now) {
  clock_rules const &rules = clock.rules;
  std::uint64_t const last = written == 0 ? 0 : rules.end_of_unit(written, written);
  unix_micros const margin = usual_start(lease.length * INT64CONST(1000));
  bool const is_usual = rules.time(last) <= now + margin;
  // If the lease is on, it has to be renewed first.
  std::uint64_t const bound = lease.length > 0 ? 0 : no_bound;

  pg_atomic_write_u64(&clock.stats.counted_until, is_usual ? rules.next_unit(last) : 0);
  start_sides(lease, clock, last, now, margin, is_usual);
  pg_atomic_write_u64(&clock.cell.state, last);
  pg_write_barrier(); // pairs with those in permits() and open_clocks()
  pg_atomic_write_u64(&clock.cell.bound, bound);
  pg_atomic_write_u64(&clock.cell.renew_at, bound);
}

} // namespace

void open_lease(shared_state &shared) {
  lease_state &lease = shared.lease;

  Assert(LWLockHeldByMeInMode(&lease.lock, LW_EXCLUSIVE));
  if (lease.open)
    return;
  memset(&lease.page, 0, sizeof lease.page);
  XLogRecPtr lsn = InvalidXLogRecPtr;
  page_state const state = read_page(lease.page, lsn);
  bool const found = state == page_state::good;
  bool const other_system = found && lease.page.system != GetSystemIdentifier();
  lease.page.system = GetSystemIdentifier();
  unix_micros const now = to_unix(GetCurrentTimestamp());
  lease.length = lease_length_at_start(lease.page, now);
  // A synchronous standby may not have this page: the server can have stopped before the standby confirmed it.
  lease.unconfirmed = lease.length > 0 ? lsn : InvalidXLogRecPtr;
  lease.written_at = monotonic_micros();
  for_each_clock(shared, [&](clock_ref const &clock) { start_clock(lease, clock, lease.page.last[clock.id], now); });
  pg_write_barrier(); // pairs with the one in open_clocks()
  lease.open = true;
  if (!found && lease.length > 0)
    ereport(LOG, errmsg("IDs start from the system clock, as no bound of earlier IDs was found"),
            errdetail("%s", describe_unwritten(state)),
            errhint("After pg_upgrade, or if IDs are in use for another reason, call kid_observe_all()."));
  if (other_system)
    ereport(LOG, errmsg("IDs start from the bound of a server with another system identifier"),
            errhint("If rows came to this server by logical replication, as after pg_createsubscriber, call "
                    "kid_observe_all() before it makes IDs for their tables."));
}

bool mend_bounds(unix_micros time) {
  lease_state &lease = shared_memory->lease;
  bool written = false;

  take_lock(lease, nullptr);
  release_after(&lease.lock, [&] {
    page_bounds page = {};

    if (lease.open) {
      // `lease.page` is what was on the page.
      page = lease.page;
    } else if (time <= to_unix(GetCurrentTimestamp()) + max_observe * INT64CONST(1000)) {
      for_each_clock(*shared_memory, [&](clock_ref const &clock) {
        page.last[clock.id] = clock.rules.end_of_unit(clock.rules.state_at(time), 0);
      });
      // What each side has used until then is unknown, so all of it counts as used.
      memcpy(page.safe, page.last, sizeof page.safe);
      page.system = GetSystemIdentifier();
    } else {
      return;
    }
    XLogRecPtr const lsn = mend_page(page);
    written = lsn != InvalidXLogRecPtr;
    XLogFlush(lsn);
  });
  if (written)
    ereport(NOTICE, errmsg("page of the bounds of IDs was written anew"));
  return written;
}

bool writing_failed(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_SHARED))
    return false;
  bool const failed = lease.failed;
  LWLockRelease(&lease.lock);
  return failed;
}

namespace {

/// While standbys have not confirmed a bound, a session that could use the bound tries again after this time.
constexpr unix_micros look_again_micros = 5000;

/// Raises the bound in shared memory to `bound`, which is on the page. Renewal is due halfway between `from` and the
/// bound.
void publish(clock_ref const &clock, std::uint64_t bound, unix_micros from) {
  set_bound(clock, bound, clock.rules.state_after(time_to_renew(from, clock.rules.time(bound))));
  pg_atomic_fetch_add_u64(&clock.stats.renewals, 1);
}

/// Renews the lease of a clock that has not reached its bound yet, unless another session does.
void renew_early(clock_ref const &clock, std::uint64_t next) {
  lease_state &lease = shared_memory->lease;
  clock_rules const &rules = clock.rules;
  pg_atomic_uint64 &renew_at = clock.cell.renew_at;

  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
    return;
  release_after(&lease.lock, [&] {
    if (next < pg_atomic_read_u64(&renew_at) || next >= bound_of(clock))
      return;
    // Not from `next`: the clock may have been set or changed sides since.
    if (!is_confirmed(lease) || !extend(lease, clock, clock.cell.load()))
      pg_atomic_write_u64(&renew_at, Min(bound_of(clock), rules.state_after(rules.time(next) + look_again_micros)));
  });
  ConditionVariableBroadcast(&lease.released);
}

/// If the page is known to have a higher bound than the one in force, because that had to wait for standbys, puts it in
/// force and returns true. The caller has checked that the page is_confirmed(), needs a bound above `next`, and would
/// reserve `span`.
bool publish_written(lease_state const &lease, clock_ref const &clock, std::uint64_t next, lease_span const &span) {
  page_bounds const *const known = known_page(lease);

  if (known == nullptr)
    return false;
  std::uint64_t const last = known->last[clock.id];
  std::uint64_t const bound = clock.rules.next_unit(last);
  if (bound <= bound_of(clock) || last <= next || clock.rules.on_other_side(last, clock.cell.load()) ||
      !span.is_near(clock.rules.time(bound)))
    return false;
  publish(clock, bound, span.from);
  return true;
}

} // namespace

// If the write of the page raises an error, the session that renews has that error, and the bound in force stays. Other
// sessions issue IDs up to that bound. The first one that reaches it tries the write again, as does each one after it,
// and has the error if the write still fails. None goes on from what it takes to be on the page (known_page()): a write
// that lowered a bound may have reached the page, and the bound that was there before would not survive a crash.
bool extend(lease_state &lease, clock_ref const &clock, std::uint64_t next) {
  clock_rules const &rules = clock.rules;
  unix_micros const now = to_unix(GetCurrentTimestamp());
  lease_span const span = span_to_reserve(lease.length * INT64CONST(1000), lease.write_micros, now, rules.time(next));

  if (publish_written(lease, clock, next, span))
    return true;
  // Others go on without trying to renew. If this renewal fails, they renew when they reach the bound.
  pg_atomic_write_u64(&clock.cell.renew_at, bound_of(clock));
  std::uint64_t bound = rules.state_after(span.until);
  if (bound_of(clock) > bound && span.is_too_far(rules.time(bound_of(clock)))) {
    unix_micros const reached = rules.time(take_bound_back(clock, bound_of(clock)));
    bound = Max(bound, rules.state_after(reached + near_micros));
  } else {
    bound = Max(bound, bound_of(clock));
  }
  if (!put_page(lease, page_with(lease.page, clock, rules.last_before(clock.cell.load(), bound))))
    return false;
  // If the system clock went back during the write, the next session that reaches the old bound renews.
  if (to_unix(GetCurrentTimestamp()) >= now)
    publish(clock, bound, span.from);
  return true;
}

extern "C" {
static void write_bounds(int, Datum) {
  lease_state &lease = shared_memory->lease;

  // Nothing may be written after the last checkpoint, which waits only until each walsender has ended or is stopping. A
  // walsender can also run SQL.
  if (lease.length > 0 || !lease.open || (MyWalSnd != nullptr && MyWalSnd->state == WALSNDSTATE_STOPPING))
    return;
  // To use buffers takes a transaction, and this one may have failed.
  AbortOutOfAnyTransaction();
  StartTransactionCommand();
  // Not take_lock(): it may wait for standbys, and this session cannot be interrupted any more.
  LWLockAcquire(&lease.lock, LW_EXCLUSIVE);
  release_after(&lease.lock, [&] {
    if (lease.length > 0) // another session has opened the lease meanwhile
      return;
    page_bounds page = lease.page;
    for_each_clock(*shared_memory, [&](clock_ref const &clock) { page = page_with(page, clock, clock.cell.load()); });
    static_cast<void>(put_page(lease, page));
    lease.unconfirmed = InvalidXLogRecPtr;
  });
  CommitTransactionCommand();
}
} // extern "C"

void open_clocks(clock_cell &cell) {
  if (unlikely(pg_atomic_read_u64(&cell.bound) == 0) && !shared_memory->lease.open)
    with_lease(nullptr, [](lease_state &) {});
  pg_read_barrier(); // pairs with those in open_lease() and start_clock()
}

void await_standbys(clock_cell &cell) {
  if (unlikely(pg_atomic_read_u64(&cell.bound) == 0) && replicates_synchronously())
    with_lease(nullptr, [](lease_state &lease) { return is_confirmed(lease); });
}

void write_bounds_at_exit() {
  static bool registered = false;

  if (!registered)
    before_shmem_exit(write_bounds, 0);
  registered = true;
}

void clock_ended_error() {
  ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("the range of IDs is used up"),
          errdetail("There is no time unit after that of the last ID issued."));
}

void renew_lease(clock_ref const &clock, std::uint64_t next) {
  if (next < bound_of(clock)) {
    renew_early(clock, next);
    return;
  }
  with_lease(&clock, [&](lease_state &lease) {
    std::uint64_t const bound = bound_of(clock);
    if (next < bound)
      return true;
    if (!extend(lease, clock, clock.cell.load()))
      return false;
    // extend() could not raise the bound, because it is the first state of the last unit that the clock can represent.
    // A bound of 0 stands for none.
    if (bound_of(clock) == bound && bound != 0 && clock.rules.next_unit(bound) == bound)
      clock_ended_error();
    return true;
  });
}

} // namespace kid::pg
