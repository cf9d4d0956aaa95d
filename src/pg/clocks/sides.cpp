#include "sides.hpp"

#include "../base/datum.hpp"
#include "../base/error.hpp"

namespace kid::pg {

void keep_time(clock_ref const &clock, std::uint64_t last, unix_micros now, unix_micros margin) {
  pg_atomic_write_u64(&clock.cell.keep_from, clock.rules.state_at(now - margin));
  pg_atomic_write_u64(&clock.cell.keep_until, clock.rules.state_at(clock.rules.time(last) + margin));
}

void start_sides(lease_state const &lease, clock_ref const &clock, std::uint64_t last, unix_micros now,
                 unix_micros margin, bool is_usual) {
  std::uint64_t const safe = lease.page.safe[clock.id];

  pg_atomic_write_u64(&clock.cell.safe, safe);
  // If the other side has used the time of the system clock too, changing sides would only make generators wait.
  if (is_usual || clock.rules.state_at(now) <= safe)
    keep_time(clock, last, now, margin);
}

std::uint64_t last_on_page(lease_state const &lease, clock_ref const &clock) {
  std::uint64_t const last = clock.cell.load();
  std::uint64_t const written = lease.page.last[clock.id];

  return lease.length > 0 && clock.rules.on_other_side(written, last) ? clock.rules.last_before(last, bound_of(clock))
                                                                      : written;
}

bool raise_other_side(lease_state &lease, clock_ref const &clock, std::uint64_t state, std::uint64_t last) {
  std::uint64_t const unit = clock.rules.unit(state);
  page_bounds const *const known = known_page(lease);
  // After an interrupted change the page may have the bound of the other side, and the safe mark of the side in use.
  bool const is_on_page =
      known != nullptr && known->safe[clock.id] >= unit && !clock.rules.on_other_side(known->last[clock.id], last);

  if (lease.length > 0 && !is_on_page) {
    std::uint64_t const end = clock.rules.last_before(last, bound_of(clock));
    page_bounds page = page_with(lease.page, clock, end);
    // Put the mark at the end of the lease, so that a caller that observes many IDs seldom writes the page.
    page.safe[clock.id] = Max(clock.rules.unit(end), unit);
    if (!put_page(lease, page))
      return false;
  }
  if (unit > pg_atomic_read_u64(&clock.cell.safe))
    pg_atomic_write_u64(&clock.cell.safe, unit);
  return true;
}

void lower_other_side(clock_ref const &clock, std::uint64_t state) {
  pg_atomic_write_u64(&clock.cell.safe, Min(pg_atomic_read_u64(&clock.cell.safe), clock.rules.unit(state)));
}

/// Writes the bound of the other side, which begins with the state `reached`, to the page before the clock changes to
/// it. Also writes a safe mark that covers whatever the present side can issue until then. If another session changes
/// the clock first, the present side goes on below its old bound, which the mark covers, and the next renewal writes
/// the page again.
///
/// `bound` is the bound to write, for which `span` was computed. On return it is the bound on the page. Returns false
/// if standbys have yet to confirm the page.
static bool bound_other_side(lease_state &lease, clock_ref const &clock, std::uint64_t last, std::uint64_t reached,
                             lease_span const &span, std::uint64_t &bound) {
  clock_rules const &rules = clock.rules;
  page_bounds page = page_with(lease.page, clock, rules.last_before(reached, bound));
  page.safe[clock.id] = rules.unit(rules.last_before(last, bound_of(clock)));

  // Another session may have written a bound a moment ago, by its reading of the system clock, or this one, before it
  // waited for standbys. How far ahead that bound is depends on how long writes took then, so it is not compared.
  page_bounds const *const known = known_page(lease);
  std::uint64_t const written = known != nullptr ? known->last[clock.id] : 0;
  if (written > reached && !rules.on_other_side(written, reached) &&
      span.is_near(rules.time(rules.next_unit(written))) && known->safe[clock.id] >= page.safe[clock.id]) {
    bound = rules.next_unit(written);
    return true;
  }
  return put_page(lease, page);
}

step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now_state) {
  clock_rules const &rules = clock.rules;
  unix_micros const time = rules.time(now_state);
  step_result result = {step_kind::behind, now_state};

  with_lease(&clock, [&](lease_state &lease) {
    result = {step_kind::behind, now_state};
    if (clock.cell.load() != last)
      return true;
    result = rules.step_to_other_side(pg_atomic_read_u64(&clock.cell.safe), last, now_state);
    if (result.kind != step_kind::issued)
      return true;

    bool const leased = lease.length > 0;
    lease_span const span =
        span_to_reserve(lease.length * INT64CONST(1000), lease.write_micros, time, rules.time(result.state));
    std::uint64_t const old_bound = bound_of(clock);
    std::uint64_t bound = no_bound;
    if (leased) {
      bound = rules.state_after(span.until);
      if (!bound_other_side(lease, clock, last, result.state, span, bound))
        return false;
      std::uint64_t const low = Min(bound, old_bound);
      set_bound(clock, low, low);
    }
    std::uint64_t expected = last;
    if (!clock.cell.compare_exchange(expected, result.state)) {
      // A session that read the bound before it was lowered must fail its compare-and-swap, too.
      if (leased)
        take_bound_back(clock, old_bound);
      result = {step_kind::behind, now_state};
      return true;
    }
    pg_atomic_write_u64(&clock.cell.safe, rules.unit(last));
    if (leased)
      set_bound(clock, bound, rules.state_after(time_to_renew(span.from, rules.time(bound))));
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
