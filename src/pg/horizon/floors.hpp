// The floors of the transactions that run (horizon.hpp says what they are for): entering a clock, who has entered it,
// and lowering it.
#pragma once

#include "../node/attach.hpp"

namespace kid::pg {

/// Makes the running transaction enter clock `id`, and returns the cell of the clock. Raises an error during recovery
/// and in a parallel worker. `function` is for the message.
clock_cell &enter(clock_id id, char const *function);

/// Returns whether the running transaction can have taken `state` of clock `id`: whether the horizon waits for it.
bool is_own_state(clock_id id, std::uint64_t state);

/// Lowers the state of a clock to `to`, and with it the floors of all sessions.
void lower_state(clock_ref const &clock, std::uint64_t to);

/// Returns the least of the floors of the sessions of this database and the state after the last one issued.
std::uint64_t least_running(clock_id id);

/// A transaction, of any database, that has entered a clock.
struct entrant {
  int process; ///< 0 if the transaction is prepared, -1 if there is no such transaction
  Oid database;
  TransactionId prepared;
  TimestampTz since; ///< when it began; if it was prepared before the last start of the server, that start
};

/// Returns the transaction with the least floor of a clock. With `here`, looks only at the current database, whose
/// horizon waits for that transaction.
entrant earliest_entrant(clock_id id, bool here);

/// Raises an error in a parallel worker, whose transaction ends before that of its leader.
void reject_worker(char const *function);

} // namespace kid::pg
