// Transactions that are prepared, and the list of those that have ended (core/ended_list.hpp).
#pragma once

#include "memory.hpp"

namespace kid::pg {

/// Adds the epoch to a transaction ID that is the next one, or was assigned at most 2^31 ago.
std::uint64_t widen(TransactionId xid);

bool is_running(std::uint64_t xid);

/// Gives a place to each transaction that was prepared before this start. Runs once.
void recover_prepared();

/// Stores the floors of the running transaction for as long as it is prepared. `own` is where it has them. Raises an
/// error if there is no place or no memory for them.
void store_prepared(session_floors &own);

/// Puts the running transaction, which has committed, into the list.
void list_committed(session_floors &own);

/// Begins the list. About transactions that committed before, nothing is known but that they did.
void begin_list();

} // namespace kid::pg
