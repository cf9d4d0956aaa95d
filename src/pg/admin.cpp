// Looking after the logical clocks: what has become of them, and moving them.
#include "datum.hpp"
#include "export.hpp"
#include "lease.hpp"
#include "settings.hpp"
#include "traits/clock.hpp"

namespace kid::pg {

void observe(clock_cell &cell, std::uint64_t state) {
  unix_micros const ahead = rules_of(id_of(cell)).time(state) - to_unix(GetCurrentTimestamp());

  if (ahead > max_observe * INT64CONST(1000) && !superuser())
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is too far ahead of the clock"),
            errdetail("It is %.3f s ahead, and the value of \"kid.max_observe\" is %d ms.",
                      static_cast<double>(ahead) / 1e6, max_observe),
            errhint("IDs would stay ahead until the clock is there. If that is wanted, ask a superuser."));
  raise_clock(cell, state);
}

void check_may_reset() {
  if (!superuser())
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to reset the clock of IDs"));
}

static Datum reset_to_time(PG_FUNCTION_ARGS) {
  unix_micros const time = to_unix(PG_GETARG_TIMESTAMPTZ(0));

  check_may_reset();
  shared_state &shared = kid::pg::shared("kid_reset_clock()");
  mend_bounds(time);
  for (clock_cell &cell : shared.cells)
    lower_clock(cell, state_at(id_of(cell), time));
  PG_RETURN_VOID();
}

/// A row for each clock; without locks, once this process knows where they are.
static Datum clocks(PG_FUNCTION_ARGS) {
  static shared_state *known = nullptr;
  if (known == nullptr)
    known = &find_or_make();
  shared_state &shared = *known;

  bool const damaged = page_seems_damaged();
  InitMaterializedSRF(fcinfo, 0);
  auto *const result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for (int i = 0; i < clock_count; i++) {
    clock_cell &cell = shared.cells[i];
    clock_stats &stats = shared.stats[i];
    clock_rules const &rules = rules_of(static_cast<clock_id>(i));
    std::uint64_t const state = cell.load();
    std::uint64_t const bound = pg_atomic_read_u64(&cell.bound);
    auto const count = [](pg_atomic_uint64 &word) {
      return Int64GetDatum(static_cast<std::int64_t>(pg_atomic_read_u64(&word)));
    };
    auto const time = [&](std::uint64_t at) { return TimestampTzGetDatum(from_unix(rules.time(at))); };
    bool const started = rules.unit(state) != 0;
    std::uint64_t const safe = pg_atomic_read_u64(&shared.lease.safe);
    bool const marked = rules.sides != 0 && safe != 0;
    bool const leased = bound != 0 && bound != ~std::uint64_t{0};
    Datum values[] = {CStringGetTextDatum(rules.name),
                      started ? time(state) : 0,
                      leased ? time(bound) : 0,
                      count(stats.renewals),
                      count(stats.waits),
                      count(stats.backward_steps),
                      count(stats.ticks),
                      marked ? time(rules.next_unit(safe)) : 0,
                      damaged ? CStringGetTextDatum("page of the bounds of IDs is damaged") : 0};
    bool nulls[] = {false, !started, !leased, false, false, false, rules.sides == 0, !marked, !damaged};

    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return 0;
}

} // namespace kid::pg

KID_FUNCTION(kid_reset_clock_to_time, kid::pg::reset_to_time)
KID_FUNCTION(kid_clocks, kid::pg::clocks)
