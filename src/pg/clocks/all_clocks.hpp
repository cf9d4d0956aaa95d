// The list of the logical clocks. Each is described in the files of its type, types/T.cpp and core/types/T.hpp.
// core/step.hpp says how a clock moves, core/clock_rules.hpp what its states mean, and shmem.hpp where the clocks are.
//
// What these words mean in this folder, in horizon/ and in issue/. test/t/source_tree.pl rejects other meanings that
// they had:
//
//   state   where a clock is: a time unit, and a number in it
//   first   the least state of a unit, and the least sequence of a lane
//   last    the greatest state that was, or can have been, issued, and the greatest sequence of a lane
//   bound   nothing at or above it is issued before the page has a higher one (lease.hpp)
//   now     where the system clock is, as an instant. `now_state` is the first state of the unit that it is in. In
//           core/step.hpp and core/types/sno.hpp, where no instant is, that state is called `now`
//   limit   where a step stops: `renew_at`, or the bound if the session may wait
//   enter   a transaction enters a clock before it takes states of it, and has left it when it ends
//   floor   of a transaction that has entered a clock: it takes no state below (horizon/horizon.hpp). That of an
//           instant, as T_floor() returns it in SQL, is an ID (core/range.hpp)
//   hold    of a clock: a process keeps transactions from entering it (lease_lock.hpp). A lock is held as everywhere
//   keep    a clock that is ahead of the system clock keeps its time: it counts on, and neither waits nor changes
//           sides. The setting kid.clock_backward calls this `hold`; in the code, `hold` never means it
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

// A clock has the name of its type. Only `kid` differs: kid64 and kid96 share it.
#define KID_CLOCKS X(kid) X(flake) X(sno) X(uuidv7) X(kid53)

#define X(name) clock_##name,
enum clock_id { KID_CLOCKS clock_count };
#undef X

/// By `clock_id`. register_clocks() of types/all_types.cpp fills it when the library is loaded.
inline clock_rules const *all_clock_rules[clock_count] = {};

} // namespace kid::pg
