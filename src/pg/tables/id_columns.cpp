#include "id_columns.hpp"

#include "../base/datum.hpp"

namespace kid::pg {

namespace {

constexpr int type_count = lengthof(all_types);

template <class Each> void scan_catalog(Oid catalog, Oid index, int key_count, ScanKeyData *keys, Each each) {
  auto *const relation = table_open(catalog, AccessShareLock);
  auto *const scan = systable_beginscan(relation, index, OidIsValid(index), nullptr, key_count, keys);

  for (HeapTuple tuple = systable_getnext(scan); HeapTupleIsValid(tuple); tuple = systable_getnext(scan))
    each(GETSTRUCT(tuple));
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
}

/// Calls `each` for everything that depends on an object.
template <class Each> void scan_dependents(Oid catalog, Oid object, Each each) {
  ScanKeyData keys[2];

  ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(catalog));
  ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
  scan_catalog(DependRelationId, DependReferenceIndexId, 2, keys,
               [&](void *row) { each(*static_cast<Form_pg_depend>(row)); });
}

// Collecting the columns.

struct default_key {
  Oid object;          ///< a table, or a domain
  std::int32_t column; ///< 0 for a domain
};

/// The type of the IDs that the default of a column or of a domain makes.
struct default_entry {
  default_key key;
  id_type const *kind; ///< null if it calls generators of more than one type
};

struct collection {
  Oid types[type_count]; ///< in the order of `all_types`
  HTAB *defaults;
  List *columns;
};

void note_default(collection &all, default_key key, id_type const *kind) {
  bool found = false;
  auto &entry = *static_cast<default_entry *>(hash_search(all.defaults, &key, HASH_ENTER, &found));

  if (!found)
    entry.kind = kind;
  else if (entry.kind != kind)
    entry.kind = nullptr;
}

/// Notes what the default `attrdef` of a column makes. For a partitioned table, notes it for the same column of the
/// partitions too: a row inserted through the parent gets the parent's default, whatever the partition's own is.
void note_column_default(collection &all, Oid attrdef, id_type const *kind) {
  ObjectAddress const column = GetAttrDefaultColumnAddress(attrdef);
  auto const number = static_cast<AttrNumber>(column.objectSubId);
  if (!OidIsValid(column.objectId))
    return;

  note_default(all, {column.objectId, number}, kind);
  if (get_rel_relkind(column.objectId) != RELKIND_PARTITIONED_TABLE)
    return;
  char const *const name = get_attname(column.objectId, number, true);
  if (name == nullptr)
    return;
  ListCell *cell = nullptr;
  foreach (cell, find_all_inheritors(column.objectId, NoLock, nullptr)) {
    AttrNumber const same = get_attnum(lfirst_oid(cell), name);
    if (same != InvalidAttrNumber)
      note_default(all, {lfirst_oid(cell), same}, kind);
  }
}

/// Finds the types of the extension, and the defaults that call their generators. The generators are the volatile
/// C functions of the extension. Its owner can add other members to it, but only superusers create C functions.
void collect_defaults(collection &all, Oid extension) {
  List *functions = NIL;

  scan_dependents(ExtensionRelationId, extension, [&](FormData_pg_depend const &member) {
    if (member.deptype != DEPENDENCY_EXTENSION)
      return;
    if (member.classid == ProcedureRelationId)
      functions = lappend_oid(functions, member.objid);
    id_type const *const known = member.classid == TypeRelationId ? id_type_of(member.objid) : nullptr;
    for (int i = 0; i < type_count; i++)
      if (all_types[i] == known)
        all.types[i] = member.objid;
  });

  ListCell *cell = nullptr;
  foreach (cell, functions) {
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(lfirst_oid(cell)));
    if (!HeapTupleIsValid(tuple))
      continue;
    auto const &function = *reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
    bool const generates = function.provolatile == PROVOLATILE_VOLATILE && function.prolang == ClanguageId;
    Oid const returned = generates ? function.prorettype : InvalidOid;
    ReleaseSysCache(tuple);
    for (int i = 0; i < type_count; i++) {
      id_type const *const kind = all_types[i];
      if (kind->columns.count == 0 || !OidIsValid(returned))
        continue;
      if (returned != (OidIsValid(kind->core_type) ? kind->core_type : all.types[i]))
        continue;
      scan_dependents(ProcedureRelationId, lfirst_oid(cell), [&](FormData_pg_depend const &caller) {
        if (caller.classid == AttrDefaultRelationId)
          note_column_default(all, caller.objid, kind);
        else if (caller.classid == TypeRelationId && get_typtype(caller.objid) == TYPTYPE_DOMAIN)
          note_default(all, {caller.objid, 0}, kind);
      });
    }
  }
}

