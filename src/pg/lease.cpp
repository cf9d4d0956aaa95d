#include "lease.hpp"

#include "datum.hpp"
#include "settings.hpp"

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

void release_lock(lease_state &lease) {
  LWLockRelease(&lease.lock);
  ConditionVariableBroadcast(&lease.released);
}

/// Where the clocks start: above what is on the page.
void open_lease(shared_state &shared) {
  lease_state &lease = shared.lease;

  Assert(is_held(lease));
  memset(&lease.page, 0, sizeof lease.page);
  if (lease_length > 0 && !read_page(lease.page))
    ereport(LOG, errmsg("IDs start from the system clock, as no bound of those before was found"),
            errhint("After pg_upgrade, and wherever IDs are in use nevertheless, call kid_observe_all()."));
  lease.length = lease_length;
  lease.configured = IsParallelWorker() ? 0 : PgReloadTime;
  unix_micros const now = to_unix(GetCurrentTimestamp());
  for (clock_cell &cell : shared.cells) {
    clock_id const id = id_of(cell);
    std::uint64_t const last = lease.page.last[id];
    // To be ahead by no more than a lease is what any start is like, and no step of the system clock.
    if (rules_of(id).time(last) <= now + (lease_length + 1000) * INT64CONST(1000))
      pg_atomic_write_u64(&stats_of(cell).held_until, rules_of(id).next_unit(last));
    if (rules_of(id).sides != 0)
      pg_atomic_write_u64(&lease.safe, lease.page.safe[id]);
    // One that is on has to be renewed first.
    std::uint64_t const bound = lease_length > 0 ? 0 : no_bound;
    pg_atomic_write_u64(&cell.state, last);
    pg_write_barrier(); // pairs with those in limit()
    pg_atomic_write_u64(&cell.bound, bound);
    pg_atomic_write_u64(&cell.renew_at, bound);
  }
  lease.open = true;
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

bool try_lock(lease_state &lease) {
  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
    return false;
  if (!lease.busy)
    return true;
  LWLockRelease(&lease.lock);
  return false;
}

/// Takes the lock, unless that takes longer than a generator may wait.
void take_lock(lease_state &lease, instr_time start) {
  static std::uint32_t event = 0;

  if (event == 0)
    event = wait_event("KidLease");
  if (try_lock(lease))
    return;
  ConditionVariablePrepareToSleep(&lease.released);
  // A holder that errors out releases the lock without a broadcast, so poll every 10 ms.
  while (!try_lock(lease)) {
    if (max_wait >= 0 && micros_since(start) > Max(max_wait, 10) * INT64CONST(1000))
      ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("bound of IDs was not renewed in time"),
              errdetail("Another session is about it, and the value of \"kid.max_wait\" is %d ms.", max_wait),
              errhint("Try again later, or increase \"kid.max_wait\"."));
    ConditionVariableTimedSleep(&lease.released, 10, event);
  }
  ConditionVariableCancelSleep();
}

/// Takes the lock, and opens the lease if nobody did.
lease_state &take_open_lease(instr_time start) {
  lease_state &lease = shared_memory->lease;

  take_lock(lease, start);
  if (!lease.open)
    open_lease(*shared_memory);
  return lease;
}

/// Moves the bound of a clock, and with it the point of renewal: up after the page is durable, down before the state is
/// lowered.
void set_bound(clock_cell &cell, std::uint64_t bound, std::uint64_t renew_at) {
  Assert(is_held(shared_memory->lease));
  pg_atomic_write_u64(&cell.renew_at, Min(renew_at, bound));
  pg_atomic_write_u64(&cell.bound, bound);
  pg_write_barrier(); // pairs with those in limit()
}

