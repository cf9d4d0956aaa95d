// What partitions need beyond SQL: see src/sql/partitions/.
#include "datum.hpp"
#include "export.hpp"
#include "types.hpp"

namespace kid::pg {

static id_type const &id_type_argument(Oid type) {
  id_type const *const ids = id_type_of(type);

  if (ids == nullptr)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
            errmsg("type %s is not a type of IDs", format_type_extended(type, -1, FORMAT_TYPE_ALLOW_INVALID)));
  return *ids;
}

/// Whether SQL sees the newest rows of a catalog, of those whose `column` is `object`, and no other. An index gives the
/// versions of equal keys in one order, so two scans that see the same ones meet at each.
static bool sees_newest(Oid catalog, Oid index, AttrNumber column, Oid object) {
  auto *const relation = table_open(catalog, AccessShareLock);
  // A scan may write into its key.
  ScanKeyData keys[2] = {};
  bool same = true;

  for (ScanKeyData &key : keys)
    ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
  auto *const newest = systable_beginscan(relation, index, true, nullptr, 1, &keys[0]);
  auto *const seen = systable_beginscan(relation, index, true, GetActiveSnapshot(), 1, &keys[1]);
  for (bool more = true; same && more;) {
    auto *const one = systable_getnext(newest);
    auto *const other = systable_getnext(seen);

    more = HeapTupleIsValid(one) && HeapTupleIsValid(other);
    same = more ? ItemPointerEquals(&one->t_self, &other->t_self) : one == other;
  }
  systable_endscan(seen);
  systable_endscan(newest);
  table_close(relation, AccessShareLock);
  return same;
}

static Datum check_snapshot(PG_FUNCTION_ARGS) {
  Oid const parent = PG_GETARG_OID(0);

  // Below REPEATABLE READ each statement sees what was committed before it.
  if (IsolationUsesXactSnapshot() &&
      (!sees_newest(RelationRelationId, ClassOidIndexId, Anum_pg_class_oid, parent) ||
       !sees_newest(InheritsRelationId, InheritsParentIndexId, Anum_pg_inherits_inhparent, parent))) {
    char const *const name = get_rel_name(parent);

    ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
            errmsg("could not serialize access due to concurrent change of the partitions of table \"%s\"",
                   name != nullptr ? name : ""),
            errhint("Repeat the transaction, or run it at READ COMMITTED."));
  }
  PG_RETURN_VOID();
}

/// Returns the binary form of an ID. IDs order as their binary forms do.
static bytea *binary_of(Oid type, Datum id) {
  Oid send = InvalidOid;
  bool varies = false;

  getTypeBinaryOutputInfo(type, &send, &varies);
  return OidSendFunctionCall(send, id);
}

/// Returns the ID of a binary form, whose type is the first argument.
static Datum bound_argument(FunctionCallInfo fcinfo) {
  bytea *const bytes = PG_GETARG_BYTEA_PP(1);
  Oid receive = InvalidOid;
  Oid element = InvalidOid;
  StringInfoData message;

  initStringInfo(&message);
  appendBinaryStringInfo(&message, VARDATA_ANY(bytes), static_cast<int>(VARSIZE_ANY_EXHDR(bytes)));
  getTypeBinaryInputInfo(PG_GETARG_OID(0), &receive, &element);
  return OidReceiveFunctionCall(receive, &message, element, -1);
}

static Datum bound_at(PG_FUNCTION_ARGS) {
  id_type const &ids = id_type_argument(PG_GETARG_OID(0));

  PG_RETURN_BYTEA_P(binary_of(PG_GETARG_OID(0), ids.floor(to_unix(PG_GETARG_TIMESTAMPTZ(1)))));
}

static Datum bound_text(PG_FUNCTION_ARGS) {
  Oid output = InvalidOid;
  bool varies = false;

  static_cast<void>(id_type_argument(PG_GETARG_OID(0)));
  Datum const bound = bound_argument(fcinfo);
  getTypeOutputInfo(PG_GETARG_OID(0), &output, &varies);
  PG_RETURN_TEXT_P(cstring_to_text(OidOutputFunctionCall(output, bound)));
}

