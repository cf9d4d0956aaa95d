#include "lease.hpp"

#include "../base/datum.hpp"
#include "../base/locked.hpp"
#include "../base/settings.hpp"

namespace kid::pg {

namespace {

/// How far the bound is ahead of a logical clock that is ahead of the system clock itself. Such a clock goes on by no
/// more than a time unit while one passes, so it is some time until the next renewal.
constexpr unix_micros near_micros = 8000;

/// On a disk that takes longer than the lease is long, it would be over before it is written. So it is as long as two
/// writes, but no longer than this.
constexpr std::int64_t slow_micros = 10'000'000;

/// A step back of the system clock that somebody should hear of. Anything less is an adjustment as any clock has them.
constexpr unix_micros notable_micros = 1'000'000;

/// While standbys have not confirmed a bound, a session that could use it looks again after this time.
constexpr unix_micros look_again_micros = 5000;

/// For so long a session that waits for standbys looks each millisecond.
constexpr std::int64_t soon_micros = 200'000;

/// No state has reached it: a lease that is off never ends.
constexpr std::uint64_t no_bound = ~std::uint64_t{0};

/// The greatest state of the unit of `state`, on the side of `side_of`.
std::uint64_t end_of_unit(clock_id id, std::uint64_t state, std::uint64_t side_of) {
  clock_rules const &rules = rules_of(id);
  return rules.end(rules.unit(state) | (side_of & rules.sides));
}

/// The greatest state below `bound`, which is the first one of its unit, on the side of `state`.
std::uint64_t last_before(clock_id id, std::uint64_t state, std::uint64_t bound) {
  clock_rules const &rules = rules_of(id);

  // By way of the time, as not every number is a state.
  return bound > rules.unit(state) ? end_of_unit(id, rules.at(rules.time(bound) - 1), state) : state;
}

/// The first state after the unit that holds an instant.
std::uint64_t bound_at(clock_id id, unix_micros time) {
  return rules_of(id).next_unit(state_at(id, time));
}

std::uint64_t bound_of(clock_cell &cell) {
  return pg_atomic_read_u64(&cell.bound);
}

[[maybe_unused]] bool is_held(lease_state &lease) {
  return LWLockHeldByMeInMode(&lease.lock, LW_EXCLUSIVE);
}

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

// The lock.

/// Whether this session may rely on what the page says: standbys have confirmed it, or do what a commit of this session
/// waits for, which can be less.
bool is_confirmed(lease_state &lease) {
  Assert(is_held(lease));
  if (lease.written == InvalidXLogRecPtr || !replicates_synchronously())
    return true;
  if (!standbys_have(lease.written, true))
    return synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE && standbys_have(lease.written, false);
  lease.written = InvalidXLogRecPtr;
  return true;
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

/// Waits until it has the lock, or raises an error when that took `kid.max_wait`. `name` is for its message. Of those
/// who wait, the one that is first looks often whether standbys have confirmed; it wakes the others when it is done.
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
    // Neither a holder that raises an error nor a standby tells, so look again.
    bool const soon = unconfirmed && is_first && micros_since(start) < soon_micros;
    ConditionVariableTimedSleep(&lease.released,
                                soon                       ? 1
                                : unconfirmed && !is_first ? 50
                                                           : 10,
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

/// Takes the lock for a session that makes IDs of a clock. kid_stats() shows how many wait for that.
void take_lock(lease_state &lease, clock_cell &cell) {
  clock_stats &stats = stats_of(cell);
  lock_attempt const first = try_lock(lease);

  if (first == lock_attempt::taken)
    return;
  bool const is_first = pg_atomic_fetch_add_u64(&stats.waiting, 1) == 0;
  if (is_first)
    pg_atomic_write_u64(&stats.waiting_since, static_cast<std::uint64_t>(GetCurrentTimestamp()));
  // Also for a session that is terminated.
  PG_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats));
  { wait_for_lock(lease, psprintf("IDs of %s", rules_of(id_of(cell)).name), first, is_first); }
  PG_END_ENSURE_ERROR_CLEANUP(count_out, PointerGetDatum(&stats));
  count_out(0, PointerGetDatum(&stats));
}

/// Takes the lock for anybody else.
void take_lock(lease_state &lease) {
  lock_attempt const first = try_lock(lease);

  if (first != lock_attempt::taken)
    wait_for_lock(lease, "IDs", first, true);
}

// The page.

/// Writes `page` and flushes its WAL, unless it is what the page has already. Returns whether this session may rely on
/// it. If standbys have yet to confirm it, it returns false, and the caller releases the lock and begins anew.
bool put_page(lease_state &lease, page_bounds const &page) {
  Assert(is_held(lease));
  if (memcmp(&page, &lease.page, sizeof page) == 0)
    return true;
  instr_time const began = monotonic_now();
  lease.failed = true;
  lease.written = write_page(page);
  lease.page = page;
  XLogFlush(lease.written);
  lease.failed = false;
  lease.write_micros = micros_since(began);
  return is_confirmed(lease);
}

/// A copy of the page in which `last` becomes the greatest state that clock `id` may issue.
page_bounds page_with(lease_state &lease, clock_id id, std::uint64_t last) {
  page_bounds page = lease.page;

  page.last[id] = last;
  if (rules_of(id).sides != 0)
    page.safe[id] = pg_atomic_read_u64(&lease.safe);
  return page;
}

/// Has a clock with sides hold what it has reached while the system clock, which is at `now`, catches up. Meanwhile a
/// full sequence carries into units after `last`.
void hold(clock_cell &cell, std::uint64_t last, unix_micros now, unix_micros margin) {
  clock_id const id = id_of(cell);

  pg_atomic_write_u64(&cell.held_from, state_at(id, now - margin));
  pg_atomic_write_u64(&cell.held, state_at(id, rules_of(id).time(last) + margin));
}

/// What to say about the page when the lease was opened, once the lock is released.
enum class opening : unsigned char { nothing, first_start, other_system };

void report(opening found) {
  if (found == opening::first_start)
    ereport(LOG, errmsg("IDs start from the system clock, as no bound of earlier IDs was found"),
            errhint("After pg_upgrade, and wherever IDs are in use nevertheless, call kid_observe_all()."));
  if (found == opening::other_system)
    ereport(LOG, errmsg("IDs start from the bound of a server with another system identifier"),
            errhint("If rows came to this server by logical replication, as after pg_createsubscriber, call "
                    "kid_observe_all() before it makes IDs for their tables."));
}

/// Starts the clocks above what is on the page.
opening open_lease(shared_state &shared) {
  lease_state &lease = shared.lease;

  Assert(is_held(lease));
  memset(&lease.page, 0, sizeof lease.page);
  bool const found = read_page(lease.page);
  bool const other_system = found && lease.page.system != GetSystemIdentifier();
  lease.page.system = GetSystemIdentifier();
  lease.length = lease_length;
  unix_micros const now = to_unix(GetCurrentTimestamp());
  // To be ahead by no more than this is what any start is like, and no step of the system clock.
  unix_micros const usual = Max(lease_length * INT64CONST(1000), slow_micros) + notable_micros;
  for (clock_cell &cell : shared.cells) {
    clock_id const id = id_of(cell);
    std::uint64_t const last = lease.page.last[id];
    bool const is_usual = rules_of(id).time(last) <= now + usual;
    pg_atomic_write_u64(&stats_of(cell).held_until, is_usual ? rules_of(id).next_unit(last) : 0);
    if (rules_of(id).sides != 0) {
      pg_atomic_write_u64(&lease.safe, lease.page.safe[id]);
      // If the system clock is in time that the other side has used, too, to wait is all that is left.
      if (is_usual || state_at(id, now) <= lease.page.safe[id])
        hold(cell, last, now, usual);
    }
    // One that is on has to be renewed first.
    std::uint64_t const bound = lease_length > 0 ? 0 : no_bound;
    pg_atomic_write_u64(&cell.state, last);
    pg_write_barrier(); // pairs with those in limit()
    pg_atomic_write_u64(&cell.bound, bound);
    pg_atomic_write_u64(&cell.renew_at, bound);
  }
  lease.open = true;
  if (!found)
    return lease_length > 0 ? opening::first_start : opening::nothing;
  return other_system ? opening::other_system : opening::nothing;
}

/// Calls `work` with the lock held and the lease open, until it returns true. It returns false after it has written the
/// page and standbys have yet to confirm that. Then the lock is released, and work begins anew when they have.
template <class Take, class Work> void with_open_lease(Take take, Work work) {
  lease_state &lease = shared_memory->lease;
  bool done = false;

  do {
    opening found = opening::nothing;
    take(lease);
    done = release_after(&lease.lock, [&] {
      if (!lease.open)
        found = open_lease(*shared_memory);
      return work(lease);
    });
    ConditionVariableBroadcast(&lease.released);
    report(found);
  } while (!done);
}

template <class Work> void with_open_lease(clock_cell &cell, Work work) {
  with_open_lease([&](lease_state &lease) { take_lock(lease, cell); }, work);
}

// Bounds.

/// Moves the bound of a clock, and with it the point of renewal: up after the page is durable, down before the state is
/// lowered.
void set_bound(clock_cell &cell, std::uint64_t bound, std::uint64_t renew_at) {
  Assert(is_held(shared_memory->lease));
  pg_atomic_write_u64(&cell.renew_at, Min(renew_at, bound));
  pg_atomic_write_u64(&cell.bound, bound);
  pg_write_barrier(); // pairs with those in limit()
}

/// Lowers the bound of a clock to the end of the unit that it is in. A session that read the bound before that fails
/// its compare-and-swap, as the state that it expects is gone.
std::uint64_t take_bound_back(clock_cell &cell) {
  set_bound(cell, 0, 0);
  return leave_unit(cell);
}

/// Raises the bound in shared memory to `bound`, which is on the page. It is renewed half-way there, from `from` on.
void publish(clock_cell &cell, std::uint64_t bound, unix_micros from) {
  clock_id const id = id_of(cell);
  unix_micros const until = rules_of(id).time(bound);

  set_bound(cell, bound, bound_at(id, from + (until - from) / 2));
  pg_atomic_fetch_add_u64(&shared_memory->stats[id].renewals, 1);
}

/// Renews the lease of `cell`, for a caller that goes on from `next`. False if standbys have yet to confirm it.
bool extend(lease_state &lease, clock_cell &cell, std::uint64_t next) {
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  unix_micros const now = to_unix(GetCurrentTimestamp());
  std::int64_t const two_writes = Min(2 * lease.write_micros, slow_micros);
  std::int64_t const length = Max(lease.length * INT64CONST(1000), two_writes);
  unix_micros const from = Max(now, rules.time(next));
  unix_micros const until = Max(now + length, rules.time(next) + Max(near_micros, two_writes));
  std::uint64_t const state = cell.load();

  // What a session wrote that did not wait for standbys to confirm it, unless a system clock that was wrong put it too
  // far ahead.
  std::uint64_t const last = lease.page.last[id];
  std::uint64_t const written = rules.next_unit(last);
  if (written > bound_of(cell) && last > next && ((last ^ state) & rules.sides) == 0 &&
      rules.time(written) <= until + Max(length, slow_micros)) {
    publish(cell, written, from);
    return true;
  }

  std::uint64_t bound = bound_at(id, until);
  // Others need not try meanwhile, nor, if it fails, before the bound.
  pg_atomic_write_u64(&cell.renew_at, bound_of(cell));
  if (bound < bound_of(cell)) {
    // It was raised by a system clock that was wrong, or a disk that was slow.
    if (rules.time(bound_of(cell)) > until + length)
      bound = Max(bound, bound_at(id, rules.time(take_bound_back(cell)) + near_micros));
    else
      bound = bound_of(cell);
  }
  if (!put_page(lease, page_with(lease, id, last_before(id, cell.load(), bound))))
    return false;
  // A system clock that went back meanwhile would leave the bound where it was. Whoever needs one renews it again.
  if (to_unix(GetCurrentTimestamp()) >= now)
    publish(cell, bound, from);
  return true;
}

/// Renews the lease of a clock that has not reached its bound yet, unless somebody else is about it.
void renew_early(clock_cell &cell, std::uint64_t next) {
  lease_state &lease = shared_memory->lease;

  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
    return;
  release_after(&lease.lock, [&] {
    std::uint64_t const bound = bound_of(cell);
    if (next < pg_atomic_read_u64(&cell.renew_at) || next >= bound)
      return true;
    // What is written goes on from the state as it is now: `next` may be of a time that the system clock, or a change
    // of sides, has left since.
    if (!is_confirmed(lease) || !extend(lease, cell, cell.load())) {
      clock_id const id = id_of(cell);
      pg_atomic_write_u64(&cell.renew_at,
                          Min(bound_of(cell), bound_at(id, rules_of(id).time(next) + look_again_micros)));
    }
    return true;
  });
  ConditionVariableBroadcast(&lease.released);
}

} // namespace

bool writing_failed(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_SHARED))
    return false;
  bool const failed = lease.failed;
  LWLockRelease(&lease.lock);
  return failed;
}

