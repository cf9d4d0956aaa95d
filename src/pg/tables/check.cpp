// kid_odd_ids(): the part of kid_check() that is not SQL. The other part is src/sql/check.sql.
#include "../base/datum.hpp"
#include "../base/export.hpp"
#include "../base/settings.hpp"
#include "id_columns.hpp"

namespace kid::pg {

namespace {

/// An ID in the first year of its type is almost certainly a plain number that was cast to the type.
constexpr unix_micros early_span = INT64CONST(365) * 86'400 * 1'000'000;

/// Returns why the caller may not see what is in `column`, or null if it may.
char const *why_hidden(examined const &column) {
  Oid const user = GetUserId();

  if (pg_class_aclcheck(column.table, user, ACL_SELECT) != ACLCHECK_OK &&
      pg_attribute_aclcheck(column.table, column.number, user, ACL_SELECT) != ACLCHECK_OK)
    return "permission to read it is missing";
  if (check_enable_rls(column.table, InvalidOid, true) == RLS_ENABLED)
    return "row-level security is in force";
  return nullptr;
}

void put_row(ReturnSetInfo const &result, examined const &column, char const *which, stored_id const &id,
             char const *problem) {
  Datum values[7] = {};
  bool nulls[7] = {true, true, true, true, true, true, true};
  auto const set = [&](int i, Datum value) {
    values[i] = value;
    nulls[i] = false;
  };

  set(0, ObjectIdGetDatum(column.table));
  set(1, CStringGetTextDatum(column.name));
  if (column.kind != nullptr)
    set(2, CStringGetTextDatum(column.kind->prefix));
  set(3, CStringGetTextDatum(which));
  if (id.text[0] != '\0') {
    set(4, CStringGetTextDatum(id.text));
    set(5, TimestampTzGetDatum(from_unix(id.time)));
  }
  if (problem != nullptr)
    set(6, CStringGetTextDatum(problem));
  tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
}

} // namespace

/// Returns up to two rows for each column of IDs in a table and its partitions. A row has one of these findings:
///   early    the latest ID in the first year of its type
///   late     the latest ID further ahead of the system clock than kid.max_observe
///   unknown  no ID, but why the column cannot be examined
static Datum odd_ids(PG_FUNCTION_ARGS) {
  unix_micros const limit = to_unix(GetCurrentTimestamp()) + max_observe * INT64CONST(1000);
  Oid const relation = PG_GETARG_OID(0);

  // A regclass can be any number, and collect_columns() takes 0 for all relations.
  if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)))
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation));
  InitMaterializedSRF(fcinfo, 0);
  auto const &result = *reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  List *const columns = collect_columns(fcinfo->flinfo->fn_oid, relation);
  ListCell *cell = nullptr;
  foreach (cell, columns) {
    auto &column = *static_cast<examined *>(lfirst(cell));
    // Skip a column of a type that kid cannot read IDs from, such as text.
    column.gone = column.reader == nullptr;
    if (column.problem == nullptr)
      column.problem = why_hidden(column);
    if (column.kind != nullptr)
      column.limit = column.kind->first() + early_span;
  }
  look_at_columns(columns, looks_for::issued);
  foreach (cell, columns) {
    auto &column = *static_cast<examined *>(lfirst(cell));
    if (!column.gone && column.problem == nullptr && column.greatest.text[0] != '\0')
      put_row(result, column, "early", column.greatest, nullptr);
    // Values that are not IDs, such as older random keys, may sort into the first year of the type. They say nothing
    // about late IDs.
    if (column.strange)
      column.problem = nullptr;
    column.later = {};
    column.limit = limit;
  }
  look_at_columns(columns, looks_for::issued);
  foreach (cell, columns) {
    auto &column = *static_cast<examined *>(lfirst(cell));
    if (column.gone)
      continue;
    if (column.problem != nullptr)
      put_row(result, column, "unknown", {}, column.problem);
    else if (column.later.text[0] != '\0')
      put_row(result, column, "late", column.later, nullptr);
  }
  return 0;
}

/// Returns the greatest length of an ID of a type as text, or null if kid makes no IDs of the type.
static Datum text_length(PG_FUNCTION_ARGS) {
  Oid const type = PG_GETARG_OID(0);
  id_type const *const ids = id_type_of(type);
  Oid output = InvalidOid;
  bool varies = false;

  if (ids == nullptr)
    PG_RETURN_NULL();
  getTypeOutputInfo(type, &output, &varies);
  PG_RETURN_INT32(static_cast<std::int32_t>(strlen(OidOutputFunctionCall(output, ids->floor(to_unix(DT_NOEND))))));
}

} // namespace kid::pg

KID_FUNCTION(kid_odd_ids, kid::pg::odd_ids)
KID_FUNCTION(kid_text_length, kid::pg::text_length)
