// kid_later_ids(): rows with IDs after an instant, which kid_reset_clock() would let be issued again.
#include "../base/datum.hpp"
#include "../base/export.hpp"
#include "id_columns.hpp"

namespace kid::pg {

/// Returns a row for each column of this database with an ID after the first argument, and for each column whose IDs
/// are not known. The second argument is the name of a clock: then only columns count whose IDs it can have made.
static Datum later_ids(PG_FUNCTION_ARGS) {
  unix_micros const after = PG_ARGISNULL(0) ? PG_INT64_MAX : to_unix(PG_GETARG_TIMESTAMPTZ(0));
  char const *const clock = PG_ARGISNULL(1) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(1));

  InitMaterializedSRF(fcinfo, 0);
  auto const &result = *reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  List *columns = NIL;
  ListCell *cell = nullptr;
  foreach (cell, collect_columns(fcinfo->flinfo->fn_oid, InvalidOid)) {
    auto *const column = static_cast<examined *>(lfirst(cell));
    column->limit = after;
    if (clock == nullptr || column->kind == nullptr || strcmp(rules_of(column->kind->clock).name, clock) == 0)
      columns = lappend(columns, column);
  }
  look_at_columns(columns, looks_for::rows);
  foreach (cell, columns) {
    auto const &column = *static_cast<examined *>(lfirst(cell));
    bool const found = column.later.text[0] != '\0';
    if (column.gone || (!found && column.problem == nullptr))
      continue;
    Datum values[] = {
        column.kind == nullptr ? 0 : CStringGetTextDatum(rules_of(column.kind->clock).name),
        ObjectIdGetDatum(column.table),
        CStringGetTextDatum(column.name),
        found ? CStringGetTextDatum(column.later.text) : 0,
        TimestampTzGetDatum(from_unix(column.later.time)),
        column.problem == nullptr ? 0 : CStringGetTextDatum(column.problem),
        BoolGetDatum(column.passing),
    };
    bool nulls[] = {column.kind == nullptr,   false, false, !found, !found, column.problem == nullptr,
                    column.problem == nullptr};
    tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
  }
  return 0;
}

} // namespace kid::pg

KID_FUNCTION(kid_later_ids, kid::pg::later_ids)