/// Writes `page`, flushes its WAL, and waits for standbys where a commit does. Then what it says may be gone by. The
/// lock is given up for standbys, but nobody can take it.
void make_durable(lease_state &lease, page_bounds const &page) {
  instr_time const began = monotonic_now();
  bool done = true;

  Assert(is_held(lease));
  XLogRecPtr const written = write_page(page);
  lease.page = page;
  XLogFlush(written);
  if (replicates_synchronously()) {
    // Nothing may end this session before it is no longer busy.
    HOLD_INTERRUPTS();
    lease.busy = true;
    LWLockRelease(&lease.lock);
    done = wait_for_standbys(written);
    LWLockAcquire(&lease.lock, LW_EXCLUSIVE);
    lease.busy = false;
    RESUME_INTERRUPTS();
  }
  lease.write_micros = micros_since(began);
  if (done)
    return;
  release_lock(lease);
  CHECK_FOR_INTERRUPTS();
  ereport(ERROR, errcode(ERRCODE_QUERY_CANCELED), errmsg("canceling statement that waits for standbys to make an ID"),
          errdetail("Synchronous standbys have not confirmed the bound of IDs yet."));
}

/// The page as it is, but for `id`, of which `last` is the greatest state that can be issued from now on.
page_bounds page_with(lease_state &lease, clock_id id, std::uint64_t last) {
  page_bounds page = lease.page;

  page.last[id] = last;
  if (rules_of(id).sides != 0)
    page.safe[id] = pg_atomic_read_u64(&lease.safe);
  return page;
}

/// Lowers the bound of a clock to the end of the unit that it is in. Whoever read the bound before that cannot go on by
/// it: the state that they expect is gone.
std::uint64_t take_bound_back(clock_cell &cell) {
  set_bound(cell, 0, 0);
  return leave_unit(cell);
}

/// Renews the lease of `cell`, for one that goes on from `next`.
void extend(lease_state &lease, clock_cell &cell, std::uint64_t next) {
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  unix_micros const now = to_unix(GetCurrentTimestamp());
  std::int64_t const two_writes = Min(2 * lease.write_micros, slow_micros);
  std::int64_t const length = Max(lease.length * INT64CONST(1000), two_writes);
  unix_micros const from = Max(now, rules.time(next));
  unix_micros const until = Max(now + length, rules.time(next) + Max(near_micros, two_writes));
  std::uint64_t bound = bound_at(id, until);

  // Others need not try meanwhile, nor, where it fails, before the bound.
  pg_atomic_write_u64(&cell.renew_at, bound_of(cell));
  if (bound < bound_of(cell)) {
    // It was raised by a system clock that was wrong, or a disk that was slow.
    if (rules.time(bound_of(cell)) > until + length)
      bound = Max(bound, bound_at(id, rules.time(take_bound_back(cell)) + near_micros));
    else
      bound = bound_of(cell);
  }
  make_durable(lease, page_with(lease, id, last_before(id, cell.load(), bound)));
  // A system clock that went back meanwhile would leave the bound where it was. Whoever needs one renews it again.
  if (to_unix(GetCurrentTimestamp()) < now)
    return;
  set_bound(cell, bound, bound_at(id, from + (rules.time(bound) - from) / 2));
  pg_atomic_fetch_add_u64(&shared_memory->stats[id].renewals, 1);
}

} // namespace