/// Also reads a bound that is not an ID, as long as its type has IDs: somebody may have written it by hand.
static Datum bound_time(PG_FUNCTION_ARGS) {
  id_type const &ids = id_type_argument(PG_GETARG_OID(0));

  PG_RETURN_TIMESTAMPTZ(from_unix(ids.time(bound_argument(fcinfo))));
}

/// Returns the type of the only column that a table is partitioned by, which must be a type of IDs.
static Oid partition_type(Oid parent) {
  HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(parent));
  char const *const name = get_rel_name(parent);

  if (name == nullptr)
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", parent));
  if (!HeapTupleIsValid(tuple))
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a partitioned table", name));
  auto const &form = *reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(tuple));
  bool const is_range = form.partstrat == PARTITION_STRATEGY_RANGE && form.partnatts == 1;
  AttrNumber const column = is_range ? form.partattrs.values[0] : AttrNumber{InvalidAttrNumber};
  ReleaseSysCache(tuple);
  // An expression has no number either.
  if (column == 0)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
            errmsg("table \"%s\" is not partitioned by range of one column", name));
  Oid const type = get_atttype(parent, column);
  if (id_type_of(type) == nullptr)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
            errmsg("table \"%s\" is partitioned by column \"%s\" of type %s", name, get_attname(parent, column, true),
                   format_type_be(type)),
            errdetail("The column must be of a type that kid makes IDs of."));
  return type;
}

static Datum partition_key(PG_FUNCTION_ARGS) {
  PG_RETURN_OID(partition_type(PG_GETARG_OID(0)));
}

/// Returns the bounds of a partition, or null for the default partition and for one that was dropped meanwhile.
static PartitionBoundSpec *bounds_of(Oid partition) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(partition));
  bool is_null = true;

  if (!HeapTupleIsValid(tuple))
    return nullptr;
  Datum const node_text = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relpartbound, &is_null);
  auto *const bounds =
      is_null ? nullptr : static_cast<PartitionBoundSpec *>(stringToNode(TextDatumGetCString(node_text)));
  ReleaseSysCache(tuple);
  return bounds == nullptr || bounds->is_default ? nullptr : bounds;
}

/// Returns the binary form of a bound; for MINVALUE an empty one, which is below every other. False for MAXVALUE.
static bool bound_value(Oid type, List *bound, Datum &value) {
  auto const *const one = linitial_node(PartitionRangeDatum, bound);

  if (one->kind == PARTITION_RANGE_DATUM_MAXVALUE)
    return false;
  value = PointerGetDatum(one->kind == PARTITION_RANGE_DATUM_MINVALUE
                              ? static_cast<bytea *>(static_cast<void *>(cstring_to_text("")))
                              : binary_of(type, castNode(Const, one->value)->constvalue));
  return true;
}

static Datum partition_bounds(PG_FUNCTION_ARGS) {
  Oid const parent = PG_GETARG_OID(0);
  Oid const type = partition_type(parent);
  ScanKeyData key = {};

  InitMaterializedSRF(fcinfo, 0);
  auto *const result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  auto *const inherits = table_open(InheritsRelationId, AccessShareLock);
  ScanKeyInit(&key, Anum_pg_inherits_inhparent, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(parent));
  auto *const scan = systable_beginscan(inherits, InheritsParentIndexId, true, nullptr, 1, &key);
  for (HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row); row = systable_getnext(scan)) {
    auto const &child = *reinterpret_cast<Form_pg_inherits>(GETSTRUCT(row));
    auto const *const bounds = bounds_of(child.inhrelid);
    if (bounds == nullptr)
      continue;
    Datum values[4] = {ObjectIdGetDatum(child.inhrelid), 0, 0, BoolGetDatum(child.inhdetachpending)};
    bool nulls[4] = {};
    nulls[1] = !bound_value(type, bounds->lowerdatums, values[1]);
    nulls[2] = !bound_value(type, bounds->upperdatums, values[2]);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  systable_endscan(scan);
  table_close(inherits, AccessShareLock);
  return 0;
}

