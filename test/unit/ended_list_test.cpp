// The list of ended transactions never returns a horizon above the truth, for snapshots of any age, of sessions and of
// slots. The truth is known from the order in which a simulated server ended its transactions.
#include "../../src/core/ended_list.hpp"
#include "../../src/core/snapshot_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kid {
namespace {

using list = ended_list<2>;

constexpr std::uint64_t no_floor = ~std::uint64_t{0};
constexpr std::uint32_t here = 1; // the database of all snapshots

constexpr std::uint64_t first_normal = 3; // PostgreSQL does not assign the transaction IDs 0, 1 and 2 of any epoch
constexpr std::uint64_t first_xid = 700;  // of a new server

std::uint64_t following(std::uint64_t xid) {
  std::uint64_t const next = xid + 1;
  return static_cast<std::uint32_t>(next) < first_normal ? next - static_cast<std::uint32_t>(next) + first_normal
                                                         : next;
}

std::uint64_t preceding(std::uint64_t xid) {
  return static_cast<std::uint32_t>(xid) == first_normal ? xid - first_normal - 1 : xid - 1;
}

struct transaction {
  std::uint64_t xid;      ///< 0 until it is assigned
  std::uint64_t floor[2]; ///< 0 for a clock of which the transaction takes no state
  std::uint32_t database;
  std::uint64_t commit; ///< place of its commit in WAL; 0 until it is written
};

struct snapshot {
  std::uint64_t xmin;
  std::uint64_t xmax;
  std::vector<std::uint64_t> xip;
  std::uint64_t wal;      ///< a snapshot of a slot sees what was committed up to this place
  bool of_slot;           ///< otherwise it was taken by a session
  std::uint64_t truth[2]; ///< for each clock, the least floor of the transactions that ended and that it does not see
};

/// PostgreSQL as far as the list depends on it. A transaction commits in WAL, then it ends for the snapshots of
/// sessions, then it is put into the list. Until then its floors are elsewhere.
struct server {
  std::uint64_t next;
  std::uint64_t completed;
  std::uint64_t wal = 0;
  std::vector<transaction> running;
  std::vector<transaction> unlisted; // ended, not in the list yet
  std::vector<transaction> written;  // the last ones that committed or aborted
  list committed{};
  bool begun = false;
  std::uint64_t begun_at = 0; // the place in WAL

  explicit server(std::uint64_t first = first_xid) : next(first), completed(preceding(first)) {}

  void assign(transaction &one) {
    one.xid = next;
    next = following(next);
  }

  void write_commit(transaction &one) { one.commit = ++wal; }

  /// Ends a running transaction, which commits if that is in WAL.
  transaction end(std::size_t i) {
    transaction const one = running[i];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    if (one.xid != 0)
      completed = std::max(completed, one.xid);
    return one;
  }

  /// Takes one transaction through all steps.
  void commit(std::uint64_t from) {
    transaction one = {0, {from, from}, here, 0};
    assign(one);
    write_commit(one);
    completed = std::max(completed, one.xid);
    put(one);
  }

  void put(transaction const &one) {
    committed.add({one.xid, {completed, next}, {one.floor[0], one.floor[1]}, one.database});
  }

  void begin() {
    committed.begin({completed, next});
    begun = true;
    begun_at = wal;
  }

  bool is_running(std::uint64_t xid) const {
    return std::any_of(running.begin(), running.end(), [&](auto const &one) { return one.xid == xid; });
  }

  /// Takes a snapshot as a session does. All that ended is seen.
  snapshot take() const {
    snapshot taken = {following(completed), following(completed), {}, wal, false, {no_floor, no_floor}};
    for (auto const &one : running)
      if (one.xid != 0 && one.xid < taken.xmax) {
        taken.xip.push_back(one.xid);
        taken.xmin = std::min(taken.xmin, one.xid);
      }
    return taken;
  }

  /// Makes the snapshot that a logical slot exports when it has decoded WAL up to `place`, of which `written` goes back
  /// far enough. What it has not decoded as committed, it lists as running.
  snapshot export_at(std::uint64_t place) const {
    snapshot taken = {no_floor, 0, {}, place, true, {no_floor, no_floor}};
    std::vector<std::uint64_t> seen;
    for (auto const &one : written)
      if (one.commit != 0 && one.commit <= place) {
        seen.push_back(one.xid);
        taken.xmax = std::max(taken.xmax, following(one.xid));
      }
    taken.xmin = *std::min_element(seen.begin(), seen.end());
    for (auto const &one : written)
      if (one.commit > place) {
        taken.xmin = std::min(taken.xmin, one.xid);
        if (!is_running(one.xid))
          miss(taken, one);
      }
    for (auto const &one : running)
      if (one.xid != 0)
        taken.xmin = std::min(taken.xmin, one.xid);
    taken.xmax = std::max(taken.xmax, taken.xmin);
    for (std::uint64_t xid = taken.xmin; xid < taken.xmax; xid = following(xid))
      if (std::find(seen.begin(), seen.end(), xid) == seen.end())
        taken.xip.push_back(xid);
    return taken;
  }

