// sno: the ID of the Go library sno, https://github.com/muyo/sno
//
//    79                                    41   40  39      32 31           16 15            0
//   +----------------------------------------+------+----------+---------------+---------------+
//   |                  time                  | tick |   meta   |   partition   |   sequence    |
//   |            4 ms, from 2010             |      |          |               |   0..65535    |
//   |                39 bits                 | 1 bit|  8 bits  |    16 bits    |    16 bits    |
//   +----------------------------------------+------+----------+---------------+---------------+
//
//   epoch       2010-01-01 00:00:00 UTC
//   range       to 2079-09-07 15:47:35.551999 UTC
//   time unit   4 ms
//   tick        toggled whenever the clock goes back, so that a span of time can be used twice
//   binary      10 bytes, most significant first
//   text        16 characters of 2-9a-x
//   order       unsigned
#pragma once

#include "check.hpp"
#include "epoch.hpp"
#include "layout.hpp"
#include "text.hpp"

namespace kid {

struct sno : counts_from_epoch<sno> {
  using word = uint128;
  static constexpr char name[] = "sno";
  static constexpr unsigned size = 10;
  using text = ordered_text<sno_alphabet, size, word>;

  using sequence = field<word, 0, 16>;
  using partition = above<sequence, 16>;
  using meta = above<partition, 8>;
  using tick = above<meta, 1>;
  using units = above<tick, 39>;
  static_assert(units::end == 8 * size);

  static constexpr unix_micros epoch = 1'262'304'000'000'000;
  static constexpr unix_micros unit = 4000;

  /// Where an ID comes from, and its sort key among those that mostly come from there, see `origin_sort_key`.
  static constexpr std::uint64_t origin(word id) noexcept { return static_cast<std::uint64_t>(partition::get(id)); }
  static constexpr std::uint64_t sort_key(word id, std::uint64_t from) noexcept {
    return origin_sort_key(id, sequence::width, partition::width, from);
  }
};

} // namespace kid
