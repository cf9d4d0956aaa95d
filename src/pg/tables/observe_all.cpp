// kid_observe_all(): moves each logical clock past the IDs that are stored in the database.
#include "../base/datum.hpp"
#include "../base/export.hpp"
#include "../base/settings.hpp"
#include "../clocks/move_clock.hpp"
#include "id_columns.hpp"

namespace kid::pg {

namespace {

/// Adds a row to the result. If the clock is not known, `clock` is `clock_count`.
void put_row(ReturnSetInfo const &result, clock_id clock, stored_id const *id, examined const *column,
             char const *problem) {
  Datum values[6] = {};
  bool nulls[6] = {true, true, true, true, true, true};
  auto const set = [&](int i, Datum value) {
    values[i] = value;
    nulls[i] = false;
  };

  if (clock != clock_count)
    set(0, CStringGetTextDatum(rules_of(clock).name));
  if (id != nullptr && id->text[0] != '\0') {
    set(1, CStringGetTextDatum(id->text));
    set(2, TimestampTzGetDatum(from_unix(id->time)));
  }
  if (column != nullptr) {
    set(3, ObjectIdGetDatum(column->table));
    set(4, CStringGetTextDatum(column->name));
  }
  if (problem != nullptr)
    set(5, CStringGetTextDatum(problem));
  tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
}

/// Moves a clock past all IDs of the time unit that contains an instant. Some IDs of the unit may have been issued
/// without being stored, even greater ones than the greatest that is stored. If the clock has sides, either may have
/// been in use.
void raise_past(clock_ref const &clock, unix_micros time) {
  raise_all_sides(clock, clock.rules.end(clock.rules.state_at(time)));
}

} // namespace

static Datum observe_all(PG_FUNCTION_ARGS) {
  shared_state &state = shared("kid_observe_all()");
  unix_micros const limit = to_unix(GetCurrentTimestamp()) + max_observe * INT64CONST(1000);

  InitMaterializedSRF(fcinfo, 0);
  auto const &result = *reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  List *const columns = collect_columns(fcinfo->flinfo->fn_oid, InvalidOid);
  ListCell *cell = nullptr;
  foreach (cell, columns)
    static_cast<examined *>(lfirst(cell))->limit = limit;
  look_at_columns(columns, looks_for::issued);

  examined const *deciding[clock_count] = {};
  auto const end = [&](examined const &column) { return Min(column.greatest.latest, limit); };
  foreach (cell, columns) {
    auto const &column = *static_cast<examined *>(lfirst(cell));
    if (column.gone || column.greatest.text[0] == '\0')
      continue;
    examined const *&latest = deciding[column.kind->clock];
    if (latest == nullptr || end(column) > end(*latest))
      latest = &column;
  }
  for_each_clock(state, [&](clock_ref const &clock) {
    examined const *const column = deciding[clock.id];
    if (column != nullptr)
      raise_past(clock, end(*column));
    put_row(result, clock.id, column != nullptr ? &column->greatest : nullptr, column, nullptr);
  });

  foreach (cell, columns) {
    auto const &column = *static_cast<examined *>(lfirst(cell));
    clock_id const clock = column.kind != nullptr ? column.kind->clock : clock_count;
    if (column.gone)
      continue;
    if (column.problem != nullptr)
      put_row(result, clock, nullptr, &column, column.problem);
    if (column.later.text[0] != '\0')
      put_row(result, clock, &column.later, &column,
              "it has IDs that are further ahead of the system clock than kid.max_observe; this is the greatest");
  }
  return 0;
}

} // namespace kid::pg

KID_FUNCTION(kid_observe_all, kid::pg::observe_all)
