// IDs that are given a time: T_at().
//
// Their sequences roll over, apart from the logical clock, which they do not move. All sessions share the count, so of
// as many calls in a row as there are sequences no two are alike, whoever calls, whatever the times. Beyond that a
// session remembers where it put what: a time unit all of whose sequences it may have used goes on in the next unit. So
// does, when the lane has changed, each unit that it used before.
//
//   count at the first ID of a unit    F ...................... F + sequences
//   IDs of that unit                   | all of them are different | to the next unit
//
// Rows in the order of time never come back to a unit, but for the last ones, so there may be any number of them. In
// any other order there may be as many units as fit into the memory of a hash table, and then it is an error, since an
// ID might be one that this statement has given before. Nothing of the kind follows from statements before it: what of
// theirs is remembered is only put to use.
#pragma once

#include "clocks.hpp"
#include "error.hpp"

namespace kid::pg {

struct backfilled {
  unix_micros time; ///< the time unit to put into the ID holds it
  std::uint64_t sequence;
};

/// The time units that this session gave IDs of, as many as memory allows; those that were not asked for longest make
/// room for others.
struct used_units {
  HTAB *recent;
  HTAB *older;
  std::uint64_t recent_greatest; ///< of those that this statement used
  std::uint64_t older_greatest;
  std::uint64_t forgotten; ///< the greatest that it used and that is remembered no more
  std::uint64_t first;     ///< the sequences, in which they were given
  std::uint64_t last;
  std::uint64_t since; ///< the count at the first ID in those: units from before are used up
};

template <class Id> inline used_units used_units_of = {};

/// For an ID of `clock` with a sequence from `first` to `last`. `fcinfo` is that of a call of `function`.
backfilled backfill(FunctionCallInfo fcinfo, clock_id clock, char const *function, unix_micros time,
                    std::uint64_t first, std::uint64_t last, used_units &units);

template <class Id>
backfilled backfill(FunctionCallInfo fcinfo, Id const &layout, clock_id clock, char const *function, TimestampTz time,
                    std::uint64_t first, std::uint64_t last) {
  backfilled const result =
      backfill(fcinfo, clock, function, time_argument(layout, time), first, last, used_units_of<Id>);

  // The next unit may be beyond the last.
  if (!holds(layout, result.time))
    time_error(layout);
  return result;
}

} // namespace kid::pg
