#include "state.hpp"

#include "pg.hpp"

namespace kid::pg {

shared_state *attached = nullptr;

namespace {

/// The state that no ID issued before this start has passed. Zero while the clock alone is trusted for that.
std::uint64_t starting_point() {
  return 0;
}

shared_state *find_or_make() {
  bool found = false;

  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto *const state = static_cast<shared_state *>(ShmemInitStruct("kid", sizeof(shared_state), &found));
  if (!found) {
    pg_atomic_init_u64(&state->kid.state, starting_point());
    pg_atomic_init_u32(&state->backfill.kid64, 0);
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