/// Returns how to read IDs of `kind` from a column of type `base`, or null if that is not possible.
id_column const *reader_of(id_type const &kind, Oid own_type, Oid base) {
  for (id_column const &column : kind.columns)
    if (base == (OidIsValid(column.type) ? column.type : own_type))
      return &column;
  return nullptr;
}

/// Adds a column if its IDs move a logical clock.
void collect(collection &all, FormData_pg_attribute const &attribute) {
  Oid base = attribute.atttypid;
  default_key key = {attribute.attrelid, attribute.attnum};
  auto const *entry = static_cast<default_entry *>(hash_search(all.defaults, &key, HASH_FIND, nullptr));

  // Find the base type of a domain, and the outermost default. Core types need no look-up: none of them is a domain
  // over a type that stores IDs.
  while (base >= FirstNormalObjectId) {
    HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(base));
    if (!HeapTupleIsValid(tuple))
      return;
    auto const &type = *reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
    Oid const next = type.typtype == TYPTYPE_DOMAIN ? type.typbasetype : InvalidOid;
    ReleaseSysCache(tuple);
    if (!OidIsValid(next))
      break;
    key = {base, 0};
    if (entry == nullptr)
      entry = static_cast<default_entry *>(hash_search(all.defaults, &key, HASH_FIND, nullptr));
    base = next;
  }

  id_type const *kind = nullptr;
  id_column const *reader = nullptr;
  char const *problem = nullptr;
  for (int i = 0; i < type_count; i++)
    if (OidIsValid(all.types[i]) && base == all.types[i]) {
      kind = all_types[i];
      // Ignore a type without a logical clock, whatever the default of the column is.
      if (kind->columns.count == 0)
        return;
      reader = reader_of(*kind, base, base);
    }
  if (kind == nullptr) {
    if (entry == nullptr)
      return;
    kind = entry->kind;
    if (kind == nullptr)
      problem = "its default calls generators of more than one type";
    else
      reader = reader_of(*kind, InvalidOid, base);
  }
  if (reader == nullptr && problem == nullptr)
    problem = psprintf("its default calls a generator of %s, whose IDs are not read from a column of type %s",
                       kind->name, format_type_be(attribute.atttypid));

  char const relkind = get_rel_relkind(attribute.attrelid);
  if (relkind != RELKIND_RELATION && relkind != RELKIND_MATVIEW && relkind != RELKIND_FOREIGN_TABLE)
    return;
  auto *const column = static_cast<examined *>(palloc0(sizeof(examined)));
  column->table = attribute.attrelid;
  column->number = attribute.attnum;
  column->name = pstrdup(NameStr(attribute.attname));
  column->type = attribute.atttypid;
  column->kind = kind;
  column->reader = reader;
  column->problem = relkind == RELKIND_FOREIGN_TABLE ? "its rows are on another server" : problem;
  all.columns = lappend(all.columns, column);
}

int by_table(ListCell const *a, ListCell const *b) {
  auto const &one = *static_cast<examined const *>(lfirst(a));
  auto const &other = *static_cast<examined const *>(lfirst(b));

  return one.table != other.table ? three_way{}(one.table, other.table) : three_way{}(one.number, other.number);
}

// Examining one column.

/// How many values that are not IDs to skip while looking for an ID at the end of an index. A few such values can be
/// accidents. If this many precede the first ID, the column does not contain IDs.
constexpr int most_strangers = 1000;

enum class search { found, none, only_strangers };

Oid comparison_with(Relation index, int strategy) {
  Oid const type = index->rd_opcintype[0];
  Oid const op = get_opfamily_member(index->rd_opfamily[0], type, type, static_cast<std::int16_t>(strategy));

  if (!OidIsValid(op))
    elog(ERROR, "operator %d of index \"%s\" is missing", strategy, RelationGetRelationName(index));
  return get_opcode(op);
}

