// What a renewal of the lease reserves: the length of the lease from the system clock on, or, if the logical clock is
// ahead, a little from there on. The next lease is in force in time, and crashes do not add up.
#include "../../src/core/lease_span.hpp"

#include <gtest/gtest.h>

namespace kid {
namespace {

constexpr unix_micros ms = 1000;
constexpr unix_micros s = 1000 * ms;
constexpr unix_micros now = 1'767'225'600 * s; // 2026-01-01 00:00:00 UTC

TEST(LeaseSpan, FollowsTheLaterClock) {
  struct {
    char const *name;
    unix_micros setting, write, ahead; // of the state, relative to the system clock
    unix_micros from, until, length;   // relative to the system clock
  } const known[] = {
      {"the clocks agree", s, 1 * ms, 0, 0, s, s},
      {"no ID was made for a minute", s, 1 * ms, -60 * s, 0, s, s},
      {"ahead by less than a lease", s, 1 * ms, 500 * ms, 500 * ms, s, s},
      {"ahead by a lease, as after a crash", s, 1 * ms, s, s, s + 8 * ms, s},
      {"ahead by an hour", s, 1 * ms, 3600 * s, 3600 * s, 3600 * s + 8 * ms, s},
      {"a long lease", 3600 * s, 1 * ms, 0, 0, 3600 * s, 3600 * s},
      {"a write of half a second", s, 500 * ms, 0, 0, 2 * s, 2 * s},
      {"a write of a minute", s, 60 * s, 0, 0, 10 * s, 10 * s},
      {"slow writes, and ahead by 3 s", s, 500 * ms, 3 * s, 3 * s, 5 * s, 2 * s},
      {"slow writes, and ahead by 9 s", s, 500 * ms, 9 * s, 9 * s, 10 * s, 2 * s},
      {"slow writes, and ahead by 10 s", s, 500 * ms, 10 * s, 10 * s, 10 * s + 8 * ms, 2 * s},
      {"slow writes, and ahead by an hour", s, 500 * ms, 3600 * s, 3600 * s, 3600 * s + 8 * ms, 2 * s},
      {"the shortest lease", 1 * ms, 0, 0, 0, 8 * ms, 1 * ms},
  };
  for (auto const &each : known) {
    lease_span const span = span_to_reserve(each.setting, each.write, now, now + each.ahead);
    EXPECT_EQ(span.from, now + each.from) << each.name;
    EXPECT_EQ(span.until, now + each.until) << each.name;
    EXPECT_EQ(span.length, each.length) << each.name;
  }
}

TEST(LeaseSpan, TellsWhatIsTooFar) {
  lease_span const span = span_to_reserve(s, 1 * ms, now, now);
  EXPECT_FALSE(span.is_too_far(now + 2 * s));
  EXPECT_TRUE(span.is_too_far(now + 2 * s + 1));
  EXPECT_TRUE(span.is_near(now + 11 * s));
  EXPECT_FALSE(span.is_near(now + 11 * s + 1));
  lease_span const longer = span_to_reserve(60 * s, 1 * ms, now, now);
  EXPECT_TRUE(longer.is_near(now + 120 * s));
  EXPECT_FALSE(longer.is_near(now + 120 * s + 1));
}

// The session that renews publishes the lease when the write is over; the next write begins when it is time to renew.
TEST(LeaseSpan, NextLeaseIsInForceInTime) {
  for (unix_micros write = 0; write <= slow_micros / 4; write += 1 * ms) {
    lease_span const span = span_to_reserve(s, write, now, now);
    EXPECT_LE(time_to_renew(span.from, span.until) + write, span.until) << write;
    // A later call publishes it, after standbys have confirmed it.
    EXPECT_LE(time_to_renew(now + write, span.until) + write, span.until) << write;
  }
}

// Each crash puts the logical clock to the bound.
TEST(LeaseSpan, CrashesDoNotAddUp) {
  for (unix_micros const write : {1 * ms, 2 * s}) {
    unix_micros next = now;
    for (int crash = 0; crash < 100; crash++)
      next = span_to_reserve(s, write, now, next).until;
    EXPECT_LE(next - now, slow_micros + 100 * near_micros) << write;
  }
}

TEST(LeaseSpan, StartsThatAreUsual) {
  EXPECT_EQ(usual_start(0), 11 * s);
  EXPECT_EQ(usual_start(60 * s), 61 * s);
}

} // namespace
} // namespace kid
