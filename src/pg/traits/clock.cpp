#include "clock.hpp"

#include "../base/settings.hpp"

namespace kid::pg {

void observe(clock_ref const &clock, std::uint64_t state) {
  unix_micros const ahead = clock.rules.time(state) - to_unix(GetCurrentTimestamp());

  if (ahead > max_observe * INT64CONST(1000) && !superuser())
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is too far ahead of the system clock"),
            errdetail("It is %.3f s ahead, and the value of \"kid.max_observe\" is %d ms.",
                      static_cast<double>(ahead) / 1e6, max_observe),
            errhint("New IDs would stay ahead until the system clock catches up. If you want that, ask a superuser."));
  raise_clock(clock, state);
}

void check_may_reset() {
  if (!superuser())
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to reset the clock of IDs"));
}

} // namespace kid::pg
