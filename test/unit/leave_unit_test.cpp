// Where a clock goes so that no caller issues what it was about to issue: never past what is durable. All interleavings
// of a caller in the old lane, a session that changes the lane, and one that renews the lease or lowers the bound are
// explored. Then the first two do it in another way, and each time the explorer must find a fault.
// Promise: No row can still appear
#include "../../src/core/leave_unit.hpp"
#include "../../src/core/types/kid64.hpp"
#include "../../src/core/types/sno.hpp"
#include "../../src/core/types/uuidv7.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

namespace kid {
namespace {

TEST(LeaveUnit, GoesToTheEndButNotPastTheLimit) {
  clock_rules const kid = describe_clock<kid_clock, kid64::first(), kid64::last()>("kid");
  // Packed words as uid makes them: 0, 0, 0 and the unit after it; the last unit of a second and the first of the next.
  struct {
    std::uint64_t last, limit, goes_to;
  } const known[] = {{0x0, 0x4000, 0x3fff},           {0x5, 0x4000, 0x3fff},           {0x5, 0, 0x3fff},
                     {0x3fff, 0x8000, 0x7fff},        {0x3fff, 0x4000, 0x3fff},        {0x3fff, 0, 0x3fff},
                     {0xf43fff, 0x1000000, 0xf43fff}, {0xf43fff, 0x1000001, 0x1003fff}};
  for (auto const &each : known)
    EXPECT_EQ(after_leaving(kid, each.last, each.limit), each.goes_to) << std::hex << each.last << ' ' << each.limit;
  std::uint64_t const end_of_time = 0xfffffF423ff43fff;
  EXPECT_EQ(after_leaving(kid, end_of_time, ~std::uint64_t{0}), end_of_time);
}

TEST(LeaveUnit, KeepsTheSide) {
  clock_rules sno = describe_clock<sno_clock, kid::sno{}.first(), kid::sno{}.last()>("sno");
  sno.sides = sno_clock::tick::mask;
  EXPECT_EQ(after_leaving(sno, 0x10005, 0x20000), 0x1ffffU);
  EXPECT_EQ(after_leaving(sno, 0x1ffff, 0x20000), 0x1ffffU);
  EXPECT_EQ(after_leaving(sno, 0x1ffff, 0x40000), 0x3ffffU);
  EXPECT_EQ(after_leaving(sno, 0x0ffff, 0x40000), 0x2ffffU);
}

// A unit of uuidv7 has 64 or 80 states, and does not end at a bit. Nothing is issued beyond the end.
TEST(LeaveUnit, EndsWhereTheUnitEnds) {
  clock_rules const uuid = describe_clock<uuidv7_clock, uuidv7::first(), uuidv7::last()>("uuidv7");
  for (unix_micros micros = 1; micros < 5000; micros++) {
    std::uint64_t const first = uuid.at(micros), next = uuid.at(micros + 1);
    EXPECT_EQ(after_leaving(uuid, first, 0), next - 1);
    EXPECT_EQ(after_leaving(uuid, next - 1, next), next - 1);
    EXPECT_EQ(after_leaving(uuid, next - 1, next + 1), uuid.at(micros + 2) - 1);
  }
}

/// Units of four states.
constexpr clock_rules by_four = {"by four",
                                 [](unix_micros time) { return static_cast<std::uint64_t>(time) * 4; },
                                 [](std::uint64_t state) { return static_cast<unix_micros>(state / 4); },
                                 [](std::uint64_t state) { return state & ~std::uint64_t{3}; },
                                 [](std::uint64_t state) { return state | 3; },
                                 [](std::uint64_t state) { return (state & ~std::uint64_t{3}) + 4; },
                                 0,
                                 1000,
                                 true,
                                 0,
                                 nullptr};

/// The state of everything. A thread has done its steps up to `place`. All members are `int`, so that there is no
/// padding: the key by which the explorer knows a world is a copy of its bytes.
struct world {
  int state;
  int bound = 8;
  int renew_at = 8;
  int durable = 8; ///< no crash starts the clock below
  int lane = 0;
  int issued_in_old = 0; ///< after the change
  struct thread {
    int place = 0;
    int state = 0;
    int limit = 0;
    int lane = 0;
  } caller, changer, holder;
};

/// What the changer does, and in which order the caller reads.
struct protocol {
  bool moves = true;     ///< the changer moves the clock
  bool stays = true;     ///< but not if the next unit is not below the limit
  bool locks = true;     ///< with the lock of the lease
  bool lane_last = true; ///< the caller reads the lane after the limit
};

class explorer {
public:
  explicit explorer(protocol how) : how_(how) {}

