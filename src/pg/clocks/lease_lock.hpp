// The lock of the lease. Locks are taken in this order:
//
//   lock of the lease          guards the page, `bound`, `renew_at` and the safe mark; held while WAL is flushed
//     content of the buffer    of the page, in bound_page.cpp
//     SyncRepLock              to read what standbys have confirmed, in standbys_have()
//     AddinShmemInitLock       only while a clock is lowered, to find the memory of the horizon; elsewhere alone
//     lock of the horizon      only while a clock is lowered; elsewhere alone
//
//   lock of the identity       is taken alone: while a session holds it, it takes and holds no other lock
//
// The lock of the lease is never held while anything is sent to a client (base/locked.hpp), nor while synchronous
// standbys are awaited, which can take for ever. Until they have confirmed what was written, `lease_state::unconfirmed`
// is set. Meanwhile a session whose commits wait for them may hold the lock only to check on them or to remind them. It
// does not change the bounds in shared memory. No session owns the wait: any session that needs the lock checks whether
// standbys have confirmed, and goes on from the page. So a session that is canceled, terminated or stuck leaves nothing
// behind. Every session that waits can be interrupted.
#pragma once

#include "../base/locked.hpp"
#include "bounds.hpp"

namespace kid::pg {

/// Returns whether this session may rely on what the page says. It may if standbys have flushed it. With a weaker
/// synchronous_commit, less is enough: what a commit of this session would wait for. The caller holds the lock.
bool is_confirmed(lease_state &lease);

/// Reads the monotonic clock, which cannot be set and is the same for all sessions.
std::int64_t monotonic_micros();

/// Returns whether this session holds the lock; for assertions.
bool has_lock(lease_state &lease);

/// Takes the lock, or raises an error after `kid.max_wait`. A session that makes IDs passes their `clock`, and then
/// kid_stats() shows that it waits; others pass null.
void take_lock(lease_state &lease, clock_ref const *clock);

/// Raises an error because a process holds the clock of `name` (hold.hpp), such as "IDs of kid".
[[noreturn]] void held_error(char const *name);

/// Waits until no process holds `clock` (hold.hpp), or raises an error after `kid.max_wait`.
void await_release(clock_ref const &clock);

/// Calls `work` while this session holds the lock and the lease is open. If `work` returns false, it has written the
/// page, and standbys have yet to confirm that. Then the lock is released, and `work` is called again once they have.
template <class Work> void with_lease(clock_ref const *clock, Work work) {
  lease_state &lease = shared_memory->lease;
  bool done = true;

  do {
    take_lock(lease, clock);
    release_after(&lease.lock, [&] {
      open_lease(*shared_memory);
      if constexpr (std::is_void_v<decltype(work(lease))>)
        work(lease);
      else
        done = work(lease);
    });
    ConditionVariableBroadcast(&lease.released);
  } while (!done);
}

} // namespace kid::pg
