#include "state.hpp"

#include "pg.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

namespace {

shared_state *find_or_make() {
  bool found = false;
  std::uint32_t rolling = 0;

  // Not from zero, so that back-filling that goes on after a restart does not begin with the same sequences again. Any
  // number serves, also that of a failure. Nothing that can raise an error may stand between finding the struct and
  // filling it.
  static_cast<void>(pg_strong_random(&rolling, sizeof rolling));

  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto *const state = static_cast<shared_state *>(ShmemInitStruct("kid", sizeof(shared_state), &found));
  if (!found) {
    // From zero the first ID takes the time of the clock: nothing else yet bounds the IDs issued before this start.
    for (timeline *line : {&state->kid, &state->flake, static_cast<timeline *>(&state->sno)})
      pg_atomic_init_u64(&line->state, 0);
    SpinLockInit(&state->sno.lock);
    state->sno.safe = 0;
    for (auto *counter : {&state->backfill.kid64, &state->backfill.kid96, &state->backfill.sno, &state->backfill.flake})
      pg_atomic_init_u32(counter, rolling);
  }
  LWLockRelease(AddinShmemInitLock);
  return state;
}

shmem_request_hook_type next_request_hook = nullptr;
shmem_startup_hook_type next_startup_hook = nullptr;

} // namespace

extern "C" {

static void request_hook() {
  if (next_request_hook != nullptr)
    next_request_hook();
  RequestAddinShmemSpace(sizeof(shared_state));
}

static void startup_hook() {
  if (next_startup_hook != nullptr)
    next_startup_hook();
  find_or_make();
}

} // extern "C"

void attach(char const *function) {
  PreventCommandDuringRecovery(function);
  attached = find_or_make();
}

void reserve_shared_memory() {
  next_request_hook = shmem_request_hook;
  shmem_request_hook = request_hook;
  next_startup_hook = shmem_startup_hook;
  shmem_startup_hook = startup_hook;
}

} // namespace kid::pg