  bool finds_fault() {
    // At the end of the last unit that the limit permits, within that unit, and at the end of the unit before.
    for (int const state : {7, 6, 3})
      for (int world::*const limit : {&world::bound, &world::renew_at})
        for (bool const lowers : {false, true}) {
          world start = {};
          start.state = state;
          callers_limit_ = limit;
          lowers_ = lowers;
          known_.clear();
          if (visit(start))
            return true;
        }
    return false;
  }

private:
  protocol const how_;
  int world::*callers_limit_ = nullptr;
  bool lowers_ = false;
  std::set<std::string> known_;

  bool visit(world const &now) {
    std::string key(sizeof now, '\0');
    std::memcpy(key.data(), &now, sizeof now);
    if (!known_.insert(key).second)
      return false;
    if (now.state >= now.durable || now.issued_in_old != 0)
      return true;
    for (auto const run : {&explorer::call, &explorer::change, &explorer::hold_lock}) {
      world next = now;
      if ((this->*run)(next) && visit(next))
        return true;
    }
    return false;
  }

  /// Issues one state of the old lane: of the unit of the clock, or of the next one if that is used up.
  bool call(world &all) const {
    world::thread &self = all.caller;
    int const place = self.place++;

    if (place == 0) {
      self.state = all.state;
    } else if (place == (how_.lane_last ? 1 : 2)) {
      self.limit = all.*callers_limit_;
    } else if (place == 1 || place == 2) {
      self.lane = all.lane;
    } else if (place == 3 && self.lane == 0 && self.state + 1 < self.limit && all.state == self.state) {
      all.state = self.state + 1;
      all.issued_in_old += all.changer.place == moved;
    }
    return place <= 3;
  }

  static constexpr int moved = 4;

  /// With the lock, changes the lane, and then moves the clock.
  bool change(world &all) const {
    world::thread &self = all.changer;

    if (self.place == moved || (how_.locks && all.holder.place % holders_steps != 0))
      return false;
    int const place = self.place++;
    if (place == 0) {
      all.lane = 1;
    } else if (place == 1) {
      self.limit = all.bound;
    } else if (place == 2) {
      self.state = all.state;
    } else if (int const to = target(self); to != self.state) {
      if (all.state == self.state)
        all.state = to;
      else
        self.place = 2; // once more
    }
    return true;
  }

  int target(world::thread const &self) const {
    auto const limit = how_.stays ? static_cast<std::uint64_t>(self.limit) : ~std::uint64_t{0};
    return how_.moves ? static_cast<int>(after_leaving(by_four, static_cast<std::uint64_t>(self.state), limit))
                      : self.state;
  }

  static constexpr int holders_steps = 5;

  /// Has the lock of the lease. Renews the lease by a unit, or lowers the bound as take_bound_back() does.
  bool hold_lock(world &all) const {
    world::thread &self = all.holder;

    if (self.place == holders_steps || (how_.locks && all.changer.place > 0 && all.changer.place < moved))
      return false;
    switch (self.place++) {
    case 0:
      if (!lowers_)
        all.durable = 12;
      break;
    case 1:
      all.renew_at = lowers_ ? 0 : 12; // set_bound()
      break;
    case 2:
      all.bound = lowers_ ? 0 : 12;
      break;
    case 3:
      if (lowers_)
        all.state = static_cast<int>(after_leaving(by_four, static_cast<std::uint64_t>(all.state), 8));
      break;
    case 4:
      if (lowers_)
        all.durable = all.state + 1;
      break;
    }
    return true;
  }
};

TEST(LeaveUnit, IssuesNothingInTheOldLaneAndStaysBelowWhatIsDurable) {
  EXPECT_FALSE(explorer(protocol{}).finds_fault());
}

TEST(LeaveUnit, EachDetailIsNeeded) {
  auto const without = [](auto change) {
    protocol how;
    change(how);
    return explorer(how).finds_fault();
  };
  EXPECT_TRUE(without([](protocol &how) { how.moves = false; }));
  EXPECT_TRUE(without([](protocol &how) { how.stays = false; }));
  EXPECT_TRUE(without([](protocol &how) { how.locks = false; }));
  EXPECT_TRUE(without([](protocol &how) { how.lane_last = false; }));
}

} // namespace
} // namespace kid
