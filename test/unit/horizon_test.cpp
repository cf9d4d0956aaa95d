// Explores all interleavings of the steps by which src/pg/horizon keeps a consumer from missing a row:
//
//     writer, in each transaction             reader                    session that lowers the clock
//     -------------------------------         ---------------------     -----------------------------
//     read_state                              take_snapshot             lock
//     write_floor     to the buffer            ask            atomic     lower_state    atomic
//     recheck        after a barrier          begin_list                lower_floor_1   atomic
//     take_row       compare-and-swap         begin_horizon             lower_floor_2   atomic
//     end            atomic                   read_floor_1               unlock
//     check_asked    after a barrier          read_floor_2
//     add_to_list    unless locked            read_list
//     clear_floor     to the buffer
//
// Or a writer prepares each transaction, and commits it. After take_row come then
//
//     keep           in a place as a prepared transaction
//     add_dummy      now it is in the process array twice
//     remove_own     and now once
//     clear_floor, end
//
// Or a session holds the clock until nobody who has entered it is left, looks at the rows, and lowers the clock to the
// latest of them. Then a writer has the step check_hold after recheck: it gives up its floor, and begins anew.
//
//     set_hold, await_floor_1, await_floor_2, await_prepared, look_at_rows, lower_to_rows, release
//
// The reader has a cursor as well, with an earlier snapshot. If both snapshots have the same key, the cursor is given
// the same horizon.
//
// Two sessions are writers; the first has two transactions. Each transaction inserts a row, whose ID is the state that
// the transaction takes, and commits. What a session writes to its floor may stay in its store buffer until its next
// barrier or atomic instruction, as on x86.
//
// The claim: in the end, each snapshot sees all rows below its horizon. A horizon from before the clock was lowered
// claims nothing about later rows, so the reader waits for that session before begin_horizon. And after a hold no two
// rows have the same ID.
//
// Then a step is left out, or moves. Each time the explorer must find a fault: a row that is missed or, after a hold,
// an ID that is repeated.
// Promise: No row can still appear
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

/// The state of everything, all of it `int`. A set of transactions is a bit mask.
struct world {
  int state = 3;
  int floor[2] = {};
  int ended = 0; // in the process array, for the next snapshot
  int asked = 0;
  int ended_before = 0; // what had ended when the list began
  int listed = 0;
  int listed_floor[3] = {};
  int row[3] = {}; // its ID; 0 if it is not there yet
  int twice = 0;   // in the process array
  int kept = 0;    // in a place as a prepared transaction
  int kept_floor[3] = {};
  struct snapshot {
    int seen = 0;
    int twice = 0; // in its list
  } cursor, statement;
  int horizon = 100;
  int is_locked = 0; // by the session that lowers the clock
  int is_held = 0;
  int latest = 0; // row that the holder saw
  struct thread {
    int done = 0;     // how many steps
    int begun = 0;    // how many there were before this transaction
    int last = 0;     // the state at read_state
    int expected = 0; // the state in the eyes of take_row
    int lists = 0;
    int is_buffered = 0;
    int buffer = 0;
  } of[4] = {};

  std::string key() const {
    int all[sizeof(world) / sizeof(int)];
    memcpy(all, this, sizeof all);
    return {std::begin(all), std::end(all)};
  }
};

void lower_to(int &floor, int from) {
  if (from != 0)
    floor = std::min(floor, from);
}

struct step {
  char const *name;
  bool needs_empty_buffer; ///< unless it is no more than a read
  void (*run)(world &all, world::thread &self, int transaction);
};
using steps = std::vector<step>;

