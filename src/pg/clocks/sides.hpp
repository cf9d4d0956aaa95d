// A clock with sides, as sno has one: what it does where other clocks do nothing, or wait. core/types/sno.hpp says what
// its sides are, and what the safe mark is for.
//
// Such a clock normally changes sides if it is ahead of the system clock. But a start puts it at the bound, and
// kid_observe() past an ID from elsewhere. Then it keeps its time instead.
//
// All clocks have the words for it in shared memory and on the page. Of a clock without sides nothing reads them, and
// its states are all on one side. So most code for clocks need not tell the two kinds apart.
#pragma once

#include "lease.hpp"

namespace kid::pg {

/// Makes a clock keep the time of `last` while the system clock, at `now`, catches up. Meanwhile a used-up unit carries
/// into the next one, up to `margin` after `last`. The clock changes sides if the system clock goes back by more than
/// `margin`.
void keep_time(clock_ref const &clock, std::uint64_t last, unix_micros now, unix_micros margin);

/// Starts the sides of a clock at the mark on the page. A start that `is_usual` is at most `margin` ahead of the
/// system clock, at `now`, although that did not go back. The caller then starts the clock at `last`.
void start_sides(lease_state const &lease, clock_ref const &clock, std::uint64_t last, unix_micros now,
                 unix_micros margin, bool is_usual);

/// Returns the greatest state on the side in use that the page allows. A change of sides that was interrupted may have
/// left the other side on the page.
std::uint64_t last_on_page(lease_state const &lease, clock_ref const &clock);

/// Raises the safe mark to the unit of `state`, which is on the side that is not in use. `last` is the state of the
/// clock. Returns false if standbys have yet to confirm the page.
bool raise_other_side(lease_state &lease, clock_ref const &clock, std::uint64_t state, std::uint64_t last);

/// Lowers the safe mark to the unit of `state`, up to which everything may have been used on either side.
void lower_other_side(clock_ref const &clock, std::uint64_t state);

/// Changes the side if the system clock, at `now_state`, is behind `last`. The result is as for `step_to_other_side` of
/// clock_rules; if it is `issued`, the clock has moved.
step_result change_sides(clock_ref const &clock, std::uint64_t last, std::uint64_t now_state);

} // namespace kid::pg
