#include "horizon.hpp"

#include "../clocks/lease.hpp"
#include "answers.hpp"
#include "ended.hpp"
#include "floors.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

/// Which transactions a snapshot sees: `Snapshot` of core/ended_list.hpp.
class view {
public:
  explicit view(SnapshotData const &snapshot)
      : of_(snapshot), xmin_(widen(snapshot.xmin)), xmax_(widen(snapshot.xmax)),
        completed_(snapshot.takenDuringRecovery ? 0 : before(snapshot.xmax)) {}

  bool misses(ended_floors const &one) const {
    if (one.xid == 0 || one.database != MyDatabaseId)
      return false;
    return one.xid >= xmax_ || (one.xid >= xmin_ && is_listed(static_cast<TransactionId>(one.xid)));
  }

  /// The greatest transaction ID that the snapshot shows as ended tells its age. REPEATABLE READ can have imported the
  /// snapshot of a logical slot, which shows all that is committed in WAL, ended or not: then it must have been
  /// assigned after `mark`. Otherwise it must not have ended at `mark`.
  bool is_after(xid_mark const &mark) const {
    return IsolationUsesXactSnapshot() ? completed_ >= mark.next : completed_ > mark.completed;
  }

  /// If all transactions that the snapshot takes for running do still run, it sees all that have ended.
  bool sees_all(xid_mark const &mark) {
    if (completed_ < mark.completed)
      return false;
    if (!known_)
      all_running_ = are_all_running();
    known_ = true;
    return all_running_;
  }

private:
  SnapshotData const &of_;
  std::uint64_t xmin_;
  std::uint64_t xmax_;
  /// The greatest transaction ID that had ended when the snapshot was taken; 0 if that was during recovery, when
  /// snapshots list other things.
  std::uint64_t completed_;
  bool known_ = false;
  bool all_running_ = false;

  /// PostgreSQL skips the first three numbers of each epoch.
  static std::uint64_t before(TransactionId xid) {
    TransactionIdRetreat(xid);
    return widen(xid);
  }

  bool is_listed(TransactionId xid) const { return std::find(of_.xip, of_.xip + of_.xcnt, xid) != of_.xip + of_.xcnt; }

  bool are_all_running() const { return std::all_of(of_.xip, of_.xip + of_.xcnt, TransactionIdIsInProgress); }
};

std::uint64_t horizon_of(SnapshotData const &snapshot, clock_id id) {
  view seen(snapshot);
  std::uint64_t const lowered = pg_atomic_read_u64(&horizon_shared->lowered);
  pg_read_barrier();
  std::uint64_t least = least_running(id);

  // The lock is held for a moment, and exclusively: readers that share it could keep those who commit waiting for ever.
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  release_after(&horizon_shared->lock, [&] {
    if (unlikely(lowered != pg_atomic_read_u64(&horizon_shared->lowered)))
      least = least_running(id); // the clock was lowered meanwhile
    for (int i = 0; i < max_prepared_xacts; i++)
      if (seen.misses(prepared()[i].one))
        keep_least(least, prepared()[i].one.floor[id]);
    least = horizon_shared->committed.least_missed(seen, id, least);
  });
  return least;
}

} // namespace

std::uint64_t horizon(clock_id id, char const *function) {
  reject_worker(function);
  clock_cell &cell = shared(function).cells[id];
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
