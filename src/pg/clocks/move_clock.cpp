#include "../base/error.hpp"
#include "../base/settings.hpp"
#include "lease_lock.hpp"

namespace kid::pg {

std::uint64_t leave_unit(clock_ref const &clock) {
  clock_rules const &rules = clock.rules;
  std::uint64_t last = clock.cell.load();
  std::uint64_t end = 0;

  do {
    end = rules.end_of_unit(last, last);
    if (end == last)
      end = rules.end_of_unit(rules.next_unit(last), last);
  } while (!clock.cell.compare_exchange(last, end));
  return end;
}

/// How long a clock that is ahead of the system clock stays, at least, after leave_passed_unit() has moved it.
static constexpr unix_micros between_leaves = 100'000;

void leave_passed_unit(clock_ref const &clock, std::uint64_t now) {
  std::uint64_t last = clock.cell.load();
  std::uint64_t const end = clock.rules.end_of_unit(last, last);

  if (last == 0 || last == end || clock.rules.unit(last) == now)
    return;
  std::uint64_t left_at = pg_atomic_read_u64(&clock.stats.left_at);
  if (last > now && ((left_at <= now && clock.rules.time(now) - clock.rules.time(left_at) < between_leaves) ||
                     !compare_exchange(clock.stats.left_at, left_at, now)))
    return;
  // If another session was first, it has issued an ID, and there will be another poll.
  static_cast<void>(clock.cell.compare_exchange(last, end));
}

namespace {

/// Raises the safe mark to the unit of `state`, which is on the side that is not in use. `last` is the state of the
/// clock. Returns false if standbys have yet to confirm the page.
bool raise_other_side(lease_state &lease, clock_ref const &clock, std::uint64_t state, std::uint64_t last) {
  std::uint64_t const unit = clock.rules.unit(state);
  // After an interrupted change the page may have the bound of the other side, and the safe mark of the side in use.
  bool const is_on_page =
      lease.page.safe[clock.id] >= unit && !clock.rules.on_other_side(lease.page.last[clock.id], last);

  if (lease.length > 0 && !is_on_page) {
    std::uint64_t const end = clock.rules.last_before(last, bound_of(clock));
    page_bounds page = page_with(lease.page, clock, end);
    // Put the mark at the end of the lease, so that a caller that observes many IDs seldom writes the page.
    page.safe[clock.id] = Max(clock.rules.unit(end), unit);
    if (!put_page(lease, page))
      return false;
  }
  if (unit > pg_atomic_read_u64(&lease.safe))
    pg_atomic_write_u64(&lease.safe, unit);
  return true;
}

/// Writes the bound of the other side, which begins with the state `reached`, to the page before the clock changes to
/// it. Also writes a safe mark that covers whatever the present side can issue until then. If another session changes
/// the clock first, the present side goes on below its old bound, which the mark covers, and the next renewal writes
/// the page again.
///
/// `bound` is the bound to write. On return it is the bound on the page. Returns false if standbys have yet to confirm
/// the page.
bool bound_other_side(lease_state &lease, clock_ref const &clock, std::uint64_t last, std::uint64_t reached,
                      std::uint64_t &bound) {
  clock_rules const &rules = clock.rules;
  page_bounds page = page_with(lease.page, clock, rules.last_before(reached, bound));
  page.safe[clock.id] = rules.unit(rules.last_before(last, bound_of(clock)));

  // Another session may have written as much a moment ago, by its reading of the system clock.
  std::uint64_t const written = lease.page.last[clock.id];
  if (!rules.on_other_side(written, reached) && written > reached && written <= page.last[clock.id] &&
      lease.page.safe[clock.id] >= page.safe[clock.id]) {
    bound = rules.next_unit(written);
    return true;
  }
  return put_page(lease, page);
}

/// Raises a clock to `state`, unless it is past `state` already. If the clock has sides, raises the side of `state`.
void raise_clock(clock_ref const &clock, std::uint64_t state) {
  clock_rules const &rules = clock.rules;
  bool held = false;

  auto const raise = [&](lease_state &lease) {
    std::uint64_t last = clock.cell.load();

    held = is_held(clock.id);
    if (held)
      return true;
    if (rules.on_other_side(last, state))
      return raise_other_side(lease, clock, state, last);
    // After the last unit nothing is left to issue, not even after a start, which begins at the bound.
    if (rules.next_unit(state) == state)
      clock_ended_error();
    while (state >= bound_of(clock))
      if (!extend(lease, clock, Max(state, clock.cell.load())))
        return false;
    while (last < state && !clock.cell.compare_exchange(last, state)) {
    }
    // The clock may be ahead now, but the system clock did not go back.
    pg_atomic_write_u64(&clock.stats.counted_until, rules.next_unit(clock.cell.load()));
    return true;
  };

  do {
    await_release(clock);
    with_lease(&clock, raise);
  } while (held);
}

} // namespace

void observe(clock_ref const &clock, std::uint64_t state) {
  std::uint64_t const sides = clock.rules.sides;
  unix_micros const ahead = clock.rules.time(state) - to_unix(GetCurrentTimestamp());

  if (ahead > max_observe * INT64CONST(1000) && !superuser())
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is too far ahead of the system clock"),
        errdetail("It is %s ahead, and the value of \"kid.max_observe\" is %d ms.", display_span(ahead), max_observe),
        errhint("New IDs would stay ahead until the system clock catches up. If you want that, ask a superuser."));
  raise_clock(clock, state & ~sides);
  if (sides == 0)
    return;
  raise_clock(clock, state | sides);
  // Both sides count as used up to `state`. So the clock keeps its time, and IDs go on from there, as those of other
  // clocks do.
  with_lease(&clock,
             [&](lease_state &) { keep_time(clock, clock.cell.load(), to_unix(GetCurrentTimestamp()), slow_micros); });
}