void put_lease_in_force() {
  shared_state &shared = *shared_memory;
  lease_state &lease = shared.lease;

  take_lock(lease, monotonic_now());
  int const old = lease.length;
  // As of an identity: the settings of a parallel worker are those of its leader, and what was read in the future was
  // read before the system clock went back.
  bool const newer = !IsParallelWorker() && !ConfigReloadPending &&
                     (PgReloadTime > lease.configured || lease.configured > GetCurrentTimestamp());
  if (lease.open && newer && old != lease_length) {
    bool const begins = old == 0;
    if (begins) {
      memset(&lease.page, 0, sizeof lease.page);
      static_cast<void>(read_page(lease.page));
    }
    lease.length = lease_length;
    lease.configured = PgReloadTime;
    if (lease_length == 0 || begins)
      for (clock_cell &cell : shared.cells)
        set_bound(cell, lease_length == 0 ? no_bound : 0, lease_length == 0 ? no_bound : 0);
    if (begins) {
      page_bounds page = lease.page;
      for (clock_cell &cell : shared.cells) {
        clock_id const id = id_of(cell);
        // Whoever read that there is no bound cannot go on by it, as when one is taken back.
        if (cell.load() != 0)
          page.last[id] = leave_unit(cell);
        if (rules_of(id).sides != 0)
          page.safe[id] = pg_atomic_read_u64(&lease.safe);
      }
      make_durable(lease, page);
    }
  }
  release_lock(lease);
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

void renew_lease(clock_cell &cell, std::uint64_t next, instr_time start) {
  // What is written goes on from the state as it is then: `next` may be of a time that the system clock, or a change of
  // sides, has left since.
  if (next < bound_of(cell)) {
    lease_state &lease = shared_memory->lease;
    if (!try_lock(lease))
      return;
    if (next >= pg_atomic_read_u64(&cell.renew_at) && next < bound_of(cell))
      extend(lease, cell, cell.load());
    release_lock(lease);
    return;
  }
  lease_state &lease = take_open_lease(start);
  std::uint64_t const bound = bound_of(cell);
  if (next >= bound) {
    extend(lease, cell, cell.load());
    if (bound_of(cell) == bound && bound != 0 && rules_of(id_of(cell)).next_unit(bound) == bound)
      clock_ended_error();
  }
  release_lock(lease);
}

step_result change_sides(clock_cell &cell, std::uint64_t last, std::uint64_t now, instr_time start, toggle_rule toggle,
                         void const *clock) {
  lease_state &lease = take_open_lease(start);
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  step_result result = {step_kind::behind, now};

  // A start found `last` on the page, up to a lease ahead of what was issued. To wait for that moment is better than to
  // use up the other side, which is for a system clock that goes back.
  unix_micros const ahead = rules.time(last) - rules.time(now);
  bool const starts = last < pg_atomic_read_u64(&stats_of(cell).held_until) && ahead < notable_micros &&
                      (max_wait < 0 || ahead < max_wait * INT64CONST(1000) - micros_since(start));
  if (starts)
    result = {step_kind::behind, last};
  else if (cell.load() == last)
    result = toggle(clock, pg_atomic_read_u64(&lease.safe), last, now);
  if (result.kind != step_kind::issued) {
    release_lock(lease);
    return result;
  }

  std::int64_t const length = lease.length * INT64CONST(1000);
  unix_micros const time = rules.time(now);
  std::uint64_t const bound = length > 0 ? bound_at(id, time + length) : no_bound;
  if (length > 0) {
    // The other side's bound is on the page before it is entered, together with a mark that holds whatever this side
    // can issue until then. Should another session be first, this side goes on below the bound of before, which that
    // mark holds, and the next renewal writes how things are then.
    page_bounds page = page_with(lease, id, last_before(id, result.state, bound));
    page.safe[id] = rules.unit(last_before(id, last, bound_of(cell)));
    make_durable(lease, page);
    std::uint64_t const low = Min(bound, bound_of(cell));
    set_bound(cell, low, low);
  }
  if (!cell.compare_exchange(last, result.state)) {
    release_lock(lease);
    return {step_kind::behind, now};
  }
  pg_atomic_write_u64(&lease.safe, rules.unit(last));
  if (length > 0)
    set_bound(cell, bound, bound_at(id, time + length / 2));
  release_lock(lease);
  pg_atomic_fetch_add_u64(&stats_of(cell).ticks, 1);
  pg_atomic_fetch_add_u64(&stats_of(cell).backward_steps, 1);
  // Not of what a start found on the page: that is ahead by a lease.
  if (rules.time(last) - time >= notable_micros && last >= pg_atomic_read_u64(&stats_of(cell).held_until))
    ereport(WARNING,
            errmsg("clock is %.3f s behind the last ID of %s", static_cast<double>(rules.time(last) - time) / 1e6,
                   rules.name),
            errdetail("IDs take the time of the clock, with the other tick, and stay unique."),
            errhint("A clock that goes back again before it has reached that time makes generators wait. See "
                    "\"safe_mark\" in kid_stats."));
  return result;
}

void raise_clock(clock_cell &cell, std::uint64_t state) {
  instr_time const start = monotonic_now();
  lease_state &lease = take_open_lease(start);
  clock_id const id = id_of(cell);
  std::uint64_t const unit = rules_of(id).unit(state);
  std::uint64_t last = cell.load();

  if (((last ^ state) & rules_of(id).sides) != 0) {
    // The other side, which is not issued from now: the mark is what tells how far it was used.
    if (unit > pg_atomic_read_u64(&lease.safe)) {
      if (lease.length > 0) {
        page_bounds page = lease.page;
        page.safe[id] = Max(page.safe[id], unit);
        make_durable(lease, page);
      }
      if (unit > pg_atomic_read_u64(&lease.safe))
        pg_atomic_write_u64(&lease.safe, unit);
    }
  } else {
    // Nothing would be left to issue, also not after a start, which finds the bound.
    if (rules_of(id).next_unit(state) == state)
      clock_ended_error();
    while (state >= bound_of(cell))
      extend(lease, cell, Max(state, cell.load()));
    while (last < state && !cell.compare_exchange(last, state)) {
    }
    // That it is ahead now is no step of the system clock.
    pg_atomic_write_u64(&stats_of(cell).held_until, rules_of(id).next_unit(cell.load()));
  }
  release_lock(lease);
}

void lower_clock(clock_cell &cell, std::uint64_t state) {
  instr_time const start = monotonic_now();
  lease_state &lease = take_open_lease(start);
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);
  std::uint64_t last = cell.load();

  // To the end of the unit, on the side in use: of the unit itself either side may be in use.
  state = end_of_unit(id, state, last);
  if (state < last) {
    std::uint64_t const safe = rules.sides != 0 ? Min(pg_atomic_read_u64(&lease.safe), rules.unit(state)) : 0;
    if (lease.length > 0) {
      // First the bound: nothing is issued now before the next renewal.
      set_bound(cell, 0, 0);
      page_bounds page = page_with(lease, id, state);
      if (rules.sides != 0)
        page.safe[id] = safe;
      make_durable(lease, page);
    }
    while (!cell.compare_exchange(last, state)) {
    }
    if (rules.sides != 0)
      pg_atomic_write_u64(&lease.safe, safe);
    pg_atomic_fetch_add_u64(&lease.resets, 1);
    pg_atomic_write_u64(&stats_of(cell).held_until, 0);
  } else if (lease.length > 0 && lease.page.last[id] > state) {
    // Only the bound is above it.
    make_durable(lease, page_with(lease, id, take_bound_back(cell)));
  }
  release_lock(lease);
}

