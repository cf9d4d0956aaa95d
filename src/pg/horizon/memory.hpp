// The shared memory of the horizon (horizon.hpp): the floors of sessions and of prepared transactions, and the list of
// those that have ended (core/ended_list.hpp).
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

using ended_floors = ended_transaction<clock_count>;

/// What a session has entered. Written by that session, but for lower_state(). It is not padded to a cache line: a
/// session writes it at its first ID of a transaction and at the end, not for each ID, and padded, the spare memory
/// would do for 400 sessions instead of 900.
struct session_floors {
  pg_atomic_uint64 database;           ///< an Oid; valid while it has a floor
  pg_atomic_uint64 since;              ///< a TimestampTz: when its transaction began
  pg_atomic_uint64 floor[clock_count]; ///< no state that its transaction takes is below; 0 if it takes none
};

struct prepared_floors {
  ended_floors transaction; ///< its `xid` is 0 if the place was never used
  TimestampTz since;
};

struct horizon_memory {
  int tranche; ///< 0 until the struct is filled
  LWLock lock; ///< the order of locks is in clocks/lease_lock.hpp

  // Guarded by `lock`; `recovered`, `asked` and `lowered` are read without it.
  bool recovered;           ///< whether the transactions that were prepared before the start have their places
  pg_atomic_uint32 asked;   ///< whether anybody has asked for a horizon: only then the list is kept
  pg_atomic_uint64 lowered; ///< how often a clock was lowered
  ended_list<clock_count> committed;

  /// The sessions, indexed by the number of the process. No lock guards them: each session writes its own element, and
  /// lower_state() those of all. An array of `prepared_floors` follows, with one element for each transaction that can
  /// be prepared at a time. `lock` guards it. An element is reused when its transaction has ended.
  session_floors sessions[FLEXIBLE_ARRAY_MEMBER];
};

/// Where the struct is; null until this process has looked for it.
inline horizon_memory *horizon_shared = nullptr;

/// The places of prepared transactions, `max_prepared_xacts` of them.
inline prepared_floors *prepared() {
  return reinterpret_cast<prepared_floors *>(horizon_shared->sessions + MaxBackends);
}

/// Makes `horizon_shared` valid. Returns false if there is no memory for it.
bool find_horizon();
void find_horizon_or_error();

/// Reserves shared memory at server start. Called only if kid is in shared_preload_libraries.
void reserve_horizon();

/// Adds the epoch to a transaction ID that is the next one, or was assigned at most 2^31 ago.
std::uint64_t widen(TransactionId xid);

bool is_running(std::uint64_t xid);

/// Gives a place to each transaction that was prepared before this start. Runs once.
void recover_prepared();

/// Stores the floors of the running transaction for as long as it is prepared. `own` is where it has them. Raises an
/// error if there is no place or no memory for them.
void store_prepared(session_floors &own);

/// Puts the running transaction, which has committed, into the list.
void list_committed(session_floors &own);

/// Begins the list. About transactions that committed before, nothing is known but that they did.
void begin_list();

} // namespace kid::pg