/// Finds the greatest ID in a range of values. With `later_than`, finds the greatest of a row that is later than that,
/// and begins with the greatest value; all that sort up to an ID can be earlier.
search find_greatest(Relation table, Relation index, datum_range const &range, id_column const &reader, stored_id &id,
                     unix_micros const *later_than = nullptr) {
  bool const descending = (index->rd_indoption[0] & INDOPTION_DESC) != 0;
  search result = search::none;
  ScanKeyData keys[2];

  ScanKeyInit(&keys[0], 1, BTGreaterEqualStrategyNumber, comparison_with(index, BTGreaterEqualStrategyNumber),
              range.first);
  ScanKeyInit(&keys[1], 1, BTLessEqualStrategyNumber, comparison_with(index, BTLessEqualStrategyNumber), range.last);
  // If no row is fetched, any snapshot will do. Neither of these takes predicate locks.
  SnapshotData dirty;
  InitDirtySnapshot(dirty);
  auto *const scan = begin_index_scan(table, index, later_than != nullptr ? &dirty : SnapshotAny, 2);
  auto *const slot = later_than != nullptr ? table_slot_create(table, nullptr) : nullptr;
  scan->xs_want_itup = true;
  // If no row is fetched, entries of dead rows count too, and skipping them could take long.
  scan->ignore_killed_tuples = later_than != nullptr;
  index_rescan(scan, keys, 2, nullptr, 0);
  for (int strangers = 0; result != search::found && strangers < most_strangers;) {
    bool null = true;
    if (index_getnext_tid(scan, descending ? ForwardScanDirection : BackwardScanDirection) == nullptr)
      break;
    Datum const value = index_getattr(scan->xs_itup, 1, scan->xs_itupdesc, &null);
    if (null || !reader.read(value, id)) {
      result = search::only_strangers;
      strangers++;
    } else if (later_than == nullptr || (id.time > *later_than && index_fetch_heap(scan, slot))) {
      result = search::found;
    } else if (id.latest <= *later_than) {
      break;
    }
    CHECK_FOR_INTERRUPTS();
  }
  if (slot != nullptr)
    ExecDropSingleTupleTableSlot(slot);
  index_endscan(scan);
  return result;
}

search find_greatest(Relation table, Relation index, datum_ranges const &ranges, id_column const &reader, stored_id &id,
                     unix_micros const *later_than = nullptr) {
  search result = search::none;

  for (int i = 0; i < ranges.count && result == search::none; i++)
    result = find_greatest(table, index, ranges.ranges[i], reader, id, later_than);
  return result;
}

/// Returns why an index that begins with a column cannot be used to find its IDs, or null if the index can be used.
/// `base` is the base type of the column.
char const *why_not(Relation index, Oid base) {
  char const *const name = RelationGetRelationName(index);
  FormData_pg_index const &form = *index->rd_index;

  if (index->rd_rel->relam != BTREE_AM_OID)
    return "no btree index begins with it";
  if (!form.indisvalid || !form.indisready || !form.indislive)
    return psprintf("index \"%s\" is not valid", name);
  if (!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr))
    return psprintf("index \"%s\" is partial", name);
  // The order of an index is that of the functions in its operator family for its input type.
  Oid const usual = GetDefaultOpClass(base, BTREE_AM_OID);
  if (!OidIsValid(usual) || index->rd_opfamily[0] != get_opclass_family(usual) ||
      index->rd_opcintype[0] != get_opclass_input_type(usual))
    return psprintf("index \"%s\" does not use the default operator class", name);
  return nullptr;
}

/// Finds an ID of a row after the limit of a column.
void look_for_row(Relation table, Relation index, examined &column) {
  id_column const &reader = *column.reader;
  stored_id found = {};

  // If the order of a type is coarser than its time, an ID after the limit can sort before one up to the limit.
  for (bool const after : {true, false}) {
    if (column.later.text[0] != '\0')
      return;
    search const result = find_greatest(table, index, reader.ranges(column.limit, after), reader, found, &column.limit);
    if (result == search::found)
      column.later = found;
    else if (result == search::only_strangers)
      column.problem = psprintf("it contains values other than %s", column.kind->name);
  }
}

