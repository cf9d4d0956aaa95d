// Moves the logical clock of a type past an ID from elsewhere.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../base/export.hpp"
#include "../clocks/move_clock.hpp"

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

template <class Id, clock_id Clock> Datum observe(PG_FUNCTION_ARGS) {
  clock_ref const clock(shared("kid_observe()"), Clock);
  observe(clock, state_argument<Id>(PG_GETARG_DATUM(0)));
  PG_RETURN_VOID();
}

} // namespace kid::pg

#define KID_EXPORT_OBSERVE(T, clock) KID_FUNCTION(T##_observe, kid::pg::observe<kid::T, kid::pg::clock>)
