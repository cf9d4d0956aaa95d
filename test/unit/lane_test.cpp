// Lanes: they cover each sequence once, a node's lane only shrinks as lanes are added, clocks keep to theirs, and the
// procedure of docs/guides/many-servers.md repeats no ID, while each of its steps that is omitted repeats some.
#include "../../src/core/lane.hpp"
#include "../../src/core/step.hpp"
#include "../../src/core/types/kid64.hpp"

#include "expect_step.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kid {
namespace {

constexpr std::uint64_t sequence_max = kid64::sequence::max;
constexpr std::uint64_t unit = 0x6'5432'1000'0000; // a time unit with sequence 0
constexpr std::uint64_t unit_after = unit + 0x4000;

in_lane<kid_clock> laned(std::uint64_t lanes, std::uint64_t node, bool keep = true) {
  return {kid_clock{keep}, lane_of(sequence_max, lanes, node)};
}

TEST(Lane, BeginsAtTheReversedNumber) {
  // The reversed 14 bits, by hand: node 1 becomes the highest bit, and node 6 = 110 becomes 011.
  struct {
    std::uint64_t lanes, node, first, last;
  } const known[] = {{1, 0, 0, 16383},      {2, 0, 0, 8191},      {2, 1, 8192, 16383},       {4, 1, 8192, 12287},
                     {4, 2, 4096, 8191},    {4, 3, 12288, 16383}, {8, 6, 6144, 8191},        {16, 15, 15360, 16383},
                     {1024, 1, 8192, 8207}, {1024, 512, 16, 31},  {1024, 1023, 16368, 16383}};
  for (auto const &each : known) {
    lane const part = lane_of(sequence_max, each.lanes, each.node);
    EXPECT_EQ(part.first, each.first);
    EXPECT_EQ(part.last, each.last);
  }
}

TEST(Lane, CoversEachSequenceOnceAndOnlyShrinks) {
  for (std::uint64_t lanes = 1; lanes <= 1024; lanes *= 2) {
    std::vector<int> taken(sequence_max + 1);
    for (std::uint64_t node = 0; node < lanes; node++) {
      lane const part = lane_of(sequence_max, lanes, node);
      for (std::uint64_t i = part.first; i <= part.last; i++)
        taken[i]++;
      lane const before = lane_of(sequence_max, lanes > 1 ? lanes / 2 : 1, lanes > 1 ? node % (lanes / 2) : 0);
      EXPECT_LE(before.first, part.first);
      EXPECT_GE(before.last, part.last);
    }
    EXPECT_EQ(taken, std::vector<int>(sequence_max + 1, 1));
  }
}

TEST(Lane, Step) {
  auto const clock = laned(4, 2); // 4096 to 8191
  EXPECT_STEP(step(clock, unit + 5000, unit_after), step_kind::issued, unit_after + 4096);
  EXPECT_STEP(step(clock, unit + 4096, unit), step_kind::issued, unit + 4097);
  EXPECT_STEP(step(clock, unit + 8190, unit), step_kind::issued, unit + 8191);
  EXPECT_STEP(step(clock, unit + 8191, unit), step_kind::used_up, unit + 8191);
  // States of other lanes, which an observed ID can have: below the lane, and above it.
  EXPECT_STEP(step(clock, unit, unit), step_kind::issued, unit + 4096);
  EXPECT_STEP(step(clock, unit + 4095, unit), step_kind::issued, unit + 4096);
  EXPECT_STEP(step(clock, unit + 8192, unit), step_kind::used_up, unit + 8192);
  EXPECT_STEP(step(clock, unit + 16383, unit), step_kind::used_up, unit + 16383);
  // The system clock is behind.
  EXPECT_STEP(step(clock, unit_after + 7, unit), step_kind::issued, unit_after + 4096);
  EXPECT_STEP(step(clock, unit + 9000, unit - 0x4000, unit), step_kind::issued, unit_after + 4096);
  EXPECT_STEP(step(laned(4, 2, false), unit_after + 7, unit), step_kind::behind, unit_after + 7);
  EXPECT_STEP(step(clock, kid_clock::end(~std::uint64_t{0}), unit, kid_clock::unit(~std::uint64_t{0})),
              step_kind::ended, ~std::uint64_t{0});
}

TEST(Lane, WholeIsThatOfTheClock) {
  std::mt19937_64 random(18);
  auto const whole = laned(1, 0);
  for (int i = 0; i < 100'000; i++) {
    std::uint64_t const last = unit + random() % 0x10000;
    std::uint64_t const now = kid_clock::unit(unit + random() % 0x10000);
    std::uint64_t const carry = random() % 2 == 0 ? no_carry : kid_clock::unit(last);
    auto const expected = step(kid_clock{}, last, now, carry);
    EXPECT_STEP(step(whole, last, now, carry), expected.kind, expected.state);
    EXPECT_EQ(whole.left(last), kid_clock::left(last));
  }
}

TEST(Lane, InBulk) {
  atomic_cell cell;
  auto const clock = laned(4, 2);
  auto const take = [&](std::uint64_t wanted) {
    step_result const result = advance(in_bulk{clock}, cell, unit, no_carry, &wanted);
    return std::pair(result.state, result.kind == step_kind::issued ? wanted : 0);
  };
  for (std::uint64_t taken = 0; taken < 15; taken++)
    EXPECT_EQ(take(1'000'000), std::pair(unit + 4096 + 256 * taken, std::uint64_t{256}));
  EXPECT_EQ(take(1), std::pair(unit + 4096 + 15 * 256 - 1, std::uint64_t{0}));
  cell.word = unit + 17;
  EXPECT_EQ(take(100), std::pair(unit + 4096, std::uint64_t{100}));
  cell.word = unit + 9000;
  EXPECT_EQ(take(100), std::pair(unit + 9000, std::uint64_t{0}));
  // Each of 1024 lanes has 16 states. A bulk caller gets one a step, and never the last.
  cell.word = unit;
  in_bulk const narrow{laned(1024, 1)};
  for (std::uint64_t state = unit + 8192; state < unit + 8207; state++) {
    std::uint64_t wanted = 100;
    EXPECT_STEP(advance(narrow, cell, unit, no_carry, &wanted), step_kind::issued, state);
    EXPECT_EQ(wanted, 1u);
  }
  EXPECT_STEP(advance(narrow, cell, unit), step_kind::used_up, unit + 8206);
}

TEST(ClockThreads, KeepToTheirLane) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t node = 0; node < 4; node++) {
    auto const clock = laned(4, node);
    auto const states = issue_in_threads(
        2, 50'000,
        [&](atomic_cell &cell) {
          for (;;) {
            auto const result = advance(clock, cell, kid_clock::at(system_clock()));
            if (result.kind == step_kind::issued)
              return result.state;
          }
        },
        true);
    for (std::uint64_t const state : states) {
      EXPECT_GE(kid64::sequence::get(state), clock.part.first);
      EXPECT_LE(kid64::sequence::get(state), clock.part.last);
    }
    EXPECT_EQ(std::adjacent_find(states.begin(), states.end()), states.end());
  }
}

