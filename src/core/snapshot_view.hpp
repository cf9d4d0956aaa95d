// Which transactions a snapshot sees, for the list of those that have ended (ended_list.hpp).
#pragma once

#include "ended_list.hpp"
#include "no_postgres.hpp"

#include <cstdint>

namespace kid {

/// What a snapshot itself contains. Transaction IDs include the epoch.
struct snapshot_limits {
  std::uint32_t database;  ///< whose transactions matter
  std::uint64_t xmin;      ///< all below have ended
  std::uint64_t xmax;      ///< none from here on has ended
  std::uint64_t completed; ///< the greatest that had ended when the snapshot was taken; 0 if that is not known
  /// Whether the snapshot may come from a logical slot. That shows all that is committed in WAL, ended or not.
  bool of_slot;
};

/// `Snapshot` of ended_list. `Running` knows the transactions between xmin and xmax that the snapshot takes for
/// running:
///
///     lists(xid)          whether this is one of them
///     are_all_running()   whether all of them still run
template <class Running> class snapshot_view {
public:
  constexpr snapshot_view(snapshot_limits const &limits, Running const &running) noexcept
      : limits_(limits), running_(running) {}

  template <int Clocks> constexpr bool misses(ended_transaction<Clocks> const &ended) const {
    if (ended.xid == 0 || ended.database != limits_.database)
      return false;
    return ended.xid >= limits_.xmax || (ended.xid >= limits_.xmin && running_.lists(ended.xid));
  }

  /// Returns whether the snapshot was taken after `mark`. Its age shows in the greatest transaction ID that it knows as
  /// ended. If the snapshot is of a slot, that ID must have been assigned after `mark`. Otherwise that transaction must
  /// not have ended at `mark`.
  constexpr bool is_after(xid_mark const &mark) const noexcept {
    return limits_.of_slot ? limits_.completed >= mark.next : limits_.completed > mark.completed;
  }

  /// If all transactions that the snapshot takes for running do still run, it sees all that have ended.
  constexpr bool sees_all(xid_mark const &mark) {
    if (limits_.completed < mark.completed)
      return false;
    if (!is_known_)
      all_running_ = running_.are_all_running();
    is_known_ = true;
    return all_running_;
  }

private:
  snapshot_limits limits_;
  Running const &running_;
  bool is_known_ = false;
  bool all_running_ = false;
};

} // namespace kid
