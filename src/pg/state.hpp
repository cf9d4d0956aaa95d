// Shared memory: one `shared_state` for the whole cluster.
//
// It is made by whoever comes first: the postmaster, when kid is in shared_preload_libraries, or else the first
// call of a generator, from the spare room that PostgreSQL keeps. AddinShmemInitLock is held only while
// it is looked up or made. When a backend crashes, PostgreSQL gives every session of the cluster an end and shared
// memory a new beginning, and kid starts again with it.
#pragma once

#include "pg.hpp"

namespace kid::pg {

/// A timeline, alone in its cache line: every call of every session writes it. See core/step.hpp, and lease.hpp for the
/// other two, which only the holder of the lease's lock writes.
struct alignas(PG_CACHE_LINE_SIZE) timeline {
  pg_atomic_uint64 state;
  pg_atomic_uint64 bound;    ///< nothing at or above it is issued: the lease ends there
  pg_atomic_uint64 renew_at; ///< from here on the lease should be renewed; at most `bound`

  std::uint64_t load() noexcept { return pg_atomic_read_u64(&state); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return pg_atomic_compare_exchange_u64(&state, &expected, desired);
  }
  std::uint64_t limit() noexcept {
    pg_read_barrier();
    return pg_atomic_read_u64(&renew_at);
  }
};

/// A timeline up to the very end of its lease.
struct whole_lease {
  timeline &line;

  std::uint64_t load() noexcept { return line.load(); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return line.compare_exchange(expected, desired);
  }
  std::uint64_t limit() noexcept {
    pg_read_barrier();
    return pg_atomic_read_u64(&line.bound);
  }
};

enum line_id { line_kid, line_flake, line_sno, line_count };

/// What kid_stats shows of a timeline. Nothing on the fast path counts.
struct timeline_stats {
  pg_atomic_uint64 waits;
  pg_atomic_uint64 backward_steps;
  pg_atomic_uint64 ticks;
  pg_atomic_uint64 renewals;
  pg_atomic_uint64 held_until; ///< the first state after the last unit that was seen ahead of the clock
};

struct lease_state {
  LWLock lock;
  ConditionVariable released; ///< of `lock`, for those who wait for it and can be interrupted
  int tranche;
  int length;                ///< ms, as it was when `open` was set; 0 is off. Guarded by `lock`, as are those below
  bool open;                 ///< whether the timelines start where the lease file says
  std::uint64_t safe;        ///< of sno, see core/tick_tock.hpp
  std::int64_t write_micros; ///< how long the last renewal took
  pg_atomic_uint64 resets;   ///< how often a timeline was lowered: states that a session holds from before are void
};

struct shared_state {
  /// Which struct this is, see state.cpp; 0 until it is filled. First in every version of kid.
  std::uint32_t layout;
  lease_state lease;

  timeline lines[line_count];

  /// The sequences of back-filled IDs, which roll over; shared, so that sessions that fill the same time unit differ.
  struct alignas(PG_CACHE_LINE_SIZE) {
    pg_atomic_uint32 kid64;
    pg_atomic_uint32 kid96;
    pg_atomic_uint32 sno;
    pg_atomic_uint32 flake;
  } backfill;

  timeline_stats stats[line_count];
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

/// To look at; also during recovery.
shared_state &find_or_make();

inline line_id id_of(timeline const &line) {
  return static_cast<line_id>(&line - attached->lines);
}

inline timeline_stats &stats_of(timeline const &line) {
  return attached->stats[id_of(line)];
}

/// Called at server start only, by way of shared_preload_libraries.
void reserve_shared_memory();

} // namespace kid::pg
