#include "sides.hpp"

#include "../base/datum.hpp"
#include "bounds.hpp"
#include "lease_lock.hpp"
#include "move_clock.hpp"

namespace kid::pg {

namespace {

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
  page_bounds page = page_with(lease, clock, rules.last_before(reached, bound));
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

void report_step_back(clock_ref const &clock, unix_micros back) {
  pg_atomic_fetch_add_u64(&clock.stats.ticks, 1);
  pg_atomic_fetch_add_u64(&clock.stats.backward_steps, 1);
  if (back >= notable_micros)
    ereport(
        WARNING,
        errmsg("system clock is %.3f s behind the last ID of %s", static_cast<double>(back) / 1e6, clock.rules.name),
        errdetail("IDs take the time of the system clock, with the other tick, and stay unique."),
        errhint("A system clock that goes back again before it has reached that time makes generators wait. See "
                "\"safe_mark\" in kid_stats()."));
}

} // namespace

step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now) {
  clock_rules const &rules = clock.rules;
  unix_micros const time = rules.time(now);
  step_result result = {step_kind::behind, now};

  with_open_lease(&clock, [&](lease_state &lease) {
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
  if (result.kind == step_kind::issued)
    report_step_back(clock, rules.time(last) - time);
  return result;
}

} // namespace kid::pg
