#include "../../core/ended_list.hpp"

#include "horizon.hpp"
#include "lease.hpp"
#include "lease_lock.hpp"

namespace kid::pg {

clock_cell *entered[clock_count] = {};

extern "C" {
static void at_end_of_transaction(XactEvent event, void *);
} // extern "C"

namespace {

using ended = ended_transaction<clock_count>;

/// What a session has entered. Written by that session, but for lower_bounds().
struct session_bounds {
  pg_atomic_uint64 since;             ///< a TimestampTz: when its transaction began
  pg_atomic_uint64 from[clock_count]; ///< a state that none of its transaction's is below; 0 if it took none
};

struct prepared_bounds {
  ended one; ///< its `xid` is 0 if the place was never used
  TimestampTz since;
};

struct horizon_state {
  int tranche; ///< 0 until the struct is filled
  LWLock lock; ///< held for a moment, while no other lock but PostgreSQL's own is taken

  // Guarded by `lock`. `asked` is read without it.
  bool recovered;         ///< whether the transactions that were prepared before the start have their places
  pg_atomic_uint32 asked; ///< whether anybody has asked for a horizon: only then the list is kept
  ended_list<clock_count> committed;

  /// The sessions, by the number of the process. After them follows an array of `prepared_bounds`, one for each
  /// transaction that can be prepared at a time; a place is reused when its transaction has ended.
  session_bounds sessions[FLEXIBLE_ARRAY_MEMBER];
};

// As in shmem.cpp: if one of these fails, increase `struct_version`, and correct the figures.
static_assert(sizeof(session_bounds) == 40 && sizeof(prepared_bounds) == 72 && sizeof(ended) == 64);
static_assert(sizeof(horizon_state) - offsetof(horizon_state, committed) == 12352);

horizon_state *state = nullptr;
void *place = nullptr;
session_bounds *own = nullptr; ///< where the running transaction has its bounds; null if it took no states

/// What this transaction was told, by snapshot. A snapshot of a running transaction is known by its bounds and by how
/// many transactions it does not see: between two with the same bounds, transactions can only have ended.
struct answer {
  struct key {
    TransactionId xmin;
    TransactionId xmax;
    std::uint32_t count;
    std::uint32_t clock;
  } snapshot;
  std::uint64_t horizon;
};
HTAB *answers = nullptr;
TransactionId answers_xmin = InvalidTransactionId; ///< no older answer is left

/// More processes than these need more memory than PostgreSQL has to spare for all extensions.
constexpr int most_processes_unreserved = 1100;

prepared_bounds *prepared() {
  return reinterpret_cast<prepared_bounds *>(state->sessions + MaxBackends);
}

std::size_t horizon_size() {
  return offsetof(horizon_state, sessions) + static_cast<std::size_t>(MaxBackends) * sizeof(session_bounds) +
         static_cast<std::size_t>(max_prepared_xacts) * sizeof(prepared_bounds);
}

void fill() {
  auto &fresh = *static_cast<horizon_state *>(place);

  if (fresh.tranche != 0)
    return;
  pg_atomic_init_u32(&fresh.asked, 0);
  for (int i = 0; i < MaxBackends; i++) {
    pg_atomic_init_u64(&fresh.sessions[i].since, 0);
    for (auto &from : fresh.sessions[i].from)
      pg_atomic_init_u64(&from, 0);
  }
  int const tranche = new_tranche("KidHorizon");
  LWLockInitialize(&fresh.lock, tranche);
  pg_write_barrier();
  fresh.tranche = tranche;
}

constexpr shared_struct memory = {"kid horizon", horizon_size, &place, fill};

/// Makes `state` valid. Returns false if there is no memory for it.
bool find_state() {
  if (likely(state != nullptr))
    return true;
  if (place == nullptr && MaxBackends > most_processes_unreserved)
    return false;
  if (place == nullptr)
    find<memory>();
  auto *const found = static_cast<horizon_state *>(place);
  if (found == nullptr || found->tranche == 0)
    memory_error();
  name_tranche(found->tranche, "KidHorizon");
  RegisterXactCallback(at_end_of_transaction, nullptr);
  state = found;
  return true;
}

xid_mark transaction_ids() {
  std::uint64_t const completed = latest_completed_xid();
  return {completed, next_xid()};
}

/// Adds the epoch to a transaction ID that was assigned, at most 2^31 ago.
std::uint64_t widen(TransactionId xid) {
  std::uint64_t const next = next_xid();
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

bool is_running(std::uint64_t xid) {
  // The 32 bits of a transaction ID from long ago may belong to another transaction now.
  return xid != 0 && xid + (std::uint64_t{1} << 31) > next_xid() &&
         TransactionIdIsInProgress(static_cast<TransactionId>(xid));
}

/// The lock that carries the bound of a prepared transaction. Nothing else in PostgreSQL takes locks of this kind.
constexpr std::uint16_t lock_mark = 0x6b00;

LOCKTAG tag_of(int clock, std::uint64_t from) {
  LOCKTAG tag = {};

  tag.locktag_field1 = MyDatabaseId;
  tag.locktag_field2 = static_cast<std::uint32_t>(from >> 32);
  tag.locktag_field3 = static_cast<std::uint32_t>(from);
  tag.locktag_field4 = static_cast<std::uint16_t>(lock_mark + clock);
  tag.locktag_type = LOCKTAG_USERLOCK;
  tag.locktag_lockmethodid = USER_LOCKMETHOD;
  return tag;
}

bool is_bound(LOCKTAG const &tag) {
  return tag.locktag_type == LOCKTAG_USERLOCK && tag.locktag_lockmethodid == USER_LOCKMETHOD &&
         (tag.locktag_field4 & 0xff00) == lock_mark && (tag.locktag_field4 & 0xff) < clock_count;
}

/// Returns the place of a transaction that is being prepared, or is prepared. The caller holds the lock.
prepared_bounds &place_of(std::uint64_t xid) {
  prepared_bounds *free = nullptr;

  for (int i = 0; i < max_prepared_xacts; i++) {
    prepared_bounds &there = prepared()[i];
    if (there.one.xid == xid)
      return there;
    if (free == nullptr && !is_running(there.one.xid))
      free = &there;
  }
  // No more transactions are prepared at a time than there are places.
  if (free == nullptr)
    elog(ERROR, "kid has no place for a prepared transaction");
  if (free->one.xid != 0) {
    // Older snapshots may not see this one yet.
    free->one.mark = transaction_ids();
    state->committed.add(free->one);
  }
  *free = {};
  free->one.xid = xid;
  return *free;
}

/// Gives those transactions a place that were prepared before this start, once.
void recover_prepared() {
  if (likely(state->recovered))
    return;
  // Read the locks first: the list of them is allocated, and that may fail.
  LockData const *const locks = max_prepared_xacts > 0 ? GetLockStatusData() : nullptr;
  LWLockAcquire(&state->lock, LW_EXCLUSIVE);
  release_after(&state->lock, [&] {
    for (int i = 0; locks != nullptr && !state->recovered && i < locks->nelements; i++) {
      LOCKTAG const &tag = locks->locks[i].locktag;
      // The dummy process of a prepared transaction has the transaction ID as its number, and no process ID.
      std::uint64_t const xid = is_bound(tag) && locks->locks[i].pid == 0 ? widen(local_xid(locks->locks[i])) : 0;
      if (!is_running(xid))
        continue;
      prepared_bounds &there = place_of(xid);
      there.one.from[tag.locktag_field4 & 0xff] = std::uint64_t{tag.locktag_field2} << 32 | tag.locktag_field3;
      there.one.database = tag.locktag_field1;
      there.since = PgStartTime;
    }
    state->recovered = true;
    return true;
  });
}

/// Describes the running transaction, which has an ID.
ended own_as(std::uint64_t xid) {
  ended one = {xid, transaction_ids(), {}, MyDatabaseId};

  for (int clock = 0; clock < clock_count; clock++)
    one.from[clock] = pg_atomic_read_u64(&own->from[clock]);
  return one;
}

/// Keeps the bound of the running transaction for as long as it is prepared.
void prepare() {
  std::uint64_t const xid = U64FromFullTransactionId(GetTopFullTransactionId());
  ended const one = own_as(xid);

  for (int clock = 0; clock < clock_count; clock++) {
    LOCKTAG const tag = tag_of(clock, one.from[clock]);
    if (one.from[clock] != 0)
      static_cast<void>(LockAcquire(&tag, ShareLock, false, true));
  }
  LWLockAcquire(&state->lock, LW_EXCLUSIVE);
  release_after(&state->lock, [&] {
    place_of(xid) = {one, GetCurrentTransactionStartTimestamp()};
    return true;
  });
}

/// Puts the running transaction, which has committed, into the list.
void list_own() {
  FullTransactionId const xid = GetTopFullTransactionIdIfAny();

  // The barrier is between the end of the transaction and the check whether anybody asks. It pairs with the one in
  // begin_list(): if a transaction is not put into the list, it ended before the list begins.
  pg_memory_barrier();
  if (!FullTransactionIdIsValid(xid) || pg_atomic_read_u32(&state->asked) == 0)
    return; // without an ID it has no rows
  LWLockAcquire(&state->lock, LW_EXCLUSIVE);
  state->committed.add(own_as(U64FromFullTransactionId(xid)));
  LWLockRelease(&state->lock);
}

} // namespace

extern "C" {

/// PostgreSQL calls this at the end of each transaction, when all others can see that it has ended, and before a
/// transaction is prepared. At the end it must not raise an error.
static void at_end_of_transaction(XactEvent event, void *) {
  switch (event) {
  case XACT_EVENT_PRE_PREPARE:
    if (own != nullptr)
      prepare();
    return;
  case XACT_EVENT_COMMIT:
    if (own != nullptr)
      list_own();
    break;
  case XACT_EVENT_PREPARE:
  case XACT_EVENT_ABORT:
  case XACT_EVENT_PARALLEL_COMMIT:
  case XACT_EVENT_PARALLEL_ABORT:
    break;
  default:
    return;
  }
  answers = nullptr; // the memory is that of the transaction
  if (own == nullptr)
    return;
  pg_write_barrier(); // it is in the list before it is gone from here
  for (auto &from : own->from)
    pg_atomic_write_u64(&from, 0);
  own = nullptr;
  memset(entered, 0, sizeof entered);
}

} // extern "C"

clock_cell &enter(clock_id id, char const *function) {
  // The transaction of a worker ends before that of its leader.
  if (IsParallelWorker())
    ereport(ERROR, errcode(ERRCODE_INVALID_TRANSACTION_STATE),
            errmsg("cannot execute %s during a parallel operation", function));
  clock_cell &cell = shared(function).cells[id];
  if (find_state()) {
    recover_prepared();
    own = &state->sessions[own_number()];
    pg_atomic_uint64 &from = own->from[id];
    pg_atomic_write_u64(&own->since, static_cast<std::uint64_t>(GetCurrentTransactionStartTimestamp()));
    // A transaction enters again if settings change. Then its first bound is the lower one.
    if (pg_atomic_read_u64(&from) == 0) {
      std::uint64_t last = 0;
      do {
        last = cell.load();
        pg_atomic_write_u64(&from, last + 1);
        pg_memory_barrier(); // pairs with the one in lower_bounds()
      } while (cell.load() < last);
    }
  }
  entered[id] = &cell;
  return cell;
}

void lower_bounds(clock_id id, std::uint64_t to) {
  if (!find_state())
    return;
  pg_memory_barrier(); // pairs with the one in enter()
  for (int i = 0; i < MaxBackends; i++) {
    pg_atomic_uint64 &word = state->sessions[i].from[id];
    std::uint64_t from = pg_atomic_read_u64(&word);
    while (from > to && !pg_atomic_compare_exchange_u64(&word, &from, to)) {
    }
  }
}

namespace {

/// Which transactions a snapshot sees.
class view {
public:
  explicit view(SnapshotData const &snapshot)
      : of_(snapshot), xmin_(widen(snapshot.xmin)), xmax_(widen(snapshot.xmax)), completed_(before(snapshot.xmax)) {}

