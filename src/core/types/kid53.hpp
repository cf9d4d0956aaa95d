// kid53: an ID for a bigint column whose values a double represents exactly, as JavaScript's numbers are.
//
//    63    53 52                                          12 11            0
//   +--------+----------------------------------------------+---------------+
//   |   0    |             ms since 2020-01-01              |   sequence    |
//   |        |                                              |    0..4095    |
//   |11 bits |                   41 bits                    |    12 bits    |
//   +--------+----------------------------------------------+---------------+
//
//   epoch       2020-01-01 00:00:00 UTC
//   range       to 2089-09-06 15:47:35.551999 UTC
//   time unit   1 ms
//   least       0
//   greatest    9007199254740991, which is 2^53 - 1, Number.MAX_SAFE_INTEGER of ECMAScript
//   text        as for any bigint
//   order       that of bigint
//
// The layout is kid's own. A bigint that is negative or above the greatest is not a kid53, and has no time.
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../range.hpp"
#include "../step.hpp"

namespace kid {

struct kid53 : counts_from_epoch<kid53> {
  using word = std::uint64_t;
  static constexpr char name[] = "kid53";
  static constexpr unsigned size = 8;
  static constexpr unsigned bits = 53;

  using sequence = field<word, 0, 12>;
  using units = above<sequence, 41>;
  static_assert(units::end == bits);

  static constexpr unix_micros epoch = 1'577'836'800'000'000;
  static constexpr unix_micros unit_micros = 1000;

  /// Returns whether a bigint is a kid53.
  static constexpr bool is_one(word value) noexcept { return value <= greatest<kid53>; }
};

/// The logical clock of kid53: its state is the last ID issued.
struct kid53_clock : plain_clock {
  using sequence = kid53::sequence;

  /// Before the epoch, returns the first state of all.
  static constexpr std::uint64_t at(unix_micros time) noexcept {
    return time < kid53::epoch ? 0 : kid53{}.lowest(time);
  }
  static constexpr unix_micros time(std::uint64_t state) noexcept { return kid53{}.time(state); }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept { return state & ~sequence::mask; }
  static constexpr std::uint64_t end(std::uint64_t state) noexcept { return state | sequence::mask; }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    return end(state) < greatest<kid53> ? end(state) + 1 : state;
  }

  static constexpr bool divided = true;

  /// A lane has at least 64 of the 4096 sequences. With fewer, a server would wait for nearly every ID.
  static constexpr std::uint32_t most_lanes = 64;

  static constexpr bool used_up(std::uint64_t state) noexcept { return sequence::get(state) == sequence::max; }
  static constexpr std::uint64_t left(std::uint64_t state) noexcept { return sequence::max - sequence::get(state); }
  static constexpr std::uint64_t states() noexcept { return sequence::max + 1; }
};

constexpr std::uint64_t state_of(kid53 const &, kid53::word id) noexcept {
  return id;
}

} // namespace kid
