// Prepares a process to issue IDs: finds shared memory, and puts the settings of the process in force there. Each
// change of those settings detaches the process, so that this is done again.
#include "../base/settings.hpp"
#include "../clocks/lease.hpp"
#include "../node/identity.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

void attach(char const *function) {
  if (RecoveryInProgress())
    ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot execute %s during recovery", function),
            errhint("Call it on the primary, as this server is a standby or is being restored."));
  shared_state &state = find_or_make();
  look_for_citus();
  write_bounds_at_exit();
  // Nothing after this raises an error.
  attached = &state;
  put_in_force(state);
}

} // namespace kid::pg
