// Partitions by time: creates and drops the partitions of a table.
//
// All of this is in C, and nothing is looked up by name in the schema of the extension. Code of a table's owner runs in
// the middle of a call, and could put another function under such a name. Commands that may run code of the owner are
// run as the owner.
#include "partitions.hpp"

#include "../base/export.hpp"

namespace kid::pg {

namespace {

/// Returns a name that was looked up in a catalog. Raises an error if it is null. Code of an owner, which runs in the
/// middle of a call, can drop anything that belongs to that owner: the locks of its own session do not stop it.
char const *found_name(char const *name) {
  if (name == nullptr)
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT),
            errmsg("a table, its type or its schema was dropped while its partitions were being changed"));
  return name;
}

/// Whether the snapshot of the running statement sees the newest catalog rows whose `column` is `object`. Compares two
/// scans row by row: an index returns the versions of equal keys in the same order each time.
bool sees_newest(Oid catalog, Oid index, AttrNumber column, Oid object) {
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

/// Raises an error if the snapshot of the transaction is older than the last change of a table or its partitions. DDL
/// always works on the newest state.
void check_snapshot(Oid parent) {
  // At READ COMMITTED each statement takes a new snapshot.
  if (IsolationUsesXactSnapshot() &&
      (!sees_newest(RelationRelationId, ClassOidIndexId, Anum_pg_class_oid, parent) ||
       !sees_newest(InheritsRelationId, InheritsParentIndexId, Anum_pg_inherits_inhparent, parent)))
    ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
            errmsg("could not serialize access due to concurrent change of the partitions of table \"%s\"",
                   found_name(get_rel_name(parent))),
            errhint("Repeat the transaction, or run it at READ COMMITTED."));
}

void check_may_act_as_owner(Oid relation) {
  if (!has_privs_of_role(GetUserId(), owner_of(relation)))
    aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, found_name(get_rel_name(relation)));
}

/// Locks a table, so that other sessions wait to change its partitions but not to read or write. Also locks its schema,
/// so that the schema cannot be renamed meanwhile. Older minor versions of PostgreSQL rename a schema without locking
/// it, so create_partition() checks the name again.
void lock_parent(Oid parent) {
  LockRelationOid(parent, ShareUpdateExclusiveLock);
  LockDatabaseObject(NamespaceRelationId, get_rel_namespace(parent), 0, AccessShareLock);
  check_snapshot(parent);
}

/// Runs a command as the owner of a table, as PostgreSQL does to build an index. Returns how many rows it processed.
///
/// Constraints, foreign servers and other objects attached to the table may run code of its owner. That code must not
/// run with the privileges of the caller.
std::uint64_t run_as_owner(Oid relation, char const *command) {
  Oid const owner = owner_of(relation);
  Oid user = InvalidOid;
  int context = 0;

  check_may_act_as_owner(relation);
  GetUserIdAndSecContext(&user, &context);
  int const nesting = NewGUCNestLevel();
  if (owner != user)
    SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
  SPI_connect();
  int const result = SPI_execute(command, false, 0);
  if (result < 0)
    elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
  std::uint64_t const rows = SPI_processed;
  SPI_finish();
  AtEOXact_GUC(false, nesting);
  SetUserIdAndSecContext(user, context);
  return rows;
}

/// Returns the quoted name of a relation with its schema.
char const *qualified_name(Oid relation) {
  return quote_qualified_identifier(found_name(get_namespace_name(get_rel_namespace(relation))),
                                    found_name(get_rel_name(relation)));
}

/// Reports that a partition is being detached. PostgreSQL cannot distinguish a detach that was interrupted from one
/// that is running. So kid does not complete it, and does not drop a partition that a user may be detaching to keep.
void report_detaching(int level, Oid parent, Oid partition) {
  char const *const from = qualified_name(parent);
  char const *const name = qualified_name(partition);

  ereport(
      level, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
      errmsg("detaching partition %s from %s is not complete", name, from),
      errdetail("The partition accepts no more rows, but no other partition can take its place until it is detached."),
      errhint("If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s FINALIZE.", from, name));
}

bool argument_is_infinite(FunctionCallInfo fcinfo, int argument) {
  return !PG_ARGISNULL(argument) && TIMESTAMP_NOT_FINITE(PG_GETARG_TIMESTAMPTZ(argument));
}

