// The triggers of kid_track(), see src/sql/tables/track/source.sql.in, for IDs of a sequence. They take the same locks
// as those of the edition in plain SQL, src/sql/plain/track/triggers.sql.in, so that sessions can use either of them.
#include "../base/random.hpp"
#include "fired_row.hpp"

namespace kid::pg {

namespace {

/// What this session last did for a table. Whatever is rolled back, the lock of the floor is held to the end of the
/// transaction.
struct tracked {
  Oid table;
  LocalTransactionId transaction;
  SubTransactionId subtransaction; ///< which last compared the floor with the sequence
  int64 floor;
  int64 entered; ///< what the sequence was after the lock was taken, or `never`: no ID is above that
};

constexpr int64 never = PG_INT64_MAX;
/// How many bits of the key of a lock are those of the floor, and how many above them are those of the table's OID.
constexpr int floor_bits = 40;
constexpr int table_bits = 23;
/// How many bits the range has, at most, in which a floor is sought. The rest of the keys is for later floors.
constexpr int most_bits = 37;

HTAB *tables = nullptr;

tracked *entry_of(Oid table, HASHACTION action) {
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
tracked *done_for(Oid table) {
  auto *const entry = entry_of(table, HASH_FIND);
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

/// Which argument of the trigger kid_track is what: source.sql.in says more. They count from 0. The triggers in C do
/// not read numbers 2 and 3, the shift and whether a right was granted.
constexpr int table_argument = 0;
constexpr int sequence_argument = 1;
constexpr int reject_argument = 4; ///< missing if no rows are rejected

/// Returns an argument of a trigger that is an OID, or 0.
Oid argument(Trigger const &trigger, int number) {
  return number < trigger.tgnargs ? static_cast<Oid>(strtoul(trigger.tgargs[number], nullptr, 10)) : InvalidOid;
}

/// Returns the sequence whose next value is the default of a column, or 0 if there is none. It asks the caches, which
/// know the table even if the snapshot of the transaction is older.
Oid sequence_of_column(Relation table, int number) {
  Node *value = build_column_default(table, number);

  while (value != nullptr) {
    if (IsA(value, NextValueExpr))
      return reinterpret_cast<NextValueExpr *>(value)->seqid;
    if (IsA(value, CoerceToDomain)) {
      value = reinterpret_cast<Node *>(reinterpret_cast<CoerceToDomain *>(value)->arg);
      continue;
    }
    auto const *const call = reinterpret_cast<FuncExpr *>(value);
    if (!IsA(value, FuncExpr) || call->args == NIL)
      return InvalidOid;
    value = static_cast<Node *>(linitial(call->args));
    auto const *const sequence = reinterpret_cast<Const *>(value);
    if (call->funcid == F_NEXTVAL)
      return IsA(value, Const) && !sequence->constisnull ? DatumGetObjectId(sequence->constvalue) : InvalidOid;
    if (call->funcformat != COERCE_IMPLICIT_CAST)
      return InvalidOid;
  }
  return InvalidOid;
}

/// Returns the last value of a sequence, as the owner of a table may read it: writers and consumers of the table need
/// no right to the sequence. Returns -1 if the sequence was never called, or if the owner may not read it: then
/// kid_horizon() fails.
int64 last_value(Oid sequence, Oid owner) {
  LOCAL_FCINFO(call, 1);
  Oid caller = InvalidOid;
  int context = 0;

  if (get_rel_relkind(sequence) != RELKIND_SEQUENCE ||
      pg_class_aclcheck(sequence, owner, ACL_SELECT | ACL_USAGE) != ACLCHECK_OK)
    return -1;
  InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
  call->args[0].value = ObjectIdGetDatum(sequence);
  call->args[0].isnull = false;
  GetUserIdAndSecContext(&caller, &context);
  SetUserIdAndSecContext(owner, context | SECURITY_LOCAL_USERID_CHANGE);
  Datum const value = pg_sequence_last_value(call);
  SetUserIdAndSecContext(caller, context);
  return call->isnull ? -1 : DatumGetInt64(value);
}

constexpr std::uint64_t low_bits(std::uint64_t number, int count) {
  return number & ((std::uint64_t{1} << count) - 1);
}

/// Tries to take the lock of a floor: src/sql/tables/track/source.sql.in has the bits of its key. The transaction
/// holds it to its end, also if this subtransaction is rolled back: an ID that was drawn in the subtransaction may be
/// used after that.
bool lock_floor(Oid table, int64 floor) {
  std::uint64_t const key =
      low_bits(table, table_bits) << floor_bits | low_bits(static_cast<std::uint64_t>(floor), floor_bits);
  auto *const subtransaction = CurrentResourceOwner;
  LOCKTAG tag;

  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), 1);
  CurrentResourceOwner = TopTransactionResourceOwner;
  LockAcquireResult const result = LockAcquire(&tag, ShareLock, false, true);
  CurrentResourceOwner = subtransaction;
  return result != LOCKACQUIRE_NOT_AVAIL;
}

/// Takes the lock of a floor, or if others hold that exclusively, of one that is not far below. Returns the floor. Each
/// try doubles the range of the next one, so that no number of locks that PostgreSQL has memory for takes long to
/// leave.
int64 lock_floor_near(Oid table, int64 floor) {
  for (int bits = 0; !lock_floor(table, floor); bits++) {
    if (bits > most_bits)
      ereport(ERROR, errcode(ERRCODE_LOCK_NOT_AVAILABLE),
              errmsg("could not lock a floor of relation \"%s\"", get_rel_name(table)),
              errdetail("Other sessions hold advisory locks with the keys of its floors exclusively."),
              errhint("End these sessions; pg_locks lists them."));
    CHECK_FOR_INTERRUPTS();
    floor -= 1 + static_cast<int64>(random_bits(64) & ((std::uint64_t{1} << bits) - 1));
  }
  return floor;
}

/// Returns whether a column has the trigger of kid_track(), by which the owner of the table lets those who may read it
/// read the sequence. A role with the right TRIGGER can create a trigger of the same name, but only the owner of the
/// table can let a trigger fire always.
bool is_tracked(Relation table, AttrNumber number) {
  auto const *const triggers = table->trigdesc;

  for (int i = 0; triggers != nullptr && i < triggers->numtriggers; i++) {
    auto const &trigger = triggers->triggers[i];
    if (strcmp(trigger.tgname, "kid_track") == 0 && trigger.tgenabled == TRIGGER_FIRES_ALWAYS && trigger.tgnattr == 1 &&
        trigger.tgattr[0] == number) {
      auto const *const function = get_func_name(trigger.tgfoid);
      return function != nullptr && strcmp(function, "kid_track_enter") == 0;
    }
  }
  return false;
}

Oid sequence_of(TriggerData const &trigger) {
  Oid const sequence = argument(*trigger.tg_trigger, sequence_argument);

  return argument(*trigger.tg_trigger, table_argument) == RelationGetRelid(trigger.tg_relation) &&
                 get_rel_relkind(sequence) == RELKIND_SEQUENCE
             ? sequence
             : sequence_of_column(trigger.tg_relation, trigger.tg_trigger->tgattr[0]);
}

} // namespace

KID_DEFINE(kid_track_enter) {
  auto const &trigger = trigger_of(fcinfo, false);
  Oid const table = RelationGetRelid(trigger.tg_relation);
  bool const rejects = trigger.tg_trigger->tgnargs > reject_argument;
  SubTransactionId const subtransaction = GetCurrentSubTransactionId();
  auto const *const before = done_for(table);

  if (before != nullptr && before->subtransaction == subtransaction && (!rejects || before->entered != never))
    return 0;
  Oid const sequence = sequence_of(trigger);
  Oid const owner = trigger.tg_relation->rd_rel->relowner;
  int64 const last = last_value(sequence, owner);
  // The sequence is lower than it was if a subtransaction had restarted it above, and was rolled back.
  bool const is_held = before != nullptr && before->floor <= last;
  int64 const floor = is_held ? before->floor : lock_floor_near(table, last);
  int64 const reached = !rejects                             ? never
                        : is_held && before->entered <= last ? before->entered
                                                             : last_value(sequence, owner);
  *entry_of(table, HASH_ENTER) = {table, own_local_xid(), subtransaction, floor, reached};
  return 0;
}

KID_DEFINE(kid_track_check) {
  auto const &trigger = trigger_of(fcinfo, true);
  int const number = trigger.tg_trigger->tgattr[0];
  fired_row const fired = row_of(trigger, number);
  Oid const table = RelationGetRelid(trigger.tg_relation);
  Oid tracked_table = table;
  auto const *entry = done_for(table);

  if (entry == nullptr && trigger.tg_relation->rd_rel->relispartition) {
    List *const ancestors = get_partition_ancestors(table); // none while it is detached
    if (ancestors != NIL) {
      tracked_table = llast_oid(ancestors);
      entry = done_for(tracked_table);
    }
  }
  // A smaller integer is in a Datum with its sign, see fetch_att().
  bool const is_new = entry != nullptr && !fired.is_null && DatumGetInt64(fired.id) > entry->entered;
  if (!is_new && !fired.kept) {
    auto const *const name = DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(tracked_table)));
    not_own_error(trigger, number, fired,
                  psprintf("Leave the column to its default, and insert through the table that is tracked. If the "
                           "transaction takes the ID from the sequence first, begin it with INSERT INTO %s SELECT FROM "
                           "%s WHERE false.",
                           name, name));
  }
  return PointerGetDatum(fired.row);
}

/// Returns the last value of the sequence of a tracked column for those who may read the table, or null.
KID_DEFINE(kid_track_last) {
  Oid const table = PG_GETARG_OID(0);
  AttrNumber const number = get_attnum(table, text_to_cstring(PG_GETARG_TEXT_PP(1)));
  int64 last = -1;

  if (number > 0 && (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
                     pg_attribute_aclcheck_all(table, GetUserId(), ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK))
    if (auto *const opened = try_relation_open(table, AccessShareLock)) {
      if (is_tracked(opened, number))
        last = last_value(sequence_of_column(opened, number), opened->rd_rel->relowner);
      relation_close(opened, AccessShareLock);
    }
  if (last < 0)
    PG_RETURN_NULL();
  PG_RETURN_INT64(last);
}

} // namespace kid::pg
