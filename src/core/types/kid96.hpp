// kid96: the global ID of the Erlang library uid, https://github.com/fogfish/uid
//
//    95               76 75           56+I 55+I        24+I 23+I    24 23       14 13            0
//   +-------------------+-----------------+----------------+----------+-----------+---------------+
//   |         A         |   B, its upper  |      node      | B, its I |     C     |   sequence    |
//   |    megaseconds    |    20-I bits    |                |  lowest  |  us >> 10 |   0..16383    |
//   |      20 bits      |                 |    32 bits     |   bits   |  10 bits  |    14 bits    |
//   +-------------------+-----------------+----------------+----------+-----------+---------------+
//
//   epoch       1970-01-01 00:00:00 UTC, range and time unit as for kid64
//   I           the neighborhood, 0..10 bits: within 2^I seconds the node sorts before the time. It is not in the ID
//   binary      12 bytes, most significant first
//   text        16 characters of .0-9A-Z_a-z
//   order       unsigned
//
// A kid96 is a kid64 with a node inserted into its seconds.
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../node.hpp"
#include "../text.hpp"
#include "kid64.hpp"

namespace kid {

struct kid96 {
  using word = uint128;
  static constexpr char name[] = "kid96";
  static constexpr unsigned size = 12;
  using text = ordered_text<uid_alphabet, size, word>;

  static constexpr unsigned node_width = 32;
  static constexpr std::uint64_t node_max = kid::node_max;
  static_assert(node_max == (std::uint64_t{1} << node_width) - 1);
  static constexpr unsigned neighborhood_max = 10;
  static_assert(8 * size == 8 * kid64::size + node_width && neighborhood_max <= kid64::b::width);

  unsigned neighborhood; ///< bits, 0 to `neighborhood_max`

  static constexpr unix_micros first() noexcept { return kid64::first(); }
  static constexpr unix_micros last() noexcept { return kid64::last(); }

  /// Returns the kid96 of `id` on `node`, which is at most `node_max`.
  constexpr word global(kid64::word id, std::uint64_t node) const noexcept {
    return word{id >> node_shift()} << (node_shift() + node_width) | word{node} << node_shift() | (id & below_node());
  }

  /// Returns `id` without its node.
  constexpr kid64::word local(word id) const noexcept {
    return static_cast<kid64::word>(id >> (node_shift() + node_width)) << node_shift() |
           (static_cast<kid64::word>(id) & below_node());
  }

  constexpr std::uint64_t node(word id) const noexcept {
    return static_cast<std::uint64_t>(id >> node_shift()) & node_max;
  }

  /// Return the lowest and the highest ID of the 2^I seconds that contain `time`: the order of the IDs is no finer.
  constexpr word lowest(unix_micros time) const noexcept { return global(kid64::lowest(time) & ~below_node(), 0); }
  constexpr word highest(unix_micros time) const noexcept {
    return global(kid64::lowest(time) | below_node(), node_max);
  }

  /// Return where an ID comes from, and its sort key among IDs that mostly come from `from`, see `origin_sort_key`.
  constexpr std::uint64_t origin(word id) const noexcept { return node(id); }
  constexpr std::uint64_t sort_key(word id, std::uint64_t from) const noexcept {
    return origin_sort_key(id, node_shift(), node_width, from);
  }
  constexpr unix_micros time(word id) const noexcept { return kid64::time(local(id)); }

  /// The type that an ID is converted to before it is compared with time, because its order is coarser.
  using exact = kid64;
  constexpr exact::word to_exact(word id) const noexcept { return local(id); }

private:
  constexpr unsigned node_shift() const noexcept { return kid64::c::end + neighborhood; }
  constexpr kid64::word below_node() const noexcept { return (kid64::word{1} << node_shift()) - 1; }
};

/// Returns the state of kid64's logical clock that belongs to an ID, whose time must be `in_range`.
constexpr std::uint64_t state_of(kid96 const &layout, kid96::word id) noexcept {
  return state_of(kid64{}, layout.local(id));
}

} // namespace kid
