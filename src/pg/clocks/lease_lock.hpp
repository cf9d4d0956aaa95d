// The lock of the lease. Locks are taken in this order:
//
//   lock of the identity       alone, unless the lane changes: then that of the lease is taken, too, if it is free
//   lock of the lease          guards the page, the cells but for `state`, and the safe mark; held while WAL is flushed
//     content of the buffer    of the page, in bound_page.cpp
//     SyncRepLock              to read what standbys have confirmed, in standbys_have()
//     AddinShmemInitLock       only while a clock is lowered, to find the memory of the horizon; elsewhere alone
//     lock of the horizon      only while a clock is lowered; elsewhere without the lock of the lease
//       ProcArrayLock, and     in TransactionIdIsInProgress(). If a transaction has many subtransactions, that also
//       those of SLRUs         reads pages of pg_subtrans and pg_xact, from disk if need be
//
// The lock of the lease is never held while anything is sent to a client (base/locked.hpp), nor while synchronous
// standbys are awaited, which can take for ever. Until they have confirmed what was written, `lease_state::unconfirmed`
// is set, and sessions whose commits wait for them take the lock only to check on them or to remind them. No session
// owns the wait: any of them finds that standbys have confirmed, and goes on from the page. So a session that is
// canceled, terminated or stuck leaves nothing behind, and every session that waits can be interrupted.
//
// The hold: while a clock is held, transactions that want to enter it wait (horizon/horizon.hpp). Those that had
// entered it before go on until they end: they may have locks that others wait for. Then nobody has a state of the
// clock that is not in a committed row, and it can be lowered.
//
// A transaction writes its floor, and then looks for a hold; the holder writes the hold, and then looks for floors. So
// at least one of the two sees the other.
//
// One process at a time holds clocks. The hold ends with kid_lower_clocks(), or with the subtransaction that began it
// if that is rolled back, or else with the transaction.
#pragma once

#include "../base/locked.hpp"
#include "shmem.hpp"

namespace kid::pg {

/// Returns whether a commit of this session waits for standbys.
bool replicates_synchronously();

/// Returns whether this session may rely on the page: whether a commit of this session would not wait for standbys to
/// confirm it. The caller holds the lock.
bool is_confirmed(lease_state &lease);

/// Reads the monotonic clock, which cannot be set and is the same for all sessions.
std::int64_t monotonic_micros();

/// Takes the lock, or raises an error after `kid.max_wait`. kid_stats() shows a wait for the IDs of `clock`, unless
/// that is null.
void take_lock(lease_state &lease, clock_ref const *clock);

// `lease_state::hold` has a bit for each clock, and above them the ID of the process; 0 if no clock is held.
constexpr int hold_bits = 8;
static_assert(clock_count <= hold_bits);
constexpr std::uint64_t hold_clocks = (1 << hold_bits) - 1;

/// Returns which of `clocks` are held. Both are sets of bits.
inline std::uint64_t held_of(std::uint64_t clocks) {
  return pg_atomic_read_u64(&shared_memory->lease.hold) & hold_clocks & clocks;
}

constexpr std::uint64_t bit_of(clock_id id) {
  return std::uint64_t{1} << id;
}

inline bool is_held(clock_id id) {
  return held_of(bit_of(id)) != 0;
}

/// Returns the process that holds clocks, or 0.
inline int holding_process() {
  return static_cast<int>(pg_atomic_read_u64(&shared_memory->lease.hold) >> hold_bits);
}

/// Raises an error because a process holds `clock`.
[[noreturn]] void held_error(clock_ref const &clock);

/// Waits until no process holds `clock`, or raises an error after `kid.max_wait`.
void await_release(clock_ref const &clock);

} // namespace kid::pg
