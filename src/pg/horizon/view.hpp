// What a snapshot sees.
#pragma once

#include "ended.hpp"

namespace kid::pg {

/// Which transactions a snapshot sees: `Snapshot` of core/ended_list.hpp.
class view {
public:
  explicit view(SnapshotData const &snapshot)
      : of_(snapshot), xmin_(widen(snapshot.xmin)), xmax_(widen(snapshot.xmax)), completed_(before(snapshot.xmax)) {}

  bool misses(ended_floors const &one) const {
    if (one.xid == 0 || one.database != MyDatabaseId)
      return false;
    return one.xid >= xmax_ || (one.xid >= xmin_ && is_listed(static_cast<TransactionId>(one.xid)));
  }

  /// The greatest transaction ID that the snapshot shows as ended tells its age:
  /// - A session took the snapshot after `mark` if that ID had not ended at `mark`.
  /// - One of a logical slot, which REPEATABLE READ can import, shows what is committed in WAL, ended or not. It has
  /// all
  ///   commits from before `mark` if that ID was assigned after `mark`.
  bool is_after(xid_mark const &mark) const {
    if (of_.takenDuringRecovery)
      return false;
    return IsolationUsesXactSnapshot() ? completed_ >= mark.next : completed_ > mark.completed;
  }

  /// If all transactions that the snapshot takes for running do still run, it sees all that have ended.
  bool sees_all(xid_mark const &mark) {
    if (of_.takenDuringRecovery || completed_ < mark.completed)
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
  std::uint64_t completed_; ///< the greatest transaction ID that had ended when the snapshot was taken
  bool known_ = false;
  bool all_running_ = false;

  /// PostgreSQL skips the first three numbers of each epoch.
  static std::uint64_t before(TransactionId xid) {
    TransactionIdRetreat(xid);
    return widen(xid);
  }

  bool is_listed(TransactionId xid) const {
    for (std::uint32_t i = 0; i < of_.xcnt; i++)
      if (of_.xip[i] == xid)
        return true;
    return false;
  }

  bool are_all_running() const {
    for (std::uint32_t i = 0; i < of_.xcnt; i++)
      if (!TransactionIdIsInProgress(of_.xip[i]))
        return false;
    return true;
  }
};

} // namespace kid::pg
