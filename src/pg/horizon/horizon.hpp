// The horizon: the ID below which no row can still appear. Transactions get their IDs in order, but do not commit in
// that order. So a consumer that reads `id > last` misses the row of a transaction that got its ID early and commits
// late. A consumer that reads `id > last AND id < horizon` misses none.
//
// Before a transaction takes its first state of a clock, it writes its floor to shared memory: none of its states
// will be below. The horizon is the least of these floors. Without any floor, the horizon is the state after the
// last one issued:
//
//            floor of T                     floor of U                    state
//   -------------|------------------------------|---------------------------|-----> states
//     all ended  ^ horizon: T may commit a row with any state from here on
//
// The horizon belongs to the snapshot of the statement that asks. A snapshot sees a transaction if a query with that
// snapshot sees its rows. A transaction that committed after the snapshot was taken counts as still running. So the
// floors of transactions that have committed are kept for a while (core/ended_list.hpp), with their transaction IDs. A
// query is always given the same horizon (`answer` in horizon.cpp).
//
// Why no row is missed. T writes its floor, and then takes a state by compare-and-swap, which is a full barrier. The
// reader loads the state S, then the floors of all sessions, and then takes the lock for the list.
//
// - T took a state up to S. Then the reader finds the floor of T, or the session of T has cleared it since, and may
//   have written that of a later transaction.
// - The floor was cleared. A session does that only when all snapshots that are taken from then on see the end of T.
//   Unless T committed no row, it was put into the list under the lock before, or got a place as a prepared
//   transaction. So the reader finds T there, and the snapshot decides.
// - T takes its state after S. That state is at or above the horizon, which is at most S + 1.
//
// test/unit/horizon_test.cpp is a model of exactly these steps. It explores all their interleavings, and finds a missed
// row if a step is left out or moved. In the files below, comments such as `step: recheck` give the model's name for a
// line. Its take_row is take() in core/step.hpp.
//
// The list begins when somebody first asks. A snapshot that was taken before that gets the horizon 1. The list does not
// end while the server runs: if it did, each poll of a consumer that polls seldom could be the first one, and read
// nothing. What it costs those who commit is in docs/why/performance.md.
//
// lower_state() lowers the state and the floors of sessions under the lock, and a reader that looked at them meanwhile
// looks again. A session writes its floor, and then makes sure that the state was not lowered meanwhile. So at least
// one of the session and lower_state() sees what the other wrote.
//
// A prepared transaction keeps its floor in shared memory and in a lock without effect, whose tag is the floor.
// PostgreSQL restores the locks of prepared transactions after a restart and at a promotion.
//
// What belongs to the horizon, by file:
//
//   memory    shared memory: the floors, prepared transactions, and the list of those that have ended
//   floors    entering a clock, who has entered it, lowering it; the end of a transaction
//   horizon   the horizon of a snapshot (core/snapshot_view.hpp says what that sees), and what queries were told
#pragma once

#include "../node/attach.hpp"

namespace kid::pg {

/// Returns a state of clock `id`: every row that the active snapshot does not see has that state or a greater one.
/// After a start, waits until synchronous standbys have the bound, as a session that makes an ID does. `function` is
/// for messages.
std::uint64_t horizon(clock_id id, char const *function);

} // namespace kid::pg
