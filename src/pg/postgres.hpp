// The only file that includes PostgreSQL's headers. What hides how their versions differ is compat.hpp.
#pragma once

// The core comes first, always: see core/no_postgres.hpp. The page of a type includes that of the core before this one.
#include "../core/bits.hpp"
#include "../core/range.hpp"
#include "../core/step.hpp"
#include "../core/text.hpp"

extern "C" {

// Until 16 an extension's own functions were exported because everything was, and PGDLLEXPORT meant nothing.
#define PGDLLEXPORT __attribute__((visibility("default")))

#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_tablespace_d.h"
#include "catalog/pg_type.h"
#include "catalog/storage_xlog.h"
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
#include "optimizer/tlist.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/smgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/snapmgr.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

} // extern "C"

// By-value types are passed in a Datum, and `timestamptz`, `bigint` and 64-bit atomics are assumed to be cheap.
static_assert(sizeof(Datum) == 8, "kid needs a 64-bit PostgreSQL");
