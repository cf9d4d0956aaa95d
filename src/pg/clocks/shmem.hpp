// Shared memory: one `shared_state` for the whole cluster. The horizon has memory of its own, see horizon/memory.hpp.
//
// The postmaster creates it, if kid is in shared_preload_libraries. Otherwise the first session that needs it does, in
// PostgreSQL's spare shared memory. If a backend crashes, PostgreSQL ends all sessions and creates shared memory anew,
// and kid starts again with it.
#pragma once

#include "../base/shared_struct.hpp"
#include "all_clocks.hpp"
#include "bound_page.hpp"

namespace kid::pg {

/// A logical clock, alone in its cache line because every call of every session writes to it. Only the holder of the
/// lease's lock writes the words other than `state`.
struct alignas(PG_CACHE_LINE_SIZE) clock_cell {
  pg_atomic_uint64 state;
  pg_atomic_uint64 bound;    ///< nothing at or above it is issued: the lease ends there
  pg_atomic_uint64 renew_at; ///< from here on the lease should be renewed; at most `bound`

  // Of use to a clock with sides only, see sides.hpp:
  pg_atomic_uint64 safe;       ///< the safe mark
  pg_atomic_uint64 keep_from;  ///< if the system clock is before this state, it changes sides
  pg_atomic_uint64 keep_until; ///< it keeps the time of states below this one

  std::uint64_t load() noexcept { return pg_atomic_read_u64(&state); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return pg::compare_exchange(state, expected, desired);
  }
};

/// The `Cell` of core/step.hpp: a clock, and where a step of it must stop. `Limit` is `renew_at`, or the bound if the
/// session may wait.
template <pg_atomic_uint64 clock_cell::*Limit> struct limited_cell {
  clock_cell &cell;

  std::uint64_t load() noexcept { return cell.load(); }
  bool compare_exchange(std::uint64_t &expected, std::uint64_t desired) noexcept {
    return cell.compare_exchange(expected, desired);
  }
  template <class Clock> permit permits(Clock const &clock, std::uint64_t next) noexcept {
    // The limit and the identity are read after the state, in this order. So a session issues nothing if it saw
    //   (1) an old limit or identity: after set_bound(), and after a change of the identity, the state is moved, unless
    //       the old limit permits nothing (core/leave_unit.hpp)
    //   (2) a new limit with an earlier state: start_clock() sets the state before the limit
    pg_read_barrier();
    std::uint64_t const limit = pg_atomic_read_u64(&(cell.*Limit));
    if (clock.is_stale())
      return {step_kind::stale, limit};
    return {next < limit ? step_kind::issued : step_kind::beyond, limit};
  }
};

/// What kid_stats() shows about a clock, and at the end two members that steer what is counted and what is moved. The
/// fast path counts nothing.
struct clock_stats {
  pg_atomic_uint64 waits;
  pg_atomic_uint64 backward_steps;
  pg_atomic_uint64 ticks;
  pg_atomic_uint64 renewals;
  pg_atomic_uint64 waiting;       ///< sessions that wait for the bound of this clock right now
  pg_atomic_uint64 waiting_since; ///< a TimestampTz: when the first of them began, if there are any
  pg_atomic_uint64 counted_until; ///< no step back is counted for states below: it was, or the clock was raised
  pg_atomic_uint64 left_at; ///< where the system clock was when leave_passed_unit() last moved a clock ahead of it
};

struct lease_state {
  LWLock lock;
  ConditionVariable released; ///< signaled after with_lease() and an early renewal, and at the end of a hold

  // Guarded by `lock`; `length` and `open` are also read without it:
  int length;                  ///< ms, the `kid.lease` in force; 0 is off
  bool open;                   ///< whether the clocks have been started from the page
  bool failed;                 ///< whether the last attempt to write the page raised an error
  page_bounds page;            ///< what is on the page, or was before a write that `failed`: see known_page()
  XLogRecPtr unconfirmed;      ///< where the WAL of the page ends; InvalidXLogRecPtr when standbys have confirmed it
  std::int64_t written_at;     ///< when the page was written, or read after a start, by monotonic_micros()
  std::int64_t write_micros;   ///< how long a write takes, until synchronous standbys have confirmed it
  std::int64_t pending_micros; ///< how long the last write had taken when it was last checked
  std::int64_t remind_at;      ///< when standbys are reminded of the page next

  pg_atomic_uint64 resets; ///< how often a clock was lowered or its lane changed: states taken before are void
  pg_atomic_uint64 hold;   ///< the clocks that a process holds, see lease_lock.hpp; set under `lock`
};

/// The identity of this server: node/identity.hpp says what it is, what it is for, and when it changes.
struct identity_state {
  pg_atomic_uint64 word; ///< packed; changed under `lock`, read without it; 0 if there is none yet
  LWLock lock;           ///< held for a moment

  // Guarded by `lock`:
  TimestampTz configured_at; ///< when the configuration behind `word` was read
  Oid citus_database;        ///< the database whose Citus gave the number
};

struct shared_state {
  /// The `struct_version` of shmem.cpp; 0 until the struct is filled. The first member in every version of kid.
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
inline shared_state *shared_memory = nullptr;

/// Raises the error for shared memory that an error in find() left missing or unfilled. Only a new session can set it
/// up.
[[noreturn]] void memory_error();

/// Returns shared memory to a caller that only reads it, also during recovery.
shared_state &find_or_make();

/// A logical clock with all that belongs to it, to be looked up once and then passed on.
struct clock_ref {
  clock_id id;
  clock_cell &cell;
  clock_rules const &rules;
  clock_stats &stats;

  clock_ref(shared_state &shared, clock_id of)
      : id(of), cell(shared.cells[of]), rules(*all_clock_rules[of]), stats(shared.stats[of]) {}
};

/// Returns the clock `id`, in a process that has found shared memory.
inline clock_ref clock_of(clock_id id) {
  return {*shared_memory, id};
}

template <class Each> void for_each_clock(shared_state &shared, Each each) {
  for (int id = 0; id < clock_count; id++)
    each(clock_ref(shared, static_cast<clock_id>(id)));
}

/// Reserves shared memory at server start. Called only if kid is in shared_preload_libraries.
void reserve_shared_memory();

} // namespace kid::pg