#define STEP(name, needs_empty_buffer)                                                                                 \
  void run_##name(world &all, world::thread &self, int transaction);                                                   \
  constexpr step name = {#name, needs_empty_buffer, run_##name};                                                       \
  void run_##name([[maybe_unused]] world &all, [[maybe_unused]] world::thread &self, [[maybe_unused]] int transaction)

void write(world::thread &self, int floor) {
  self.is_buffered = 1;
  self.buffer = floor;
}

void look_again(world const &all, world::thread &self) {
  if (all.state < self.last)
    self.done = self.begun;
}

STEP(read_state, false) {
  self.begun = self.done - 1;
  self.last = self.expected = all.state;
}
STEP(write_floor, true) {
  write(self, self.last + 1);
}
STEP(recheck, true) {
  look_again(all, self);
}
STEP(recheck_without_barrier, false) {
  look_again(all, self);
}
STEP(check_hold, true) {
  if (all.is_held == 0)
    return;
  write(self, 0);
  self.done = self.begun;
}
STEP(take_row, true) {
  if (all.state == self.expected)
    all.row[transaction] = ++all.state;
  else
    self.done--; // once more
  self.expected = all.state;
}
STEP(end, true) {
  all.ended |= 1 << transaction;
}
STEP(check_asked, true) {
  self.lists = all.asked;
}
STEP(add_to_list, true) {
  all.listed |= self.lists << transaction;
  all.listed_floor[transaction] = all.floor[transaction % 2];
}
STEP(clear_floor, true) {
  write(self, 0);
}

STEP(keep, true) {
  all.kept |= 1 << transaction;
  all.kept_floor[transaction] = all.floor[transaction % 2];
}
STEP(add_dummy, true) {
  all.twice |= 1 << transaction;
}
STEP(remove_own, true) {
  all.twice &= ~(1 << transaction);
}

// The first transactions of both sessions have their transaction IDs from the start, and a transaction with a greater
// one has ended. So both are below xmax, and in the list of a snapshot while they run. The second transaction of A gets
// a greater transaction ID, so it is never in a list.
STEP(open_cursor, true) {
  all.cursor = {all.ended, all.twice & 3};
}
STEP(take_snapshot, true) {
  all.statement = {all.ended, all.twice & 3};
}
STEP(ask, true) {
  all.asked = 1;
}
STEP(begin_list, true) {
  all.ended_before = all.ended;
}
STEP(begin_horizon, true) {
  lower_to(all.horizon, all.state + 1);
}
STEP(read_floor_1, true) {
  lower_to(all.horizon, all.floor[0]);
}
STEP(read_floor_2, true) {
  lower_to(all.horizon, all.floor[1]);
}
STEP(read_list, true) {
  for (int i = 0; i < 3; i++)
    if ((all.listed & ~all.statement.seen & 1 << i) != 0)
      lower_to(all.horizon, all.listed_floor[i]);
  for (int i = 0; i < 3; i++)
    if ((all.kept & ~all.statement.seen & 1 << i) != 0)
      lower_to(all.horizon, all.kept_floor[i]);
  if ((all.ended_before & ~all.statement.seen) != 0)
    all.horizon = 1;
}

STEP(lock, true) {
  all.is_locked = 1;
}
STEP(unlock, true) {
  all.is_locked = 0;
}
STEP(lower_state, true) {
  all.state = std::min(all.state, 1);
}
STEP(lower_floor_1, true) {
  all.floor[0] = std::min(all.floor[0], 2);
}
STEP(lower_floor_2, true) {
  all.floor[1] = std::min(all.floor[1], 2);
}

STEP(set_hold, true) {
  all.is_held = 1;
}
STEP(await_floor_1, true) {}
STEP(await_floor_2, true) {}
STEP(await_prepared, true) {}
STEP(look_at_rows, true) {
  for (int i = 0; i < 3; i++)
    if ((all.ended & 1 << i) != 0)
      all.latest = std::max(all.latest, all.row[i]);
}
STEP(lower_to_rows, true) {
  all.state = std::min(all.state, all.latest);
}
STEP(release, true) {
  all.is_held = 0;
}

/// Whether a step has to wait for another session.
bool waits(step const &which, world const &now) {
  return (which.run == add_to_list.run && now.is_locked != 0) ||
         (which.run == await_floor_1.run && now.floor[0] != 0) ||
         (which.run == await_floor_2.run && now.floor[1] != 0) ||
         (which.run == await_prepared.run && (now.kept & ~now.ended) != 0);
}

steps const writes = {read_state, write_floor, recheck, take_row, end, check_asked, add_to_list, clear_floor};
steps const prepares = {read_state, write_floor, recheck, take_row, keep, add_dummy, remove_own, clear_floor, end};
steps const reads = {take_snapshot, ask, begin_list, begin_horizon, read_floor_1, read_floor_2, read_list};
steps const reads_with_cursor = {open_cursor,   take_snapshot, ask,          begin_list,
                                 begin_horizon, read_floor_1,  read_floor_2, read_list};
steps const writes_unless_held = {read_state, write_floor, recheck,     check_hold, take_row,
                                  end,        check_asked, add_to_list, clear_floor};
steps const prepares_unless_held = {read_state, write_floor, recheck,    check_hold,  take_row,
                                    keep,       add_dummy,   remove_own, clear_floor, end};
steps const holds = {set_hold, await_floor_1, await_floor_2, await_prepared, look_at_rows, lower_to_rows, release};
steps const lowers = {lock, lower_state, lower_floor_1, lower_floor_2, unlock};

// Whether two snapshots have the same key, so that the second one is given the answer for the first one. A key has
// xmin, xmax, and the list of running transactions or, which is wrong, only the length of that list.
using key = bool (*)(world::snapshot const &, world::snapshot const &);

bool same_lists(world::snapshot const &a, world::snapshot const &b) {
  return a.seen == b.seen && a.twice == b.twice;
}

int xmin(world::snapshot const &taken) {
  return (taken.seen & 1) == 0 ? 0 : (taken.seen & 2) == 0 ? 1 : 2;
}

int length(world::snapshot const &taken) {
  int count = 0;
  for (int i = 0; i < 2; i++)
    count += ((taken.seen & 1 << i) == 0) + ((taken.twice & 1 << i) != 0);
  return count;
}

bool same_lengths(world::snapshot const &a, world::snapshot const &b) {
  return xmin(a) == xmin(b) && (a.seen & 4) == (b.seen & 4) && length(a) == length(b);
}

/// What the threads do.
struct protocol {
  steps writer;
  steps reader;
  steps lowerer;
  key is_same = same_lists;
};

class explorer {
public:
  explicit explorer(protocol const &tested)
      : is_same_(tested.is_same), threads_{{tested.writer, 2},
                                           {tested.writer, 1},
                                           {tested.reader, 1},
                                           {tested.lowerer, 1}} {}

  /// Returns the steps that lead to a missed row, or to a repeated ID if nobody reads. If no steps do, returns an empty
  /// string.
  std::string fault() { return visit(world()) ? path_ : ""; }
  std::size_t worlds() const { return known_.size(); }

private:
  struct program {
    steps each;
    std::size_t times;

    bool is_over(world::thread const &self) const { return static_cast<std::size_t>(self.done) == each.size() * times; }
    step const &next(world::thread const &self) const {
      return each[static_cast<std::size_t>(self.done) % each.size()];
    }
  };
  key const is_same_;
  std::vector<program> const threads_;
  std::unordered_set<std::string> known_;
  std::string path_;

  bool visit(world const &now) {
    if (!known_.insert(now.key()).second)
      return false;
    bool is_end = true;
    for (std::size_t me = 0; me < threads_.size(); me++) {
      program const &mine = threads_[me];
      world::thread const &self = now.of[me];
      if (self.is_buffered != 0) {
        world next = now;
        next.floor[me] = self.buffer;
        next.of[me].is_buffered = next.of[me].buffer = 0;
        is_end = false;
        if (descend(next, me, "(buffer is written)"))
          return true;
      }
      if (mine.is_over(self))
        continue;
      is_end = false;
      step const &which = mine.next(self);
      if (which.run == begin_horizon.run && !threads_.back().is_over(now.of[3]))
        continue;
      if (waits(which, now))
        continue;
      if (self.is_buffered != 0 && which.needs_empty_buffer)
        continue;
      world next = now;
      next.of[me].done++;
      bool const is_second = static_cast<std::size_t>(self.done) >= mine.each.size();
      which.run(next, next.of[me], is_second ? 2 : static_cast<int>(me));
      if (descend(next, me, which.name))
        return true;
    }
    return is_end && (threads_[2].each.empty() ? repeats_an_id(now) : misses_a_row(now));
  }

  bool descend(world const &next, std::size_t me, char const *name) {
    std::size_t const length = path_.size();
    path_ += std::string(1, "ABRL"[me]) + " " + name + "\n";
    bool const found = visit(next);
    if (!found)
      path_.resize(length);
    return found;
  }

  static bool repeats_an_id(world const &now) {
    return (now.row[0] == now.row[1] || now.row[0] == now.row[2] || now.row[1] == now.row[2]);
  }

  bool misses_a_row(world const &now) const {
    int seen = now.statement.seen;
    if (is_same_(now.cursor, now.statement))
      seen &= now.cursor.seen;
    for (int i = 0; i < 3; i++)
      if (now.row[i] < now.horizon && (seen & 1 << i) == 0)
        return true;
    return false;
  }
};

TEST(Horizon, MissesNoRow) {
  explorer all({writes, reads, {}});
  EXPECT_EQ(all.fault(), "");
  EXPECT_GT(all.worlds(), 10'000U);
}

TEST(Horizon, MissesNoRowOfAPreparedTransaction) {
  explorer all({prepares, reads_with_cursor, {}});
  EXPECT_EQ(all.fault(), "");
  EXPECT_GT(all.worlds(), 10'000U);
}

TEST(Horizon, MissesNoRowIfTheClockIsLowered) {
  explorer all({writes, reads, lowers});
  EXPECT_EQ(all.fault(), "");
  EXPECT_GT(all.worlds(), 10'000U);
}

TEST(Horizon, RepeatsNoIdAfterAHold) {
  for (steps const &writer : {writes_unless_held, prepares_unless_held}) {
    explorer all({writer, {}, holds});
    EXPECT_EQ(all.fault(), "");
    EXPECT_GT(all.worlds(), 1'000U);
  }
}

/// Puts `which` before `place`; leaves it out if both are the same.
steps moved(steps all, step const &which, step const &place) {
  auto const find = [&](step const &one) {
    return std::find_if(all.begin(), all.end(), [&](step const &other) { return other.run == one.run; });
  };
  all.erase(find(which));
  if (place.run != which.run)
    all.insert(find(place), which);
  return all;
}

struct mutation {
  char const *name;
  protocol tested;
};

class HorizonMutation : public testing::TestWithParam<mutation> {};

TEST_P(HorizonMutation, FindsAFault) {
  explorer some(GetParam().tested);
  EXPECT_NE(some.fault(), "");
}

INSTANTIATE_TEST_SUITE_P(
    , HorizonMutation,
    testing::Values(
        mutation{"FloorWrittenAfterTheSwap", {moved(writes, write_floor, end), reads, {}}},
        mutation{"FloorClearedBeforeTheEnd", {moved(writes, clear_floor, end), reads, {}}},
        mutation{"FloorClearedBeforeTheList", {moved(writes, clear_floor, add_to_list), reads, {}}},
        mutation{"NothingIsListed", {moved(writes, add_to_list, add_to_list), reads, {}}},
        mutation{"WriterListsBeforeItsEnd", {moved(writes, check_asked, end), reads, {}}},
        mutation{"ListNotConsulted", {writes, moved(reads, read_list, read_list), {}}},
        mutation{"ListReadBeforeTheFloors", {writes, moved(reads, read_list, read_floor_1), {}}},
        mutation{"ListBeginsBeforeItIsAskedFor", {writes, moved(reads, begin_list, ask), {}}},
        mutation{"FloorsReadBeforeTheState", {writes, moved(reads, begin_horizon, read_list), {}}},
        mutation{"NotKeptWhilePrepared", {moved(prepares, keep, keep), reads, {}}},
        mutation{"KeptAfterTheFloorIsCleared", {moved(prepares, keep, end), reads, {}}},
        mutation{"AnswersByTheLengthOfTheList", {prepares, reads_with_cursor, {}, same_lengths}},
        mutation{"NoRecheck", {moved(writes, recheck, recheck), reads, lowers}},
        mutation{
            "NoBarrierBeforeTheRecheck",
            {{read_state, write_floor, recheck_without_barrier, take_row, end, check_asked, add_to_list, clear_floor},
             reads,
             lowers}},
        mutation{"FloorsLoweredBeforeTheState", {writes, reads, moved(lowers, lower_state, unlock)}},
        mutation{"HoldNotLookedAt", {writes, {}, holds}},
        mutation{"HoldLookedAtBeforeTheFloor", {moved(writes_unless_held, check_hold, write_floor), {}, holds}},
        mutation{"FloorsLookedAtBeforeTheHold", {writes_unless_held, {}, moved(holds, set_hold, await_prepared)}},
        mutation{"PreparedLookedAtBeforeTheFloors",
                 {prepares_unless_held, {}, moved(holds, await_prepared, await_floor_1)}},
        mutation{"RowsLookedAtTooEarly", {writes_unless_held, {}, moved(holds, look_at_rows, await_floor_1)}},
        mutation{"NoLockWhileLowering", {writes, reads, moved(lowers, lock, lock)}}),
    [](auto const &tested) { return tested.param.name; });

} // namespace
