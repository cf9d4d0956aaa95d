// What partitions need beyond SQL: see src/sql/partitions/.
#include "datum.hpp"
#include "export.hpp"
#include "types.hpp"

namespace kid::pg {

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

/// A bound, which is the binary form of a value of a type that IDs are of.
static Datum bound_argument(FunctionCallInfo fcinfo, id_type const *&ids) {
  Oid const type = PG_GETARG_OID(0);
  bytea *const bytes = PG_GETARG_BYTEA_PP(1);
  Oid receive = InvalidOid;
  Oid element = InvalidOid;
  StringInfoData message;

  ids = id_type_of(type);
  if (ids == nullptr)
    ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("type %s is not one of IDs", format_type_be(type)));
  initStringInfo(&message);
  appendBinaryStringInfo(&message, VARDATA_ANY(bytes), static_cast<int>(VARSIZE_ANY_EXHDR(bytes)));
  getTypeBinaryInputInfo(type, &receive, &element);
  return OidReceiveFunctionCall(receive, &message, element, -1);
}

static Datum bound_text(PG_FUNCTION_ARGS) {
  id_type const *ids = nullptr;
  Datum const bound = bound_argument(fcinfo, ids);
  Oid output = InvalidOid;
  bool varies = false;

  getTypeOutputInfo(PG_GETARG_OID(0), &output, &varies);
  PG_RETURN_TEXT_P(cstring_to_text(OidOutputFunctionCall(output, bound)));
}

/// Also of a bound that is no ID, as long as its type has IDs: somebody may have made it by hand.
static Datum bound_time(PG_FUNCTION_ARGS) {
  id_type const *ids = nullptr;
  Datum const bound = bound_argument(fcinfo, ids);

  PG_RETURN_TIMESTAMPTZ(from_unix(ids->time(bound)));
}

} // namespace kid::pg

KID_FUNCTION(kid_bound_text, kid::pg::bound_text)
KID_FUNCTION(kid_bound_time, kid::pg::bound_time)
KID_FUNCTION(kid_check_snapshot, kid::pg::check_snapshot)
