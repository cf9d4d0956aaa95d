#include "floors.hpp"

#include "../base/locked.hpp"
#include "../clocks/lease.hpp"
#include "memory.hpp"

namespace kid::pg {

namespace {

session_floors *own_floors = nullptr; ///< where the running transaction has its floors; null if it took no states

/// Returns whether a session has a floor on any of `clocks`, a set of bits.
bool has_floor(session_floors &session, std::uint64_t clocks) {
  for (int id = 0; id < clock_count; id++)
    if ((clocks >> id & 1) != 0 && pg_atomic_read_u64(&session.floor[id]) != 0)
      return true;
  return false;
}

/// Calls `visit` with the number of each session that has a floor on clock `id`, and with that floor.
template <class Visit> void for_each_session(clock_id id, Visit visit) {
  for (int i = 0; i < MaxBackends; i++) {
    std::uint64_t const floor = pg_atomic_read_u64(&horizon_shared->sessions[i].floor[id]);
    if (floor == 0)
      continue;
    pg_read_barrier(); // pairs with the one in write_floor()
    visit(i, floor);
  }
}

Oid database_of(int session) {
  return static_cast<Oid>(pg_atomic_read_u64(&horizon_shared->sessions[session].database));
}

void write_floor(clock_cell &cell, pg_atomic_uint64 &floor) {
  std::uint64_t last = 0;

  pg_write_barrier(); // a reader that sees the floor also sees the database
  do {
    last = cell.load();                    // step: read_state
    pg_atomic_write_u64(&floor, last + 1); // step: write_floor
    pg_memory_barrier();                   // pairs with those in lower_state() and earliest_entrant()
  } while (cell.load() < last);            // step: recheck
}

/// PostgreSQL calls this at the end of each transaction, when all others can see that it has ended (step: end), and
/// before a transaction is prepared. At the end it must not raise an error.
extern "C" void end_of_transaction(XactEvent event, void *) {
  switch (event) {
  case XACT_EVENT_PRE_PREPARE:
    // Without places, PostgreSQL says that prepared transactions are disabled.
    if (own_floors != nullptr && max_prepared_xacts > 0)
      store_prepared(*own_floors);
    return;
  case XACT_EVENT_COMMIT:
    if (own_floors != nullptr)
      list_committed(*own_floors);
    break;
  case XACT_EVENT_PREPARE:
  case XACT_EVENT_ABORT:
  case XACT_EVENT_PARALLEL_COMMIT:
  case XACT_EVENT_PARALLEL_ABORT:
    break;
  default:
    return;
  }
  if (own_floors == nullptr)
    return;
  pg_write_barrier(); // it is in the list before it is gone from here
  for (auto &floor : own_floors->floor)
    pg_atomic_write_u64(&floor, 0); // step: clear_floor
  own_floors = nullptr;
  memset(entered, 0, sizeof entered);
}

/// Makes this process ready to write floors: finds the memory of the horizon, and has the end of transactions reported.
/// Returns false if there is no memory for floors.
bool prepare_process() {
  static bool registered = false;

  if (!find_horizon())
    return false;
  if (unlikely(!registered))
    RegisterXactCallback(end_of_transaction, nullptr);
  registered = true;
  return true;
}

} // namespace

void reject_worker(char const *function) {
  if (IsParallelWorker())
    ereport(ERROR, errcode(ERRCODE_INVALID_TRANSACTION_STATE),
            errmsg("cannot execute %s during a parallel operation", function));
}

clock_cell &enter(clock_id id, char const *function) {
  reject_worker(function);
  clock_cell &cell = attached_memory(function).cells[id];
  if (prepare_process()) {
    recover_prepared();
    open_clocks(cell); // before that the state may be far below the IDs of rows
    own_floors = &horizon_shared->sessions[MyProcNumber];
    pg_atomic_uint64 &floor = own_floors->floor[id];
    pg_atomic_write_u64(&own_floors->database, MyDatabaseId);
    pg_atomic_write_u64(&own_floors->since, static_cast<std::uint64_t>(GetCurrentTransactionStartTimestamp()));
    // A transaction enters again if settings change. Then its first floor is the lower one.
    if (pg_atomic_read_u64(&floor) == 0) {
      write_floor(cell, floor);
      // A transaction that the holder waits for does not wait for the holder (step: check_hold).
      while (unlikely(is_held(id)) && !has_floor(*own_floors, held_of(~bit_of(id)))) {
        pg_atomic_write_u64(&floor, 0);
        await_release(clock_of(id));
        write_floor(cell, floor);
      }
    }
  }
  entered[id] = &cell;
  return cell;
}

void lower_state(clock_ref const &clock, std::uint64_t to) {
  bool const has_floors = find_horizon();
  std::uint64_t last = clock.cell.load();

  // A session that ends meanwhile waits for the lock before it copies its floor, so the copy is as low.
  if (has_floors)
    LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE); // step: lock
  while (!clock.cell.compare_exchange(last, to)) {      // step: lower_state
  }
  if (!has_floors)
    return;
  pg_memory_barrier(); // pairs with the one in write_floor()
  for (int i = 0; i < MaxBackends; i++) {
    pg_atomic_uint64 &word = horizon_shared->sessions[i].floor[clock.id];
    std::uint64_t floor = pg_atomic_read_u64(&word);
    while (floor > to + 1 && !compare_exchange(word, floor, to + 1)) { // step: lower_floor_1, lower_floor_2
    }
  }
  pg_atomic_fetch_add_u64(&horizon_shared->lowered, 1);
  LWLockRelease(&horizon_shared->lock); // step: unlock
}

