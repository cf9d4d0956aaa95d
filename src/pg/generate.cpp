#include "generate.hpp"

namespace kid::pg {

void wait_for_clock(instr_time start) {
  static std::uint32_t event = 0;
  instr_time waited;

  if (event == 0)
    event = wait_event("KidSequence");

  CHECK_FOR_INTERRUPTS();
  INSTR_TIME_SET_CURRENT(waited);
  INSTR_TIME_SUBTRACT(waited, start);
  if (max_wait >= 0 && INSTR_TIME_GET_MILLISEC(waited) >= max_wait)
    ereport(
        ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("all IDs of the current time unit are used up"),
        errdetail("The clock did not reach the next time unit within %d ms, the value of \"kid.max_wait\".", max_wait),
        errhint("Try again later, or increase \"kid.max_wait\"."));

  static_cast<void>(WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1, event));
  ResetLatch(MyLatch);
}

void timeline_ended_error() {
  ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("the range of IDs is used up"),
          errdetail("There is no time unit after that of the last ID issued."));
}

} // namespace kid::pg
