#include "citus.hpp"

#include "../clocks/shmem.hpp"

namespace kid::pg {

int local_group = no_citus;

/// The table that has the group ID, once this process has read it.
static Oid local_group_table = InvalidOid;

/// Detaches this process, so that the next ID reads the number again. Citus invalidates the table if the number
/// changes: when a promoted standby gets its own number, or a server its first one.
extern "C" {
static void forget_group(Datum, Oid table) {
  if (table == local_group_table || table == InvalidOid)
    detach();
}
} // extern "C"

/// Reads the table that Citus itself reads, which has one row with one integer. Only a superuser can create another
/// table of that name in pg_catalog.
static int read_group() {
  int group = no_citus;
  Oid const oid = get_relname_relid("pg_dist_local_group", PG_CATALOG_NAMESPACE);
  auto *const table = OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : nullptr;
  if (table == nullptr)
    return group;
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

void look_for_citus() {
  local_group = read_group();
}

} // namespace kid::pg