/// Finds the greatest IDs of a column before and after its limit, or a problem.
void look_into(Relation table, Relation index, examined &column) {
  id_column const &reader = *column.reader;
  unix_micros const limit = column.limit;

  column.strange =
      find_greatest(table, index, reader.ranges(limit, false), reader, column.greatest) == search::only_strangers;
  if (column.strange)
    column.problem = psprintf("it contains values other than %s", column.kind->name);
  find_greatest(table, index, reader.ranges(limit, true), reader, column.later);
  // If the order of a type is coarser than its time, an ID after the limit can sort before one up to the limit.
  if (column.later.text[0] == '\0' && column.greatest.text[0] != '\0' && column.greatest.time > limit)
    column.later = column.greatest;
}

/// Returns the position of a column among the key columns of an index, from 0, or -1 if it is not one of them.
int place_in(Oid index, AttrNumber column) {
  HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
  int place = -1;

  if (!HeapTupleIsValid(tuple))
    return -1;
  auto const &form = *reinterpret_cast<Form_pg_index>(GETSTRUCT(tuple));
  for (int i = 0; i < form.indnkeyatts && place < 0; i++)
    if (form.indkey.values[i] == column)
      place = i;
  ReleaseSysCache(tuple);
  return place;
}

void look_at_column(Relation table, examined &column, looks_for what) {
  auto *const description = RelationGetDescr(table);
  if (column.number > description->natts || TupleDescAttr(description, column.number - 1)->attisdropped) {
    column.gone = true;
    return;
  }
  if (TupleDescAttr(description, column.number - 1)->atttypid != column.type) {
    column.problem = "its type was changed meanwhile";
    column.passing = true;
    return;
  }

  Oid const base = getBaseType(column.type);
  char const *why = nullptr;       // why an index that begins with the column cannot be used
  char const *elsewhere = nullptr; // an index with the column in another position
  ListCell *cell = nullptr;
  foreach (cell, RelationGetIndexList(table)) {
    Oid const oid = lfirst_oid(cell);
    int const place = place_in(oid, column.number);
    if (place > 0)
      elsewhere = get_rel_name(oid);
    if (place != 0)
      continue;
    if (!ConditionalLockRelationOid(oid, AccessShareLock)) {
      char const *const name = get_rel_name(oid);
      why = psprintf("index \"%s\" is locked", name != nullptr ? name : "");
      column.passing = true;
      continue;
    }
    auto *const index = try_relation_open(oid, NoLock);
    if (index != nullptr) {
      why = why_not(index, base);
      if (why == nullptr && what == looks_for::rows)
        look_for_row(table, index, column);
      else if (why == nullptr)
        look_into(table, index, column);
      relation_close(index, NoLock);
    }
    UnlockRelationOid(oid, AccessShareLock);
    if (index != nullptr && why == nullptr)
      return;
  }
  // An empty table has no IDs, so it needs no index.
  if (RelationGetNumberOfBlocks(table) == 0)
    return;
  if (why == nullptr)
    why = elsewhere != nullptr
              ? psprintf("no btree index begins with it; in index \"%s\" it is not the first", elsewhere)
              : "no btree index begins with it";
  column.problem = why;
}

/// The columns of one table: `count` elements of `all`, starting at `first`.
struct table_columns {
  List *all;
  int first;
  int count;

  examined &operator[](int i) const { return *static_cast<examined *>(list_nth(all, first + i)); }
  void mark_problem(char const *problem, bool passing) const {
    for (int i = 0; i < count; i++)
      if ((*this)[i].problem == nullptr) {
        (*this)[i].problem = problem;
        (*this)[i].passing = passing;
      }
  }
  void mark_gone() const {
    for (int i = 0; i < count; i++)
      (*this)[i].gone = true;
  }
};

bool is_temporary_elsewhere(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple))
    return false;
  auto const &form = *reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple));
  bool const result = form.relpersistence == RELPERSISTENCE_TEMP && isOtherTempNamespace(form.relnamespace);
  ReleaseSysCache(tuple);
  return result;
}

