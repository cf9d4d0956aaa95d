#include "attach.hpp"

#include "../clocks/lease.hpp"
#include "identity.hpp"

namespace kid::pg {

void attach(char const *function) {
  if (RecoveryInProgress())
    ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot execute %s during recovery", function),
            errhint("Call it on the primary, as this server is a standby or is being restored."));
  shared_state &state = find_or_make();
  write_bounds_at_exit();
  put_in_force(state);
  is_attached = true;
}

} // namespace kid::pg
