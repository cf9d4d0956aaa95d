#include "users.hpp"

#include "../clocks/hold.hpp"
#include "ended.hpp"

namespace kid::pg {

namespace {

/// Calls `visit` with each transaction that has a floor on clock `id`, and with that floor. A transaction that is being
/// prepared has a place before its session gives up the floor, so the sessions come first.
template <class Visit> void for_each_user(clock_id id, Visit visit) {
  for (int i = 0; i < MaxBackends; i++) {
    session_floors &session = horizon_shared->sessions[i];
    std::uint64_t const floor = pg_atomic_read_u64(&session.floor[id]);
    pg_read_barrier(); // pairs with the one in write_floor()
    if (floor != 0)
      visit({GetPGProcByNumber(i)->pid, static_cast<Oid>(pg_atomic_read_u64(&session.database)), InvalidTransactionId,
             static_cast<TimestampTz>(pg_atomic_read_u64(&session.since))},
            floor);
  }
  LWLockAcquire(&horizon_shared->lock, LW_SHARED);
  release_after(&horizon_shared->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++) {
      ended_floors const &there = prepared()[i].one;
      if (there.floor[id] != 0 && is_running(there.xid))
        visit({0, there.database, static_cast<TransactionId>(there.xid), prepared()[i].since}, there.floor[id]);
    }
    return true;
  });
}

constexpr clock_user nobody = {-1, InvalidOid, InvalidTransactionId, 0};

} // namespace

clock_user holder_of(clock_id id) {
  clock_user holder = nobody;
  std::uint64_t least = ~std::uint64_t{0};

  if (!find_horizon())
    return holder;
  if (!RecoveryInProgress())
    recover_prepared();
  for_each_user(id, [&](clock_user const &user, std::uint64_t floor) {
    if (user.database != MyDatabaseId || floor >= least)
      return;
    least = floor;
    holder = user;
  });
  return holder;
}

clock_user user_of(std::uint64_t clocks) {
  clock_user found = nobody;

  recover_prepared();
  pg_memory_barrier(); // pairs with the one in write_floor()
  for (int id = 0; id < clock_count; id++)
    if ((clocks & bit_of(static_cast<clock_id>(id))) != 0)
      for_each_user(static_cast<clock_id>(id), [&](clock_user const &user, std::uint64_t) {
        if (found.process < 0)
          found = user;
      });
  return found;
}

} // namespace kid::pg
