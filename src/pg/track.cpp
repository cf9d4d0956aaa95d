// The triggers of kid_track(), see src/sql/tables/track.sql.in. They take the same locks as those of the edition in
// plain SQL, src/sql/plain/track.sql, so that sessions can use either of them.
#include "base/datum.hpp"

namespace kid::pg {

namespace {

/// What this session last did for a table.
struct tracked {
  Oid table;
  LocalTransactionId transaction;
  int64 floor;
  int64 entered; ///< what the sequence was after the lock was taken
};

HTAB *tables = nullptr;

/// Returns what this transaction did for a table, or null if it did nothing.
tracked *find(Oid table) {
  if (tables == nullptr)
    return nullptr;
  auto *const entry = static_cast<tracked *>(hash_search(tables, &table, HASH_FIND, nullptr));
  return entry != nullptr && entry->transaction == own_local_xid() ? entry : nullptr;
}

tracked &remember(Oid table) {
  if (tables == nullptr) {
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(tracked);
    tables = hash_create("tables tracked by kid", 16, &control, HASH_ELEM | HASH_BLOBS);
  }
  return *static_cast<tracked *>(hash_search(tables, &table, HASH_ENTER, nullptr));
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

/// Takes the lock of a floor that this transaction had before again, because it may have ended with a subtransaction.
Datum kid_track_enter(PG_FUNCTION_ARGS) {
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
  int64 const entered =
      trigger.tg_trigger->tgnargs > 3 ? last_value(sequence_of(trigger, fcinfo->flinfo->fn_oid)) : PG_INT64_MAX;
  tracked &entry = remember(table);
  entry.transaction = own_local_xid();
  entry.floor = floor;
  entry.entered = entered;
  return 0;
}

Datum kid_track_check(PG_FUNCTION_ARGS) {
  auto const &trigger = trigger_of(fcinfo, true);
  auto *const columns = RelationGetDescr(trigger.tg_relation);
  int const number = trigger.tg_trigger->tgattr[0];
  bool const updates = TRIGGER_FIRED_BY_UPDATE(trigger.tg_event);
  auto *const row = updates ? trigger.tg_newtuple : trigger.tg_trigtuple;
  Oid const table = RelationGetRelid(trigger.tg_relation);
  auto const *entry = find(table);
  bool is_null = false;
  bool was_null = false;

  if (entry == nullptr && trigger.tg_relation->rd_rel->relispartition) {
    List *const ancestors = get_partition_ancestors(table); // none while it is detached
    entry = ancestors != NIL ? find(llast_oid(ancestors)) : nullptr;
    // The lock may have ended with a subtransaction, before a row went straight into the partition.
    if (entry != nullptr && lock_floor(entry->table, entry->floor) != LOCKACQUIRE_ALREADY_HELD)
      entry = nullptr;
  }
  auto const value = [&](HeapTuple tuple, bool *null) {
    Datum const datum = SPI_getbinval(tuple, columns, number, null);
    switch (TupleDescAttr(columns, number - 1)->attlen) {
    case sizeof(int16):
      return static_cast<int64>(DatumGetInt16(datum));
    case sizeof(int32):
      return static_cast<int64>(DatumGetInt32(datum));
    default:
      return DatumGetInt64(datum);
    }
  };
  int64 const id = value(row, &is_null);
  bool const is_new = entry != nullptr && !is_null && id > entry->entered;
  // An update that writes the ID that was there does not make a row appear.
  if (!is_new && !(updates && value(trigger.tg_trigtuple, &was_null) == id && was_null == is_null))
    ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
            errmsg("ID %s was not made in this transaction", is_null ? "NULL" : SPI_getvalue(row, columns, number)),
            errdetail("Consumers that read up to the horizon would miss the row."),
            errhint("Leave the column to its default, and insert through the table that is tracked."),
            errtablecol(trigger.tg_relation, number));
  return PointerGetDatum(row);
}

} // namespace

} // namespace kid::pg

KID_FUNCTION(kid_track_enter, kid::pg::kid_track_enter)
KID_FUNCTION(kid_track_check, kid::pg::kid_track_check)