  bool misses(ended const &one) const {
    if (one.xid == 0 || one.database != MyDatabaseId)
      return false;
    return one.xid >= xmax_ || (one.xid >= xmin_ && is_listed(static_cast<TransactionId>(one.xid)));
  }

  /// A snapshot of this session contains `completed` of when it was taken. If that is greater, it was taken later.
  ///
  /// A snapshot that was imported may be that of a logical slot, which shows the transactions whose commits are in WAL
  /// up to some place. A commit is in WAL before the transaction has ended for others. So what counts there is the
  /// next transaction ID: a transaction that got its ID after `mark` wrote its commit after `mark`, too.
  bool is_after(xid_mark const &mark) const {
    if (of_.takenDuringRecovery)
      return false;
    return IsolationUsesXactSnapshot() ? completed_ >= mark.next : completed_ > mark.completed;
  }

  /// If all transactions that the snapshot takes for running do still run, it sees all that have ended.
  bool sees_all(xid_mark const &mark) {
    if (of_.takenDuringRecovery || completed_ < mark.completed)
      return false;
    if (!known_)
      all_running_ = are_all_running();
    known_ = true;
    return all_running_;
  }

private:
  SnapshotData const &of_;
  std::uint64_t xmin_;
  std::uint64_t xmax_;
  std::uint64_t completed_; ///< the greatest transaction ID that had ended when the snapshot was taken
  bool known_ = false;
  bool all_running_ = false;

