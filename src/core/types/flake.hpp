// flake: the ID of the Node library flake-idgen, https://github.com/T-PWK/flake-idgen
//
//    63                                       22 21        17 16        12 11            0
//   +-------------------------------------------+------------+------------+---------------+
//   |           ms since the epoch              | datacenter |   worker   |   sequence    |
//   |                                           |   0..31    |   0..31    |    0..4095    |
//   |                 42 bits                   |   5 bits   |   5 bits   |    12 bits    |
//   +-------------------------------------------+------------+------------+---------------+
//
//   epoch       configurable, 1970-01-01 00:00:00 UTC by default. It is not in the ID
//   range       139 years: with the default epoch to 2109-05-15 07:35:11.103999 UTC
//   time unit   1 ms
//   generator   datacenter and worker together, 0..1023
//   binary      8 bytes, most significant first
//   text        decimal; input also hexadecimal after 0x
//   order       unsigned
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../range.hpp"
#include "../step.hpp"
#include "../text.hpp"

namespace kid {

struct flake : counts_from_epoch<flake> {
  using word = std::uint64_t;
  static constexpr char name[] = "flake";
  static constexpr unsigned size = 8;
  using text = decimal_text;

  using sequence = field<word, 0, 12>;
  using worker = above<sequence, 5>;
  using datacenter = above<worker, 5>;
  using units = above<datacenter, 42>;
  using generator = field<word, sequence::end, worker::width + datacenter::width>;
  static_assert(units::end == 8 * size);

  static constexpr unix_micros unit_micros = 1000;

  /// The latest allowed epoch: like the library's, a number of milliseconds since 1970 that fits in `units`.
  static constexpr unix_micros epoch_max = static_cast<unix_micros>(units::max) * unit_micros;

  unix_micros epoch; ///< a whole millisecond from 0 to `epoch_max`

  constexpr explicit flake(unix_micros from = 0) noexcept : epoch(from) {}
};

/// The logical clock of flake. Its state is the millisecond since 1970, whatever the epoch, above the sequence.
struct flake_clock : plain_clock {
  using sequence = flake::sequence;
  using millis = above<sequence, 64 - sequence::width>;
  static_assert(millis::max / 2 >= flake::units::max, "a state can express the last instant after the latest epoch");
  static_assert(millis::max <= INT64_MAX / flake::unit_micros, "the time of every state fits in unix_micros");

  std::uint64_t sequence_max = sequence::max;

  static constexpr std::uint64_t at(unix_micros time) noexcept {
    return millis::put(static_cast<std::uint64_t>(time / flake::unit_micros));
  }
  static constexpr unix_micros time(std::uint64_t state) noexcept {
    return static_cast<unix_micros>(millis::get(state)) * flake::unit_micros;
  }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept { return state & ~sequence::mask; }
  static constexpr std::uint64_t end(std::uint64_t state) noexcept { return state | sequence::mask; }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    return millis::get(state) < millis::max ? unit(state) + millis::put(1) : state;
  }

  constexpr bool used_up(std::uint64_t state) const noexcept { return sequence::get(state) >= sequence_max; }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    return used_up(state) ? 0 : sequence_max - sequence::get(state);
  }
  constexpr std::uint64_t states() const noexcept { return sequence_max + 1; }
};

constexpr std::uint64_t state_of(flake const &layout, flake::word id) noexcept {
  return flake_clock::at(layout.time(id)) | flake::sequence::get(id);
}

} // namespace kid
