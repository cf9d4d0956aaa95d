// How far ahead IDs are reserved, and when that is renewed: the arithmetic of the lease (pg/clocks/lease.hpp).
//
// If a write takes W, a lease of length L is in force from W on. It is renewed at L/2, and the next lease is in force W
// later. That is in time if L is at least 2 W:
//
//   0       W                 L/2        L/2+W           L
//   | write |                  | next write |            |
//
// If the caller has to wait for standbys, its next call publishes the lease at W, and it is renewed halfway between W
// and L. That is in time if L is at least 3 W. Writes differ, so L is at least 4 W.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <algorithm>

namespace kid {

/// If writes are slow, because of a disk or a synchronous standby, the lease is extended to at most this length.
constexpr unix_micros slow_micros = 10'000'000;

/// How far the bound is put ahead of a logical clock that is ahead of the system clock. Such a clock advances no faster
/// than time passes, so it renews at most once in half of this span. The exact value does not matter: a lower one takes
/// more renewals, and after a higher one a start is further ahead.
constexpr unix_micros near_micros = 8000;

/// The least step back of the system clock, or distance ahead of it, that is worth a warning.
constexpr unix_micros notable_micros = 1'000'000;

/// What a renewal reserves: the IDs up to the unit of `until`.
struct lease_span {
  unix_micros from;   ///< where the system clock is or, if that is later, the logical clock
  unix_micros until;  ///< how far IDs may advance
  unix_micros length; ///< of a lease, if the logical clock is not ahead of the system clock

  /// Returns whether the bound in force, which begins at `bound`, is to be lowered. It is too far ahead because a
  /// system clock was wrong or a disk was slow.
  constexpr bool is_too_far(unix_micros bound) const noexcept { return bound > until + length; }

  /// Returns whether a bound that was written before, and begins at `bound`, may be put in force instead. If not, the
  /// system clock was wrong when it was written.
  constexpr bool is_near(unix_micros bound) const noexcept { return bound <= until + std::max(length, slow_micros); }
};

/// Returns what to reserve. The system clock is at `now`, and the next state begins at `next`. `setting` is the
/// `kid.lease` in force, and `write` how long a write takes.
constexpr lease_span span_to_reserve(unix_micros setting, unix_micros write, unix_micros now,
                                     unix_micros next) noexcept {
  unix_micros const four_writes = std::min(4 * write, slow_micros);
  unix_micros const length = std::max(setting, four_writes);
  // A clock that is ahead, as after a crash, also gets the time of four writes, but at most up to slow_micros ahead.
  // Otherwise each of many crashes would put it further ahead.
  unix_micros const if_ahead = next + std::max(near_micros, std::min(four_writes, slow_micros - (next - now)));

  return {std::max(now, next), std::max(now + length, if_ahead), length};
}

/// Returns when a lease should be renewed that was written at `from`: halfway to where its bound begins.
constexpr unix_micros time_to_renew(unix_micros from, unix_micros bound) noexcept {
  return from + (bound - from) / 2;
}

/// Returns how far a clock may be ahead of the system clock after a start, although that did not go back. `length` is
/// that of the lease in force.
constexpr unix_micros usual_start(unix_micros length) noexcept {
  return std::max(length, slow_micros) + notable_micros;
}

} // namespace kid