/// Returns the greatest number of partitions that a call may change. If the argument is null, there is no limit.
std::int64_t at_most_argument(FunctionCallInfo fcinfo, int argument) {
  if (PG_ARGISNULL(argument))
    return PG_INT64_MAX;
  if (PG_GETARG_INT32(argument) < 1)
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("at_most must be greater than 0"));
  return PG_GETARG_INT32(argument);
}

/// Prepares the result of a function that returns a set of names.
ReturnSetInfo &names_result(FunctionCallInfo fcinfo) {
  InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
  return *reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
}

void put_name(ReturnSetInfo const &result, char const *name) {
  Datum value = CStringGetTextDatum(name);
  bool null = false;

  tuplestore_putvalues(result.setResult, result.setDesc, &value, &null);
}

// The width of partitions.

/// The width of a period, in months or in microseconds. Periods are numbered, and begin in UTC. If the width is in
/// months, period 0 begins with year 0. Otherwise it begins on Monday, 2001-01-01.
struct period_width {
  std::int64_t months; ///< or 0
  std::int64_t micros; ///< or 0
  Interval const *interval;

  char const *text() const { return DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(interval))); }
};

/// Monday, 2001-01-01, when a period of any width that is not in months begins.
constexpr TimestampTz first_monday = 366 * USECS_PER_DAY;

/// The average length of a month, to estimate the number of periods.
constexpr double month_micros = 365.2425 / 12 * USECS_PER_DAY;

period_width width_argument(Interval const *interval) {
  int64 micros = 0;
  bool const overflows = pg_mul_s64_overflow(interval->day, USECS_PER_DAY, &micros) ||
                         pg_add_s64_overflow(micros, interval->time, &micros);
  bool const is_of_months = interval->month > 0 && interval->day == 0 && interval->time == 0;
  bool const is_of_seconds =
      interval->month == 0 && !overflows && micros >= USECS_PER_SEC && micros % USECS_PER_SEC == 0;

  if (!is_of_months && !is_of_seconds)
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("width of a partition cannot be \"%s\"", (period_width{0, 0, interval}.text())),
        errdetail("A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: at least 1 "
                  "second and at most 292,000 years."));
  return {interval->month, is_of_months ? 0 : micros, interval};
}

std::int64_t floor_divide(std::int64_t number, std::int64_t divisor) {
  return number / divisor - (number % divisor < 0);
}

/// Returns the number of the period that contains an instant.
std::int64_t period_of(period_width const &width, TimestampTz time) {
  pg_tm parts = {};
  fsec_t fraction = 0;

  if (width.months == 0)
    return floor_divide(time - first_monday, width.micros);
  if (timestamp2tm(time, nullptr, &parts, &fraction, nullptr, nullptr) != 0)
    ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range"));
  return floor_divide(std::int64_t{parts.tm_year} * MONTHS_PER_YEAR + parts.tm_mon - 1, width.months);
}

