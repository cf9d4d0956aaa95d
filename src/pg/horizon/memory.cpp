#include "memory.hpp"

#include "floors.hpp"

namespace kid::pg {

namespace {

// If one of these fails, do what shmem.cpp says of its figures.
static_assert(sizeof(session_floors) == 48 && sizeof(prepared_floors) == 72 && sizeof(ended_floors) == 64);
static_assert(sizeof(horizon_memory) - offsetof(horizon_memory, committed) == 12352);

void *address = nullptr;

/// PostgreSQL has 100 kB to spare for all extensions that are not preloaded.
constexpr std::size_t most_unreserved = 65536;

static_assert(most_unreserved >= offsetof(horizon_memory, sessions) + 1100 * sizeof(session_floors) &&
                  2 * sizeof(prepared_floors) <= 3 * sizeof(session_floors),
              "docs/operate/run-and-watch.md says for how many sessions or prepared transactions there is memory");

std::size_t horizon_size() {
  return offsetof(horizon_memory, sessions) + static_cast<std::size_t>(MaxBackends) * sizeof(session_floors) +
         static_cast<std::size_t>(max_prepared_xacts) * sizeof(prepared_floors);
}

void fill() {
  auto &fresh = *static_cast<horizon_memory *>(address);

  if (fresh.tranche != 0)
    return;
  pg_atomic_init_u32(&fresh.asked, 0);
  pg_atomic_init_u64(&fresh.lowered, 0);
  for (int i = 0; i < MaxBackends; i++) {
    pg_atomic_init_u64(&fresh.sessions[i].database, 0);
    pg_atomic_init_u64(&fresh.sessions[i].since, 0);
    for (auto &floor : fresh.sessions[i].floor)
      pg_atomic_init_u64(&floor, 0);
  }
  int const tranche = new_tranche("KidHorizon");
  LWLockInitialize(&fresh.lock, tranche);
  pg_write_barrier();
  fresh.tranche = tranche;
}

constexpr shared_struct description = {"kid horizon", horizon_size, &address, fill};

} // namespace

bool find_horizon() {
  if (likely(horizon_shared != nullptr))
    return true;
  if (address == nullptr && horizon_size() > most_unreserved)
    return false;
  if (address == nullptr)
    find<description>();
  auto *const found = static_cast<horizon_memory *>(address);
  if (found == nullptr || found->tranche == 0)
    memory_error();
  name_tranche(found->tranche, "KidHorizon");
  RegisterXactCallback(end_of_transaction, nullptr);
  horizon_shared = found;
  return true;
}

void find_horizon_or_error() {
  if (!find_horizon())
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("kid must be preloaded to know the transactions of so many sessions"),
        errdetail("\"max_connections\" and other settings require %zu bytes of shared memory, and without preloading "
                  "kid takes %zu at most.",
                  horizon_size(), most_unreserved),
        errhint("Add \"kid\" to \"shared_preload_libraries\", and restart the server."));
}

void reserve_horizon() {
  reserve_at_startup<description>();
}

} // namespace kid::pg
