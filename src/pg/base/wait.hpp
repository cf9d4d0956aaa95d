// What a session waits for, under the names that pg_stat_activity shows, and a wait of a moment.
#pragma once

#include "compat.hpp"

namespace kid::pg {

/// What a session can wait for: docs/operate/run-and-watch.md says what each name means.
enum class wait_event : unsigned char { sequence, clock, lease, hold, reset };

/// Returns what PostgreSQL's functions take for a wait event. PostgreSQL gives it a number when it is first used.
inline std::uint32_t number_of(wait_event event) {
  static constexpr char const *names[] = {"KidSequence", "KidClock", "KidLease", "KidHold", "KidReset"};
  static std::uint32_t numbers[lengthof(names)] = {};
  auto const index = static_cast<unsigned>(event);

  if (numbers[index] == 0)
    numbers[index] = WaitEventExtensionNew(names[index]);
  return numbers[index];
}

/// Waits for `millis` milliseconds, or until the latch of this process is set. Raises an error if the query is
/// canceled.
inline void wait_briefly(long millis, wait_event event) {
  static_cast<void>(WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, millis, number_of(event)));
  ResetLatch(MyLatch);
  CHECK_FOR_INTERRUPTS();
}

} // namespace kid::pg