/// Returns when a period begins, or 'infinity' if that is too late for a timestamptz.
TimestampTz begin_of(period_width const &width, std::int64_t period) {
  if (width.months == 0) {
    int64 begin = 0;
    if (pg_mul_s64_overflow(period, width.micros, &begin) || pg_add_s64_overflow(begin, first_monday, &begin) ||
        !IS_VALID_TIMESTAMP(begin))
      return DT_NOEND;
    return begin;
  }
  std::int64_t const month = period * width.months;
  std::int64_t const year = floor_divide(month, MONTHS_PER_YEAR);
  if (year >= TIMESTAMP_END_JULIAN || !IS_VALID_JULIAN(static_cast<int>(year), 1, 1))
    return DT_NOEND;
  int const day = date2j(static_cast<int>(year), static_cast<int>(month - year * MONTHS_PER_YEAR) + 1, 1);
  TimestampTz const begin = (day - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;
  return IS_VALID_TIMESTAMP(begin) ? begin : DT_NOEND;
}

/// Returns the suffix of the name of a partition, which shows when the partition begins. The width decides the format.
/// A partition that does not begin where a period does may need a finer one.
char const *suffix_of(period_width const &width, TimestampTz begin) {
  std::int64_t const time_of_day = begin - floor_divide(begin, USECS_PER_DAY) * USECS_PER_DAY;
  bool const in_days = width.months > 0 || width.micros % USECS_PER_DAY == 0;
  bool const in_minutes = in_days || width.micros % USECS_PER_MINUTE == 0;
  char const *const format = in_days && time_of_day == 0                         ? "\"_p\"YYYYMMDD"
                             : in_minutes && time_of_day % USECS_PER_MINUTE == 0 ? "\"_p\"YYYYMMDD_HH24MI"
                             : time_of_day % USECS_PER_SEC == 0                  ? "\"_p\"YYYYMMDD_HH24MISS"
                                                                                 : "\"_p\"YYYYMMDD_HH24MISSUS";
  return TextDatumGetCString(
      DirectFunctionCall2(timestamp_to_char, TimestampGetDatum(begin), CStringGetTextDatum(format)));
}

/// Returns an unused name for a partition, not quoted. Appends a number if the schema already has a relation or type of
/// that name, such as a detached partition.
char const *new_name(Oid parent, period_width const &width, TimestampTz begin) {
  Oid const schema = get_rel_namespace(parent);
  char const *const base = found_name(get_rel_name(parent));
  char const *suffix = suffix_of(width, begin);

  for (int again = 0;; again++) {
    char const *const end = again == 0 ? suffix : psprintf("%s_%d", suffix, again);
    // Leave one byte for the name of the array type, which begins with "_". If PostgreSQL had to truncate that name,
    // the array types of different partitions would have the same name.
    auto const space = NAMEDATALEN - 2 - static_cast<int>(strlen(end));
    char const *const name = psprintf("%.*s%s", pg_mbcliplen(base, static_cast<int>(strlen(base)), space), base, end);
    if (!OidIsValid(get_relname_relid(name, schema)) &&
        !SearchSysCacheExists2(TYPENAMENSP, CStringGetDatum(name), ObjectIdGetDatum(schema)))
      return name;
  }
}

// Creating partitions.

/// A point where a period begins, or where a partition begins or ends.
struct point {
  partition_bound id;
  TimestampTz begins; ///< when the period begins, or the time unit of the bound
  bool is_period;
};

/// Returns when the time unit of an instant begins. The instant may be out of range of the type.
unix_micros unit_time(partition_type const &type, TimestampTz time) {
  return type.ids->time(type.ids->floor(to_unix(time)));
}

/// A piece of time between two points that has no partition for rows.
struct missing {
  partition_bound lower;
  partition_bound upper;
  bool has_upper;
  TimestampTz begins;
  partition const *detaching; ///< the partition being detached that takes its place, or null
  bool is_for_new_rows;
};

struct creation {
  Oid parent;
  partition_type type;
  period_width width;
  TimestampTz until;
  partition_bound present;
  partition_list partitions;
  Oid home; ///< the schema of kid's functions
};

bool is_bound(partition_list const &all, partition_bound const &id) {
  for (int i = 0; i < all.count; i++)
    if (compare(all.first[i].lower, id) == 0 || (all.first[i].has_upper && compare(all.first[i].upper, id) == 0))
      return true;
  return false;
}

/// Whether a partition begins or ends in the time unit that begins at `time`.
bool is_unit_of_bound(partition_list const &all, unix_micros time) {
  for (int i = 0; i < all.count; i++)
    if ((all.first[i].lower.size > 0 && all.first[i].begins == time) ||
        (all.first[i].has_upper && all.first[i].ends == time))
      return true;
  return false;
}

/// Sets `first` to the first bound from which a partition may be missing, and `start` to when the period that contains
/// `first` begins. If the first partition begins at or before the present, `first` is where it and the partitions that
/// adjoin it end. Otherwise `first` is where the present period begins. Returns false if the last of these partitions
/// has no upper bound.
bool find_start(creation const &call, partition_bound &first, TimestampTz &start) {
  partition_bound reach = call.present;
  bool found = false;

  for (int i = 0; i < call.partitions.count; i++) {
    partition const &one = call.partitions.first[i];
    if (one.detaching)
      continue;
    if (compare(one.lower, reach) > 0)
      break;
    if (!one.has_upper)
      return false;
    first = reach = one.upper;
    start = from_unix(one.ends);
    found = true;
  }
  if (!found)
    start = GetCurrentTransactionStartTimestamp();
  start = begin_of(call.width, period_of(call.width, start));
  if (!found)
    first = bound_at(call.type, start);
  return true;
}

/// Returns all points in order, without duplicates. If a partition begins or ends in the time unit in which a period
/// begins, its bound stands for the period. The points go beyond `until` by `coarsest_order`, because the bounds of a
/// kid96 are as far apart as its neighborhood is wide.
point *find_points(creation const &call, TimestampTz start, int &count) {
  TimestampTz const end = call.until + coarsest_order;
  partition_list const &all = call.partitions;
  int capacity = 2 * all.count + 64;
  auto *points = static_cast<point *>(palloc(static_cast<std::size_t>(capacity) * sizeof(point)));

  count = 0;
  for (int i = 0; i < all.count; i++) {
    partition const &one = all.first[i];
    points[count++] = {one.lower, from_unix(one.begins), false};
    if (one.has_upper)
      points[count++] = {one.upper, from_unix(one.ends), false};
  }
  std::int64_t const period = period_of(call.width, start);
  bool last = false;
  for (std::int64_t i = 0; !last; i++) {
    CHECK_FOR_INTERRUPTS();
    TimestampTz const begins = begin_of(call.width, period + i);
    // Add one more point, the end of the last period.
    last = begins > end;
    partition_bound const id = bound_at(call.type, begins);
    if (!is_bound(all, id) && is_unit_of_bound(all, unit_time(call.type, begins)))
      continue;
    if (count == capacity) {
      capacity *= 2;
      points = static_cast<point *>(repalloc(points, static_cast<std::size_t>(capacity) * sizeof(point)));
    }
    points[count++] = {id, begins, true};
  }
  std::sort(points, points + count, [](point const &a, point const &b) {
    int const order = compare(a.id, b.id);
    return order < 0 || (order == 0 && a.is_period > b.is_period);
  });
  auto *const end_of_unique =
      std::unique(points, points + count, [](point const &a, point const &b) { return compare(a.id, b.id) == 0; });
  count = static_cast<int>(end_of_unique - points);
  return points;
}

/// Adds the piece between a point and the next one, unless a partition there accepts rows. Only adds pieces that may
/// get new rows if `for_new_rows` is true, and only other pieces if it is false.
void add_missing(creation const &call, point const *at, bool has_upper, bool for_new_rows, missing *found, int &count) {
  partition const *there = nullptr;

  if ((!has_upper || compare(at[1].id, call.present) > 0) != for_new_rows)
    return;
  for (int i = 0; i < call.partitions.count && there == nullptr; i++) {
    partition const &one = call.partitions.first[i];
    if (compare(one.lower, at->id) <= 0 && (!one.has_upper || compare(one.upper, at->id) > 0))
      there = &one;
  }
  if (there == nullptr || there->detaching)
    found[count++] = {at->id, has_upper ? at[1].id : partition_bound{}, has_upper, at->begins, there, for_new_rows};
}

/// Returns the missing pieces from `first` on, those for new rows first. A piece whose place is taken by a partition
/// that is being detached is missing too.
missing *find_missing(creation const &call, partition_bound const &first, TimestampTz start, int &count) {
  int point_count = 0;
  point const *const points = find_points(call, start, point_count);
  auto *const found = static_cast<missing *>(palloc(static_cast<std::size_t>(Max(point_count, 1)) * sizeof(missing)));
  partition_bound const last = bound_at(call.type, call.until - 1);

  // Partitions for new rows come first, because `at_most` may end the call.
  count = 0;
  for (bool const for_new_rows : {true, false})
    for (int i = 0; i < point_count; i++)
      if (compare(points[i].id, first) >= 0 && compare(points[i].id, last) <= 0)
        add_missing(call, points + i, i + 1 < point_count, for_new_rows, found, count);
  return found;
}

/// Returns the USING and TABLESPACE clauses of the parent, if it has its own access method or tablespace.
char const *storage_of(Oid parent) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(parent));
  char const *storage = "";

  if (!HeapTupleIsValid(tuple))
    return storage;
  auto const &form = *reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple));
  if (OidIsValid(form.relam))
    storage = psprintf(" USING %s", quote_identifier(found_name(get_am_name(form.relam))));
  if (OidIsValid(form.reltablespace))
    storage =
        psprintf("%s TABLESPACE %s", storage, quote_identifier(found_name(get_tablespace_name(form.reltablespace))));
  ReleaseSysCache(tuple);
  return storage;
}

