// Hides the differences between PostgreSQL 15 and 20 from the rest of src/pg, except two: postgres.hpp includes headers
// that only some versions have, and shared_struct.hpp hides how each version reserves shared memory.
#pragma once

#include "postgres.hpp"

// 16 introduced soft errors. Before, an error in an input function is always thrown.
#if PG_VERSION_NUM < 160000
#define errsave(context, ...) ereport(ERROR, (static_cast<void>(context), __VA_ARGS__))
#endif

// 17 renamed these, and introduced wait events that an extension names. Before, there is one for all extensions.
#if PG_VERSION_NUM < 170000
#define INVALID_PROC_NUMBER InvalidBackendId
#define MyProcNumber MyProc->pgprocno
#define TransamVariables ShmemVariableCache
#define WaitEventExtensionNew(name) PG_WAIT_EXTENSION
#endif

// 20 renamed these. Checksums can be turned on and off while the server runs, and are verified only once they are on.
#if PG_VERSION_NUM >= 200000
#define DataChecksumsEnabled DataChecksumsNeedVerify
#define pg_attribute_always_inline pg_always_inline
#define ssup_datum_unsigned_cmp ssup_datum_uint64_cmp
#endif

// 18 introduced the name and the version of a module, which pg_get_loaded_modules() shows.
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

namespace kid::pg {

/// Returns the least version that kid needs of the major version of `version`, both as PG_VERSION_NUM has them. From
/// these on, WalSndCtl->sync_standbys_status has two bits. Before, the same byte is a boolean, which kid would read as
/// "no synchronous standbys".
constexpr int least_version(int version) {
  return version < 160000 ? 150013 : version < 170000 ? 160009 : version < 180000 ? 170005 : 180000;
}
static_assert(PG_VERSION_NUM >= least_version(PG_VERSION_NUM), "kid needs PostgreSQL 15.13, 16.9, 17.5 or later");

// From 18 on, PostgreSQL's uint64 is std::uint64_t. Before, it is another type of the same size on macOS, and a pointer
// to one is no pointer to the other.
inline bool compare_exchange(pg_atomic_uint64 &word, std::uint64_t &expected, std::uint64_t desired) noexcept {
  uint64 seen = expected;
  bool const exchanged = pg_atomic_compare_exchange_u64(&word, &seen, desired);
  expected = seen;
  return exchanged;
}

// 16 gave the functions that walk through expressions and queries a prototype for their callback.
using tree_walker = bool (*)(Node *node, void *context);

inline bool walk(Node *node, tree_walker walker, void *context) {
#if PG_VERSION_NUM >= 160000
  auto *const each = walker;
#else
  auto *const each = reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walker));
#endif
  return node != nullptr && IsA(node, Query) ? query_tree_walker(reinterpret_cast<Query *>(node), each, context, 0)
                                             : expression_tree_walker(node, each, context);
}

// PostgreSQL's record of a setting, config_generic of guc_tables.h, is for PostgreSQL's own files, and can change with
// any major version. But PostgreSQL has no function that returns where the value of a placeholder came from, and
// none that changes the flags of a setting after its definition. So kid uses the record, and only here.

/// All settings of the server, to loop over. From 16 on, PostgreSQL allocates an array for the caller.
struct all_settings {
  int count = 0;
#if PG_VERSION_NUM >= 160000
  config_generic **first = get_guc_variables(&count);
#else
  config_generic **first = get_guc_variables();
  all_settings() {
    count = GetNumConfigOptions();
  }
#endif
  config_generic **begin() const {
    return first;
  }
  config_generic **end() const {
    return first + count;
  }
};

/// Whether a setting was given a value, but is not defined yet.
inline bool is_placeholder(config_generic const *setting) {
  return (setting->flags & GUC_CUSTOM_PLACEHOLDER) != 0;
}

/// Returns where the value came from to which RESET sets a setting.
inline GucSource reset_source(config_generic const *setting) {
  return setting->reset_source;
}

inline char const *name_of(config_generic const *setting) {
  return setting->name;
}

inline void clear_flags(config_generic *setting, int flags) {
  setting->flags &= ~flags;
}

// 17 moved the statistics target of a column out of its description. In 16 it is a short integer.
inline auto &statistics_target(VacAttrStats *stats) {
#if PG_VERSION_NUM >= 170000
  return stats->attstattarget;
#else
  return stats->attr->attstattarget;
#endif
}

// From 19 on a tranche is named when it is allocated, for all processes, and allocation can fail with an error. Before,
// each process registers the name itself, or has it from the postmaster.
#if PG_VERSION_NUM >= 190000
inline void LWLockRegisterTranche(int, char const *) {}
#endif

inline int new_tranche(char const *name) {
#if PG_VERSION_NUM >= 190000
  return LWLockNewTrancheId(name);
#else
  int const tranche = LWLockNewTrancheId();
  LWLockRegisterTranche(tranche, name);
  return tranche;
#endif
}

// 16 renamed the struct that locates the files of a relation, and introduced aligned blocks. 19 introduced a type for
// the modes of a buffer lock.
#if PG_VERSION_NUM < 160000
using RelFileLocator = RelFileNode;
using PGIOAlignedBlock = PGAlignedBlock;
#endif
#if PG_VERSION_NUM < 190000
using BufferLockMode = int;
#endif

// 19 introduced a type for the numbers of the catalog caches.
#if PG_VERSION_NUM >= 190000
using catalog_cache = SysCacheIdentifier;
#else
using catalog_cache = int;
#endif

/// Returns the number of a transaction in its process; for a prepared transaction, its transaction ID.
inline TransactionId local_xid(LockInstanceData const &lock) {
#if PG_VERSION_NUM >= 170000
  return lock.vxid.localTransactionId;
#else
  return lock.lxid;
#endif
}

} // namespace kid::pg