std::uint64_t leave_unit(clock_cell &cell) {
  clock_id const id = id_of(cell);
  std::uint64_t last = cell.load();
  std::uint64_t end = 0;

  do {
    end = end_of_unit(id, last, last);
    if (end == last)
      end = end_of_unit(id, rules_of(id).next_unit(last), last);
  } while (!cell.compare_exchange(last, end));
  return end;
}

void clock_ended_error() {
  ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("the range of IDs is used up"),
          errdetail("There is no time unit after that of the last ID issued."));
}

void renew_lease(clock_cell &cell, std::uint64_t next) {
  if (next < bound_of(cell)) {
    renew_early(cell, next);
    return;
  }
  with_open_lease(cell, [&](lease_state &lease) {
    std::uint64_t const bound = bound_of(cell);
    if (next < bound)
      return true;
    if (!extend(lease, cell, cell.load()))
      return false;
    if (bound_of(cell) == bound && bound != 0 && rules_of(id_of(cell)).next_unit(bound) == bound)
      clock_ended_error();
    return true;
  });
}

step_result change_sides(clock_cell &cell, std::uint64_t last, std::uint64_t now, toggle_rule toggle,
                         void const *clock) {
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  unix_micros const time = rules.time(now);
  step_result result = {step_kind::behind, now};

  with_open_lease(cell, [&](lease_state &lease) {
    result = {step_kind::behind, now};
    if (cell.load() != last)
      return true;
    result = toggle(clock, pg_atomic_read_u64(&lease.safe), last, now);
    if (result.kind != step_kind::issued)
      return true;

    std::int64_t const length = lease.length * INT64CONST(1000);
    std::uint64_t bound = length > 0 ? bound_at(id, time + length) : no_bound;
    if (length > 0) {
      // The other side's bound is on the page before it is entered, together with a mark that holds whatever this side
      // can issue until then. Should another session be first, this side goes on below the bound of before, which that
      // mark holds, and the next renewal writes how things are then.
      page_bounds page = page_with(lease, id, last_before(id, result.state, bound));
      page.safe[id] = rules.unit(last_before(id, last, bound_of(cell)));
      // Another session may have written that already, a moment ago by its reading of the system clock.
      std::uint64_t const written = lease.page.last[id];
      if (((written ^ result.state) & rules.sides) == 0 && written > result.state && written <= page.last[id] &&
          lease.page.safe[id] >= page.safe[id])
        bound = rules.next_unit(written);
      else if (!put_page(lease, page))
        return false;
      std::uint64_t const low = Min(bound, bound_of(cell));
      set_bound(cell, low, low);
    }
    std::uint64_t expected = last;
    if (!cell.compare_exchange(expected, result.state)) {
      // A session that read the bound before it was lowered must not get on either.
      if (length > 0)
        take_bound_back(cell);
      result = {step_kind::behind, now};
      return true;
    }
    pg_atomic_write_u64(&lease.safe, rules.unit(last));
    if (length > 0)
      set_bound(cell, bound, bound_at(id, time + length / 2));
    return true;
  });
  if (result.kind != step_kind::issued)
    return result;

  pg_atomic_fetch_add_u64(&stats_of(cell).ticks, 1);
  pg_atomic_fetch_add_u64(&stats_of(cell).backward_steps, 1);
  if (rules.time(last) - time >= notable_micros)
    ereport(WARNING,
            errmsg("system clock is %.3f s behind the last ID of %s",
                   static_cast<double>(rules.time(last) - time) / 1e6, rules.name),
            errdetail("IDs take the time of the system clock, with the other tick, and stay unique."),
            errhint("A system clock that goes back again before it has reached that time makes generators wait. See "
                    "\"safe_mark\" in kid_stats()."));
  return result;
}

