// The lock of the lease. Locks are taken in this order:
//
//   lock of the lease          guards the page, the cells but for `state`, and the safe mark; held while WAL is flushed
//     content of the buffer    of the page, in bound_page.cpp
//     SyncRepLock              to read what standbys have confirmed, in standbys_have()
//     AddinShmemInitLock       only while a clock is lowered, to find the memory of the horizon; elsewhere alone
//     lock of the horizon      only while a clock is lowered; elsewhere alone
//
//   lock of the identity       is taken alone: while a session holds it, it takes and holds no other lock
//
// The lock of the lease is never held while anything is sent to a client (base/locked.hpp), nor while synchronous
// standbys are awaited, which can take for ever. Until they have confirmed what was written, `lease_state::unconfirmed`
// is set, and sessions whose commits wait for them take the lock only to check on them or to remind them. No session
// owns the wait: any of them finds that standbys have confirmed, and goes on from the page. So a session that is
// canceled, terminated or stuck leaves nothing behind, and every session that waits can be interrupted.
#pragma once

#include "../base/locked.hpp"
#include "lease.hpp"

namespace kid::pg {

/// Returns whether a commit of this session waits for standbys.
bool replicates_synchronously();

/// Returns whether this session may rely on the page: whether a commit of this session would not wait for standbys to
/// confirm it. The caller holds the lock.
bool is_confirmed(lease_state &lease);

/// Reads the monotonic clock, which cannot be set and is the same for all sessions.
std::int64_t monotonic_micros();

/// Returns whether this session holds the lock; for assertions.
bool has_lock(lease_state &lease);

/// Takes the lock, or raises an error after `kid.max_wait`. kid_stats() shows a wait for the IDs of `clock`, unless
/// that is null.
void take_lock(lease_state &lease, clock_ref const *clock);

/// Raises an error because a process holds `clock` (hold.hpp).
[[noreturn]] void held_error(clock_ref const &clock);

/// Waits until no process holds `clock` (hold.hpp), or raises an error after `kid.max_wait`.
void await_release(clock_ref const &clock);

/// Calls `work` while this session holds the lock and the lease is open. If `work` returns false, it has written the
/// page, and standbys have yet to confirm that. Then the lock is released, and `work` is called again once they have.
template <class Work> void with_lease(clock_ref const *clock, Work work) {
  lease_state &lease = shared_memory->lease;
  bool done = false;

  do {
    done = true;
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
