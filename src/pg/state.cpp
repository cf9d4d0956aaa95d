#include "state.hpp"

#include "lease.hpp"
#include "pg.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

shared_state &find_or_make() {
  bool found = false;
  std::uint32_t rolling = 0;

  // Not from zero, so that back-filling that goes on after a restart does not begin with the same sequences again. Any
  // number serves, also that of a failure. Nothing that can raise an error may stand between finding the struct and
  // filling it.
  static_cast<void>(pg_strong_random(&rolling, sizeof rolling));

  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto &state = *static_cast<shared_state *>(ShmemInitStruct("kid", sizeof(shared_state), &found));
  if (!found) {
    // No lease yet: the first call of a generator goes to lease.cpp, which finds out where the timelines start.
    memset(&state, 0, sizeof state);
    for (auto &line : state.lines)
      for (auto *word : {&line.state, &line.bound, &line.renew_at})
        pg_atomic_init_u64(word, 0);
    for (auto &stats : state.stats)
      for (auto *word : {&stats.waits, &stats.backward_steps, &stats.ticks, &stats.renewals, &stats.held_until})
        pg_atomic_init_u64(word, 0);
    for (auto *counter : {&state.backfill.kid64, &state.backfill.kid96, &state.backfill.sno, &state.backfill.flake})
      pg_atomic_init_u32(counter, rolling);
    state.lease.tranche = LWLockNewTrancheId();
    LWLockInitialize(&state.lease.lock, state.lease.tranche);
    ConditionVariableInit(&state.lease.released);
  }
  LWLockRelease(AddinShmemInitLock);
  LWLockRegisterTranche(state.lease.tranche, "KidLease");
  return state;
}

namespace {

shmem_request_hook_type next_request_hook = nullptr;
shmem_startup_hook_type next_startup_hook = nullptr;

} // namespace

extern "C" {

/// A shutdown without an error leaves nobody who could issue another ID: the lease can end where the timelines do.
static void lease_end_hook(int code, Datum state) {
  if (code == 0)
    end_lease(*reinterpret_cast<shared_state *>(DatumGetPointer(state)));
}

static void request_hook() {
  if (next_request_hook != nullptr)
    next_request_hook();
  RequestAddinShmemSpace(sizeof(shared_state));
}

static void startup_hook() {
  if (next_startup_hook != nullptr)
    next_startup_hook();
  // In the postmaster it is called when all other processes are gone.
  on_shmem_exit(lease_end_hook, PointerGetDatum(&find_or_make()));
}

} // extern "C"

void attach(char const *function) {
  PreventCommandDuringRecovery(function);
  attached = &find_or_make();
}

void reserve_shared_memory() {
  next_request_hook = shmem_request_hook;
  shmem_request_hook = request_hook;
  next_startup_hook = shmem_startup_hook;
  shmem_startup_hook = startup_hook;
}

} // namespace kid::pg