std::uint64_t drawn_number() {
  lease_state &lease = take_open_lease(monotonic_now());
  TimeLineID const timeline = GetWALInsertionTimeLine();
  page_bounds page = lease.page;

  // A lease that is off has not read it.
  if (lease.length == 0)
    static_cast<void>(read_page(page));
  if (page.draw.timeline != timeline) {
    page.draw = {0, timeline, 0};
    if (!pg_strong_random(&page.draw.number, sizeof page.draw.number)) {
      release_lock(lease);
      ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
    }
    make_durable(lease, page);
  }
  release_lock(lease);
  return page.draw.number;
}

bool replayed_draw(page_draw &draw) {
  lease_state &lease = find_or_make().lease;
  page_bounds page = {};

  take_lock(lease, monotonic_now());
  bool const found = read_page(page) && page.draw.timeline != 0;
  release_lock(lease);
  draw = page.draw;
  return found;
}

void mend_bounds(unix_micros time) {
  instr_time const start = monotonic_now();
  lease_state &lease = shared_memory->lease;

  take_lock(lease, start);
  if (lease.open && lease.length > 0) {
    // What was on it is known.
    XLogFlush(mend_page(lease.page));
  } else if (time <= to_unix(GetCurrentTimestamp()) + max_observe * INT64CONST(1000)) {
    page_bounds page = {};
    for (int id = 0; id < clock_count; id++)
      page.last[id] = end_of_unit(static_cast<clock_id>(id), state_at(static_cast<clock_id>(id), time), 0);
    // Nobody knows what either side has used until then.
    memcpy(page.safe, page.last, sizeof page.safe);
    XLogFlush(mend_page(page));
  }
  release_lock(lease);
}

} // namespace kid::pg
