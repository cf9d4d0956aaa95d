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
//   tick        toggled when the clock goes back, so that a span of time can be used twice, but not a third time
//   binary      10 bytes, most significant first
//   text        16 characters of 2-9a-x
//   order       unsigned
#pragma once

#include "../bits.hpp"
#include "../no_postgres.hpp"
#include "../range.hpp"
#include "../step.hpp"
#include "../text.hpp"

namespace kid {

/// 32 characters.
struct sno_alphabet {
  static constexpr unsigned bits = 5;
  static constexpr char characters[] = "23456789abcdefghijklmnopqrstuvwx";
  static constexpr char description[] = "2-9a-x";
};

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
  static constexpr unix_micros unit_micros = 4000;

  /// Return where an ID comes from, and its sort key among IDs that mostly come from `from`, see `origin_sort_key`.
  static constexpr std::uint64_t origin(word id) noexcept { return static_cast<std::uint64_t>(partition::get(id)); }
  static constexpr std::uint64_t sort_key(word id, std::uint64_t from) noexcept {
    static_assert(8 * size - partition::width <= 64, "origin_sort_key has 64 bits for the rest of the ID");
    return origin_sort_key(id, sequence::width, partition::width, from);
  }
};

/// The logical clock of sno. If the system clock goes back, the logical clock changes sides. It waits only if the other
/// side has used that time too. After a start it can keep its time (keeping_clock in pg/types/sno.cpp).
///
/// The tick bit gives every time unit two sides, and the logical clock changes sides by toggling it. One side is in
/// use. On the other side, everything that may have been issued is at or below the safe mark:
///
///             safe         last
///   tick 0 ----|............|            . issued        system clock: back from `last` to some `now`
///   tick 1 -------------|...             - not issued
///                      now               now > safe: change sides. Side 1 is free from `now` on, and the new
///                                                    mark, of side 0, is the unit of `last`
///                                        now <= safe: a second step back into time that side 1 used. Wait
///
/// A state has the tick between time unit and sequence; its upper 8 bits are 0:
///
///    55                                     17  16  15                              0
///   +-----------------------------------------+----+---------------------------------+
///   |                time unit                |tick|            sequence             |
///   +-----------------------------------------+----+---------------------------------+
///
/// A state is never repeated, so the compare-and-swap that changes sides cannot mistake one for another. Afterwards the
/// mark is set to the unit of `last`. The lock of the lease (pg/clocks/lease_lock.hpp) guards the mark, which is read
/// only if the system clock has gone back.
struct sno_clock {
  using sequence = field<std::uint64_t, 0, sno::sequence::width>;
  using tick = above<sequence, sno::tick::width>;
  using units = above<tick, sno::units::width>;

  /// The sequences of this generator, which may share its partition with others. The library's documents ask for at
  /// least four.
  static constexpr std::uint64_t pool_min = 4;
  std::uint64_t sequence_min = 0;
  std::uint64_t sequence_max = sequence::max;

  static constexpr std::uint64_t at(unix_micros time) noexcept {
    return units::put(sno::units::get(sno{}.lowest(time)));
  }
  static constexpr unix_micros time(std::uint64_t state) noexcept { return sno{}.time(id(state)); }
  static constexpr std::uint64_t unit(std::uint64_t state) noexcept { return state & units::mask; }
  /// Returns the greatest state of the unit on the side of `state`.
  static constexpr std::uint64_t end(std::uint64_t state) noexcept { return state | sequence::mask; }
  static constexpr std::uint64_t next_unit(std::uint64_t state) noexcept {
    return units::get(state) < units::max ? unit(state) + units::put(1) : state;
  }

  static constexpr bool divided = false;
  static constexpr bool changes_sides = true;
  static constexpr bool is_stale() noexcept { return false; }
  static constexpr bool keeps(std::uint64_t, std::uint64_t) noexcept { return false; }
  constexpr std::uint64_t begin(std::uint64_t now, std::uint64_t last) const noexcept {
    return now | (last & tick::mask) | sequence_min;
  }
  constexpr bool used_up(std::uint64_t state) const noexcept { return sequence::get(state) >= sequence_max; }
  constexpr std::uint64_t count_on(std::uint64_t state) const noexcept {
    return sequence::get(state) < sequence_min ? begin(unit(state), state) : state + 1;
  }
  constexpr std::uint64_t left(std::uint64_t state) const noexcept {
    return used_up(state) ? 0 : sequence_max - sequence::get(state);
  }
  constexpr std::uint64_t states() const noexcept { return sequence_max - sequence_min + 1; }

  static constexpr std::uint64_t side(std::uint64_t state) noexcept { return state & tick::mask; }

  /// Returns the ID of a state, without metabyte and partition.
  static constexpr sno::word id(std::uint64_t state) noexcept {
    return sno::units::put(units::get(state)) | sno::tick::put(tick::get(state)) |
           sno::sequence::put(sequence::get(state));
  }
};

constexpr std::uint64_t state_of(sno const &layout, sno::word id) noexcept {
  return sno_clock::at(layout.time(id)) | sno_clock::tick::put(sno::tick::get(id)) | sno::sequence::get(id);
}

/// Does the same as `advance`, for a clock with sides. Reads the system clock itself, by calling `read()` between two
/// reads of the state that find the same side: with a reading from before another caller changed sides, the new side
/// would advance to a time that the system clock has left, and all would have to wait for that time. A reading can look
/// like a step back merely because other callers advanced the state, so `behind` is returned only for the second one.
template <class Clock, class Cell, class Read>
[[gnu::always_inline]] inline step_result advance_on_side(Clock const &clock, Cell &cell, Read const &read,
                                                          carry_pace const &pace = {}, std::uint64_t *count = nullptr) {
  std::uint64_t last = cell.load();
  for (bool again = false;; again = true) {
    std::uint64_t const side = clock.side(last);
    std::uint64_t const now = read();
    last = cell.load();
    while (clock.side(last) == side) {
      step_result next = step(clock, last, now, pace.carry_from(now));
      if (next.kind == step_kind::behind && !again)
        break;
      if (next.kind != step_kind::issued || take(clock, cell, last, next, count))
        return next;
    }
  }
}

/// Returns the step from `last` to the other side. The caller has read `now` from the system clock after `last`, and
/// holds the lock that guards `safe`, the first state of the last unit in which the other side may have issued. If the
/// result is `issued`, the caller must still replace `last` with its state. Otherwise it is `behind`, with the state to
/// wait for; if that is not ahead of `now`, the caller can start again.
constexpr step_result step_to_other_side(sno_clock const &clock, std::uint64_t safe, std::uint64_t last,
                                         std::uint64_t now) noexcept {
  if (now >= sno_clock::unit(last))
    return {step_kind::behind, now};
  if (now <= safe) {
    std::uint64_t const free = sno_clock::next_unit(safe);
    return {step_kind::behind, free < last ? free : last};
  }
  return {step_kind::issued, clock.begin(now, last ^ sno_clock::tick::mask)}; // on the other side
}

} // namespace kid
