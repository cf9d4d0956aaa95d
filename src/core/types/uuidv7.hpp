// uuidv7: UUID version 7 of RFC 9562, section 5.7, with method 3 of its section 6.2.
//
//    127                          80 79   76 75          64 63 62 61     58 57                  0
//   +-------------------------------+-------+--------------+-----+---------+---------------------+
//   |         ms since 1970         |   7   |   fraction   |  2  |  count  |       random        |
//   |                               |       |   0..4095    |     |  0..15  |                     |
//   |            48 bits            | 4 bits|   12 bits    |2 bit|  4 bits |       58 bits       |
//   +-------------------------------+-------+--------------+-----+---------+---------------------+
//
//   epoch       1970-01-01 00:00:00 UTC
//   range       to 10889-08-02 05:31:50.655999 UTC
//   time unit   1 ms in comparisons with time: in IDs from other generators the bits below it may be anything
//   fraction    of the millisecond, in 1/4096
//   binary      16 bytes, most significant first
//   text        as for any UUID
//   order       unsigned
//
// Every UUID has its place in this order, so bounds apply to all of them. Only a UUID of version 7 has a time.
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../range.hpp"
#include "../step.hpp"

namespace kid {

struct uuidv7 {
  using word = uint128;
  static constexpr char name[] = "uuid version 7";
  static constexpr unsigned size = 16;

  using random = field<word, 0, 58>;
  using count = above<random, 4>;
  using variant = above<count, 2>;
  using fraction = above<variant, 12>;
  using version = above<fraction, 4>;
  using millis = above<version, 48>;
  static_assert(millis::end == 8 * size);
  static_assert(variant::end == 64 && version::end == 80 && variant::width == 2 && version::width == 4, "RFC 9562");

  static constexpr word marks = version::put(7) | variant::put(2);
  static constexpr unix_micros unit_micros = 1000;

  static constexpr unix_micros first() noexcept { return 0; }
  static constexpr unix_micros last() noexcept { return static_cast<unix_micros>(millis::max + 1) * unit_micros - 1; }

  /// Returns whether a UUID is of version 7.
  static constexpr bool is_one(word id) noexcept { return (id & (version::mask | variant::mask)) == marks; }

  static constexpr word lowest(unix_micros time) noexcept {
    return millis::put(static_cast<std::uint64_t>(time / unit_micros)) | marks;
  }
  static constexpr word highest(unix_micros time) noexcept {
    return lowest(time) | fraction::mask | count::mask | random::mask;
  }
  static constexpr unix_micros time(word id) noexcept {
    return static_cast<unix_micros>(millis::get(id)) * unit_micros;
  }
};

/// Bounds are of version 7, also for an instant out of range.
constexpr uuidv7::word saturate(uuidv7 const &, unix_micros time) noexcept {
  return time < uuidv7::first() ? uuidv7::lowest(uuidv7::first()) : uuidv7::highest(uuidv7::last());
}

/// The logical clock of uuidv7: its state is milliseconds, fraction and count of the last ID issued. Its unit is the
/// microsecond, which has 64 or 80 states. If it were the fraction, it would have only 16. If it were the millisecond,
/// the fraction would not be a part of the time.
struct uuidv7_clock : plain_clock {
  using count_bits = field<std::uint64_t, 0, uuidv7::count::width>;
  using fraction = above<count_bits, uuidv7::fraction::width>;
  using millis = above<fraction, uuidv7::millis::width>;
  static_assert(millis::end == 64);
  static_assert(fraction::max + 1 >= uuidv7::unit_micros, "each microsecond has a fraction of its own");

  static constexpr std::uint64_t at(unix_micros time) noexcept {
    auto const micros = static_cast<std::uint64_t>(time);
    return millis::put(micros / uuidv7::unit_micros) + below_millis(micros % uuidv7::unit_micros);
  }

  /// Returns the microsecond of `state`: the last one that begins at or before it.
  static constexpr unix_micros time(std::uint64_t state) noexcept {
    return static_cast<unix_micros>(millis::get(state) * uuidv7::unit_micros + micros(state));
  }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept {
    return (state & millis::mask) + below_millis(micros(state));
  }
  // The unit after the last one would begin at 2^64, which wraps to 0.
  static constexpr std::uint64_t end(std::uint64_t state) noexcept {
    return (state & millis::mask) + below_millis(micros(state) + 1) - 1;
  }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    std::uint64_t const last = end(state);
    return last + 1 > last ? last + 1 : state;
  }

  static constexpr bool used_up(std::uint64_t state) noexcept { return state == end(state); }
  static constexpr std::uint64_t left(std::uint64_t state) noexcept { return end(state) - state; }
  static constexpr std::uint64_t states() noexcept {
    return (fraction::max + 1) / uuidv7::unit_micros * (count_bits::max + 1);
  }

  /// Returns the ID of a state, without its random bits.
  static constexpr uuidv7::word id(std::uint64_t state) noexcept {
    return uuidv7::millis::put(millis::get(state)) | uuidv7::fraction::put(fraction::get(state)) |
           uuidv7::count::put(count_bits::get(state)) | uuidv7::marks;
  }

private:
  /// Returns where a microsecond begins within its millisecond, or the end of that for the one after the last.
  static constexpr std::uint64_t below_millis(std::uint64_t micros) noexcept {
    return fraction::put(1) * (micros * (fraction::max + 1) / uuidv7::unit_micros);
  }

  static constexpr std::uint64_t micros(std::uint64_t state) noexcept {
    return (uuidv7::unit_micros * (fraction::get(state) + 1) - 1) / (fraction::max + 1);
  }
};

constexpr std::uint64_t state_of(uuidv7 const &, uuidv7::word id) noexcept {
  return uuidv7_clock::millis::put(uuidv7::millis::get(id)) | uuidv7_clock::fraction::put(uuidv7::fraction::get(id)) |
         uuidv7_clock::count_bits::put(uuidv7::count::get(id));
}

} // namespace kid
