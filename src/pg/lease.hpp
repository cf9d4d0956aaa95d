// The lease: a file in the data directory with bounds that no issued ID has reached.
//
//            state              renew_at         bound
//   ---------|------------------|----------------|----------> IDs
//     issued | may be issued without a look here | written and flushed, before it is raised
//
// After a crash a timeline starts at the bound in the file, above all that may have been issued. While the server runs
// one session at a time renews the lease, from `renew_at` on, half-way to the bound, and the others go on up to the
// bound. Only those that reach it wait.
//
// The lock of `lease_state` is held to write the file, `bound`, `renew_at` and `safe`.
#pragma once

#include "pg.hpp"
#include "state.hpp"

namespace kid::pg {

/// Renews the lease of `cell`, where `next`, the state to be issued, is at or above `renew_at`. Does nothing where
/// another session is about it, unless `next` has reached the bound: then returns when the bound is above `next`, or
/// raises an error.
void renew_lease(timeline &cell, std::uint64_t next);

/// Changes the side of the timeline of sno, see core/tick_tock.hpp, when the clock, at `now`, is behind `last`.
step_result change_sides(sno_timeline const &line, timeline &cell, std::uint64_t last, std::uint64_t now);

/// Moves a timeline to `state`, which it need not have reached, or past it. Of sno: the side of `state`.
void raise_timeline(timeline &cell, std::uint64_t state);

/// Lowers a timeline to the unit of `state`, above which nothing that was issued is still in use.
void lower_timeline(timeline &cell, std::uint64_t state);

/// What states mean, as Timeline in core/step.hpp.
unix_micros time_of(line_id id, std::uint64_t state);
std::uint64_t next_unit_of(line_id id, std::uint64_t state);

/// The first state of the time unit that holds an instant, or the nearest in range.
std::uint64_t state_at(line_id id, unix_micros time);

} // namespace kid::pg
