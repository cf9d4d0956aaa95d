// Looking after the timelines: what has become of them, and moving them.
#include "error.hpp"
#include "export.hpp"
#include "guc.hpp"
#include "lease.hpp"
#include "pg.hpp"
#include "state.hpp"
#include "value.hpp"

namespace kid::pg {

/// The state of a timeline at an ID. An ID of arbitrary bits may stand for a unit that is written otherwise.
static std::uint64_t state_of(kid64 const &layout, kid64::word id) {
  unix_micros const time = kid64::time(id);

  if (!holds(layout, time))
    time_error(layout);
  return kid64::lowest(time) | kid64::sequence::get(id);
}

static std::uint64_t state_of(flake layout, flake::word id) {
  return flake_timeline::at(layout.time(id)) | flake::sequence::get(id);
}

static std::uint64_t state_of(sno layout, sno::word id) {
  return sno_timeline::at(layout.time(id)) | sno_timeline::tick::put(sno::tick::get(id)) | sno::sequence::get(id);
}

static void observe(timeline &line, std::uint64_t state) {
  unix_micros const ahead = time_of(id_of(line), state) - to_unix(GetCurrentTimestamp());

  if (ahead > max_observe * INT64CONST(1000) && !superuser())
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is too far ahead of the clock"),
            errdetail("It is %.3f s ahead, and the value of \"kid.max_observe\" is %d ms.",
                      static_cast<double>(ahead) / 1e6, max_observe),
            errhint("IDs would stay ahead until the clock is there. If that is wanted, ask a superuser."));
  raise_timeline(line, state);
}

template <class Id, line_id Line> static Datum observe(PG_FUNCTION_ARGS) {
  timeline &line = shared("kid_observe()").lines[Line];
  observe(line, state_of(layout_of<Id>(), get<Id>(PG_GETARG_DATUM(0))));
  PG_RETURN_VOID();
}

static Datum observe_kid96(PG_FUNCTION_ARGS) {
  timeline &line = shared("kid_observe()").lines[line_kid];
  observe(line, state_of(kid64{}, layout_of<kid96>().local(get<kid96>(PG_GETARG_DATUM(0)))));
  PG_RETURN_VOID();
}

static void check_may_reset() {
  if (!superuser())
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to reset the clock of IDs"));
}

template <class Id, line_id Line> static Datum reset_to_id(PG_FUNCTION_ARGS) {
  check_may_reset();
  timeline &line = shared("kid_reset_clock()").lines[Line];
  lower_timeline(line, state_of(layout_of<Id>(), get<Id>(PG_GETARG_DATUM(0))));
  PG_RETURN_VOID();
}

static Datum reset_to_time(PG_FUNCTION_ARGS) {
  check_may_reset();
  for (timeline &line : shared("kid_reset_clock()").lines)
    lower_timeline(line, state_at(id_of(line), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
  PG_RETURN_VOID();
}

static Datum reset_to_nothing(PG_FUNCTION_ARGS) {
  static_cast<void>(fcinfo);
  check_may_reset();
  ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
          errmsg("kid_reset_clock() needs to know above which ID or time none is in use"),
          errdetail("IDs that are issued again after it are above that, and below those that were issued before."),
          errhint("Delete the rows whose IDs are of the future, then pass the greatest ID that is left, or a time that "
                  "no ID left is above: kid_reset_clock(now())."));
}

/// A row for each timeline; without locks, once this process knows where they are.
static Datum timelines(PG_FUNCTION_ARGS) {
  static char const *const names[line_count] = {"kid", "flake", "sno"};
  static shared_state *known = nullptr;
  if (known == nullptr)
    known = &find_or_make();
  shared_state &shared = *known;

  InitMaterializedSRF(fcinfo, 0);
  auto *const result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for (int id = 0; id < line_count; id++) {
    timeline &line = shared.lines[id];
    timeline_stats &stats = shared.stats[id];
    std::uint64_t const state = line.load();
    std::uint64_t const bound = pg_atomic_read_u64(&line.bound);
    auto const count = [](pg_atomic_uint64 &word) {
      return Int64GetDatum(static_cast<std::int64_t>(pg_atomic_read_u64(&word)));
    };
    auto const time = [&](std::uint64_t at) {
      return TimestampTzGetDatum(from_unix(time_of(static_cast<line_id>(id), at)));
    };
    bool const started = state != 0;
    bool const leased = bound != 0 && bound != ~std::uint64_t{0};
    Datum values[] = {CStringGetTextDatum(names[id]),
                      started ? time(state) : 0,
                      leased ? time(bound) : 0,
                      count(stats.renewals),
                      count(stats.waits),
                      count(stats.backward_steps),
                      count(stats.ticks)};
    bool nulls[] = {false, !started, !leased, false, false, false, id != line_sno};

    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return 0;
}

} // namespace kid::pg

KID_FUNCTION(kid64_observe, kid::pg::observe<kid::kid64, kid::pg::line_kid>)
KID_FUNCTION(kid96_observe, kid::pg::observe_kid96)
KID_FUNCTION(sno_observe, kid::pg::observe<kid::sno, kid::pg::line_sno>)
KID_FUNCTION(flake_observe, kid::pg::observe<kid::flake, kid::pg::line_flake>)
KID_FUNCTION(kid_reset_clock, kid::pg::reset_to_nothing)
KID_FUNCTION(kid_reset_clock_to_time, kid::pg::reset_to_time)
KID_FUNCTION(kid64_reset_clock, kid::pg::reset_to_id<kid::kid64, kid::pg::line_kid>)
KID_FUNCTION(sno_reset_clock, kid::pg::reset_to_id<kid::sno, kid::pg::line_sno>)
KID_FUNCTION(flake_reset_clock, kid::pg::reset_to_id<kid::flake, kid::pg::line_flake>)

KID_FUNCTION(kid_timelines, kid::pg::timelines)
