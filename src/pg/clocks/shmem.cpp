#include "shmem.hpp"

namespace kid::pg {

namespace {

/// Increased when `shared_state` or `horizon_memory` changes, because two versions of the library may meet in a running
/// server.
constexpr std::uint32_t struct_version = 1;

// If one of these fails, `shared_state` has changed, as it does with another clock. Increase `struct_version`, unless
// no release has the current one, and correct the figures. Otherwise an older library would overwrite clocks. A server
// with LOCK_DEBUG has larger locks, so what follows a lock is compared by its distance from it.
static_assert(struct_version == 1 && clock_count == 5);
static_assert(sizeof(clock_cell) == 128 && offsetof(clock_cell, keep_until) == 40 && sizeof(clock_stats) == 64);
static_assert(offsetof(identity_state, citus_database) == 16 + sizeof(LWLock));
static_assert(offsetof(lease_state, resets) == 216 + sizeof(LWLock) && sizeof(lease_state) == 232 + sizeof(LWLock));
static_assert(offsetof(shared_state, identity) == 8 && offsetof(shared_state, lease) == 128);
constexpr std::size_t cells = offsetof(shared_state, cells);
static_assert(offsetof(shared_state, backfill) == cells + 640 && offsetof(shared_state, stats) == cells + 768);
static_assert(sizeof(shared_state) == cells + 1152);

/// The same in all versions of kid, so that `struct_version` tells them apart, and not an error of PostgreSQL's.
constexpr std::size_t shared_size = 2048;
static_assert(sizeof(shared_state) <= shared_size);

void *place = nullptr;

void fill() {
  auto &state = *static_cast<shared_state *>(place);
  std::uint32_t rolling = 0;

  if (state.version != 0)
    return;
  // Back-filling that goes on after a restart does not begin with the same sequences again. If the call fails, any
  // number will do.
  static_cast<void>(pg_strong_random(&rolling, sizeof rolling));
  for (auto &next : state.backfill.next)
    pg_atomic_init_u64(&next, rolling);
  // All other words are 0. No bound is set, so the first ID calls renew_lease(), which finds out where the clocks
  // start.
  LWLockInitialize(&state.lease.lock, new_tranche("KidLease"));
  LWLockInitialize(&state.identity.lock, new_tranche("KidIdentity"));
  ConditionVariableInit(&state.lease.released);
  // Set the version last: if an error ends this function before, the next process begins again.
  pg_write_barrier();
  state.version = struct_version;
}

constexpr shared_struct memory = {"kid", [] { return shared_size; }, &place, fill};

} // namespace

void memory_error() {
  ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("shared memory of kid is not set up"),
          errhint("Start a new session."));
}

shared_state &find_or_make() {
  if (place == nullptr)
    find<memory>();
  auto *const state = static_cast<shared_state *>(place);
  if (state == nullptr || state->version == 0)
    memory_error();
  if (state->version != struct_version)
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("shared memory of kid was set up by another version of its library"),
            errdetail("It is of version %u, and this library knows version %u.", state->version, struct_version),
            errhint("Restart the server."));
  LWLockRegisterTranche(state->lease.lock.tranche, "KidLease");
  LWLockRegisterTranche(state->identity.lock.tranche, "KidIdentity");
  shared_memory = state;
  return *state;
}

void reserve_shared_memory() {
  reserve_at_startup<memory>();
}

} // namespace kid::pg
