#include "move_clock.hpp"

#include "../base/error.hpp"
#include "../base/settings.hpp"
#include "sides.hpp"

namespace kid::pg {

/// How long a clock that is ahead of the system clock stays, at least, after leave_passed_unit() has moved it.
static constexpr unix_micros between_leaves = 100'000;

void leave_passed_unit(clock_ref const &clock, std::uint64_t now_state) {
  std::uint64_t last = clock.cell.load();
  std::uint64_t const end = clock.rules.end_of_unit(last, last);

  if (last == 0 || last == end || clock.rules.unit(last) == now_state)
    return;
  std::uint64_t left_at = pg_atomic_read_u64(&clock.stats.left_at);
  if (last > now_state &&
      ((left_at <= now_state && clock.rules.time(now_state) - clock.rules.time(left_at) < between_leaves) ||
       !compare_exchange(clock.stats.left_at, left_at, now_state)))
    return;
  // If another session was first, it has issued an ID, and there will be another poll.
  static_cast<void>(clock.cell.compare_exchange(last, end));
}

namespace {

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

  // Who may call kid_observe() is a matter of GRANT, in one database. The limit protects the others, which share the
  // clock. GRANT SET ON PARAMETER kid.max_observe lets a role raise it.
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

} // namespace kid::pg
