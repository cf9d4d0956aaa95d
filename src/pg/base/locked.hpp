// Holding a lock that any session may need next.
#pragma once

#include "postgres.hpp"

namespace kid::pg {

/// Calls `work` while this process holds `lock`, and then releases the lock. Until the release nothing is sent to the
/// client, because a client that does not read would keep the lock held. Notices go to the server log only. An error is
/// sent after the release, whereas PostgreSQL by itself sends an error before it releases locks.
template <class Work> void release_after(LWLock *lock, Work work) {
  CommandDest const client = whereToSendOutput;
  auto *const context = CurrentMemoryContext;

  whereToSendOutput = DestNone;
  PG_TRY();
  { work(); }
  PG_CATCH();
  {
    whereToSendOutput = client;
    MemoryContextSwitchTo(context);
    ErrorData *const error = CopyErrorData();
    FlushErrorState();
    // The error reset the count of held interrupts to 0, and LWLockRelease() decrements it.
    HOLD_INTERRUPTS();
    LWLockRelease(lock);
    error->output_to_client = client == DestRemote;
    ReThrowError(error);
  }
  PG_END_TRY();
  whereToSendOutput = client;
  LWLockRelease(lock);
}

} // namespace kid::pg