  /// PostgreSQL skips the first three numbers of each epoch.
  static std::uint64_t before(TransactionId xid) {
    TransactionIdRetreat(xid);
    return widen(xid);
  }

  bool is_listed(TransactionId xid) const {
    for (std::uint32_t i = 0; i < of_.xcnt; i++)
      if (of_.xip[i] == xid)
        return true;
    return false;
  }

  bool are_all_running() const {
    for (std::uint32_t i = 0; i < of_.xcnt; i++)
      if (!TransactionIdIsInProgress(of_.xip[i]))
        return false;
    return true;
  }
};

/// Begins to keep the list. About transactions that committed before, nothing is known but that they did.
void begin_list() {
  LWLockAcquire(&state->lock, LW_EXCLUSIVE);
  if (pg_atomic_read_u32(&state->asked) == 0) {
    pg_atomic_write_u32(&state->asked, 1);
    pg_memory_barrier(); // pairs with the one in list_own()
    state->committed.begin(transaction_ids());
  }
  LWLockRelease(&state->lock);
}

std::uint64_t horizon_of(SnapshotData const &snapshot, clock_id id) {
  view seen(snapshot);
  std::uint64_t bound = shared_memory->cells[id].load() + 1;

  pg_read_barrier(); // first the state, then the bounds, then the list, see above
  for (int i = 0; i < MaxBackends; i++)
    if (std::uint64_t const from = pg_atomic_read_u64(&state->sessions[i].from[id]);
        from != 0 && GetPGProcByNumber(i)->databaseId == MyDatabaseId)
      lower_to(bound, from);
  pg_read_barrier();
  LWLockAcquire(&state->lock, LW_SHARED);
  return release_after(&state->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++)
      if (seen.misses(prepared()[i].one))
        lower_to(bound, prepared()[i].one.from[id]);
    return state->committed.least_missed(seen, id, bound);
  });
}

/// Returns the table of answers, without those that are no longer needed.
HTAB *current_answers() {
  if (answers == nullptr) {
    HASHCTL how = {};
    how.keysize = sizeof(answer::key);
    how.entrysize = sizeof(answer);
    how.hcxt = TopTransactionContext;
    answers = hash_create("horizons of kid", 16, &how, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    answers_xmin = MyProc->xmin;
  }
  // No snapshot of this session is older than this one.
  if (answers_xmin != MyProc->xmin) {
    HASH_SEQ_STATUS all;
    hash_seq_init(&all, answers);
    while (auto *const old = static_cast<answer *>(hash_seq_search(&all)))
      if (TransactionIdPrecedes(old->snapshot.xmin, MyProc->xmin))
        hash_search(answers, &old->snapshot, HASH_REMOVE, nullptr);
    answers_xmin = MyProc->xmin;
  }
  return answers;
}

void find_state_or_error() {
  if (!find_state())
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("kid must be preloaded for a horizon of more than %d processes", most_processes_unreserved),
            errhint("Add \"kid\" to \"shared_preload_libraries\", and restart the server."));
}

} // namespace

