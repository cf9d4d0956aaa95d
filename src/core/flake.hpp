// flake: the ID of the Node library flake-idgen, https://github.com/T-PWK/flake-idgen
//
//    63                                       22 21        17 16        12 11            0
//   +-------------------------------------------+------------+------------+---------------+
//   |           ms since the epoch              | datacenter |   worker   |   sequence    |
//   |                                           |   0..31    |   0..31    |    0..4095    |
//   |                 42 bits                   |   5 bits   |   5 bits   |    12 bits    |
//   +-------------------------------------------+------------+------------+---------------+
//
//   epoch       configurable, 1970-01-01 00:00:00 UTC by default. The ID does not say it
//   range       139 years: with the default epoch to 2109-05-15 07:35:11.103999 UTC
//   time unit   1 ms
//   generator   datacenter and worker together, 0..1023
//   binary      8 bytes, most significant first
//   text        decimal; input also hexadecimal after 0x
//   order       unsigned
#pragma once

#include "check.hpp"
#include "layout.hpp"
#include "text.hpp"

namespace kid {

struct flake {
  using word = std::uint64_t;
  static constexpr char name[] = "flake";
  static constexpr unsigned size = 8;
  using text = decimal_text;

  using sequence = field<word, 0, 12>;
  using worker = above<sequence, 5>;
  using datacenter = above<worker, 5>;
  using millis = above<datacenter, 42>;
  using generator = field<word, sequence::end, worker::width + datacenter::width>;
  static_assert(millis::end == 8 * size);

  static constexpr unix_micros unit = 1000;

  unix_micros epoch = 0; ///< a whole millisecond

  constexpr unix_micros first() const noexcept { return epoch; }
  constexpr unix_micros last() const noexcept { return epoch + static_cast<unix_micros>(millis::max + 1) * unit - 1; }

  constexpr word lowest(unix_micros time) const noexcept {
    return millis::put(static_cast<std::uint64_t>(time - epoch) / unit);
  }
  constexpr word highest(unix_micros time) const noexcept { return lowest(time) | (millis::put(1) - 1); }

  constexpr unix_micros time(word id) const noexcept {
    return epoch + static_cast<unix_micros>(millis::get(id)) * unit;
  }
};

} // namespace kid