void raise_clock(clock_cell &cell, std::uint64_t state) {
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);

  with_open_lease(cell, [&](lease_state &lease) {
    std::uint64_t const unit = rules.unit(state);
    std::uint64_t last = cell.load();

    if (((last ^ state) & rules.sides) != 0) {
      // The other side, which is not issued from now: the mark is what tells how far it was used.
      if (lease.length > 0) {
        // All of it, as a change of sides that was interrupted may have left the other side on the page.
        page_bounds page = page_with(lease, id, last_before(id, last, bound_of(cell)));
        page.safe[id] = Max(page.safe[id], unit);
        if (!put_page(lease, page))
          return false;
      }
      if (unit > pg_atomic_read_u64(&lease.safe))
        pg_atomic_write_u64(&lease.safe, unit);
      return true;
    }
    // Nothing would be left to issue, also not after a start, which finds the bound.
    if (rules.next_unit(state) == state)
      clock_ended_error();
    while (state >= bound_of(cell))
      if (!extend(lease, cell, Max(state, cell.load())))
        return false;
    while (last < state && !cell.compare_exchange(last, state)) {
    }
    // That it is ahead now is no step of the system clock.
    pg_atomic_write_u64(&stats_of(cell).held_until, rules.next_unit(cell.load()));
    return true;
  });
}

