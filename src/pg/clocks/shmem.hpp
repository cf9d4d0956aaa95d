// Shared memory: one `shared_state` for the whole cluster.
//
// It is made by whoever comes first: the postmaster, when kid is in shared_preload_libraries, or else the first call of
// a generator, from the spare room that PostgreSQL keeps. AddinShmemInitLock is held only while it is looked up or
// made. When a backend crashes, PostgreSQL ends every session of the cluster and makes shared memory anew, and kid
// starts again with it.
#pragma once

#include "../node/identity.hpp"
#include "bound_page.hpp"
#include "clock_rules.hpp"

namespace kid::pg {

/// A logical clock, alone in its cache line: every call of every session writes it. See core/step.hpp, and lease.hpp
/// for the other words, which only the holder of the lease's lock writes.
struct alignas(PG_CACHE_LINE_SIZE) clock_cell {
  pg_atomic_uint64 state;
  pg_atomic_uint64 bound;    ///< nothing at or above it is issued: the lease ends there
  pg_atomic_uint64 renew_at; ///< from here on the lease should be renewed; at most `bound`

  // Of a clock with sides, which holds for a while after a start: it begins at the bound, up to a lease ahead of the
  // system clock, although that did not go back.
  pg_atomic_uint64 held_from; ///< not if the system clock is before this state
  pg_atomic_uint64 held;      ///< states below this one

  std::uint64_t load() noexcept { return pg_atomic_read_u64(&state); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return pg_atomic_compare_exchange_u64(&state, &expected, desired);
  }
  std::uint64_t limit() noexcept {
    // After the state: pairs with the barriers in set_bound() and open_lease(), which lower the limit before the state.
    pg_read_barrier();
    return pg_atomic_read_u64(&renew_at);
  }
};

/// A logical clock up to the very end of its lease.
struct whole_lease {
  clock_cell &cell;

  std::uint64_t load() noexcept { return cell.load(); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return cell.compare_exchange(expected, desired);
  }
  std::uint64_t limit() noexcept {
    pg_read_barrier(); // as above
    return pg_atomic_read_u64(&cell.bound);
  }
};

/// What kid_stats() shows of a clock. Nothing on the fast path counts.
struct clock_stats {
  pg_atomic_uint64 waits;
  pg_atomic_uint64 backward_steps;
  pg_atomic_uint64 ticks;
  pg_atomic_uint64 renewals;
  pg_atomic_uint64 waiting;       ///< sessions that wait for the bound of this clock right now
  pg_atomic_uint64 waiting_since; ///< a TimestampTz: when the first of them began, if there are any
  pg_atomic_uint64 held_until;    ///< the first state after the last unit that was seen ahead of the system clock
};

struct lease_state {
  LWLock lock;
  ConditionVariable released; ///< of `lock`, for those who wait for it and can be interrupted
  int tranche;

  // Guarded by `lock`:
  int length;                ///< ms, the `kid.lease` in force; 0 is off
  bool open;                 ///< whether the clocks start where the page says
  bool failed;               ///< whether the last attempt to write the page raised an error
  page_bounds page;          ///< what is on the page
  XLogRecPtr written;        ///< where its WAL ends, until standbys have confirmed that; then InvalidXLogRecPtr
  std::int64_t write_micros; ///< how long that took, standbys included if somebody waited for them

  pg_atomic_uint64 safe;   ///< of the clock with sides, its mark in force; changed under `lock`
  pg_atomic_uint64 resets; ///< how often a clock was lowered, or its lane changed: states that a session holds from
                           ///< before are void
};

struct shared_state {
  /// Which struct this is, see shmem.cpp; 0 until it is filled. First in every version of kid.
  std::uint32_t version;
  identity_state identity;

  alignas(PG_CACHE_LINE_SIZE) lease_state lease;

  clock_cell cells[clock_count];

  /// How many IDs were back-filled, see backfill.hpp.
  struct alignas(PG_CACHE_LINE_SIZE) {
    pg_atomic_uint64 next[clock_count];
  } backfill;

  clock_stats stats[clock_count];
};

/// Where the struct is; null until this process has looked for it.
extern shared_state *shared_memory;

/// The same; null until this process may issue IDs, and whenever it has to see first what it is to make them with.
extern shared_state *attached;

/// Makes `attached` valid, or raises an error: during recovery nobody may issue IDs. `function` is for its message.
void attach(char const *function);

/// Recovery never starts again in a running server, so it need not be checked with each ID.
inline shared_state &shared(char const *function) {
  if (unlikely(attached == nullptr))
    attach(function);
  return *attached;
}

/// What IDs are made with.
inline identity identity_in_force(char const *function) {
  return unpack(pg_atomic_read_u64(&shared(function).identity.word));
}

/// The same for those whose IDs have its number, which `known` says that it has.
inline identity numbered_identity(char const *function) {
  identity const who = identity_in_force(function);
  return likely(who.known && who.kind != node_kind::citus) ? who : with_number(who);
}

/// To look at; also during recovery.
shared_state &find_or_make();

inline clock_id id_of(clock_cell const &cell) {
  return static_cast<clock_id>(&cell - shared_memory->cells);
}

inline clock_stats &stats_of(clock_cell const &cell) {
  return shared_memory->stats[id_of(cell)];
}

/// Called at server start only, by way of shared_preload_libraries.
void reserve_shared_memory();

} // namespace kid::pg
