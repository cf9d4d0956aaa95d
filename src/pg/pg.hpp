// The only file that includes PostgreSQL's headers, and the only one that knows how versions differ. It includes
// them after the core's, so that the other files of src/pg need not mind.
#pragma once

// The core comes first, always: see core/check.hpp.
#include "../core/bounds.hpp"
#include "../core/flake.hpp"
#include "../core/flax.hpp"
#include "../core/kid64.hpp"
#include "../core/kid96.hpp"
#include "../core/layout.hpp"
#include "../core/sno.hpp"
#include "../core/step.hpp"
#include "../core/text.hpp"
#include "../core/tick_tock.hpp"

extern "C" {

// Until 16 an extension's own functions were exported because everything was, and PGDLLEXPORT meant nothing.
#define PGDLLEXPORT __attribute__((visibility("default")))

#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/hyperloglog.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "port/pg_crc32c.h"
#include "portability/instr_time.h"
#include "storage/condition_variable.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

} // extern "C"

// By-value types are passed in a Datum, and `timestamptz`, `bigint` and 64-bit atomics are assumed to be cheap.
static_assert(sizeof(Datum) == 8, "kid needs a 64-bit PostgreSQL");

// 16 introduced soft errors. Before, an error in an input function is always thrown.
#if PG_VERSION_NUM < 160000
#define errsave(context, ...) ereport(ERROR, (static_cast<void>(context), __VA_ARGS__))
#endif

namespace kid::pg {

// 17 introduced wait events that an extension names. Before, it has one, nameless.
inline std::uint32_t wait_event(char const *name) {
#if PG_VERSION_NUM >= 170000
  return WaitEventExtensionNew(name);
#else
  static_cast<void>(name);
  return PG_WAIT_EXTENSION;
#endif
}

// 16 gave GUC values a memory of their own. Before, they came from malloc.
inline void *guc_extra(std::size_t size) {
#if PG_VERSION_NUM >= 160000
  return guc_malloc(LOG, size);
#else
  return malloc(size);
#endif
}

// 17 moved the statistics target of a column out of its description.
inline int &statistics_target(VacAttrStats *stats) {
#if PG_VERSION_NUM >= 170000
  return stats->attstattarget;
#else
  return stats->attr->attstattarget;
#endif
}

} // namespace kid::pg
