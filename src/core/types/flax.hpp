// flax: the ID of the Python library Flax ID, https://github.com/ergeon/python-flax-id
//
//    95                          56 55                                            0
//   +------------------------------+-----------------------------------------------+
//   |        ms, from 2015         |                    random                     |
//   |           40 bits            |                    56 bits                    |
//   +------------------------------+-----------------------------------------------+
//
//   epoch       2015-01-01 00:00:00 UTC
//   range       to 2049-11-03 19:53:47.775999 UTC
//   time unit   1 ms
//   binary      12 bytes, most significant first
//   text        16 characters of -0-9A-Z_a-z
//   order       unsigned
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../range.hpp"
#include "../text.hpp"

namespace kid {

/// 64 characters, `-` first.
struct flax_alphabet {
  static constexpr unsigned bits = 6;
  static constexpr char characters[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  static constexpr char description[] = "-0-9A-Z_a-z";
};

struct flax : counts_from_epoch<flax> {
  using word = uint128;
  static constexpr char name[] = "flax";
  static constexpr unsigned size = 12;
  using text = ordered_text<flax_alphabet, size, word>;

  using random = field<word, 0, 56>;
  using units = above<random, 40>;
  static_assert(units::end == 8 * size);

  static constexpr unix_micros epoch = 1'420'070'400'000'000;
  static constexpr unix_micros unit_micros = 1000;
};

} // namespace kid
