// kid_stats(), which shows what several folders know.
#include "base/datum.hpp"
#include "clocks/lease.hpp"
#include "horizon/floors.hpp"

namespace kid::pg {

/// Returns what keeps clocks from making IDs, now or after the next start; null if nothing does.
static char const *problem_of(shared_state &shared) {
  if (page_seems_damaged())
    return "page of the bounds of IDs is damaged";
  if (writing_failed(shared.lease))
    return "page of the bounds of IDs could not be written, see the server log";
  return nullptr;
}

/// Returns a row for each clock. Never waits for the lock of the lease.
KID_DEFINE(kid_stats) {
  shared_state &shared = find_or_make();
  char const *const problem = problem_of(shared);
  TimestampTz const now = GetCurrentTimestamp();
  InitMaterializedSRF(fcinfo, 0);
  auto *const result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for_each_clock(shared, [&](clock_ref const &clock) {
    clock_stats &stats = clock.stats;
    clock_rules const &rules = clock.rules;
    std::uint64_t const state = clock.cell.load();
    std::uint64_t const bound = pg_atomic_read_u64(&clock.cell.bound);
    std::uint64_t const safe = pg_atomic_read_u64(&shared.lease.safe);
    entrant const earliest = earliest_entrant(clock.id, true);
    Datum values[14] = {};
    bool nulls[14] = {};
    int column = 0;
    auto const put = [&](bool is_known, Datum value) {
      nulls[column] = !is_known;
      values[column++] = value;
    };
    auto const count = [](pg_atomic_uint64 &word) {
      return Int64GetDatum(static_cast<std::int64_t>(pg_atomic_read_u64(&word)));
    };
    auto const time = [&](std::uint64_t at) { return from_unix(rules.time(at)); };
    auto const span = [](TimestampTz micros) {
      auto *const interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
      interval->time = Max(micros, 0);
      return IntervalPGetDatum(interval);
    };
    bool const started = rules.unit(state) != 0;
    std::uint64_t const waiting = pg_atomic_read_u64(&stats.waiting);
    auto const since = static_cast<TimestampTz>(pg_atomic_read_u64(&stats.waiting_since));

    put(true, CStringGetTextDatum(rules.name));
    put(started, TimestampTzGetDatum(time(state)));
    put(started, span(time(state) - now));
    put(true, count(stats.waits));
    put(true, count(stats.backward_steps));
    put(rules.sides != 0, count(stats.ticks));
    put(rules.sides != 0 && safe != 0, TimestampTzGetDatum(time(rules.next_unit(safe))));
    put(bound != 0 && bound != no_bound, TimestampTzGetDatum(time(bound)));
    put(true, count(stats.renewals));
    put(true, Int64GetDatum(static_cast<std::int64_t>(waiting)));
    put(waiting > 0, span(now - since));
    put(earliest.process >= 0, Int32GetDatum(earliest.process));
    put(earliest.process >= 0, span(now - earliest.since));
    put(problem != nullptr, problem != nullptr ? CStringGetTextDatum(problem) : 0);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  });
  return 0;
}

} // namespace kid::pg