Oid namespace_of_type(Oid type) {
  HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  Oid result = InvalidOid;

  if (HeapTupleIsValid(tuple)) {
    result = reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple))->typnamespace;
    ReleaseSysCache(tuple);
  }
  return result;
}

/// Whether the default partition has rows that belong to a missing partition. The query runs as the owner of the
/// default partition, who may not be the owner of the parent.
bool is_caught(creation const &call, Oid default_partition, char const *lower, char const *upper) {
  char const *const key = quote_identifier(found_name(get_attname(call.parent, call.type.column, true)));
  char const *const type = format_type_be_qualified(call.type.oid);
  char const *const home = quote_identifier(found_name(get_namespace_name(namespace_of_type(call.type.oid))));

  return run_as_owner(default_partition,
                      psprintf("SELECT FROM %s WHERE %s OPERATOR(%s.>=) %s::%s AND %s OPERATOR(%s.<) %s::%s LIMIT 1",
                               qualified_name(default_partition), key, home, quote_literal_cstr(lower), type, key, home,
                               quote_literal_cstr(upper), type)) > 0;
}

/// Returns a name for the constraint on time that no constraint of the parent has.
char const *time_constraint_name(Oid parent) {
  char const *name = "kid_time";

  for (int i = 1; ConstraintNameIsUsed(CONSTRAINT_RELATION, parent, name); i++)
    name = psprintf("kid_time_%d", i);
  return name;
}

