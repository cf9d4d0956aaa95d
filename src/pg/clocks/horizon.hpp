// The horizon: the ID below which no row is still to come. Transactions get their IDs in order, but do not commit in
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
// The horizon belongs to the snapshot of the statement that asks. For the horizon, a transaction that committed after
// the snapshot was taken counts as still running, because the statement does not see its rows. So the floors of
// transactions that have committed are kept for a while (core/ended_list.hpp), with their transaction IDs. A snapshot
// sees a transaction if a query with that snapshot sees its rows. A query is always given the same horizon, because it
// may ask more than once, as it does for each partition of a table.
//
// Why no row is missed. T writes its floor, and then takes a state by compare-and-swap, which is a full barrier. The
// reader loads the state S, then the floors of all sessions, and then takes the lock for the list.
//
// - T took a state up to S. Then the reader finds the floor of T, or the session of T has cleared it since, and may
//   have written that of a later transaction.
// - The floor was cleared. A session does that only when all snapshots that are taken from then on see the end of T.
//   Earlier still, T was put into the list under the lock, or got a place as a prepared transaction, unless it
//   committed no row. So the reader finds T there, and the snapshot decides.
// - T takes its state after S. That state is at or above the horizon, which is at most S + 1.
//
// The list begins when somebody first asks. A snapshot that was taken before that gets the horizon 1.
//
// lower_state() lowers the state and the floors of sessions under the lock. A reader that looked at them meanwhile
// looks again, under the lock. A session writes its floor, and then makes sure that the state was not lowered
// meanwhile. So at least one of the session and lower_state() sees what the other wrote.
//
// A prepared transaction keeps its floor in shared memory and in a lock without effect, whose tag is the floor.
// PostgreSQL restores the locks of prepared transactions after a restart and at a promotion.
#pragma once

#include "../base/datum.hpp"
#include "shmem.hpp"

namespace kid::pg {

/// Enters the running transaction as one that takes states of clock `id`, and returns the cell of the clock. Raises an
/// error during recovery and in a parallel worker. `function` is for the message.
clock_cell &enter(clock_id id, char const *function);

/// Returns a state of clock `id`. Every row that the active snapshot does not see has that state or a greater one.
/// After a start, opens the clocks, and waits until synchronous standbys have the bound, as a session that makes an ID
/// does. `function` is for messages. `query` is the memory context of the query, which gets the same result until it
/// ends.
std::uint64_t horizon(clock_id id, char const *function, MemoryContext query);

/// If the system clock has left the time unit of a clock, moves the clock to the end of that unit. The horizon can then
/// be above all IDs of the unit. If the clock is ahead of the system clock, does so once in 100 ms at most, so that
/// polling hardly delays the time when the system clock catches up. `now` is the first state of the system clock's
/// unit.
void leave_passed_unit(clock_ref const &clock, std::uint64_t now);

/// Returns whether the running transaction can have taken `state` of clock `id`: whether the horizon waits for it.
bool is_own_state(clock_id id, std::uint64_t state);

/// The transaction of the current database that holds back the horizon of a clock.
struct horizon_holder {
  int process;       ///< 0 if the transaction is prepared, -1 if there is none
  TimestampTz since; ///< when it began; if it was prepared before the last start of the server, that start
};
horizon_holder holder_of(clock_id id);

/// Returns whether the transactions that have entered a clock are known. If not, there is no memory for them.
bool knows_transactions();

/// A transaction, of any database, that has entered a clock.
struct clock_user {
  int process; ///< 0 if the transaction is prepared, -1 if there is none
  Oid database;
  TransactionId prepared;
};

/// Returns one that has entered any of `clocks`, a set of bits (hold.hpp).
clock_user user_of(std::uint64_t clocks);

/// Lowers the state of a clock to `to`, and with it the floors of all sessions.
void lower_state(clock_ref const &clock, std::uint64_t to);

/// Reserves shared memory at server start. Called only if kid is in shared_preload_libraries.
void reserve_horizon();

} // namespace kid::pg
