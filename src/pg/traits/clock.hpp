// What a type with a logical clock has: kid_observe(), which moves the clock past an ID from elsewhere, and the
// horizon.
#pragma once

#include "../base/error.hpp"
#include "../clocks/move_clock.hpp"
#include "../horizon/horizon.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

/// Returns the state of the logical clock from which an ID was made. Raises an error if the time of the ID is out of
/// range.
template <class Id> std::uint64_t state_argument(Datum argument) {
  Id const layout = layout_of<Id>();
  auto const id = get<Id>(argument);

  if (!in_range(layout, layout.time(id)))
    time_error(layout);
  return state_of(layout, id);
}

/// What SQL calls observe() for IDs of a type, for messages.
template <class Id> constexpr char const *observe_name = "kid_observe()";

template <class Id, clock_id Clock> Datum observe(PG_FUNCTION_ARGS) {
  clock_ref const clock(attached_memory(observe_name<Id>), Clock);
  observe(clock, state_argument<Id>(PG_GETARG_DATUM(0)));
  PG_RETURN_VOID();
}

/// Returns the horizon of a clock as a state. Raises an error if other servers make IDs for the tables of this
/// database, because their transactions are not known here.
inline std::uint64_t horizon_state(clock_id id, char const *function) {
  static_cast<void>(attached_memory(function));
  if (has_citus())
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("%s is not available in a database that has Citus", function),
            errdetail("Transactions on other nodes may commit rows with lower IDs."));
  return horizon(id, function);
}

} // namespace kid::pg

#define KID_EXPORT_OBSERVE(T, clock) KID_FUNCTION(T##_observe, kid::pg::observe<kid::T, kid::pg::clock>)