void lower_clock(clock_cell &cell, std::uint64_t state) {
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  bool lowered = false;

  with_open_lease(cell, [&](lease_state &lease) {
    // What is left after that is to wait for standbys. Meanwhile others may go on, from the state that it has now.
    if (lowered)
      return true;
    lowered = true;
    bool const leased = lease.length > 0;
    std::uint64_t last = cell.load();
    // To the end of the unit, on the side in use: of the unit itself either side may be in use.
    std::uint64_t const end = end_of_unit(id, state, last);
    std::uint64_t greatest = lease.page.last[id];
    // A change of sides that was interrupted may have left the other side on the page.
    if (leased && ((greatest ^ last) & rules.sides) != 0)
      greatest = last_before(id, last, bound_of(cell));

    if (end < last) {
      // First the bound: nothing is issued now before the next renewal, which writes a page that is as low.
      if (leased)
        set_bound(cell, 0, 0);
      while (!cell.compare_exchange(last, end)) {
      }
      greatest = leased ? end : Min(end, greatest);
      pg_atomic_write_u64(&cell.held, 0);
      pg_atomic_fetch_add_u64(&lease.resets, 1);
      pg_atomic_write_u64(&stats_of(cell).held_until, 0);
    } else if (greatest > end) {
      // Only the bound is above it.
      greatest = leased ? take_bound_back(cell) : end;
    }
    if (rules.sides != 0)
      pg_atomic_write_u64(&lease.safe, Min(pg_atomic_read_u64(&lease.safe), rules.unit(end)));
    return put_page(lease, page_with(lease, id, greatest));
  });
}