/// Runs a command as the owner of a table, as PostgreSQL does when it builds an index, and returns how many rows it
/// processed. Constraints, foreign servers and whatever else an owner attached to the table may run code of his, which
/// must not run as the caller. Only who could become the owner may call this.
static Datum run_as_owner(PG_FUNCTION_ARGS) {
  Oid const relation = PG_GETARG_OID(0);
  char const *const command = text_to_cstring(PG_GETARG_TEXT_PP(1));
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  Oid user = InvalidOid;
  int context = 0;

  if (!HeapTupleIsValid(tuple))
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation));
  Oid const owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  GetUserIdAndSecContext(&user, &context);
  if (!has_privs_of_role(user, owner))
    aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relation));

  int const nesting = NewGUCNestLevel();
  if (owner != user)
    SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
  SPI_connect();
  int const result = SPI_execute(command, false, 0);
  if (result < 0)
    elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
  auto const rows = static_cast<std::int64_t>(SPI_processed);
  SPI_finish();
  AtEOXact_GUC(false, nesting);
  SetUserIdAndSecContext(user, context);
  PG_RETURN_INT64(rows);
}

/// Whether roles or databases are given other values of a setting than the one in force, by ALTER ROLE or ALTER
/// DATABASE. Those of other databases do not count.
static bool differs_elsewhere(id_setting const &setting) {
  auto *const relation = table_open(DbRoleSettingRelationId, AccessShareLock);
  auto *const scan = systable_beginscan(relation, InvalidOid, false, nullptr, 0, nullptr);
  std::size_t const length = strlen(setting.name);
  bool differs = false;

  for (HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row); row = systable_getnext(scan)) {
    Oid const database = reinterpret_cast<Form_pg_db_role_setting>(GETSTRUCT(row))->setdatabase;
    bool is_null = true;
    Datum const all = heap_getattr(row, Anum_pg_db_role_setting_setconfig, RelationGetDescr(relation), &is_null);
    if (is_null || (OidIsValid(database) && database != MyDatabaseId))
      continue;
    Datum *texts = nullptr;
    int count = 0;
    deconstruct_array(DatumGetArrayTypeP(all), TEXTOID, -1, false, TYPALIGN_INT, &texts, nullptr, &count);
    for (int i = 0; i < count; i++) {
      char const *const entry = TextDatumGetCString(texts[i]);
      if (pg_strncasecmp(entry, setting.name, length) == 0 && entry[length] == '=' &&
          !setting.equals(entry + length + 1))
        differs = true;
    }
  }
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
  return differs;
}

/// Returns the name of the setting that the bounds of a type depend on, or null. An error where sessions differ in it:
/// in one of them the partitions would be of other times.
static Datum bound_setting(PG_FUNCTION_ARGS) {
  id_setting const *const setting = id_type_argument(PG_GETARG_OID(0)).setting;

  if (setting == nullptr)
    PG_RETURN_NULL();
  if (differs_elsewhere(*setting))
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("roles of this database have different values of \"%s\"", setting->name),
            errdetail("The time of a partition depends on it, and nothing says which value made the IDs of the table."),
            errhint("Give all roles the same value, or create and drop partitions by their bounds."));
  PG_RETURN_TEXT_P(cstring_to_text(setting->name));
}

} // namespace kid::pg

KID_FUNCTION(kid_bound, kid::pg::bound_at)
KID_FUNCTION(kid_bound_text, kid::pg::bound_text)
KID_FUNCTION(kid_bound_time, kid::pg::bound_time)
KID_FUNCTION(kid_bound_setting, kid::pg::bound_setting)
KID_FUNCTION(kid_check_snapshot, kid::pg::check_snapshot)
KID_FUNCTION(kid_partition_key, kid::pg::partition_key)
KID_FUNCTION(kid_partition_bounds, kid::pg::partition_bounds)
KID_FUNCTION(kid_run_as_owner, kid::pg::run_as_owner)
