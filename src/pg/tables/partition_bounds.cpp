#include "../base/export.hpp"
#include "partitions.hpp"

namespace kid::pg {

namespace {

/// Returns an ID as a bound. The binary forms of IDs order as the IDs do, so one comparison serves all types.
partition_bound bound_of(Oid type, Datum id) {
  Oid send = InvalidOid;
  bool varies = false;
  partition_bound bound = {};

  getTypeBinaryOutputInfo(type, &send, &varies);
  bytea *const bytes = OidSendFunctionCall(send, id);
  bound.size = static_cast<int>(VARSIZE_ANY_EXHDR(bytes));
  if (bound.size > static_cast<int>(sizeof bound.bytes))
    elog(ERROR, "binary form of type %u is too long", type);
  memcpy(bound.bytes, VARDATA_ANY(bytes), static_cast<std::size_t>(bound.size));
  return bound;
}

Datum id_of(Oid type, partition_bound const &bound) {
  Oid receive = InvalidOid;
  Oid element = InvalidOid;
  StringInfoData message;

  initStringInfo(&message);
  appendBinaryStringInfo(&message, reinterpret_cast<char const *>(bound.bytes), bound.size);
  getTypeBinaryInputInfo(type, &receive, &element);
  return OidReceiveFunctionCall(receive, &message, element, -1);
}

/// Returns the bounds of a partition, or null for the default partition and for one that was dropped meanwhile.
PartitionBoundSpec *read_bounds(Oid partition) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(partition));
  bool is_null = true;

  if (!HeapTupleIsValid(tuple))
    return nullptr;
  Datum const nodes = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relpartbound, &is_null);
  auto *const bounds = is_null ? nullptr : static_cast<PartitionBoundSpec *>(stringToNode(TextDatumGetCString(nodes)));
  ReleaseSysCache(tuple);
  return bounds == nullptr || bounds->is_default ? nullptr : bounds;
}

/// Whether a bound is that of a range partition with a key of one column of `type`. If a partition is detached while
/// the catalogs are read, it may already be attached to another table, with bounds of another kind or type.
bool is_bound_of(Oid type, List *bound) {
  if (list_length(bound) != 1)
    return false;
  auto const *const one = static_cast<PartitionRangeDatum *>(linitial(bound));
  if (!IsA(one, PartitionRangeDatum))
    return false;
  if (one->kind != PARTITION_RANGE_DATUM_VALUE)
    return true;
  auto const *const value = reinterpret_cast<Const *>(one->value);
  return value != nullptr && IsA(value, Const) && value->consttype == type && !value->constisnull;
}

/// Reads a bound and its time. The bound need not be an ID, because users can write bounds by hand. Returns false for
/// MAXVALUE.
bool read_bound(partition_type const &type, List *bound, partition_bound &result, unix_micros &time) {
  auto const *const one = linitial_node(PartitionRangeDatum, bound);

  if (one->kind == PARTITION_RANGE_DATUM_VALUE) {
    Datum const id = castNode(Const, one->value)->constvalue;
    result = bound_of(type.oid, id);
    time = type.ids->time(id);
  }
  return one->kind != PARTITION_RANGE_DATUM_MAXVALUE;
}

/// Whether ALTER ROLE or ALTER DATABASE gives a setting a value other than the one in force. Ignores values that apply
/// only in other databases.
bool differs_elsewhere(id_setting const &setting) {
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

/// Returns an instant as a constant in SQL. PostgreSQL reads the constant the same with each DateStyle and TimeZone,
/// unlike a text with an abbreviation such as IST.
char const *constant_of(unix_micros time) {
  pg_tm parts = {};
  fsec_t fraction = 0;
  char text[MAXDATELEN + 1];

  if (timestamp2tm(from_unix(time), nullptr, &parts, &fraction, nullptr, nullptr) != 0)
    ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range"));
  EncodeDateTime(&parts, fraction, false, 0, nullptr, USE_ISO_DATES, text);
  return psprintf("'%s+00'::timestamptz", text);
}

} // namespace

