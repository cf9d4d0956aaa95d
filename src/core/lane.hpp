// Lanes: servers that share a table divide the sequence of each time unit among them.
//
// With 2, 4, ... lanes, the sequences of node N begin with the bits of N in reverse order. If lanes are added, the new
// lane of a node is therefore a part of its old one, and existing nodes can change one after another:
//
//   lanes   0                                                    16383
//   1       |0                                                       |
//   2       |0                          |1                           |
//   4       |0            |2            |1             |3            |
//   8       |0     |4     |2     |6     |1      |5     |3     |7     |
#pragma once

#include "no_postgres.hpp"

#include <cstdint>

namespace kid {

/// The greatest number of lanes.
constexpr std::uint32_t lanes_max = 1024;

/// A part of the sequence of every time unit.
struct lane {
  std::uint64_t first;
  std::uint64_t last;
};

/// Returns the lane of `node`, which is below `lanes`, a power of two.
constexpr lane lane_of(std::uint64_t sequence_max, std::uint64_t lanes, std::uint64_t node) noexcept {
  std::uint64_t const width = (sequence_max + 1) / lanes;
  std::uint64_t first = 0;
  for (std::uint64_t half = (sequence_max + 1) / 2; half >= width && half > 0; half /= 2, node /= 2)
    first += (node & 1) * half;
  return {first, first + width - 1};
}

/// A logical clock that issues only states of its lane. Its last state may be of any lane.
template <class Clock> struct in_lane : Clock {
  static_assert(Clock::divided, "a change of lanes moves only clocks that say that they are divided");
  lane part;

  constexpr in_lane(Clock const &clock, lane its) noexcept : Clock(clock), part(its) {}

  constexpr std::uint64_t begin(std::uint64_t now, std::uint64_t last) const noexcept {
    return Clock::begin(now, last) + part.first;
  }
  constexpr bool used_up(std::uint64_t state) const noexcept { return Clock::sequence::get(state) >= part.last; }
  constexpr std::uint64_t count_on(std::uint64_t state) const noexcept {
    // If the state is below the lane, the whole lane is left.
    return Clock::sequence::get(state) < part.first ? Clock::unit(state) + part.first : Clock::count_on(state);
  }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    if (Clock::sequence::get(state) < part.first)
      return states();
    return used_up(state) ? 0 : part.last - Clock::sequence::get(state);
  }
  constexpr std::uint64_t states() const noexcept { return part.last - part.first + 1; }
};

} // namespace kid