step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now) {
  clock_rules const &rules = clock.rules;
  unix_micros const time = rules.time(now);
  step_result result = {step_kind::behind, now};

  with_lease(&clock, [&](lease_state &lease) {
    result = {step_kind::behind, now};
    if (clock.cell.load() != last)
      return true;
    result = rules.toggle(pg_atomic_read_u64(&lease.safe), last, now);
    if (result.kind != step_kind::issued)
      return true;

    bool const leased = lease.length > 0;
    std::int64_t const length = lease.length * INT64CONST(1000);
    std::uint64_t bound = no_bound;
    if (leased) {
      bound = rules.state_after(time + length);
      if (!bound_other_side(lease, clock, last, result.state, bound))
        return false;
      std::uint64_t const low = Min(bound, bound_of(clock));
      set_bound(clock, low, low);
    }
    std::uint64_t expected = last;
    if (!clock.cell.compare_exchange(expected, result.state)) {
      // A session that read the bound before it was lowered must fail its compare-and-swap, too.
      if (leased)
        take_bound_back(clock);
      result = {step_kind::behind, now};
      return true;
    }
    pg_atomic_write_u64(&lease.safe, rules.unit(last));
    if (leased)
      set_bound(clock, bound, rules.state_after(time + length / 2));
    return true;
  });
  if (result.kind != step_kind::issued)
    return result;
  pg_atomic_fetch_add_u64(&clock.stats.ticks, 1);
  pg_atomic_fetch_add_u64(&clock.stats.backward_steps, 1);
  if (unix_micros const back = rules.time(last) - time; back >= notable_micros)
    ereport(WARNING, errmsg("system clock is %s behind the last ID of %s", display_span(back), rules.name),
            errdetail("IDs take the time of the system clock, with the other tick, and stay unique."),
            errhint("A system clock that goes back again before it has reached that time makes generators wait. See "
                    "\"safe_mark\" in kid_stats()."));
  return result;
}

} // namespace kid::pg
