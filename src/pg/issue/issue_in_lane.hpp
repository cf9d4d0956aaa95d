// Issues IDs of a logical clock whose sequence is divided among servers into lanes. core/lane.hpp says how it is
// divided, and node/identity.hpp how a lane changes.
#pragma once

#include "../node/identity.hpp"
#include "generate.hpp"

namespace kid::pg {

/// `Clock` for the lane that belongs to `packed_identity`. The clock is stale as soon as another identity is in force.
template <class Clock> struct clock_of_identity : Clock {
  std::uint64_t packed_identity;

  bool is_stale() const noexcept {
    pg_read_barrier(); // the limit before the identity, see core/leave_unit.hpp
    return packed_identity != pg_atomic_read_u64(&shared_memory->identity.word);
  }
};

/// The lane in which this process makes IDs of a type.
struct lane_entry {
  std::uint64_t packed_identity; ///< the identity that `part` belongs to; 0 until a lane is chosen
  lane part;
  bool undivided; ///< whether `kid.lanes` is 1, so that the lane is the whole sequence
  int group;      ///< the `local_group` that the lane was chosen for
};

/// Returns the lane of the identity in force. Raises an error if it has none, or if there are more than `most_lanes`.
/// On a Citus worker, that depends on the database too, which may have got Citus after this process chose its lane.
pg_attribute_cold lane_entry choose_lane(char const *function, std::uint64_t sequence_max, std::uint32_t most_lanes,
                                         bool without_node);

/// Does so for IDs of a type.
template <class Id, class Clock> lane_entry choose_lane(char const *function) {
  return choose_lane(function, Clock::sequence::max, Clock::most_lanes, !has_origin<Id>);
}

/// Returns the number of the lane of `who`, for kid_identity(); -1 if choose_lane() would raise an error.
std::int64_t lane_number(identity const &who, bool without_node);

template <class Id> inline lane_entry lane_of_process = {0, {0, 0}, true, no_citus};

/// Issues a state as issue() does, in the lane of this server. If the clock is stale, chooses the lane again: at the
/// first call in a process, too, because no identity is 0. If `kid.lanes` is 1, uses the undivided clock.
template <class Id, class Clock>
pg_attribute_always_inline std::uint64_t issue_in_lane(Id const &layout, Clock const &clock, clock_id id,
                                                       char const *function, std::uint64_t *count) {
  lane_entry const &entry = lane_of_process<Id>;

  // The first call in a transaction enters the clock. Then this process also looks for Citus, which sets `local_group`.
  // If the lane was chosen for another group, it is dropped here, and the loop below chooses one. If that raises an
  // error, the next call finds no lane, and raises the error again.
  if (unlikely(entered[id] == nullptr)) {
    static_cast<void>(enter(id, function));
    if (entry.group != local_group)
      lane_of_process<Id> = {0, {0, 0}, true, local_group};
  }
  for (;;) {
    step_result const result =
        likely(entry.undivided)
            ? issue(layout, clock_of_identity<Clock>{clock, entry.packed_identity}, id, function, count)
            : issue(layout, clock_of_identity<in_lane<Clock>>{{clock, entry.part}, entry.packed_identity}, id, function,
                    count);
    if (likely(result.kind == step_kind::issued))
      return result.state;
    lane_of_process<Id> = choose_lane<Id, Clock>(function);
  }
}

/// Does the same as backfill(), in the lane of this server.
template <class Clock, class Id>
backfilled backfill_in_lane(FunctionCallInfo fcinfo, Id const &layout, clock_id id, char const *function,
                            TimestampTz time) {
  lane_entry const &entry = lane_of_process<Id>;

  if (entry.packed_identity != pg_atomic_read_u64(&attached_memory(function).identity.word) ||
      entry.group != local_group)
    lane_of_process<Id> = choose_lane<Id, Clock>(function);
  return backfill(fcinfo, layout, id, function, time, entry.part.first, entry.part.last);
}

} // namespace kid::pg