void look_at_table(table_columns const &columns, looks_for what) {
  Oid const oid = columns[0].table;

  // Only the session that created the table can read it: its pages may be in that session's local buffers.
  if (is_temporary_elsewhere(oid)) {
    columns.mark_problem("it is in a temporary table of another session", false);
    return;
  }
  if (!ConditionalLockRelationOid(oid, AccessShareLock)) {
    columns.mark_problem("the table is locked", true);
    return;
  }
  auto *const table = try_relation_open(oid, NoLock);
  if (table == nullptr) {
    columns.mark_gone();
  } else {
    for (int i = 0; i < columns.count; i++)
      if (columns[i].problem == nullptr)
        look_at_column(table, columns[i], what);
    relation_close(table, NoLock);
  }
  UnlockRelationOid(oid, AccessShareLock);
}

/// Whether an error concerns one table alone, because the table or its files are damaged. Then other tables can still
/// be examined.
bool is_damage(int sqlstate) {
  int const category = ERRCODE_TO_CATEGORY(sqlstate);
  return category == ERRCODE_INTERNAL_ERROR || category == ERRCODE_SYSTEM_ERROR;
}

/// Examines the columns of a table in a subtransaction, which cleans up after an error. Damage becomes the problem of
/// these columns; any other error is raised again.
void try_table(table_columns const &columns, looks_for what) {
  auto *const context = CurrentMemoryContext;
  auto *const owner = CurrentResourceOwner;

  BeginInternalSubTransaction(nullptr);
  MemoryContextSwitchTo(context);
  PG_TRY();
  {
    look_at_table(columns, what);
    ReleaseCurrentSubTransaction();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = owner;
  }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    ErrorData *const error = CopyErrorData();
    FlushErrorState();
    RollbackAndReleaseCurrentSubTransaction();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = owner;
    if (!is_damage(error->sqlerrcode))
      ReThrowError(error);
    columns.mark_problem(psprintf("it cannot be read: %s", error->message), true);
  }
  PG_END_TRY();
}

/// Returns the extension that a function belongs to.
Oid extension_of(Oid function) {
  Oid const extension = getExtensionOfObject(ProcedureRelationId, function);

  if (!OidIsValid(extension))
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("function %s() does not belong to an extension", get_func_name(function)));
  return extension;
}

} // namespace

List *collect_columns(Oid function, Oid only) {
  Oid const extension = extension_of(function);
  collection all = {};
  HASHCTL control = {};

  control.keysize = sizeof(default_key);
  control.entrysize = sizeof(default_entry);
  control.hcxt = CurrentMemoryContext;
  all.defaults =
      hash_create("defaults that call generators of kid", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  collect_defaults(all, extension);
  auto const collect_each = [&](int key_count, ScanKeyData *keys) {
    scan_catalog(AttributeRelationId, key_count > 0 ? AttributeRelidNumIndexId : InvalidOid, key_count, keys,
                 [&](void *row) {
                   auto const &attribute = *static_cast<Form_pg_attribute>(row);
                   if (attribute.attnum > 0 && !attribute.attisdropped)
                     collect(all, attribute);
                 });
  };
  if (!OidIsValid(only)) {
    collect_each(0, nullptr);
  } else {
    ListCell *cell = nullptr;
    foreach (cell, find_all_inheritors(only, NoLock, nullptr)) {
      ScanKeyData key;
      ScanKeyInit(&key, Anum_pg_attribute_attrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(lfirst_oid(cell)));
      collect_each(1, &key);
    }
  }
  list_sort(all.columns, by_table);
  return all.columns;
}

void look_at_columns(List *columns, looks_for what) {
  auto *const results = CurrentMemoryContext;
  auto *const scratch = AllocSetContextCreate(results, "examining columns of IDs", ALLOCSET_DEFAULT_SIZES);
  int const all = list_length(columns);

  for (int first = 0; first < all;) {
    table_columns table = {columns, first, 1};
    while (first + table.count < all && table[table.count].table == table[0].table)
      table.count++;
    CHECK_FOR_INTERRUPTS();
    MemoryContextSwitchTo(scratch);
    try_table(table, what);
    MemoryContextSwitchTo(results);
    for (int i = 0; i < table.count; i++)
      if (table[i].problem != nullptr)
        table[i].problem = pstrdup(table[i].problem);
    MemoryContextReset(scratch);
    first += table.count;
  }
  MemoryContextDelete(scratch);
}

} // namespace kid::pg
