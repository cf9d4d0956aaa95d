// How a process comes to issue IDs: it finds shared memory, and what its settings ask for is put in force there. So it
// is again after each change of those settings, which leave it detached.
#include "lease.hpp"
#include "settings.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

void attach(char const *function) {
  PreventCommandDuringRecovery(function);
  shared_state &state = find_or_make();
  look_for_citus();
  attached = &state;
  put_in_force(state);
  if (state.lease.length == lease_length)
    return;
  // An error leaves it to the next call.
  PG_TRY();
  { put_lease_in_force(); }
  PG_CATCH();
  {
    attached = nullptr;
    PG_RE_THROW();
  }
  PG_END_TRY();
}

} // namespace kid::pg
