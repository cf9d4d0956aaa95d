#include "bounds.hpp"

#include "../base/datum.hpp"
#include "../base/settings.hpp"
#include "lease_lock.hpp"
#include "move_clock.hpp"

namespace kid::pg {

page_bounds page_with(lease_state &lease, clock_ref const &clock, std::uint64_t last) {
  page_bounds page = lease.page;

  page.last[clock.id] = last;
  if (clock.rules.sides != 0)
    page.safe[clock.id] = pg_atomic_read_u64(&lease.safe);
  return page;
}

bool put_page(lease_state &lease, page_bounds const &page) {
  Assert(has_lock(lease));
  if (memcmp(&page, &lease.page, sizeof page) == 0)
    return true;
  lease.written_at = monotonic_micros();
  lease.failed = true;
  lease.unconfirmed = write_page(page);
  lease.page = page;
  XLogFlush(lease.unconfirmed);
  lease.failed = false;
  lease.pending_micros = monotonic_micros() - lease.written_at;
  if (!replicates_synchronously())
    lease.write_micros = lease.pending_micros;
  return is_confirmed(lease);
}

void set_bound(clock_ref const &clock, std::uint64_t bound, std::uint64_t renew_at) {
  Assert(has_lock(shared_memory->lease));
  pg_atomic_write_u64(&clock.cell.renew_at, Min(renew_at, bound));
  pg_atomic_write_u64(&clock.cell.bound, bound);
  pg_write_barrier(); // pairs with the one in permits_below()
}

std::uint64_t take_bound_back(clock_ref const &clock) {
  set_bound(clock, 0, 0);
  return leave_unit(clock);
}

void keep_time(clock_ref const &clock, std::uint64_t last, unix_micros now, unix_micros margin) {
  pg_atomic_write_u64(&clock.cell.keep_from, clock.rules.state_at(now - margin));
  pg_atomic_write_u64(&clock.cell.keep_until, clock.rules.state_at(clock.rules.time(last) + margin));
}

namespace {

/// Returns the lease to put in force, in milliseconds. It cannot be off while a bound is ahead of the system clock: the
/// clocks start at that bound, and without a new bound the next start would begin there again.
int lease_length_at_start(page_bounds const &page, unix_micros now) {
  int length = lease_length;

  for_each_clock(*shared_memory, [&](clock_ref const &clock) {
    if (length == 0 && clock.rules.time(page.last[clock.id]) >= now)
      length = 1000;
  });
  return length;
}

/// Starts a clock at `last`, above which nothing was issued.
void start_clock(lease_state &lease, clock_ref const &clock, std::uint64_t last, unix_micros now) {
  clock_rules const &rules = clock.rules;
  // Any start may be ahead of the system clock by this much, even if the system clock did not go back.
  unix_micros const usual = Max(lease.length * INT64CONST(1000), slow_micros) + notable_micros;
  bool const is_usual = rules.time(last) <= now + usual;
  // If the lease is on, it has to be renewed first.
  std::uint64_t const bound = lease.length > 0 ? 0 : no_bound;

  pg_atomic_write_u64(&clock.stats.counted_until, is_usual ? rules.next_unit(last) : 0);
  if (rules.sides != 0) {
    std::uint64_t const safe = lease.page.safe[clock.id];
    pg_atomic_write_u64(&lease.safe, safe);
    // If the other side has used the time of the system clock too, changing sides would only make generators wait.
    if (is_usual || rules.state_at(now) <= safe)
      keep_time(clock, last, now, usual);
  }
  pg_atomic_write_u64(&clock.cell.state, last);
  pg_write_barrier(); // pairs with those in permits_below() and open_clocks()
  pg_atomic_write_u64(&clock.cell.bound, bound);
  pg_atomic_write_u64(&clock.cell.renew_at, bound);
}

} // namespace

void open_lease(shared_state &shared) {
  lease_state &lease = shared.lease;

  Assert(has_lock(lease));
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
            errdetail("%s", describe_first_start(state)),
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
  return written;
}

bool writing_failed(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_SHARED))
    return false;
  bool const failed = lease.failed;
  LWLockRelease(&lease.lock);
  return failed;
}

} // namespace kid::pg
