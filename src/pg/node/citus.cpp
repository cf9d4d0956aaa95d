#include "citus.hpp"

#include "attach.hpp"

namespace kid::pg {

namespace {

/// The table that Citus itself reads its group ID from, which has one row with one integer. Only a superuser can create
/// another table of that name in pg_catalog.
constexpr char const *local_group_name = "pg_dist_local_group";

/// That table; InvalidOid if there was none when this process last looked.
Oid local_group_table = InvalidOid;

std::uint32_t local_group_hash = 0; ///< of its name, in the catalog cache of names

// Both callbacks detach this process, so that the next ID looks for the number again.

extern "C" {

/// Called when the table is created, dropped, renamed or moved to another schema. PostgreSQL names the table by its
/// hash, so that other tables do not detach this process. A hash of 0 means any table: messages were lost.
static void forget_table(Datum, catalog_cache, uint32 hash) {
  if (hash == local_group_hash || hash == 0)
    detach();
}

/// Called when the number changes: when a promoted standby gets its own number, or a server its first one. Citus then
/// invalidates the table.
static void forget_group(Datum, Oid table) {
  if (OidIsValid(local_group_table) && (table == local_group_table || table == InvalidOid))
    detach();
}

} // extern "C"

} // namespace

void look_for_citus() {
  static bool registered = false;

  local_group = no_citus;
  if (!registered) {
    local_group_hash =
        GetSysCacheHashValue2(RELNAMENSP, CStringGetDatum(local_group_name), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
    CacheRegisterSyscacheCallback(RELNAMENSP, forget_table, 0);
    CacheRegisterRelcacheCallback(forget_group, 0);
  }
  registered = true;
  local_group_table = get_relname_relid(local_group_name, PG_CATALOG_NAMESPACE);
  auto *const table = OidIsValid(local_group_table) ? try_relation_open(local_group_table, AccessShareLock) : nullptr;
  if (table == nullptr)
    return;
  auto *const row = RelationGetDescr(table);
  if (table->rd_rel->relkind == RELKIND_RELATION && row->natts > 0 && TupleDescAttr(row, 0)->atttypid == INT4OID) {
    auto *const scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    auto *const tuple = systable_getnext(scan);
    bool is_null = true;
    Datum const value = HeapTupleIsValid(tuple) ? heap_getattr(tuple, 1, row, &is_null) : 0;
    if (!is_null)
      local_group = Max(DatumGetInt32(value), no_citus);
    systable_endscan(scan);
  }
  relation_close(table, AccessShareLock);
}

} // namespace kid::pg