partition_type partition_type_of(Oid parent) {
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
  // The number of an expression is InvalidAttrNumber too.
  if (column == InvalidAttrNumber)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
            errmsg("table \"%s\" is not partitioned by range of one column", name));
  partition_type const result = {get_atttype(parent, column), column, id_type_of(get_atttype(parent, column))};
  if (result.ids == nullptr)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
            errmsg("table \"%s\" is partitioned by column \"%s\" of type %s", name, get_attname(parent, column, false),
                   format_type_be(result.oid)),
            errdetail("The column must be of a type for which kid makes IDs."));
  return result;
}

partition_bound bound_at(partition_type const &type, TimestampTz time) {
  return bound_of(type.oid, type.ids->floor(to_unix(time)));
}

unix_micros time_of(partition_type const &type, partition_bound const &bound) {
  return type.ids->time(id_of(type.oid, bound));
}

char const *text_of(partition_type const &type, partition_bound const &bound) {
  Oid output = InvalidOid;
  bool varies = false;

  getTypeOutputInfo(type.oid, &output, &varies);
  return OidOutputFunctionCall(output, id_of(type.oid, bound));
}

Oid owner_of(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));

  if (!HeapTupleIsValid(tuple))
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation));
  Oid const owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

Oid time_function(partition_type const &type, Oid parent, Oid home) {
  id_type const &ids = *type.ids;

  if (ids.setting != nullptr || ids.exact_name != nullptr)
    return InvalidOid;
  Oid const function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("kid_timestamp"),
                                       PointerGetDatum(buildoidvector(&type.oid, 1)), ObjectIdGetDatum(home));
  // If kid has left the schema, somebody else may have put a function there.
  char const *const symbol = OidIsValid(function) ? symbol_of(function) : nullptr;
  if (symbol == nullptr || strcmp(symbol, psprintf("%s_timestamp", ids.prefix)) != 0)
    return InvalidOid;
  return may_use_schema(home, owner_of(parent)) && all_may_execute(function) ? function : InvalidOid;
}

char const *time_condition(partition_type const &type, Oid parent, Oid function, partition_bound const &lower,
                           partition_bound const *upper) {
  char const *const column = get_attname(parent, type.column, true);
  char const *const schema = OidIsValid(function) ? get_namespace_name(get_func_namespace(function)) : nullptr;
  char const *result = nullptr;

  if (column == nullptr || schema == nullptr)
    return nullptr;
  char const *const time = psprintf("%s.kid_timestamp(%s)", quote_identifier(schema), quote_identifier(column));
  if (lower.size > 0) {
    unix_micros const begins = time_of(type, lower);
    // A bound made by hand can have components that no ID has, such as 1020000 s of a million. Then IDs above the bound
    // have earlier times than the bound.
    if (compare(bound_at(type, from_unix(begins - 1)), lower) > 0)
      return nullptr;
    result = psprintf("%s >= %s", time, constant_of(begins));
  }
  if (upper != nullptr) {
    unix_micros const ends = time_of(type, *upper);
    // If the partition ends within a time unit, it has IDs of that unit.
    bool const ends_with_unit = compare(bound_at(type, from_unix(ends)), *upper) == 0;
    result = psprintf("%s%s%s %s %s", result == nullptr ? "" : result, result == nullptr ? "" : " AND ", time,
                      ends_with_unit ? "<" : "<=", constant_of(ends));
  }
  return result;
}

