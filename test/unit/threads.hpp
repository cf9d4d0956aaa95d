// A logical clock under many threads.
#pragma once

#include "../../src/core/bits.hpp"
#include "../../src/core/issue_loop.hpp"
#include "../../src/core/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace kid {

struct atomic_cell {
  std::atomic<std::uint64_t> word{0};
  std::uint64_t end = ~std::uint64_t{0};
  template <class Clock> permit permits(Clock const &clock, std::uint64_t state) const noexcept {
    return {clock.is_stale() ? step_kind::stale : state < end ? step_kind::issued : step_kind::beyond, end};
  }
  std::uint64_t load() noexcept { return word.load(std::memory_order_relaxed); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return word.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  }
};

inline unix_micros system_clock() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<unix_micros>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

/// `Server` of issue_loop.hpp that tries again instead of waiting. `read_micros()` reads the system clock.
template <class Clock, class Read> struct retrying_caller {
  Clock const clock;
  atomic_cell &cell;
  Read &read_micros;

  std::uint64_t issue() { return issue_after(clock, *this, attempt(carry_pace{})).state; }

  clock_reading read() {
    std::uint64_t const state = clock.at(read_micros());
    return {state, state};
  }
  step_result attempt(carry_pace const &pace) {
    clock_reading const now = read();
    return advance(clock, cell, now.state, pace.carry_from(now.tick));
  }
  void wait(step_kind, unix_micros) {}
  void renew(std::uint64_t) { ADD_FAILURE() << "there is no limit"; }
  void end() { ADD_FAILURE() << "the range is used up"; }
  bool may_try_again() { return true; }
};

/// Every thread calls `issue(cell)` `count` times. Returns all states, sorted. If `rising` is set, the states
/// of each thread must rise.
template <class Issue>
std::vector<std::uint64_t> issue_in_threads(unsigned threads, unsigned count, Issue issue, bool rising) {
  atomic_cell cell;
  std::vector<std::vector<std::uint64_t>> states(threads);
  std::vector<std::thread> running;
  for (auto &mine : states)
    running.emplace_back([&cell, &mine, &issue, count] {
      mine.reserve(count);
      for (unsigned i = 0; i < count; i++)
        mine.push_back(issue(cell));
    });
  for (auto &thread : running)
    thread.join();

  std::vector<std::uint64_t> all;
  for (auto const &mine : states) {
    EXPECT_TRUE(!rising || std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

} // namespace kid
