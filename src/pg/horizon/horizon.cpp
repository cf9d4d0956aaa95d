#include "horizon.hpp"

#include "../base/locked.hpp"
#include "../clocks/lease.hpp"
#include "floors.hpp"
#include "memory.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

/// `Running` of core/snapshot_view.hpp.
struct listed_transactions {
  SnapshotData const &of;

  bool lists(std::uint64_t xid) const {
    return std::find(of.xip, of.xip + of.xcnt, static_cast<TransactionId>(xid)) != of.xip + of.xcnt;
  }
  bool are_all_running() const { return std::all_of(of.xip, of.xip + of.xcnt, TransactionIdIsInProgress); }
};

snapshot_limits limits_of(SnapshotData const &snapshot) {
  TransactionId last = snapshot.xmax;
  TransactionIdRetreat(last); // not xmax - 1: PostgreSQL skips the first three numbers of each epoch

  // A snapshot that was taken during recovery lists other things. Only REPEATABLE READ can have imported the snapshot
  // of a logical slot.
  return {MyDatabaseId, widen(snapshot.xmin), widen(snapshot.xmax), snapshot.takenDuringRecovery ? 0 : widen(last),
          IsolationUsesXactSnapshot()};
}

/// A horizon that the running transaction was given. A query may ask more than once, as it does for each partition of
/// a table. It must get one answer: rows are missed if the horizon rises between two partitions.
///
/// An answer is for all snapshots with the same xmin, xmax and list of running transactions, and is kept while this
/// transaction can have one. They see the same rows of others, so one answer is right for all of them, whichever was
/// taken or asks first. It is also right for rows that this transaction makes: their states are at or above its floor,
/// or above the state at the time of the answer. (Computed later, the answer could be higher, if a transaction without
/// a transaction ID has ended since.)
///
/// The list is compared, not only its length: a transaction that is being prepared is in it twice. So a list without a
/// transaction that has ended can be as long, and a cursor that was opened before would miss that transaction's row.
struct answer {
  answer *next;
  std::uint64_t horizon;
  clock_id clock;
  TransactionId xmin;
  TransactionId xmax;
  std::uint32_t count;
  TransactionId running[FLEXIBLE_ARRAY_MEMBER];

  bool is_for(SnapshotData const &snapshot) const {
    return xmin == snapshot.xmin && xmax == snapshot.xmax && count == snapshot.xcnt &&
           (count == 0 || memcmp(running, snapshot.xip, count * sizeof *running) == 0);
  }
};

answer *answers = nullptr; ///< in TopTransactionContext

/// Returns the answer for a snapshot, or null.
std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock) {
  for (answer **link = &answers; *link != nullptr;) {
    answer *const known = *link;
    if (known->clock == clock && known->is_for(snapshot))
      return &known->horizon;
    // This process has no snapshot with an earlier xmin than TransactionXmin any more.
    if (TransactionIdPrecedes(known->xmin, TransactionXmin)) {
      *link = known->next;
      pfree(known);
    } else {
      link = &known->next;
    }
  }
  return nullptr;
}

/// Forgets what queries were told, at the end of the transaction. Its memory is freed then.
extern "C" void forget_answers(XactEvent event, void *) {
  if (event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PARALLEL_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE)
    answers = nullptr;
}

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon) {
  static bool registered = false;
  std::size_t const size = offsetof(answer, running) + snapshot.xcnt * sizeof(TransactionId);
  auto *const known = static_cast<answer *>(MemoryContextAlloc(TopTransactionContext, size));

  if (!registered)
    RegisterXactCallback(forget_answers, nullptr);
  registered = true;
  *known = {answers, horizon, clock, snapshot.xmin, snapshot.xmax, snapshot.xcnt};
  std::copy(snapshot.xip, snapshot.xip + snapshot.xcnt, known->running);
  answers = known;
}

std::uint64_t horizon_of(SnapshotData const &snapshot, clock_id id) {
  listed_transactions const listed = {snapshot};
  snapshot_view seen(limits_of(snapshot), listed);
  std::uint64_t const lowered = pg_atomic_read_u64(&horizon_shared->lowered);
  pg_read_barrier();
  std::uint64_t least = least_running(id);

  // Exclusively: readers that share the lock could keep those who commit waiting for ever.
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  release_after(&horizon_shared->lock, [&] {
    if (unlikely(lowered != pg_atomic_read_u64(&horizon_shared->lowered)))
      least = least_running(id); // the clock was lowered meanwhile
    for (int i = 0; i < max_prepared_xacts; i++)
      if (seen.misses(prepared()[i].transaction))
        keep_least(least, prepared()[i].transaction.floor[id]);
    least = horizon_shared->committed.least_missed(seen, id, least); // step: read_list, with the loop above
  });
  return least;
}

} // namespace

std::uint64_t horizon(clock_id id, char const *function) {
  reject_worker(function);
  clock_cell &cell = attached_memory(function).cells[id];
  SnapshotData const &snapshot = ActiveSnapshotSet() ? *GetActiveSnapshot() : *GetTransactionSnapshot();

  find_horizon_or_error();
  if (snapshot.snapshot_type != SNAPSHOT_MVCC)
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s is not available in logical decoding", function));
  if (std::uint64_t const *const known = answer_for(snapshot, id))
    return *known;
  open_clocks(cell);
  await_standbys(cell);
  recover_prepared();
  if (pg_atomic_read_u32(&horizon_shared->asked) == 0)
    begin_list();
  std::uint64_t const result = horizon_of(snapshot, id);
  remember(snapshot, id, result);
  return result;
}

} // namespace kid::pg