bool calls_other(Node *node, void *function) {
  if (node == nullptr)
    return false;
  if (IsA(node, FuncExpr) && reinterpret_cast<FuncExpr *>(node)->funcid != *static_cast<Oid *>(function))
    return true;
  return walk(node, calls_other, function);
}

/// Whether a check constraint of a table exists and calls no function but `function`.
bool check_calls_only(Oid table, char const *constraint, Oid function) {
  auto *const relation = table_open(table, NoLock);
  TupleConstr const *const all = RelationGetDescr(relation)->constr;
  bool result = false;

  for (int i = 0; all != nullptr && i < all->num_check; i++)
    if (strcmp(all->check[i].ccname, constraint) == 0)
      result = !calls_other(static_cast<Node *>(stringToNode(all->check[i].ccbin)), &function);
  table_close(relation, NoLock);
  return result;
}

/// Creates a table and attaches it as a partition, and returns its quoted name. CREATE TABLE ... PARTITION OF would
/// lock out readers and writers of the parent.
///
/// Commands find tables and functions by name, and an owner may give the name to another one meanwhile. So what the
/// first command did is checked before the second one.
char const *create_partition(creation const &call, char const *storage, missing const &piece, char const *lower,
                             char const *upper) {
  char const *const name = new_name(call.parent, call.width, piece.begins);
  char const *const quoted =
      quote_qualified_identifier(found_name(get_namespace_name(get_rel_namespace(call.parent))), name);
  char const *const parent = qualified_name(call.parent);

  Oid const schema = get_rel_namespace(call.parent);
  Oid const function = time_function(call.type, call.parent, call.home);
  char const *const condition = time_condition(call.type, call.parent, function, piece.lower, &piece.upper);
  char const *const constraint = time_constraint_name(call.parent);

  run_as_owner(call.parent,
               psprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS "
                        "INCLUDING GENERATED INCLUDING STORAGE INCLUDING COMPRESSION%s)%s",
                        quoted, parent,
                        condition == nullptr ? "" : psprintf(", CONSTRAINT %s CHECK (%s)", constraint, condition),
                        storage));
  Oid const created = get_relname_relid(name, schema);
  if (!OidIsValid(created) || strcmp(parent, qualified_name(call.parent)) != 0 ||
      (condition != nullptr && !check_calls_only(created, constraint, function)))
    ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
            errmsg("could not serialize access due to concurrent change of the schema of table %s", parent));
  run_as_owner(call.parent, psprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)", parent, quoted,
                                     quote_literal_cstr(lower), quote_literal_cstr(upper)));
  return quoted;
}

