#include "memory.hpp"

#include "../base/locked.hpp"

namespace kid::pg {

namespace {

// If one of these fails, do what shmem.cpp says of its figures.
static_assert(sizeof(session_floors) == 56 && sizeof(prepared_floors) == 80 && sizeof(ended_floors) == 72);
static_assert(sizeof(horizon_memory) - offsetof(horizon_memory, committed) == 13888);

void *address = nullptr;

/// PostgreSQL has 100 kB to spare for all extensions that are not preloaded.
constexpr std::size_t most_unreserved = 65536;

static_assert(most_unreserved >= offsetof(horizon_memory, sessions) + 900 * sizeof(session_floors) &&
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
  int const tranche = new_tranche("KidHorizon");
  LWLockInitialize(&fresh.lock, tranche);
  pg_write_barrier();
  fresh.tranche = tranche;
}

constexpr shared_struct description = {"kid horizon", horizon_size, &address, fill};

/// Returns which transaction IDs were assigned, and which had ended before. Takes no lock: each value is 64 bits wide,
/// and at least what it was at the caller's last barrier.
xid_mark transaction_ids() {
  auto const volatile &variables = *TransamVariables;
  std::uint64_t const completed = variables.latestCompletedXid.value;
  return {completed, variables.nextXid.value};
}

/// The lock that carries the floor of a prepared transaction. Nothing else in PostgreSQL takes locks of this kind.
constexpr std::uint16_t lock_mark = 0x6b00;

LOCKTAG tag_of(int clock, std::uint64_t floor) {
  LOCKTAG tag = {};

  tag.locktag_field1 = MyDatabaseId;
  tag.locktag_field2 = static_cast<std::uint32_t>(floor >> 32);
  tag.locktag_field3 = static_cast<std::uint32_t>(floor);
  tag.locktag_field4 = static_cast<std::uint16_t>(lock_mark + clock);
  tag.locktag_type = LOCKTAG_USERLOCK;
  tag.locktag_lockmethodid = USER_LOCKMETHOD;
  return tag;
}

bool is_floor(LOCKTAG const &tag) {
  return tag.locktag_type == LOCKTAG_USERLOCK && tag.locktag_lockmethodid == USER_LOCKMETHOD &&
         (tag.locktag_field4 & 0xff00) == lock_mark && (tag.locktag_field4 & 0xff) < clock_count;
}

/// Returns the place of a transaction that is being prepared, or is prepared. The caller holds the lock.
prepared_floors &place_of(std::uint64_t xid) {
  prepared_floors *free = nullptr;

  for (int i = 0; i < max_prepared_xacts; i++) {
    prepared_floors &there = prepared()[i];
    if (there.transaction.xid == xid)
      return there;
    if (free == nullptr && !is_running(there.transaction.xid))
      free = &there;
  }
  // PostgreSQL would raise the same error in a moment: there are as many places as transactions it can prepare.
  if (free == nullptr)
    ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("maximum number of prepared transactions reached"),
            errhint("Increase \"max_prepared_transactions\" (currently %d).", max_prepared_xacts));
  // Older snapshots may not see the end of the transaction that had this place, so put it into the list. If nobody has
  // asked for a horizon, the list has not begun.
  if (free->transaction.xid != 0 && pg_atomic_read_u32(&horizon_shared->asked) != 0) {
    free->transaction.mark = transaction_ids();
    horizon_shared->committed.add(free->transaction);
  }
  *free = {};
  free->transaction.xid = xid;
  return *free;
}

/// Describes the running transaction, which has an ID.
ended_floors as_ended(session_floors &own, std::uint64_t xid) {
  ended_floors ended = {xid, transaction_ids(), {}, MyDatabaseId};

  for (int clock = 0; clock < clock_count; clock++)
    ended.floor[clock] = pg_atomic_read_u64(&own.floor[clock]);
  return ended;
}

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
  LWLockRegisterTranche(found->tranche, "KidHorizon");
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

std::uint64_t widen(TransactionId xid) {
  std::uint64_t const next = transaction_ids().next;
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

bool is_running(std::uint64_t xid) {
  // The 32 bits of a transaction ID from long ago may belong to another transaction now.
  return xid != 0 && xid + (std::uint64_t{1} << 31) > transaction_ids().next &&
         TransactionIdIsInProgress(static_cast<TransactionId>(xid));
}

void recover_prepared() {
  if (likely(horizon_shared->recovered))
    return;
  // Read the locks first: the list of them is allocated, and that may fail.
  LockData const *const locks = max_prepared_xacts > 0 ? GetLockStatusData() : nullptr;
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  release_after(&horizon_shared->lock, [&] {
    for (int i = 0; locks != nullptr && !horizon_shared->recovered && i < locks->nelements; i++) {
      LOCKTAG const &tag = locks->locks[i].locktag;
      // The dummy process of a prepared transaction has the transaction ID as its number, and no process ID.
      std::uint64_t const xid = is_floor(tag) && locks->locks[i].pid == 0 ? widen(local_xid(locks->locks[i])) : 0;
      if (!is_running(xid))
        continue;
      prepared_floors &there = place_of(xid);
      there.transaction.floor[tag.locktag_field4 & 0xff] = std::uint64_t{tag.locktag_field2} << 32 | tag.locktag_field3;
      there.transaction.database = tag.locktag_field1;
      there.since = PgStartTime;
    }
    horizon_shared->recovered = true;
  });
}

void store_prepared(session_floors &own) {
  std::uint64_t const xid = U64FromFullTransactionId(GetTopFullTransactionId());
  ended_floors own_ended = {};

  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  release_after(&horizon_shared->lock, [&] {
    prepared_floors &there = place_of(xid);
    own_ended = as_ended(own, xid);
    there = {own_ended, GetCurrentTransactionStartTimestamp()}; // step: keep
  });
  for (int clock = 0; clock < clock_count; clock++) {
    LOCKTAG const tag = tag_of(clock, own_ended.floor[clock]);
    if (own_ended.floor[clock] != 0)
      static_cast<void>(LockAcquire(&tag, ShareLock, false, true));
  }
}

void list_committed(session_floors &own) {
  FullTransactionId const xid = GetTopFullTransactionIdIfAny();

  // The barrier is between the end of the transaction and the check whether anybody asks. It pairs with the one in
  // begin_list(): if a transaction is not put into the list, it ended before the list begins. (step: check_asked)
  pg_memory_barrier();
  if (!FullTransactionIdIsValid(xid) || pg_atomic_read_u32(&horizon_shared->asked) == 0)
    return; // without an ID it has no rows
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  horizon_shared->committed.add(as_ended(own, U64FromFullTransactionId(xid))); // step: add_to_list
  LWLockRelease(&horizon_shared->lock);
}

void begin_list() {
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  if (pg_atomic_read_u32(&horizon_shared->asked) == 0) {
    pg_atomic_write_u32(&horizon_shared->asked, 1);     // step: ask
    pg_memory_barrier();                                // pairs with the one in list_committed()
    horizon_shared->committed.begin(transaction_ids()); // step: begin_list
  }
  LWLockRelease(&horizon_shared->lock);
}

} // namespace kid::pg