std::uint64_t least_running(clock_id id) {
  std::uint64_t least = shared_memory->cells[id].load() + 1; // step: begin_horizon

  pg_read_barrier(); // first the state, then the floors, see horizon.hpp
  // step: read_floor_1, read_floor_2
  for_each_session(id, [&](int i, std::uint64_t floor) {
    if (database_of(i) == MyDatabaseId)
      keep_least(least, floor);
  });
  return least;
}

bool is_own_state(clock_id id, std::uint64_t state) {
  find_horizon_or_error();
  std::uint64_t const floor = own_floors == nullptr ? 0 : pg_atomic_read_u64(&own_floors->floor[id]);
  return floor != 0 && floor <= state && state <= shared_memory->cells[id].load();
}

entrant earliest_entrant(clock_id id, bool here) {
  entrant earliest = {-1, InvalidOid, InvalidTransactionId, 0};
  std::uint64_t least = ~std::uint64_t{0};
  auto const look_at = [&](entrant const &candidate, std::uint64_t floor) {
    if (floor == 0 || floor >= least || (here && candidate.database != MyDatabaseId))
      return;
    least = floor;
    earliest = candidate;
  };

  if (!find_horizon())
    return earliest;
  if (!RecoveryInProgress())
    recover_prepared();
  pg_memory_barrier(); // pairs with the one in write_floor()
  // A transaction that is being prepared has a place before its session gives up the floor, so the sessions come first.
  for_each_session(id, [&](int i, std::uint64_t floor) {
    auto const since = static_cast<TimestampTz>(pg_atomic_read_u64(&horizon_shared->sessions[i].since));
    if (int const process = GetPGProcByNumber(i)->pid; process != 0) // otherwise the session has ended since
      look_at({process, database_of(i), InvalidTransactionId, since}, floor);
  });
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE); // as in horizon_of()
  release_after(&horizon_shared->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++) {
      ended_floors const &there = prepared()[i].transaction;
      if (is_running(there.xid))
        look_at({0, there.database, static_cast<TransactionId>(there.xid), prepared()[i].since}, there.floor[id]);
    }
  });
  return earliest;
}

} // namespace kid::pg