std::uint64_t horizon(clock_id id, char const *function) {
  clock_cell &cell = shared(function).cells[id];
  SnapshotData const &snapshot = ActiveSnapshotSet() ? *GetActiveSnapshot() : *GetTransactionSnapshot();

  find_state_or_error();
  if (snapshot.snapshot_type != SNAPSHOT_MVCC)
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s is not available in logical decoding", function));
  answer::key const key = {snapshot.xmin, snapshot.xmax, snapshot.xcnt, static_cast<std::uint32_t>(id)};
  if (auto *const known = static_cast<answer *>(hash_search(current_answers(), &key, HASH_FIND, nullptr)))
    return known->horizon;
  if (cell.load() == 0)
    with_open_lease(nullptr, [](lease_state &) { return true; });
  recover_prepared();
  if (pg_atomic_read_u32(&state->asked) == 0)
    begin_list();
  std::uint64_t const result = horizon_of(snapshot, id);
  static_cast<answer *>(hash_search(answers, &key, HASH_ENTER, nullptr))->horizon = result;
  return result;
}

bool is_own_state(clock_id id, std::uint64_t of) {
  find_state_or_error();
  std::uint64_t const from = own == nullptr ? 0 : pg_atomic_read_u64(&own->from[id]);
  return from != 0 && from <= of;
}

horizon_holder holder_of(clock_id id) {
  horizon_holder holder = {-1, 0};
  std::uint64_t least = ~std::uint64_t{0};

  if (!find_state())
    return holder;
  for (int i = 0; i < MaxBackends; i++) {
    session_bounds &session = state->sessions[i];
    std::uint64_t const from = pg_atomic_read_u64(&session.from[id]);
    if (from == 0 || from >= least || GetPGProcByNumber(i)->databaseId != MyDatabaseId)
      continue;
    least = from;
    holder = {GetPGProcByNumber(i)->pid, static_cast<TimestampTz>(pg_atomic_read_u64(&session.since))};
  }
  LWLockAcquire(&state->lock, LW_SHARED);
  release_after(&state->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++) {
      prepared_bounds const &there = prepared()[i];
      std::uint64_t const from = there.one.from[id];
      if (from == 0 || from >= least || there.one.database != MyDatabaseId || !is_running(there.one.xid))
        continue;
      least = from;
      holder = {0, there.since};
    }
    return true;
  });
  return holder;
}

void reserve_horizon() {
  reserve_at_startup<memory>();
}

} // namespace kid::pg
