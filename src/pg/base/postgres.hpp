// The only file that includes PostgreSQL's headers, all that src/pg needs, so that they have C linkage and come after
// the core and after C++'s own, which their macros could break. compat.hpp hides how their versions differ.
#pragma once

// The core always comes first, see core/no_postgres.hpp. The file of a type includes the type's header in the core
// before this one.
#include "../../core/base32.hpp"
#include "../../core/bits.hpp"
#include "../../core/clock_rules.hpp"
#include "../../core/ended_list.hpp"
#include "../../core/issue_loop.hpp"
#include "../../core/lane.hpp"
#include "../../core/lease_span.hpp"
#include "../../core/leave_unit.hpp"
#include "../../core/node.hpp"
#include "../../core/range.hpp"
#include "../../core/snapshot_view.hpp"
#include "../../core/step.hpp"
#include "../../core/text.hpp"

// What src/pg uses of C++.
#include <algorithm>
#include <functional>
#include <string_view>

extern "C" {

// Before 16 PGDLLEXPORT is empty: the functions of an extension are exported because all symbols are.
#define PGDLLEXPORT __attribute__((visibility("default")))

#include "postgres.h"

#include "access/brin_internal.h"
#include "access/brin_tuple.h"
#include "access/genam.h"
#include "access/gist.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_tablespace_d.h"
#include "catalog/pg_type.h"
#include "catalog/storage_xlog.h"
#include "commands/dbcommands.h"
#include "commands/trigger.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/hyperloglog.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "port/atomics.h"
#include "port/pg_crc32c.h"
#include "portability/instr_time.h"
#include "postmaster/interrupt.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "rewrite/rewriteHandler.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/checksum.h"
#include "storage/condition_variable.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "storage/smgr.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/resowner.h"
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

// By-value types are passed in a Datum, and `timestamptz`, `bigint` and 64-bit atomics are assumed to be cheap. An
// atomic that is no larger than its value needs no initialization in memory that is filled with zeroes.
static_assert(sizeof(Datum) == 8 && sizeof(pg_atomic_uint64) == 8, "kid needs a 64-bit PostgreSQL");