/// Creates the missing partitions, and puts their names into `result`.
void create_missing(creation const &call, missing const *pieces, int count, std::int64_t at_most,
                    ReturnSetInfo const &result) {
  Oid const default_partition = get_default_partition_oid(call.parent);
  partition_bound const beyond = bound_at(call.type, DT_NOEND);
  char const *const storage = storage_of(call.parent);
  partition const *reported = nullptr;
  TimestampTz left_out_from = DT_NOEND;
  int left_out = 0;
  std::int64_t made = 0;

  for (int i = 0; i < count; i++) {
    missing const &piece = pieces[i];
    CHECK_FOR_INTERRUPTS();
    if (piece.detaching != nullptr) {
      // Raise an error if new rows would find no partition. Otherwise only warn, so that new rows get their partitions.
      // Pieces for new rows come first, so the first piece of a detaching partition decides which of the two.
      if (piece.detaching != reported)
        report_detaching(piece.is_for_new_rows ? ERROR : WARNING, call.parent, piece.detaching->oid);
      reported = piece.detaching;
      continue;
    }
    if (!piece.has_upper || compare(piece.upper, beyond) == 0)
      ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
              errmsg("timestamp out of range for type %s", format_type_be(call.type.oid)),
              errdetail("A partition from %s on cannot be as wide as \"%s\".", display(to_unix(piece.begins)),
                        call.width.text()));
    char const *const lower = text_of(call.type, piece.lower);
    char const *const upper = text_of(call.type, piece.upper);
    if (OidIsValid(default_partition) && is_caught(call, default_partition, lower, upper)) {
      left_out++;
      left_out_from = Min(left_out_from, piece.begins);
      continue;
    }
    if (made == at_most) {
      ereport(NOTICE, errmsg("more partitions of %s are missing", qualified_name(call.parent)),
              errhint("The next call creates them."));
      break;
    }
    put_name(result, create_partition(call, storage, piece, lower, upper));
    made++;
  }
  if (left_out > 0)
    ereport(WARNING, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("rows in default partition %s keep partitions of %s from being created",
                   qualified_name(default_partition), qualified_name(call.parent)),
            errdetail("Partitions not created: %d, the first from %s on.", left_out, display(to_unix(left_out_from))),
            errhint("Detach the default partition, create the partitions, insert its rows into the parent, and attach "
                    "it again when it is empty."));
}

} // namespace

static Datum create_partitions(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("arguments of kid_create_partitions must not be null"));
  creation call = {};
  call.parent = PG_GETARG_OID(0);
  call.width = width_argument(PG_GETARG_INTERVAL_P(1));
  call.until = PG_GETARG_TIMESTAMPTZ(2);
  if (argument_is_infinite(fcinfo, 2) || argument_is_infinite(fcinfo, 3))
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("partitions cannot be created %s an infinite time",
                   argument_is_infinite(fcinfo, 2) ? "until" : "since"));
  std::int64_t const at_most = at_most_argument(fcinfo, 4);
  call.type = partition_type_of(call.parent);
  static_cast<void>(check_setting(call.type));
  check_may_act_as_owner(call.parent);
  lock_parent(call.parent);
  call.type = partition_type_of(call.parent);
  call.home = get_func_namespace(fcinfo->flinfo->fn_oid);
  LockDatabaseObject(NamespaceRelationId, call.home, 0, AccessShareLock);
  ReturnSetInfo const &result = names_result(fcinfo);

  call.present = bound_at(call.type, GetCurrentTransactionStartTimestamp());
  call.partitions = list_partitions(call.parent, call.type);
  partition_bound first = {};
  TimestampTz start = 0;
  if (!PG_ARGISNULL(3)) {
    // No ID is before the first instant of the type.
    start = Max(PG_GETARG_TIMESTAMPTZ(3), from_unix(unit_time(call.type, DT_NOBEGIN)));
    start = begin_of(call.width, period_of(call.width, start));
    first = bound_at(call.type, start);
  } else if (!find_start(call, first, start)) {
    return 0;
  }
  double const width = call.width.months > 0 ? month_micros * static_cast<double>(call.width.months)
                                             : static_cast<double>(call.width.micros);
  if ((static_cast<double>(call.until) - static_cast<double>(start)) / width > 10000)
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("more than 10000 partitions of %s would be created", qualified_name(call.parent)),
            errdetail("That is from %s until %s, each of \"%s\".", display(to_unix(start)),
                      display(to_unix(call.until)), call.width.text()));
  int count = 0;
  missing const *const pieces = find_missing(call, first, start, count);
  create_missing(call, pieces, count, at_most, result);
  return 0;
}

