#include "citus.hpp"

#include "../clocks/shmem.hpp"

namespace kid::pg {

namespace {

/// The table that has the group ID, once this process has read it.
Oid local_group_table = InvalidOid;

} // namespace

extern "C" {

/// Detaches this process, so that the next ID reads the number again. Citus invalidates the table if the number
/// changes: when a promoted standby gets its own number, or a server its first one.
static void forget_group(Datum, Oid table) {
  if (table == local_group_table || table == InvalidOid)
    detach();
}

} // extern "C"

/// Reads the table that Citus itself reads, which has one row with one integer. Only a superuser can create another
/// table of that name in pg_catalog.
int citus_group() {
  int group = no_citus;

  Oid const oid = get_relname_relid("pg_dist_local_group", PG_CATALOG_NAMESPACE);
  if (!OidIsValid(oid))
    return no_citus;
  auto *const table = try_relation_open(oid, AccessShareLock);
  if (table == nullptr)
    return no_citus;
  if (local_group_table == InvalidOid)
    CacheRegisterRelcacheCallback(forget_group, 0);
  local_group_table = oid;
  auto *const row = RelationGetDescr(table);
  if (table->rd_rel->relkind == RELKIND_RELATION && row->natts > 0 && TupleDescAttr(row, 0)->atttypid == INT4OID) {
    auto *const scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    auto *const tuple = systable_getnext(scan);
    bool is_null = true;
    Datum const value = HeapTupleIsValid(tuple) ? heap_getattr(tuple, 1, row, &is_null) : 0;
    if (!is_null)
      group = Max(DatumGetInt32(value), no_citus);
    systable_endscan(scan);
  }
  relation_close(table, AccessShareLock);
  return group;
}

} // namespace kid::pg
