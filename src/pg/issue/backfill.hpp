// Back-filling: kid64_at() and its siblings make an ID of a given time.
//
// They take sequences from a count that wraps around and that all sessions share, and do not move the logical clock. So
// as many consecutive calls as there are sequences give different IDs, in whatever sessions and for whatever times. For
// rows in the order of time, each call in a query remembers the time units in which it gave IDs last, as a range:
//
//   from                            to, in use since the count `since`
//   | all sequences may be used up | the last unit of the range      |
//
// If the time of a row is in the range, the row gets an ID of the last unit. If all sequences of that unit may be used
// up as well, the range grows by the next unit. A time outside the range begins another one. After a change of lane
// every unit counts as used up.
//
// The session keeps the range that was used last for its next statement. So rows in the order of time get different IDs
// whether they come in one statement or in many.
#pragma once

#include "../base/arguments.hpp"
#include "../clocks/all_clocks.hpp"

namespace kid::pg {

struct backfilled {
  unix_micros time; ///< an instant in the time unit to put into the ID
  std::uint64_t sequence;
};

/// A range of time units in which IDs were given. It is empty if `from` is above `to`.
struct used_units {
  std::uint64_t from = 1;
  std::uint64_t to = 0;
  std::uint64_t since = 0; ///< the count at the first ID of `to`
};

/// What a session remembers of a type from one statement to the next.
struct backfill_memory {
  used_units recent;
  std::uint64_t first = 0; ///< the lane of the last call: its sequences
  std::uint64_t last = 0;
  std::uint64_t since = 0; ///< the count at the first ID in this lane
};

template <class Id> inline backfill_memory backfill_memory_of;

/// Chooses the time unit of an ID of `clock`, and its sequence, from `first` to `last`. `fcinfo` belongs to a call of
/// `function`. After the last unit of the clock, the time is PG_INT64_MAX.
backfilled choose_backfilled(FunctionCallInfo fcinfo, clock_id clock, char const *function, unix_micros time,
                             std::uint64_t first, std::uint64_t last, backfill_memory &session);

/// Does the same for a time that SQL gave. Raises an error if that, or the unit chosen, is out of range for `layout`.
template <class Id>
backfilled backfill(FunctionCallInfo fcinfo, Id const &layout, clock_id clock, char const *function, TimestampTz time,
                    std::uint64_t first, std::uint64_t last) {
  backfilled const result =
      choose_backfilled(fcinfo, clock, function, time_argument(layout, time), first, last, backfill_memory_of<Id>);

  if (!in_range(layout, result.time))
    time_error(layout);
  return result;
}

} // namespace kid::pg
