// A logical clock as the module drives it, with the benchmarks' own cell and system clock.
#pragma once

#include "../../src/core/step.hpp"
#include "../../src/core/types/flake.hpp"
#include "../../src/core/types/kid53.hpp"
#include "../../src/core/types/kid64.hpp"
#include "../../src/core/types/sno.hpp"
#include "../../src/core/types/uuidv7.hpp"

#include <atomic>

namespace kid {

constexpr unix_micros start = 1'767'225'600'000'000; // 2026-01-01 00:00:00 UTC

/// Alone in its cache line, as in shared memory.
struct alignas(128) shared_cell {
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint64_t> end{~std::uint64_t{0}};

  std::uint64_t load() noexcept { return word.load(std::memory_order_relaxed); }
  // On success the caller owns `desired`; on failure `expected` becomes what another caller wrote. The order is
  // full, like PostgreSQL's.
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return word.compare_exchange_strong(expected, desired);
  }
  template <class Clock> permit permits(Clock const &clock, std::uint64_t state) noexcept {
    std::uint64_t const limit = end.load(std::memory_order_acquire);
    if (clock.is_stale())
      return {step_kind::stale, limit};
    return {state < limit ? step_kind::issued : step_kind::beyond, limit};
  }
};

/// One thread's view of the cell, which counts how often another thread was faster.
struct counting_cell {
  shared_cell &cell;
  std::int64_t retries = 0;

  std::uint64_t load() noexcept { return cell.load(); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    bool const done = cell.compare_exchange(expected, desired);
    retries += !done;
    return done;
  }
  template <class Clock> permit permits(Clock const &clock, std::uint64_t state) noexcept {
    return cell.permits(clock, state);
  }
};

/// Advances by one microsecond a call, so that no unit is used up.
struct counter {
  unix_micros now = start;
  unix_micros operator()() noexcept { return now++; }
};

/// One call of a generator, as in src/pg/issue/generate.hpp. `read` is the system clock.
template <class Clock, class Cell, class Read>
[[gnu::always_inline]] inline step_result issue(Clock const &clock, Cell &cell, Read &read) noexcept {
  if constexpr (Clock::changes_sides)
    return advance_on_side(clock, cell, [&] { return clock.at(read()); });
  else
    return advance(clock, cell, clock.at(read()));
}

} // namespace kid
