// kid_stats() and kid_identity(), which show what several folders know.
#include "../base/datum.hpp"
#include "../clocks/lease.hpp"
#include "../horizon/floors.hpp"
#include "../types/all_types.hpp"

namespace kid::pg {

/// Returns a row for each clock. Never waits for the lock of the lease.
KID_DEFINE(kid_stats) {
  constexpr int columns = 14;
  shared_state &shared = find_or_make();
  // What keeps clocks from making IDs, now or after the next start.
  char const *const problem = page_seems_damaged() ? "page of the bounds of IDs is damaged"
                              : writing_failed(shared.lease)
                                  ? "page of the bounds of IDs could not be written, see the server log"
                                  : nullptr;
  TimestampTz const now = GetCurrentTimestamp();
  ReturnSetInfo const &result = begin_rows(fcinfo, columns);
  for_each_clock(shared, [&](clock_ref const &clock) {
    clock_stats &stats = clock.stats;
    clock_rules const &rules = clock.rules;
    std::uint64_t const state = clock.cell.load();
    std::uint64_t const bound = pg_atomic_read_u64(&clock.cell.bound);
    std::uint64_t const safe = pg_atomic_read_u64(&clock.cell.safe);
    entrant const earliest = earliest_entrant(clock.id, true);
    Datum values[columns] = {};
    bool nulls[columns] = {};
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

    put(true, CStringGetTextDatum(rules.name));                                           // clock
    put(started, TimestampTzGetDatum(time(state)));                                       // last_issued
    put(started, span(time(state) - now));                                                // ahead
    put(true, count(stats.waits));                                                        // waits
    put(true, count(stats.backward_steps));                                               // backward_steps
    put(rules.sides != 0, count(stats.ticks));                                            // ticks
    put(rules.sides != 0 && safe != 0, TimestampTzGetDatum(time(rules.next_unit(safe)))); // safe_mark
    put(bound != 0 && bound != no_bound, TimestampTzGetDatum(time(bound)));               // lease_until
    put(true, count(stats.renewals));                                                     // renewals
    put(true, Int64GetDatum(static_cast<std::int64_t>(waiting)));                         // waiting
    put(waiting > 0, span(now - since));                                                  // waiting_for
    put(earliest.process >= 0, Int32GetDatum(earliest.process));                          // held_by
    put(earliest.process >= 0, span(now - earliest.since));                               // held_for
    put(problem != nullptr, problem != nullptr ? CStringGetTextDatum(problem) : 0);       // problem
    Assert(column == columns);
    tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
  });
  return 0;
}

/// Returns what each type takes from the node number of this server. Besides "node" and "lanes", a column has the name
/// of the part of the node number that a type uses.
KID_DEFINE(kid_identity) {
  identity const who = identity_to_show();
  TupleDesc columns = nullptr;
  constexpr int most_columns = 16;
  Datum values[most_columns] = {};
  bool nulls[most_columns] = {};

  if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE || columns->natts > most_columns)
    elog(ERROR, "return type must be a row type of at most %d columns", most_columns);
  for (int i = 0; i < columns->natts; i++) {
    char const *const name = NameStr(TupleDescAttr(columns, i)->attname);
    std::int64_t value = -1;
    if (strcmp(name, "node") == 0)
      value = who.known ? std::int64_t{who.node} : -1;
    if (strcmp(name, "lanes") == 0)
      value = who.lanes;
    for (id_type const *type : all_types)
      if (type->node_part.of != nullptr && strcmp(name, type->node_part.name) == 0)
        value = type->node_part.of(who);
    values[i] = Int64GetDatum(value);
    nulls[i] = value < 0;
  }
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

} // namespace kid::pg
