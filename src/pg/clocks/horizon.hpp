// The horizon: the ID below which no row is still to come. Transactions get their IDs in order, but do not commit in
// that order. So a consumer that reads `id > last` misses the row of a transaction that got its ID early and commits
// late. A consumer that reads `id > last AND id < horizon` misses none.
//
// Before a transaction takes its first state of a clock, it writes to shared memory a bound that none of its states
// will be below. The horizon is the least of these bounds. If there are none, it is the state after the last one
// issued:
//
//            bound of T                     bound of U                    state
//   -------------|------------------------------|---------------------------|-----> states
//     all ended  ^ horizon: T may commit a row with any state from here on
//
// The horizon belongs to the snapshot of the statement that asks. A transaction that committed after the snapshot was
// taken is in the way as if it were still running, because the statement does not see its rows. So the bounds of
// transactions that have committed are kept for a while (core/ended_list.hpp), with their transaction IDs. A snapshot
// sees a transaction if PostgreSQL would see its rows. A query is always given the same
// horizon, because it may ask more than once, as it does for each partition of a table.
//
// Why no row is missed. T writes its bound, and then moves the clock by compare-and-swap, which is a full barrier. The
// reader loads the state S, then the bounds of all sessions, and then takes the lock for the list. If T has taken a
// state up to S, then S was written by that compare-and-swap or by a later one. So in the session of T the reader finds
// the bound of T, which is at most that state, or a value that was written after that bound. The session clears its
// bound only after T has ended for all snapshots and, if T committed rows, was added to the list under the lock, or
// after T has a place as a prepared transaction. So if the reader finds the bound cleared, it finds T in the list, and
// the snapshot decides. If T takes a state above S later, that is at or above the horizon, which is at most S + 1.
// Until somebody asks for a horizon, nothing is listed, and older snapshots get no horizon above 1.
//
// lower() lowers the state and the bounds of sessions under the lock. A reader that looked at them meanwhile looks
// again, under the lock. A session writes its bound, and then makes sure that the state was not lowered meanwhile. So
// at least one of the session and lower() sees what the other wrote.
//
// A prepared transaction keeps its bound in shared memory and in a lock without effect, whose tag is the bound.
// PostgreSQL restores the locks of prepared transactions after a restart and at a promotion.
#pragma once

#include "../base/datum.hpp"
#include "shmem.hpp"

namespace kid::pg {

/// Enters the running transaction as one that takes states of clock `id`, and returns the cell of the clock. Raises an
/// error during recovery and in a parallel worker. `function` is for the message.
clock_cell &enter(clock_id id, char const *function);

/// Returns the cell of clock `id` to a caller that issues IDs. This is all that the horizon costs a generator, except
/// for the first ID of a transaction.
inline clock_cell &cell_to_issue(clock_id id, char const *function) {
  clock_cell *const cell = entered[id];
  return likely(cell != nullptr) ? *cell : enter(id, function);
}

/// Returns a state of clock `id`. Every row that the active snapshot does not see has that state or a greater one.
/// Opens the clocks after a start. `function` is for messages. `query` is the memory context of the query, which gets
/// the same result until it ends.
std::uint64_t horizon(clock_id id, char const *function, MemoryContext query);

/// Moves a clock to the end of its time unit, unless the system clock is still in that unit. Then the horizon can be
/// above all IDs of the unit. If the clock is ahead of the system clock, does so once per unit of the system clock at
/// most, so that polling does not push it further ahead. `now` is the first state of the system clock's unit.
void leave_passed_unit(clock_ref const &clock, std::uint64_t now);

/// Returns whether the running transaction can have taken `state` of clock `id`: whether the horizon waits for it.
bool is_own_state(clock_id id, std::uint64_t state);

/// The transaction of the current database that holds back the horizon of a clock.
struct horizon_holder {
  int process;       ///< 0 if the transaction is prepared, -1 if there is none
  TimestampTz since; ///< when it began; if it was prepared before the last start of the server, that start
};
horizon_holder holder_of(clock_id id);

/// Lowers the state of a clock to `to`, and with it the bounds of all sessions.
void lower(clock_ref const &clock, std::uint64_t to);

/// Reserves shared memory at server start. Called only if kid is in shared_preload_libraries.
void reserve_horizon();

} // namespace kid::pg