namespace {

/// Raises an error unless a command had its effect on the table that was meant. Another table may have got its name.
void check_done(bool done, char const *name) {
  if (!done)
    ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
            errmsg("could not serialize access due to concurrent change of the name of table %s", name));
}

/// Drops a partition of `parent`, and returns the name that it had.
///
/// Commands find tables by name, and another table may get that name while a command waits for its locks. So the locks
/// are taken first, those of DETACH in the order of DETACH, and the name is looked up afterwards.
char const *drop_partition(Oid parent, Oid partition) {
  Oid const default_partition = get_default_partition_oid(parent);

  check_may_act_as_owner(partition);
  LockRelationOid(parent, AccessExclusiveLock);
  if (OidIsValid(default_partition))
    LockRelationOid(default_partition, AccessExclusiveLock);
  LockRelationOid(partition, AccessExclusiveLock);
  LockDatabaseObject(NamespaceRelationId, get_rel_namespace(partition), 0, AccessShareLock);

  char const *const name = qualified_name(partition);
  bool const is_foreign = get_rel_relkind(partition) == RELKIND_FOREIGN_TABLE;
  // A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to no row of the
  // partition.
  run_as_owner(parent, psprintf("ALTER TABLE %s DETACH PARTITION %s", qualified_name(parent), name));
  check_done(!get_rel_relispartition(partition), name);
  run_as_owner(partition, psprintf("DROP %s %s", is_foreign ? "FOREIGN TABLE" : "TABLE", name));
  check_done(!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(partition)), name);
  return name;
}

} // namespace

static Datum drop_partitions(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("arguments of kid_drop_partitions must not be null"));
  Oid const parent = PG_GETARG_OID(0);
  TimestampTz const older_than = PG_GETARG_TIMESTAMPTZ(1);
  bool const dry_run = PG_GETARG_BOOL(2);
  if (argument_is_infinite(fcinfo, 1))
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("partitions older than an infinite time cannot be dropped"));
  std::int64_t const at_most = at_most_argument(fcinfo, 3);
  partition_type type = partition_type_of(parent);
  char const *const setting = check_setting(type);
  if (!dry_run) {
    check_may_act_as_owner(parent);
    lock_parent(parent);
    type = partition_type_of(parent);
  }
  ReturnSetInfo const &result = names_result(fcinfo);
  partition_list const partitions = list_partitions(parent, type);
  partition_bound const limit = bound_at(type, older_than);

  // If the value of the setting is not the one with which the IDs were made, new rows may seem to be years old.
  if (setting != nullptr) {
    partition_bound const present = bound_at(type, Max(GetCurrentTransactionStartTimestamp(), older_than));
    bool stays = false;
    for (int i = 0; i < partitions.count; i++)
      stays = stays || !partitions.first[i].has_upper || compare(partitions.first[i].upper, present) > 0;
    if (!stays)
      ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
              errmsg("no partition of %s would remain for new rows", qualified_name(parent)),
              errdetail("The value of \"%s\" may not be the one with which the IDs of the table were made.", setting),
              errhint("Check \"%s\". If it is right, create partitions for new rows first, or drop the old ones by "
                      "name.",
                      setting));
  }
  std::int64_t count = 0;
  for (int i = 0; i < partitions.count; i++) {
    partition const &one = partitions.first[i];
    CHECK_FOR_INTERRUPTS();
    if (!one.has_upper || compare(one.upper, limit) > 0)
      continue;
    if (one.detaching) {
      report_detaching(WARNING, parent, one.oid);
      continue;
    }
    if (count == at_most) {
      ereport(NOTICE,
              errmsg("more partitions of %s are older than %s", qualified_name(parent), display(to_unix(older_than))),
              errhint("The next call drops them."));
      break;
    }
    put_name(result, dry_run ? qualified_name(one.oid) : drop_partition(parent, one.oid));
    count++;
  }
  return 0;
}

} // namespace kid::pg

KID_FUNCTION(kid_create_partitions, kid::pg::create_partitions)
KID_FUNCTION(kid_drop_partitions, kid::pg::drop_partitions)
