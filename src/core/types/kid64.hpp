// kid64: the local ID of the Erlang library uid, https://github.com/fogfish/uid
//
//    63                   44 43                   24 23       14 13            0
//   +-----------------------+-----------------------+-----------+---------------+
//   |           A           |           B           |     C     |   sequence    |
//   |      megaseconds      |   seconds 0..999999   | us >> 10  |   0..16383    |
//   |        20 bits        |        20 bits        |  10 bits  |    14 bits    |
//   +-----------------------+-----------------------+-----------+---------------+
//
//   epoch       1970-01-01 00:00:00 UTC
//   range       to 35198-01-19 07:06:39.999999 UTC, the end of megasecond 1048575
//   time unit   1.024 ms; the last of a second, C = 976, is 0.576 ms
//   binary      8 bytes, most significant first
//   text        11 characters of .0-9A-Z_a-z, the last with two bits of padding
//   order       unsigned
//
// Every bit pattern is a valid value. Generators make B <= 999999 and C <= 976. A greater B or C occurs only in
// arbitrary bits; the excess counts into the next megasecond or second.
#pragma once

#include "../bits.hpp"
#include "../lane.hpp"
#include "../no_postgres.hpp"
#include "../step.hpp"
#include "../text.hpp"

namespace kid {

/// The 64 characters of uid's text forms, `.` first.
struct uid_alphabet {
  static constexpr unsigned bits = 6;
  static constexpr char characters[] = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  static constexpr char description[] = ".0-9A-Z_a-z";
};

struct kid64 {
  using word = std::uint64_t;
  static constexpr char name[] = "kid64";
  static constexpr unsigned size = 8;
  using text = ordered_text<uid_alphabet, size, word>;

  using sequence = field<word, 0, 14>;
  using c = above<sequence, 10>;
  using b = above<c, 20>;
  using a = above<b, 20>;
  static_assert(a::end == 8 * size);

  static constexpr unix_micros micros_per_second = 1'000'000;
  static constexpr unix_micros seconds_per_a = 1'000'000;
  static constexpr unix_micros unit_micros = 1 << 10;
  static_assert(b::max >= seconds_per_a - 1 && c::max >= (micros_per_second - 1) / unit_micros);

  static constexpr unix_micros first() noexcept { return 0; }
  static constexpr unix_micros last() noexcept {
    return static_cast<unix_micros>(a::max + 1) * seconds_per_a * micros_per_second - 1;
  }
  static constexpr word lowest(unix_micros time) noexcept {
    auto const micros = static_cast<std::uint64_t>(time);
    std::uint64_t const seconds = micros / micros_per_second;
    return a::put(seconds / seconds_per_a) | b::put(seconds % seconds_per_a) |
           c::put(micros % micros_per_second / unit_micros);
  }
  static constexpr word highest(unix_micros time) noexcept { return lowest(time) | sequence::mask; }
  static constexpr unix_micros time(word id) noexcept {
    auto const seconds = static_cast<unix_micros>(a::get(id)) * seconds_per_a + static_cast<unix_micros>(b::get(id));
    return seconds * micros_per_second + static_cast<unix_micros>(c::get(id)) * unit_micros;
  }
};

/// The logical clock of kid64 and kid96: its state is the last kid64 issued.
struct kid_clock : plain_clock {
  using sequence = kid64::sequence;

  static constexpr std::uint64_t at(unix_micros time) noexcept { return kid64::lowest(time); }
  static constexpr unix_micros time(std::uint64_t state) noexcept { return kid64::time(state); }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept { return state & ~sequence::mask; }
  static constexpr std::uint64_t end(std::uint64_t state) noexcept { return state | sequence::mask; }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    // The last unit of a second is shorter than `unit_micros`, and `lowest` rounds the excess away.
    unix_micros const next = kid64::time(state) + kid64::unit_micros;
    return next <= kid64::last() ? kid64::lowest(next) : state;
  }

  static constexpr bool divided = true;
  static constexpr std::uint32_t most_lanes = lanes_max;
  static constexpr bool used_up(std::uint64_t state) noexcept { return sequence::get(state) == sequence::max; }
  static constexpr std::uint64_t left(std::uint64_t state) noexcept { return sequence::max - sequence::get(state); }
  static constexpr std::uint64_t states() noexcept { return sequence::max + 1; }
};

/// The time of `id` must be `in_range`. An ID of arbitrary bits can encode the same unit differently.
constexpr std::uint64_t state_of(kid64 const &, kid64::word id) noexcept {
  return kid64::lowest(kid64::time(id)) | kid64::sequence::get(id);
}

} // namespace kid
