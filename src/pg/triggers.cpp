// Triggers that reject a row whose ID was not made in its transaction, so that the horizon does not wait for the row.
//
// kid_own_ids_trigger() is for IDs of kid. The triggers of kid_track(), see src/sql/tables/track.sql.in, are for those
// of a sequence. They take the same locks as those of the edition in plain SQL, src/sql/plain/track.sql, so that
// sessions can use either of them.
#include "base/datum.hpp"
#include "horizon/horizon.hpp"
#include "types/all_types.hpp"

namespace kid::pg {

namespace {

/// The row that a trigger is fired for.
struct fired_row {
  HeapTuple row;
  Datum id;
  bool is_null;
  bool kept; ///< whether this is an update that writes the ID that was there: it makes no row appear
};

fired_row row_of(TriggerData const &trigger, int number) {
  auto *const columns = RelationGetDescr(trigger.tg_relation);
  auto const &attribute = *TupleDescAttr(columns, number - 1);
  bool const updates = TRIGGER_FIRED_BY_UPDATE(trigger.tg_event);
  fired_row fired = {updates ? trigger.tg_newtuple : trigger.tg_trigtuple, 0, false, false};
  bool was_null = false;
  Datum const old = SPI_getbinval(trigger.tg_trigtuple, columns, number, &was_null);

  fired.id = SPI_getbinval(fired.row, columns, number, &fired.is_null);
  fired.kept = updates && fired.is_null == was_null &&
               (was_null || datumIsEqual(old, fired.id, attribute.attbyval, attribute.attlen));
  return fired;
}

[[noreturn]] void not_own_error(TriggerData const &trigger, int number, fired_row const &fired, bool is_tracked) {
  ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
          errmsg("ID %s was not made in this transaction",
                 fired.is_null ? "NULL" : SPI_getvalue(fired.row, RelationGetDescr(trigger.tg_relation), number)),
          errdetail("Consumers that read up to the horizon would miss the row."),
          is_tracked ? errhint("Leave the column to its default, and insert through the table that is tracked.")
                     : errhint("Leave the column to its default, or give consumers another column, with a default of "
                               "its own."),
          errtablecol(trigger.tg_relation, number));
}

/// Returns the number of the column that the trigger names, and its type. Raises an error if that has no horizon.
std::pair<int, id_type const *> column_of(TriggerData const &trigger) {
  auto *const row = RelationGetDescr(trigger.tg_relation);

  if (trigger.tg_trigger->tgnargs != 1)
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() needs the name of a column"));
  char const *const name = trigger.tg_trigger->tgargs[0];
  int const number = SPI_fnumber(row, name);
  if (number <= 0)
    ereport(
        ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
        errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(trigger.tg_relation)));
  if (TupleDescAttr(row, number - 1)->attgenerated != '\0')
    ereport(ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION), errmsg("cannot use generated column \"%s\"", name));
  id_type const *const type = id_type_of(getBaseType(SPI_gettypeid(row, number)));
  if (type == nullptr || type->state == nullptr)
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
            errmsg("column \"%s\" of relation \"%s\" is of type %s", name, RelationGetRelationName(trigger.tg_relation),
                   format_type_be(SPI_gettypeid(row, number))),
            errdetail("The type must have a horizon, as kid64 has kid_horizon()."));
  return {number, type};
}

/// What this session last did for a table.
struct tracked {
  Oid table;
  LocalTransactionId transaction;
  int64 floor;
  int64 entered; ///< what the sequence was after the lock was taken
};

HTAB *tables = nullptr;

tracked *look_up(Oid table, HASHACTION action) {
  if (tables == nullptr) {
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(tracked);
    tables = hash_create("tables tracked by kid", 16, &control, HASH_ELEM | HASH_BLOBS);
  }
  return static_cast<tracked *>(hash_search(tables, &table, action, nullptr));
}

/// Returns the number of this transaction in its process.
LocalTransactionId own_local_xid() {
  VirtualTransactionId own;

  GET_VXID_FROM_PGPROC(own, *MyProc);
  return own.localTransactionId;
}

/// Returns what this transaction did for a table, or null if it did nothing.
tracked *find(Oid table) {
  auto *const entry = look_up(table, HASH_FIND);
  return entry != nullptr && entry->transaction == own_local_xid() ? entry : nullptr;
}

TriggerData &trigger_of(FunctionCallInfo fcinfo, bool for_row) {
  auto *const trigger = reinterpret_cast<TriggerData *>(fcinfo->context);

  if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
      (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) != 0) != for_row || trigger->tg_trigger->tgnattr != 1)
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("functions of kid_track() must be fired by the triggers that it creates"));
  return *trigger;
}

/// Returns an argument of a trigger that is an OID, or 0.
Oid argument(Trigger const &trigger, int number) {
  return number < trigger.tgnargs ? static_cast<Oid>(strtoul(trigger.tgargs[number], nullptr, 10)) : InvalidOid;
}