/// The steps of docs/guides/many-servers.md that a test can omit, and details that it can change.
struct procedure {
  bool changes_old_first = true; ///< to grow, all old servers get the new number of lanes before a new server starts
  bool observes_old = true;      ///< to grow, a new server observes the end of their last unit
  bool stops_first = true;       ///< to shrink, servers that leave are stopped before the others get fewer lanes
  bool observes_stopped = true;  ///< to shrink, servers that stay observe the end of the last unit of those that leave
  bool reverses = true;          ///< lanes begin at the number with its bits reversed, not in the order of numbers
  bool heeds_lanes = true;       ///< after an ID of another lane, a server continues in its own lane
};

/// A lane that may ignore which lane a state belongs to.
struct heedless : in_lane<kid_clock> {
  bool heeds;
  constexpr std::uint64_t count_on(std::uint64_t state) const noexcept {
    return heeds ? in_lane<kid_clock>::count_on(state) : state + 1;
  }
  constexpr bool used_up(std::uint64_t state) const noexcept {
    return heeds ? in_lane<kid_clock>::used_up(state) : kid64::sequence::get(state) == part.last;
  }
};

/// Servers, each with its own logical clock. Their system clocks differ by up to 50 ms, and are stepped now and
/// then.
class machines {
public:
  static constexpr unsigned count = 16;

  explicit machines(procedure how) : how_(how) {
    for (auto &each : servers_)
      each.skew = some_skew();
    servers_[0].runs = true;
  }

  /// For so many time units all running servers make IDs, some of them as many as they can.
  void run(unsigned units) {
    for (unsigned i = 0; i < units; i++) {
      time_ += kid64::unit_micros;
      for (auto &each : servers_) {
        if (random_() % 300 == 0)
          each.skew = some_skew();
        if (each.runs)
          make_ids(each, random_() % 4 == 0 ? 2000 : random_() % 300);
      }
    }
  }

  void grow(unsigned lanes) {
    auto const change_old = [&] { for_each_of(0, lanes_, [&](server &each) { each.lanes = lanes; }); };
    if (how_.changes_old_first)
      change_old();
    std::uint64_t const last = end_of(0, lanes_);
    for_each_of(lanes_, lanes, [&](server &each) {
      each.lanes = lanes;
      if (how_.observes_old)
        observe(each, last);
      each.runs = true;
    });
    if (!how_.changes_old_first)
      change_old();
    lanes_ = lanes;
  }

  void shrink(unsigned lanes) {
    auto const stop = [&] { for_each_of(lanes, lanes_, [](server &each) { each.runs = false; }); };
    if (how_.stops_first)
      stop();
    std::uint64_t const last = end_of(lanes, lanes_);
    for_each_of(0, lanes, [&](server &each) {
      if (how_.observes_stopped)
        observe(each, last);
      each.lanes = lanes;
    });
    if (!how_.stops_first)
      stop();
    lanes_ = lanes;
  }

