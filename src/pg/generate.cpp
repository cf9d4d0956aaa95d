#include "generate.hpp"

namespace kid::pg {

step_result change_sides(sno_timeline const &line, tick_tock_timeline &cell, std::uint64_t last) {
  std::uint64_t const now = clock(sno{}, line, cell);

  SpinLockAcquire(&cell.lock);
  step_result const result = tick_tock(line, cell, cell.safe, last, now);
  SpinLockRelease(&cell.lock);
  return result;
}

void wait_for_clock(step_kind reason, unix_micros missing, instr_time start) {
  static std::uint32_t events[2] = {};
  bool const behind = reason == step_kind::behind;
  std::uint32_t &event = events[behind];
  instr_time waited;
  long timeout = Min(missing / 1000 + 1, 10);

  if (event == 0)
    event = wait_event(behind ? "KidClock" : "KidSequence");

  CHECK_FOR_INTERRUPTS();
  INSTR_TIME_SET_CURRENT(waited);
  INSTR_TIME_SUBTRACT(waited, start);
  if (max_wait >= 0) {
    auto const remaining = max_wait - static_cast<long>(INSTR_TIME_GET_MILLISEC(waited));
    if (remaining <= 0)
      ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
              behind ? errmsg("clock is behind the last ID issued")
                     : errmsg("all IDs of the current time unit are used up"),
              behind ? errdetail("It is %.3f ms short of the next ID, and the value of \"kid.max_wait\" is %d ms.",
                                 static_cast<double>(missing) / 1000, max_wait)
                     : errdetail("The next time unit begins in %.3f ms, and the value of \"kid.max_wait\" is %d ms.",
                                 static_cast<double>(missing) / 1000, max_wait),
              errhint("Try again later, or increase \"kid.max_wait\"."));
    timeout = Min(timeout, remaining);
  }

  static_cast<void>(WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, event));
  ResetLatch(MyLatch);
}

void timeline_ended_error() {
  ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("the range of IDs is used up"),
          errdetail("There is no time unit after that of the last ID issued."));
}

} // namespace kid::pg