/// Searches the catalogs for the sequence of a table. That takes long, but happens only after a restore or a change of
/// the column. Returns 0 if there is none. Writers need no right to the schema of kid.
Oid search_sequence(Oid table, Oid function) {
  Oid const types[] = {OIDOID, NAMEOID};
  FmgrInfo source;
  LOCAL_FCINFO(call, 2);
  int second = 2;
  bool is_null = true;

  fmgr_info(GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("kid_track_source"),
                            PointerGetDatum(buildoidvector(types, 2)), ObjectIdGetDatum(get_func_namespace(function))),
            &source);
  InitFunctionCallInfoData(*call, &source, 2, InvalidOid, nullptr, nullptr);
  call->args[0] = {ObjectIdGetDatum(table), false};
  call->args[1] = {0, true};
  auto const sequence = array_get_element(FunctionCallInvoke(call), 1, &second, -1, -1, false, TYPALIGN_INT, &is_null);
  return is_null ? InvalidOid : static_cast<Oid>(strtoul(TextDatumGetCString(sequence), nullptr, 10));
}

/// Returns the last value of a sequence. Returns -1 if the sequence was never called, or if this role may not read it:
/// then kid_horizon() fails.
int64 last_value(Oid sequence) {
  LOCAL_FCINFO(call, 1);

  if (!OidIsValid(sequence) || pg_class_aclcheck(sequence, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
    return -1;
  InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
  call->args[0].value = ObjectIdGetDatum(sequence);
  call->args[0].isnull = false;
  Datum const value = pg_sequence_last_value(call);
  return call->isnull ? -1 : DatumGetInt64(value);
}

/// Tries to take the lock of a floor for the (sub)transaction.
LockAcquireResult lock_floor(Oid table, int64 floor) {
  std::uint64_t const key =
      static_cast<std::uint64_t>(table) << 40 | (static_cast<std::uint64_t>(floor) & 0xff'ffff'ffff);
  LOCKTAG tag;

  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, static_cast<std::uint32_t>(key >> 32 & 0x7fff'ffff),
                       static_cast<std::uint32_t>(key), 1);
  return LockAcquire(&tag, ShareLock, false, true);
}

Oid sequence_of(TriggerData const &trigger, Oid function) {
  Oid const table = RelationGetRelid(trigger.tg_relation);
  Oid const sequence = argument(*trigger.tg_trigger, 1);

  return argument(*trigger.tg_trigger, 0) == table && get_rel_relkind(sequence) == RELKIND_SEQUENCE
             ? sequence
             : search_sequence(table, function);
}

} // namespace

KID_DEFINE(kid_own_ids_trigger) {
  if (!CALLED_AS_TRIGGER(fcinfo))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() was not called as a trigger"));
  auto const &trigger = *reinterpret_cast<TriggerData *>(fcinfo->context);
  if (!TRIGGER_FIRED_FOR_ROW(trigger.tg_event) || TRIGGER_FIRED_BY_DELETE(trigger.tg_event))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() must be fired FOR EACH ROW by INSERT or UPDATE"));
  auto const [number, type] = column_of(trigger);
  fired_row const fired = row_of(trigger, number);

  if (!fired.is_null && !fired.kept && !is_own_state(type->clock, type->state(fired.id)))
    not_own_error(trigger, number, fired, false);
  return PointerGetDatum(fired.row);
}

/// Takes the lock of a floor that this transaction had before again, because it may have ended with a subtransaction.
KID_DEFINE(kid_track_enter) {
  auto const &trigger = trigger_of(fcinfo, false);
  Oid const table = RelationGetRelid(trigger.tg_relation);
  auto const *const before = find(table);
  Oid const sequence = before != nullptr ? InvalidOid : sequence_of(trigger, fcinfo->flinfo->fn_oid);
  int64 floor = before != nullptr ? before->floor : last_value(sequence);
  LockAcquireResult result = LOCKACQUIRE_NOT_AVAIL;

  while ((result = lock_floor(table, floor)) == LOCKACQUIRE_NOT_AVAIL)
    floor--;
  if (before != nullptr && result == LOCKACQUIRE_ALREADY_HELD)
    return 0;
  // Without the check nothing reads `entered`.
  int64 const reached =
      trigger.tg_trigger->tgnargs > 3 ? last_value(sequence_of(trigger, fcinfo->flinfo->fn_oid)) : PG_INT64_MAX;
  *look_up(table, HASH_ENTER) = {table, own_local_xid(), floor, reached};
  return 0;
}

KID_DEFINE(kid_track_check) {
  auto const &trigger = trigger_of(fcinfo, true);
  int const number = trigger.tg_trigger->tgattr[0];
  fired_row const fired = row_of(trigger, number);
  Oid const table = RelationGetRelid(trigger.tg_relation);
  auto const *entry = find(table);

  if (entry == nullptr && trigger.tg_relation->rd_rel->relispartition) {
    List *const ancestors = get_partition_ancestors(table); // none while it is detached
    entry = ancestors != NIL ? find(llast_oid(ancestors)) : nullptr;
    // The lock may have ended with a subtransaction, before a row went straight into the partition.
    if (entry != nullptr && lock_floor(entry->table, entry->floor) != LOCKACQUIRE_ALREADY_HELD)
      entry = nullptr;
  }
  // A smaller integer is in a Datum with its sign, see fetch_att().
  bool const is_new = entry != nullptr && !fired.is_null && DatumGetInt64(fired.id) > entry->entered;
  if (!is_new && !fired.kept)
    not_own_error(trigger, number, fired, true);
  return PointerGetDatum(fired.row);
}

} // namespace kid::pg