partition_list list_partitions(Oid parent, partition_type const &type) {
  auto *const inherits = table_open(InheritsRelationId, AccessShareLock);
  int capacity = 64;
  partition_list all = {static_cast<partition *>(palloc(static_cast<std::size_t>(capacity) * sizeof(partition))), 0};
  ScanKeyData key = {};

  ScanKeyInit(&key, Anum_pg_inherits_inhparent, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(parent));
  auto *const scan = systable_beginscan(inherits, InheritsParentIndexId, true, nullptr, 1, &key);
  for (HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row); row = systable_getnext(scan)) {
    auto const &child = *reinterpret_cast<Form_pg_inherits>(GETSTRUCT(row));
    auto const *const bounds = read_bounds(child.inhrelid);
    if (bounds == nullptr || !is_bound_of(type.oid, bounds->lowerdatums) || !is_bound_of(type.oid, bounds->upperdatums))
      continue;
    if (all.count == capacity) {
      capacity *= 2;
      all.first = static_cast<partition *>(repalloc(all.first, static_cast<std::size_t>(capacity) * sizeof(partition)));
    }
    partition &one = all.first[all.count++];
    one = {child.inhrelid, {}, {}, 0, 0, false, child.inhdetachpending};
    static_cast<void>(read_bound(type, bounds->lowerdatums, one.lower, one.begins));
    one.has_upper = read_bound(type, bounds->upperdatums, one.upper, one.ends);
  }
  systable_endscan(scan);
  table_close(inherits, AccessShareLock);
  std::sort(all.first, all.first + all.count,
            [](partition const &a, partition const &b) { return compare(a.lower, b.lower) < 0; });
  return all;
}

char const *check_setting(partition_type const &type) {
  id_setting const *const setting = type.ids->setting;

  if (setting == nullptr)
    return nullptr;
  if (differs_elsewhere(*setting))
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("roles of this database have different values of \"%s\"", setting->name),
            errdetail(
                "The time of a partition depends on this setting, and kid cannot know which value the IDs of the table "
                "were made with."),
            errhint("Give all roles the same value, or create and drop partitions by their bounds."));
  return setting->name;
}

/// Returns a row for each partition: the time from which and until which its IDs are, and a condition that tells the
/// planner these times. The times and the condition are null for the default partition.
static Datum partition_times(PG_FUNCTION_ARGS) {
  Oid const parent = PG_GETARG_OID(0);
  partition_type const type = partition_type_of(parent);
  Oid const function = time_function(type, parent, get_func_namespace(fcinfo->flinfo->fn_oid));
  partition_list const all = list_partitions(parent, type);

  InitMaterializedSRF(fcinfo, 0);
  auto *const result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for (int i = 0; i < all.count; i++) {
    partition const &one = all.first[i];
    char const *const condition =
        time_condition(type, parent, function, one.lower, one.has_upper ? &one.upper : nullptr);
    Datum values[] = {ObjectIdGetDatum(one.oid),
                      TimestampTzGetDatum(one.lower.size > 0 ? from_unix(one.begins) : DT_NOBEGIN),
                      TimestampTzGetDatum(one.has_upper ? from_unix(one.ends) : DT_NOEND), BoolGetDatum(one.detaching),
                      condition == nullptr ? 0 : PointerGetDatum(cstring_to_text(condition))};
    bool nulls[lengthof(values)] = {false, false, false, false, condition == nullptr};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  Oid const default_partition = get_default_partition_oid(parent);
  if (OidIsValid(default_partition)) {
    Datum values[] = {ObjectIdGetDatum(default_partition), 0, 0, BoolGetDatum(false), 0};
    bool nulls[] = {false, true, true, false, true};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return 0;
}

/// Returns the greatest length of an ID of a type as text, or null if kid makes no IDs of the type.
static Datum text_length(PG_FUNCTION_ARGS) {
  Oid const type = PG_GETARG_OID(0);
  id_type const *const ids = id_type_of(type);

  if (ids == nullptr)
    PG_RETURN_NULL();
  partition_type const described = {type, 0, ids};
  PG_RETURN_INT32(static_cast<std::int32_t>(strlen(text_of(described, bound_at(described, DT_NOEND)))));
}

} // namespace kid::pg

KID_FUNCTION(kid_partition_times, kid::pg::partition_times)
KID_FUNCTION(kid_text_length, kid::pg::text_length)