void raise_all_sides(clock_cell &cell, std::uint64_t state) {
  raise_clock(cell, state);
  if (rules_of(id_of(cell)).sides == 0)
    return;
  raise_clock(cell, state | rules_of(id_of(cell)).sides);
  // Neither side is free until then. IDs go on from there, as those of other clocks do.
  with_open_lease(cell, [&](lease_state &) {
    hold(cell, cell.load(), to_unix(GetCurrentTimestamp()), slow_micros);
    return true;
  });
}

std::uint64_t drawn_number() {
  TimeLineID const timeline = GetWALInsertionTimeLine();
  std::uint64_t number = 0;

  with_open_lease([](lease_state &lease) { take_lock(lease); },
                  [&](lease_state &lease) {
                    page_bounds page = lease.page;
                    if (page.draw.timeline != timeline) {
                      page.draw = {0, timeline, 0};
                      if (!pg_strong_random(&page.draw.number, sizeof page.draw.number))
                        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
                    }
                    number = page.draw.number;
                    return put_page(lease, page);
                  });
  return number;
}

bool replayed_draw(page_draw &draw) {
  lease_state &lease = find_or_make().lease;
  page_bounds page = {};

  take_lock(lease);
  bool const found = release_after(&lease.lock, [&] { return read_page(page) && page.draw.timeline != 0; });
  ConditionVariableBroadcast(&lease.released);
  draw = page.draw;
  return found;
}

void mend_bounds(unix_micros time) {
  lease_state &lease = shared_memory->lease;

  take_lock(lease);
  release_after(&lease.lock, [&] {
    page_bounds page = {};
    if (lease.open) {
      // What was on it is known.
      page = lease.page;
    } else if (time <= to_unix(GetCurrentTimestamp()) + max_observe * INT64CONST(1000)) {
      for (int id = 0; id < clock_count; id++)
        page.last[id] = end_of_unit(static_cast<clock_id>(id), state_at(static_cast<clock_id>(id), time), 0);
      // Nobody knows what either side has used until then.
      memcpy(page.safe, page.last, sizeof page.safe);
      page.system = GetSystemIdentifier();
    } else {
      return true;
    }
    XLogFlush(mend_page(page));
    return true;
  });
  ConditionVariableBroadcast(&lease.released);
}

} // namespace kid::pg
