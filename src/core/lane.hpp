// Lanes: servers that share a table divide the sequence of each time unit among them.
//
// With 2, 4, ... lanes, node N has the part of the sequence that begins with its number, the bits reversed. So the lane
// of a node only shrinks as lanes are added, and lies within the one it had, whichever nodes know of it already:
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

/// A part of the sequence of every time unit.
struct lane {
  std::uint64_t first;
  std::uint64_t last;
};

/// The lane of `node`, which is below `lanes`, a power of two, in a sequence of which `sequence_max` is the greatest.
constexpr lane lane_of(std::uint64_t sequence_max, std::uint64_t lanes, std::uint64_t node) noexcept {
  std::uint64_t const width = (sequence_max + 1) / lanes;
  std::uint64_t first = 0;
  for (std::uint64_t half = (sequence_max + 1) / 2; half >= width && half > 0; half /= 2, node /= 2)
    first += (node & 1) * half;
  return {first, first + width - 1};
}

/// A logical clock that keeps to a lane. Its state may be of any, as one that was observed is.
template <class Clock> struct in_lane : Clock {
  lane part;

  constexpr in_lane(Clock const &clock, lane its) noexcept : Clock(clock), part(its) {}

  constexpr std::uint64_t begin(std::uint64_t now, std::uint64_t last) const noexcept {
    return Clock::begin(now, last) + part.first;
  }
  constexpr bool used_up(std::uint64_t state) const noexcept { return Clock::sequence::get(state) >= part.last; }
  constexpr std::uint64_t count(std::uint64_t state) const noexcept {
    // Below the lane: all of it is left.
    return Clock::sequence::get(state) < part.first ? Clock::unit(state) + part.first : Clock::count(state);
  }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    if (Clock::sequence::get(state) < part.first)
      return states();
    return used_up(state) ? 0 : part.last - Clock::sequence::get(state);
  }
  constexpr std::uint64_t states() const noexcept { return part.last - part.first + 1; }
};

} // namespace kid
