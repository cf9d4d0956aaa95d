// A process attaches to shared memory before it issues IDs: it puts the identity of its settings in force
// (identity.hpp), and takes care that the bounds are written when it ends.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// Whether this process may issue IDs. Then `shared_memory` is valid. False until attach(), and again after a change of
/// `kid.node`, `kid.lanes` or the number that Citus gives this server.
inline bool is_attached = false;

/// The cells of the clocks that the running transaction has entered, and null for other clocks. issue() looks at an
/// entry, and at nothing else, to know that the process is attached and that the horizon waits for the transaction.
///
///   enter(), in horizon/floors.cpp     sets the entry of a clock, once the process is attached
///   the end of the transaction, there  clears all, unless there is no memory for floors: then find_horizon() returns
///                                      false, nobody can ask for a horizon, and entries stay until detach()
///   detach()                           clears all, so that the next ID of a clock enters it again, and so attaches
///
/// The table is here because this is the lowest folder of those that use it.
inline clock_cell *entered[clock_count] = {};

/// Makes this process attach again before its next ID.
inline void detach() {
  is_attached = false;
  memset(entered, 0, sizeof entered);
}

/// Attaches this process. Raises an error during recovery, when no IDs may be issued; `function` is for its message.
void attach(char const *function);

/// Returns shared memory to a caller that issues IDs or moves clocks. Attaches this process if need be.
inline shared_state &attached_memory(char const *function) {
  if (unlikely(!is_attached))
    attach(function);
  return *shared_memory;
}

} // namespace kid::pg
