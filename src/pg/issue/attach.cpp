// How a process comes to issue IDs: it finds shared memory, and what its settings ask for is put in force there. So it
// is again after each change of those settings, which leave it detached.
#include "../base/settings.hpp"
#include "../clocks/lease.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

void attach(char const *function) {
  PreventCommandDuringRecovery(function);
  shared_state &state = find_or_make();
  look_for_citus();
  // From here on there is no error.
  attached = &state;
  put_in_force(state);
}

} // namespace kid::pg