  /// Records that a transaction, which has ended, is not seen by a snapshot.
  void miss(snapshot &taken, transaction const &one) const {
    for (int clock = 0; clock < 2; clock++)
      if (one.database == here && one.commit != 0)
        keep_least(taken.truth[clock], begun ? one.floor[clock] : 1);
  }
};

/// How the age of a snapshot is judged: the strict rule is for those that can come from a slot.
enum class rule { lax, strict };

/// The transactions that a snapshot takes for running.
struct listed_transactions {
  server const &of;
  snapshot const &taken;

  bool lists(std::uint64_t xid) const { return std::find(taken.xip.begin(), taken.xip.end(), xid) != taken.xip.end(); }
  bool are_all_running() const {
    return std::all_of(taken.xip.begin(), taken.xip.end(), [&](auto xid) { return of.is_running(xid); });
  }
};

std::uint64_t least_missed(server const &of, snapshot const &taken, rule is, int clock,
                           std::uint64_t floor = no_floor) {
  listed_transactions const listed = {of, taken};
  snapshot_view seen({here, taken.xmin, taken.xmax, preceding(taken.xmax), is == rule::strict}, listed);
  return of.committed.least_missed(seen, clock, floor);
}

struct history {
  char const *name;
  std::size_t sessions;
  unsigned ends; ///< how many transactions end
  unsigned slow; ///< per mille of the steps in which a transaction ends or is put into the list
  std::uint64_t first;
};

class EndedListHistory : public testing::TestWithParam<history> {};

// Transactions begin, get transaction IDs and end at random, while snapshots of random ages ask. Whatever the list
// returns must not be above the truth, which is known from the order in which transactions ended.
TEST_P(EndedListHistory, IsNeverAboveTheTruth) {
  std::mt19937_64 random(20261121);
  auto const below = [&](std::uint64_t n) { return random() % n; };
  history const &how = GetParam();
  server main(how.first);
  std::vector<snapshot> kept;
  std::uint64_t clock_state = 1000;
  unsigned ended = 0;
  std::uint64_t exact = 0;

  auto const check = [&](snapshot const &taken, bool fresh) {
    for (int clock = 0; clock < 2; clock++) {
      std::uint64_t elsewhere = clock_state;
      for (auto const &one : main.unlisted)
        keep_least(elsewhere, one.floor[clock]);
      for (rule const is : {rule::lax, rule::strict}) {
        if (taken.of_slot && is == rule::lax)
          continue;
        std::uint64_t const floor = least_missed(main, taken, is, clock, elsewhere);
        ASSERT_GE(floor, 1U);
        ASSERT_LE(floor, taken.truth[clock]) << ended << " ended";
        if (fresh) {
          ASSERT_EQ(floor, elsewhere) << ended << " ended";
        }
        exact += floor == std::min(elsewhere, taken.truth[clock]);
      }
    }
  };

  while (ended < how.ends) {
    if (main.running.size() < how.sessions && below(2) == 0) {
      clock_state += below(10);
      std::uint64_t const none = below(3); // some take no state of one clock
      main.running.push_back(
          {0, {none == 0 ? 0 : clock_state, none == 1 ? 0 : clock_state + 5}, here + (below(4) == 0), 0});
    }
    if (!main.running.empty()) {
      std::size_t const i = below(main.running.size());
      transaction &one = main.running[i];
      if (one.xid == 0 && below(4) != 0) {
        main.assign(one);
      } else if (one.xid != 0 && one.commit == 0 && below(8) != 0) {
        main.write_commit(one);
        main.written.push_back(one);
      } else if (below(1000) < how.slow) {
        transaction const gone = main.end(i);
        ended++;
        if (gone.commit != 0) {
          for (auto &taken : kept)
            if (!taken.of_slot || gone.commit > taken.wal)
              main.miss(taken, gone);
          if (main.begun)
            main.unlisted.push_back(gone);
        } else if (gone.xid != 0) {
          main.written.push_back(gone);
        }
      }
    }
    if (!main.unlisted.empty() && below(1000) < how.slow) {
      std::size_t const i = below(main.unlisted.size());
      main.put(main.unlisted[i]);
      main.unlisted.erase(main.unlisted.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (main.written.size() > 500)
      main.written.erase(main.written.begin(), main.written.begin() + 250);

    // A new snapshot takes the place of another one, seldom that of one at the end, so some become old.
    if (below(8) == 0) {
      snapshot taken = main.take();
      if (main.begun)
        check(taken, true);
      if (main.written.size() > 100 && main.wal > 100 && below(2) == 0)
        taken = main.export_at(std::max(main.begun_at, main.wal - below(50)));
      if (kept.size() < 64)
        kept.push_back(taken);
      else
        kept[below(below(64) + 1)] = taken;
    }
    if (!main.begun && ended == 100)
      main.begin();
    if (main.begun && !kept.empty() && below(4) == 0)
      check(kept[below(kept.size())], false);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(exact, how.ends / 20) << "the list is of use";
}

INSTANTIATE_TEST_SUITE_P(, EndedListHistory,
                         testing::Values(history{"Alone", 1, 20'000, 1000, first_xid},
                                         history{"Few", 4, 20'000, 500, first_xid},
                                         history{"Many", 40, 20'000, 900, first_xid},
                                         history{"LateInTheList", 20, 5'000, 50, first_xid},
                                         history{"NextEpoch", 10, 10'000, 500, (std::uint64_t{1} << 33) - 5'000}),
                         [](auto const &tested) { return tested.param.name; });

// Snapshots of all ages, up to more than the list remembers. The older a snapshot, the coarser the entries that answer.
TEST(EndedList, IsCoarserForOlderSnapshots) {
  constexpr std::uint64_t last = 36'000'000;
  server main;
  std::vector<std::pair<std::uint64_t, snapshot>> kept;
  main.begin();
  main.running.push_back({0, {0, 0}, here, 0});
  main.assign(main.running.back()); // ends after all snapshots, so that none is known to see all

  std::uint64_t next_kept = 0;
  for (std::uint64_t state = 1; state <= last; state++) {
    main.commit(state);
    if (state >= next_kept) {
      kept.emplace_back(state, main.take());
      next_kept = state + (last - state) / 4 + 1;
    }
  }
  main.end(0);
  for (auto const &[seen, taken] : kept) {
    std::uint64_t size = 1; // of the entries of the level that answers
    int level = 0;
    // The level has to go back to an entry that was made before the last transaction that the snapshot sees.
    for (; level < list::levels && (seen - 1) / size + list::kept <= last / size; level++)
      size *= list::merged;
    for (rule const is : {rule::lax, rule::strict}) {
      std::uint64_t const floor = least_missed(main, taken, is, 0, last + 1);
      EXPECT_LE(floor, seen + 1);
      if (level < list::levels) {
        EXPECT_GE(floor + size, seen + 1) << last - seen << " transactions ago";
      } else {
        EXPECT_EQ(floor, 1U);
      }
    }
  }
}

TEST(EndedList, KnowsNothingFromBeforeItsBegin) {
  server main;
  snapshot const early = main.take();
  main.commit(7);
  main.committed = list();
  main.begin();
  EXPECT_EQ(least_missed(main, early, rule::lax, 0, 9), 1U);
  EXPECT_EQ(least_missed(main, early, rule::strict, 0, 9), 1U);
  EXPECT_EQ(least_missed(main, main.take(), rule::lax, 0, 9), 9U);
  EXPECT_EQ(least_missed(main, main.take(), rule::strict, 0, 9), 9U);
}

// A slot exports a snapshot that has the commit of X from WAL, but not that of E. Then E ends for the snapshots of
// sessions, and X does not yet. In the eyes of the lax rule, a snapshot that has X was taken after E ended.
TEST(EndedList, SnapshotOfASlotMayHaveWhatHasNotEnded) {
  server main;
  main.begin();
  main.running = {{0, {7, 7}, here, 0}, {0, {8, 8}, here, 0}};
  for (transaction &one : main.running)
    main.assign(one);
  transaction &e = main.running[0], &x = main.running[1];
  main.write_commit(x);
  std::uint64_t const place = main.wal;
  main.write_commit(e);
  main.written = main.running;
  transaction const ended = main.end(0);
  main.put(ended);

  snapshot const exported = main.export_at(place);
  EXPECT_EQ(exported.xmax, main.next);
  EXPECT_EQ(exported.xip, std::vector<std::uint64_t>{ended.xid});
  EXPECT_EQ(exported.truth[0], 7U);
  EXPECT_EQ(least_missed(main, exported, rule::strict, 0, 9), 7U);
  EXPECT_EQ(least_missed(main, exported, rule::lax, 0, 9), 9U) << "too high";
  // Entries of upper levels are subject to the same rule.
  for (int i = 0; i < 100; i++)
    main.commit(20);
  EXPECT_LE(least_missed(main, exported, rule::strict, 0, 30), 7U);
}

// PostgreSQL skips three transaction IDs in each epoch, so `xmax - 1` is not always an ID that has ended.
TEST(EndedList, EndOfAnEpoch) {
  server main((std::uint64_t{1} << 32) - 2);
  main.begin();
  for (std::uint64_t state : {7U, 8U}) {
    main.running.push_back({0, {state, state}, here, 0});
    main.assign(main.running.back());
    main.write_commit(main.running.back());
  }
  main.put(main.end(1));
  snapshot const taken = main.take();
  EXPECT_EQ(taken.xmax, (std::uint64_t{1} << 32) + first_normal);
  main.put(main.end(0));
  EXPECT_EQ(least_missed(main, taken, rule::lax, 0, 9), 7U);
  EXPECT_EQ(least_missed(main, taken, rule::strict, 0, 9), 7U);
}

} // namespace
} // namespace kid
