// A list of transactions that ended a short time ago, for the horizon (pg/horizon/horizon.hpp).
//
// For a statement, a transaction that committed after its snapshot was taken counts as still running. The list
// remembers the floors of such transactions: the newest each by itself, older ones merged, so that 14 kB, for five
// clocks, remember millions:
//
//    level 2   [ 256 ][ 256 ] ... [ 256 ]                                             32 entries
//    level 1                   [ 16 ][ 16 ] ... [ 16 ]                                32 entries
//    level 0                                     [1][1][1] ... [1]                    32 entries
//              ------------------------------------------------------> order in which the transactions ended
//
// A merged entry has the least floor of its transactions, and counts as one that the snapshot does not see. So the
// result can be too low for an old snapshot, but never too high.
#pragma once

#include "no_postgres.hpp"

#include <cstdint>

namespace kid {

/// Which transaction IDs were assigned, and which had ended, when an entry was made. Both IDs include the epoch.
struct xid_mark {
  std::uint64_t completed; ///< the greatest transaction ID that has ended
  std::uint64_t next;      ///< the next transaction ID to be assigned
};

/// A transaction that has ended, or the merged entry of several.
template <int Clocks> struct ended_transaction {
  std::uint64_t xid;           ///< with its epoch; 0 if the entry is merged
  xid_mark mark;               ///< by then this transaction, and those of all earlier entries, had ended
  std::uint64_t floor[Clocks]; ///< for each clock, the least state that it may have taken; 0 if it took none
  std::uint32_t database;      ///< 0 if the entry is merged
};

/// Lowers `least` to `floor`, unless `floor` is 0.
constexpr void keep_least(std::uint64_t &least, std::uint64_t floor) noexcept {
  if (floor != 0 && floor < least)
    least = floor;
}

/// The list. Memory that is filled with zeroes is a list without entries that has not begun.
template <int Clocks> class ended_list {
public:
  using entry = ended_transaction<Clocks>;

  static constexpr std::uint64_t kept = 32;   ///< entries of each level
  static constexpr std::uint64_t merged = 16; ///< how many of them become one entry of the next level
  static constexpr int levels = 6;            ///< so the list goes back some 33 million transactions
  static_assert(kept >= merged, "an entry is kept until it is merged");

  /// Makes the list begin here. Nothing is known about transactions that ended before `mark`.
  constexpr void begin(xid_mark mark) noexcept { begin_ = mark; }

  /// Adds a transaction. Until then its floor is found in its session, or in its place as a prepared transaction.
  constexpr void add(entry added) noexcept {
    for (level &here : levels_) {
      here.last[here.count++ % kept] = added;
      if (here.count % merged != 0)
        return;
      added.xid = 0;
      added.database = 0;
      for (std::uint64_t i = here.count - merged; i < here.count; i++)
        for (int clock = 0; clock < Clocks; clock++) {
          std::uint64_t const floor = here.last[i % kept].floor[clock];
          if (added.floor[clock] == 0 || (floor != 0 && floor < added.floor[clock]))
            added.floor[clock] = floor;
        }
    }
  }

  /// Returns the least floor of `clock` among the transactions that a snapshot does not see, or `least` if that is
  /// lower. Returns 1, the least floor of all, if the snapshot is older than the list. `Snapshot` has three functions:
  ///
  ///     misses(entry)    whether the snapshot does not see the transaction of an entry
  ///     is_after(mark)   whether it was taken after `mark`. Then it sees the transactions of that entry and of all
  ///                      older ones
  ///     sees_all(mark)   whether it sees, for another reason, all transactions that had ended at `mark`
  template <class Snapshot>
  constexpr std::uint64_t least_missed(Snapshot &snapshot, int clock, std::uint64_t least) const noexcept {
    // Entries from `end` on are skipped: the level before has the same transactions, in smaller groups.
    std::uint64_t end = levels_[0].count;

    for (int number = 0; number < levels; number++) {
      level const &here = levels_[number];
      for (std::uint64_t i = end; i-- > 0 && here.count - i <= kept;) {
        entry const &ended = here.last[i % kept];
        // At level 0, misses() decides for each entry. sees_all() takes long, so it is called for merged entries only.
        if (snapshot.is_after(ended.mark) || (number > 0 && snapshot.sees_all(ended.mark)))
          return least;
        if (number > 0 || snapshot.misses(ended))
          keep_least(least, ended.floor[clock]);
      }
      if (here.count <= kept)
        return snapshot.is_after(begin_) || snapshot.sees_all(begin_) ? least : 1;
      // The entries of the next level that contain at least one transaction which is no longer here.
      end = (here.count - kept + merged - 1) / merged;
    }
    return 1;
  }

private:
  struct level {
    std::uint64_t count; ///< how many entries were ever added; the last `kept` of them are here
    entry last[kept];
  };

  xid_mark begin_;
  level levels_[levels];
};

} // namespace kid
