// Shared memory: one `shared_state` for the whole cluster.
//
// It is made by whoever comes first: the postmaster, when kid is in shared_preload_libraries, or else the first
// call of a generator, from the spare room that PostgreSQL keeps. AddinShmemInitLock is held only while
// it is looked up or made; after that nothing in it needs a lock. When a backend crashes, PostgreSQL gives every
// session of the cluster an end and shared memory a new beginning, and kid starts again with it.
#pragma once

#include "pg.hpp"

namespace kid::pg {

/// A timeline, alone in its cache line: every call of every session writes it. See core/step.hpp.
struct alignas(PG_CACHE_LINE_SIZE) timeline {
  pg_atomic_uint64 state;

  std::uint64_t load() noexcept { return pg_atomic_read_u64(&state); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return pg_atomic_compare_exchange_u64(&state, &expected, desired);
  }
};

/// See core/tick_tock.hpp.
struct tick_tock_timeline : timeline {
  slock_t lock;
  std::uint64_t safe; ///< guarded by `lock`
};

struct shared_state {
  timeline kid; ///< of kid64 and kid96
  timeline flake;
  tick_tock_timeline sno;

  /// The sequences of back-filled IDs, which roll over; shared, so that sessions that fill the same time unit differ.
  struct alignas(PG_CACHE_LINE_SIZE) {
    pg_atomic_uint32 kid64;
    pg_atomic_uint32 kid96;
    pg_atomic_uint32 sno;
    pg_atomic_uint32 flake;
  } backfill;
};

/// Null until this process may issue IDs.
extern shared_state *attached;

/// Makes `attached` valid, or raises an error: during recovery nobody may issue IDs. `function` is for its message.
void attach(char const *function);

/// Recovery never starts again in a running server, so one check for each process is enough.
inline shared_state &shared(char const *function) {
  if (unlikely(attached == nullptr))
    attach(function);
  return *attached;
}

/// Called at server start only, by way of shared_preload_libraries.
void reserve_shared_memory();

} // namespace kid::pg
