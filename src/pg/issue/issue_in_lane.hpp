// IDs of a logical clock whose sequence servers divide into lanes: core/lane.hpp says how, identity.hpp when a lane
// changes.
#pragma once

#include "generate.hpp"

namespace kid::pg {

/// `Clock`, as the `identity` in force when it was chosen divides it.
template <class Clock> struct clock_of_identity : Clock { std::uint64_t identity; };

/// Where in the sequence this process makes IDs of a type, under an identity; none at first.
struct lane_entry {
  std::uint64_t identity;
  lane part;
  bool whole;
};

/// The lane of `who`, or of its absence: an error. IDs that have no node in them are `plain`.
lane_entry enter_lane(identity who, std::uint64_t sequence_max, bool plain);

/// What kid_identity() shows of it; -1 where `enter_lane` is an error.
std::int64_t lane_number(identity const &who, bool plain);

template <class Id> inline lane_entry entry_of = {0, {0, 0}, true};

template <class Id> constexpr bool is_plain = !has_origin<Id>;

/// Goes by the identity in force from now on.
template <class Id, class Clock> pg_noinline pg_attribute_cold void enter(char const *function) {
  entry_of<Id> = enter_lane(identity_in_force(function), Clock::sequence::max, is_plain<Id>);
}

/// As `issue`, in the lane of this server. Where there are no lanes, the clock is the one that knows none.
template <class Id, class Clock>
pg_attribute_always_inline std::uint64_t issue_in_lane(Id const &layout, Clock const &clock, char const *function,
                                                       clock_id id, std::uint64_t *count) {
  clock_cell &cell = shared(function).cells[id];
  lane_entry const &entry = entry_of<Id>;

  for (;;) {
    std::uint64_t const state =
        likely(entry.whole)
            ? issue(layout, clock_of_identity<Clock>{clock, entry.identity}, cell, count)
            : issue(layout, clock_of_identity<in_lane<Clock>>{{clock, entry.part}, entry.identity}, cell, count);
    if (likely(state != no_state))
      return state;
    enter<Id, Clock>(function);
  }
}

/// As `backfill`, in the lane of this server.
template <class Clock, class Id>
backfilled backfill_in_lane(FunctionCallInfo fcinfo, Id const &layout, clock_id id, char const *function,
                            TimestampTz time) {
  lane_entry const &entry = entry_of<Id>;

  if (entry.identity != pg_atomic_read_u64(&shared(function).identity.word))
    enter<Id, Clock>(function);
  return backfill(fcinfo, layout, id, function, time, entry.part.first, entry.part.last);
}

} // namespace kid::pg