  std::size_t fewest() const {
    std::size_t least = servers_[0].ids.size();
    for (auto const &each : servers_)
      least = std::min(least, each.ids.size());
    return least;
  }

  bool each_rises() const {
    return std::all_of(std::begin(servers_), std::end(servers_), [](server const &each) {
      return std::adjacent_find(each.ids.begin(), each.ids.end(), std::greater_equal<>()) == each.ids.end();
    });
  }

  std::size_t repeated() const {
    std::vector<std::uint64_t> all;
    for (auto const &each : servers_)
      all.insert(all.end(), each.ids.begin(), each.ids.end());
    std::sort(all.begin(), all.end());
    std::size_t const before = all.size();
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return before - all.size();
  }

private:
  struct server {
    atomic_cell cell;
    carry_pace pace;
    unix_micros skew = 0;
    unsigned lanes = 1;
    bool runs = false;
    std::vector<std::uint64_t> ids;
  };

  unix_micros some_skew() { return static_cast<unix_micros>(random_() % 100'000) - 50'000; }

  void make_ids(server &from, std::uint64_t wanted) {
    auto const node = static_cast<unsigned>(&from - servers_);
    std::uint64_t const width = (sequence_max + 1) / from.lanes;
    lane const part =
        how_.reverses ? lane_of(sequence_max, from.lanes, node) : lane{node * width, node * width + width - 1};
    heedless const clock{{kid_clock{}, part}, how_.heeds_lanes};
    std::uint64_t const now = kid_clock::at(time_ + from.skew);
    while (wanted > 0) {
      std::uint64_t many = random_() % 8 == 0 ? 1 : wanted;
      auto const carry = from.pace.carry_from(now);
      step_result const result = many > 1 ? advance(in_bulk<heedless>{clock}, from.cell, now, carry, &many)
                                          : advance(clock, from.cell, now, carry, &many);
      if (result.kind != step_kind::issued) {
        from.pace.found_used_up(kid_clock::unit(result.state), now);
        return;
      }
      for (std::uint64_t i = 0; i < many; i++)
        from.ids.push_back(result.state + i);
      wanted -= many;
    }
  }

  /// Calls `call` for one server after another, in random order, while all running servers continue.
  template <class Call> void for_each_of(unsigned from, unsigned to, Call call) {
    std::vector<unsigned> order;
    for (unsigned i = from; i < to; i++)
      order.push_back(i);
    std::shuffle(order.begin(), order.end(), random_);
    for (unsigned const i : order) {
      call(servers_[i]);
      run(random_() % 8);
    }
  }

  std::uint64_t end_of(unsigned from, unsigned to) {
    std::uint64_t latest = 0;
    for (unsigned i = from; i < to; i++)
      latest = std::max(latest, servers_[i].cell.load());
    return kid_clock::end(latest);
  }

  static void observe(server &each, std::uint64_t state) { each.cell.word = std::max(each.cell.load(), state); }

  procedure how_;
  std::mt19937_64 random_{20261122};
  unix_micros time_ = 1'795'000'000'000'000;
  unsigned lanes_ = 1;
  server servers_[count];
};

TEST(LaneChange, SixteenServersAMillionEach) {
  machines all{procedure{}};
  for (unsigned round = 0; round < 3; round++) {
    all.run(20);
    for (unsigned lanes : {2, 4, 8, 16}) {
      all.grow(lanes);
      all.run(20);
    }
    for (unsigned lanes : {8, 2, 1}) {
      all.shrink(lanes);
      all.run(20);
    }
    all.grow(16);
    all.run(60);
    all.shrink(1);
  }
  all.grow(16);
  while (all.fewest() < 1'000'000)
    all.run(100);
  EXPECT_TRUE(all.each_rises());
  EXPECT_EQ(all.repeated(), 0U);
}

std::size_t repeated_without(procedure how) {
  machines all{how};
  for (unsigned round = 0; round < 5; round++) {
    all.run(20);
    all.grow(2);
    all.run(20);
    all.grow(16);
    all.run(20);
    all.shrink(2);
    all.run(20);
    all.shrink(1);
  }
  EXPECT_EQ(all.each_rises(), true);
  return all.repeated();
}

TEST(LaneChange, EachStepOfTheProcedureIsNeeded) {
  auto const without = [](auto leave_out) {
    procedure how;
    leave_out(how);
    std::size_t const repeated = repeated_without(how);
    return repeated;
  };
  EXPECT_EQ(without([](procedure &) {}), 0U);
  EXPECT_GT(without([](procedure &how) { how.changes_old_first = false; }), 0U);
  EXPECT_GT(without([](procedure &how) { how.observes_old = false; }), 0U);
  EXPECT_GT(without([](procedure &how) { how.stops_first = false; }), 0U);
  EXPECT_GT(without([](procedure &how) { how.observes_stopped = false; }), 0U);
  EXPECT_GT(without([](procedure &how) { how.reverses = false; }), 0U);
  EXPECT_GT(without([](procedure &how) { how.heeds_lanes = false; }), 0U);
}

} // namespace
} // namespace kid
