#include "../../core/ended_list.hpp"

#include "hold.hpp"
#include "horizon.hpp"
#include "lease.hpp"
#include "lease_lock.hpp"

namespace kid::pg {

clock_cell *entered[clock_count] = {};

extern "C" {
static void at_end_of_transaction(XactEvent event, void *);
static void at_end_of_query(void *one);
} // extern "C"

namespace {

using ended = ended_transaction<clock_count>;

/// What a session has entered. Written by that session, but for lower_state().
struct session_floors {
  pg_atomic_uint64 database;           ///< an Oid; valid while it has a floor
  pg_atomic_uint64 since;              ///< a TimestampTz: when its transaction began
  pg_atomic_uint64 floor[clock_count]; ///< no state that its transaction takes is below; 0 if it takes none
};

struct prepared_floors {
  ended one; ///< its `xid` is 0 if the place was never used
  TimestampTz since;
};

struct horizon_memory {
  int tranche; ///< 0 until the struct is filled
  LWLock lock; ///< held for a moment, while no other lock but PostgreSQL's own is taken

  // Guarded by `lock`; `recovered`, `asked` and `lowered` are read without it. `left_at` needs no lock.
  bool recovered;           ///< whether the transactions that were prepared before the start have their places
  pg_atomic_uint32 asked;   ///< whether anybody has asked for a horizon: only then the list is kept
  pg_atomic_uint64 left_at; ///< the unit of the system clock when leave_passed_unit() last moved a clock ahead of it
  pg_atomic_uint64 lowered; ///< how often a clock was lowered
  ended_list<clock_count> committed;

  /// The sessions, by the number of the process. After them follows an array of `prepared_floors`, one for each
  /// transaction that can be prepared at a time; a place is reused when its transaction has ended.
  session_floors sessions[FLEXIBLE_ARRAY_MEMBER];
};

// If one of these fails, do what shmem.cpp says of its figures.
static_assert(sizeof(session_floors) == 48 && sizeof(prepared_floors) == 72 && sizeof(ended) == 64);
static_assert(sizeof(horizon_memory) - offsetof(horizon_memory, committed) == 12352);

horizon_memory *memory = nullptr;
void *address = nullptr;
session_floors *own = nullptr; ///< where the running transaction has its floors; null if it took no states

/// What a query was told. A query may ask again, from another place, and gets the same answer as long as it runs. If
/// all queries of a transaction have the same snapshot, the answer is for all of them.
///
/// The memory of a procedure lives through all of its transactions. So an answer that is out of date stays here until
/// its memory is freed, and is used again.
struct answer {
  MemoryContextCallback at_end; ///< called when `context` is freed, and the answer with it
  MemoryContext context;        ///< where it was allocated
  SnapshotData const *snapshot; ///< null if it is that of the transaction
  TransactionId xmin;           ///< these tell the snapshot from a later one in the same place; 0 if out of date
  TransactionId xmax;
  std::uint32_t count;
  clock_id clock;
  std::uint64_t horizon;
  answer *next;
};
answer *answers = nullptr;

/// PostgreSQL has 100 kB to spare for all extensions that are not preloaded.
constexpr std::size_t most_unreserved = 65536;

static_assert(
    most_unreserved >= offsetof(horizon_memory, sessions) + 1100 * sizeof(session_floors) &&
        2 * sizeof(prepared_floors) <= 3 * sizeof(session_floors),
    "docs/operations.md says how many sessions a horizon has memory for: 1100, or two thirds as many prepared "
    "transactions");

prepared_floors *prepared() {
  return reinterpret_cast<prepared_floors *>(memory->sessions + MaxBackends);
}

std::size_t horizon_size() {
  return offsetof(horizon_memory, sessions) + static_cast<std::size_t>(MaxBackends) * sizeof(session_floors) +
         static_cast<std::size_t>(max_prepared_xacts) * sizeof(prepared_floors);
}

void fill() {
  auto &fresh = *static_cast<horizon_memory *>(address);

  if (fresh.tranche != 0)
    return;
  pg_atomic_init_u32(&fresh.asked, 0);
  pg_atomic_init_u64(&fresh.left_at, 0);
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

/// Makes `memory` valid. Returns false if there is no memory for it.
bool find_memory() {
  if (likely(memory != nullptr))
    return true;
  if (address == nullptr && horizon_size() > most_unreserved)
    return false;
  if (address == nullptr)
    find<description>();
  auto *const found = static_cast<horizon_memory *>(address);
  if (found == nullptr || found->tranche == 0)
    memory_error();
  name_tranche(found->tranche, "KidHorizon");
  RegisterXactCallback(at_end_of_transaction, nullptr);
  memory = found;
  return true;
}

xid_mark transaction_ids() {
  std::uint64_t const completed = latest_completed_xid();
  return {completed, next_xid()};
}

/// Adds the epoch to a transaction ID that is the next one, or was assigned at most 2^31 ago.
std::uint64_t widen(TransactionId xid) {
  std::uint64_t const next = next_xid();
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

bool is_running(std::uint64_t xid) {
  // The 32 bits of a transaction ID from long ago may belong to another transaction now.
  return xid != 0 && xid + (std::uint64_t{1} << 31) > next_xid() &&
         TransactionIdIsInProgress(static_cast<TransactionId>(xid));
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
    if (there.one.xid == xid)
      return there;
    if (free == nullptr && !is_running(there.one.xid))
      free = &there;
  }
  // PostgreSQL would raise the same error in a moment: there are as many places as transactions it can prepare.
  if (free == nullptr)
    ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("maximum number of prepared transactions reached"),
            errhint("Increase \"max_prepared_transactions\" (currently %d).", max_prepared_xacts));
  // Older snapshots may not see the end of the transaction that had this place, so put it into the list. If nobody has
  // asked for a horizon, the list has not begun.
  if (free->one.xid != 0 && pg_atomic_read_u32(&memory->asked) != 0) {
    free->one.mark = transaction_ids();
    memory->committed.add(free->one);
  }
  *free = {};
  free->one.xid = xid;
  return *free;
}

/// Gives a place to each transaction that was prepared before this start. Runs once.
void recover_prepared() {
  if (likely(memory->recovered))
    return;
  // Read the locks first: the list of them is allocated, and that may fail.
  LockData const *const locks = max_prepared_xacts > 0 ? GetLockStatusData() : nullptr;
  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  release_after(&memory->lock, [&] {
    for (int i = 0; locks != nullptr && !memory->recovered && i < locks->nelements; i++) {
      LOCKTAG const &tag = locks->locks[i].locktag;
      // The dummy process of a prepared transaction has the transaction ID as its number, and no process ID.
      std::uint64_t const xid = is_floor(tag) && locks->locks[i].pid == 0 ? widen(local_xid(locks->locks[i])) : 0;
      if (!is_running(xid))
        continue;
      prepared_floors &there = place_of(xid);
      there.one.floor[tag.locktag_field4 & 0xff] = std::uint64_t{tag.locktag_field2} << 32 | tag.locktag_field3;
      there.one.database = tag.locktag_field1;
      there.since = PgStartTime;
    }
    memory->recovered = true;
    return true;
  });
}

/// Describes the running transaction, which has an ID.
ended own_as(std::uint64_t xid) {
  ended one = {xid, transaction_ids(), {}, MyDatabaseId};

  for (int clock = 0; clock < clock_count; clock++)
    one.floor[clock] = pg_atomic_read_u64(&own->floor[clock]);
  return one;
}

/// Keeps the floor of the running transaction for as long as it is prepared.
void prepare() {
  std::uint64_t const xid = U64FromFullTransactionId(GetTopFullTransactionId());
  ended one = {};

  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  release_after(&memory->lock, [&] {
    prepared_floors &there = place_of(xid);
    one = own_as(xid);
    there = {one, GetCurrentTransactionStartTimestamp()};
    return true;
  });
  for (int clock = 0; clock < clock_count; clock++) {
    LOCKTAG const tag = tag_of(clock, one.floor[clock]);
    if (one.floor[clock] != 0)
      static_cast<void>(LockAcquire(&tag, ShareLock, false, true));
  }
}

/// Puts the running transaction, which has committed, into the list.
void list_own() {
  FullTransactionId const xid = GetTopFullTransactionIdIfAny();

  // The barrier is between the end of the transaction and the check whether anybody asks. It pairs with the one in
  // begin_list(): if a transaction is not put into the list, it ended before the list begins.
  pg_memory_barrier();
  if (!FullTransactionIdIsValid(xid) || pg_atomic_read_u32(&memory->asked) == 0)
    return; // without an ID it has no rows
  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  memory->committed.add(own_as(U64FromFullTransactionId(xid)));
  LWLockRelease(&memory->lock);
}

void forget(answer const *one) {
  answer **link = &answers;

  while (*link != nullptr && *link != one)
    link = &(*link)->next;
  if (*link != nullptr)
    *link = one->next;
}

} // namespace

extern "C" {

static void at_end_of_query(void *one) {
  forget(static_cast<answer *>(one));
}

/// PostgreSQL calls this at the end of each transaction, when all others can see that it has ended, and before a
/// transaction is prepared. At the end it must not raise an error.
static void at_end_of_transaction(XactEvent event, void *) {
  switch (event) {
  case XACT_EVENT_PRE_PREPARE:
    // Without places, PostgreSQL says that prepared transactions are disabled.
    if (own != nullptr && max_prepared_xacts > 0)
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
  for (answer *one = answers; one != nullptr; one = one->next)
    one->xmin = InvalidTransactionId;
  if (own == nullptr)
    return;
  pg_write_barrier(); // it is in the list before it is gone from here
  for (auto &floor : own->floor)
    pg_atomic_write_u64(&floor, 0);
  own = nullptr;
  memset(entered, 0, sizeof entered);
}

} // extern "C"

/// Starts the clocks after a start of the server, if they are not started yet. The state of a clock does not tell: a
/// change of lanes moves a clock before it is started. A clock that has a bound is started, so usually nothing of the
/// lease is read.
static void open_clocks(clock_cell &cell) {
  if (unlikely(pg_atomic_read_u64(&cell.bound) == 0) && !shared_memory->lease.open)
    with_open_lease(nullptr, [](lease_state &) { return true; });
  pg_read_barrier(); // pairs with those in open_lease() and start_clock()
}

/// Waits until the state of a clock cannot be lower after a failover to a synchronous standby. As long as no bound is
/// in force, the state comes from the page, which such a standby may not have. A clock that makes no IDs has no bound
/// for long. So without such standbys do not wait for the lock, which is held while WAL is flushed for another clock.
static void await_standbys(clock_cell &cell) {
  if (unlikely(pg_atomic_read_u64(&cell.bound) == 0) && replicates_synchronously())
    with_open_lease(nullptr, [](lease_state &lease) { return is_confirmed(lease); });
}

static void worker_error(char const *function) {
  ereport(ERROR, errcode(ERRCODE_INVALID_TRANSACTION_STATE),
          errmsg("cannot execute %s during a parallel operation", function));
}

/// Returns whether a session has a floor on any of `clocks`, a set of bits.
static bool has_floor(session_floors &session, std::uint64_t clocks) {
  for (int id = 0; id < clock_count; id++)
    if ((clocks >> id & 1) != 0 && pg_atomic_read_u64(&session.floor[id]) != 0)
      return true;
  return false;
}

static void write_floor(clock_cell &cell, pg_atomic_uint64 &floor) {
  std::uint64_t last = 0;

  pg_write_barrier(); // a reader that sees the floor also sees the database
  do {
    last = cell.load();
    pg_atomic_write_u64(&floor, last + 1);
    pg_memory_barrier(); // pairs with those in lower_state() and user_of()
  } while (cell.load() < last);
}

clock_cell &enter(clock_id id, char const *function) {
  // The transaction of a worker ends before that of its leader.
  if (IsParallelWorker())
    worker_error(function);
  clock_cell &cell = shared(function).cells[id];
  if (find_memory()) {
    recover_prepared();
    open_clocks(cell); // before that the state may be far below the IDs of rows
    own = &memory->sessions[own_number()];
    pg_atomic_uint64 &floor = own->floor[id];
    pg_atomic_write_u64(&own->database, MyDatabaseId);
    pg_atomic_write_u64(&own->since, static_cast<std::uint64_t>(GetCurrentTransactionStartTimestamp()));
    // A transaction enters again if settings change. Then its first floor is the lower one.
    if (pg_atomic_read_u64(&floor) == 0) {
      write_floor(cell, floor);
      // A transaction that the holder waits for does not wait for the holder.
      while (unlikely(is_held(id)) && !has_floor(*own, held_of(~bit_of(id)))) {
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
  std::uint64_t last = clock.cell.load();

  if (!find_memory()) {
    while (!clock.cell.compare_exchange(last, to)) {
    }
    return;
  }
  // A session that ends meanwhile waits for the lock before it copies its floor, so the copy is as low.
  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  while (!clock.cell.compare_exchange(last, to)) {
  }
  pg_memory_barrier(); // pairs with the one in enter()
  for (int i = 0; i < MaxBackends; i++) {
    pg_atomic_uint64 &word = memory->sessions[i].floor[clock.id];
    std::uint64_t floor = pg_atomic_read_u64(&word);
    while (floor > to + 1 && !compare_exchange(word, floor, to + 1)) {
    }
  }
  pg_atomic_fetch_add_u64(&memory->lowered, 1);
  LWLockRelease(&memory->lock);
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

  /// A snapshot of this session shows the latest ID that had ended when it was taken, as xmax - 1. If that is greater
  /// than in the mark, it was taken later.
  ///
  /// Only REPEATABLE READ and SERIALIZABLE can import a snapshot. One that was imported may be that of a logical slot,
  /// which shows the transactions whose commits are in WAL up to some place. A commit is in WAL before the transaction
  /// has ended for others. So what counts there is the next transaction ID: a transaction that got its ID after `mark`
  /// wrote its commit after `mark`. If the snapshot shows a transaction that got its ID after `mark`, it shows every
  /// commit from before `mark`.
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
  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  if (pg_atomic_read_u32(&memory->asked) == 0) {
    pg_atomic_write_u32(&memory->asked, 1);
    pg_memory_barrier(); // pairs with the one in list_own()
    memory->committed.begin(transaction_ids());
  }
  LWLockRelease(&memory->lock);
}

/// Returns the floor of a session of this database, or 0.
std::uint64_t floor_here(session_floors &session, clock_id id) {
  std::uint64_t const floor = pg_atomic_read_u64(&session.floor[id]);

  if (floor == 0)
    return 0;
  pg_read_barrier();
  return pg_atomic_read_u64(&session.database) == MyDatabaseId ? floor : 0;
}

/// Returns the least of the floors of the sessions of this database and the state after the last one issued.
std::uint64_t least_running(clock_id id) {
  std::uint64_t least = shared_memory->cells[id].load() + 1;

  pg_read_barrier(); // first the state, then the floors, see horizon.hpp
  for (int i = 0; i < MaxBackends; i++)
    keep_least(least, floor_here(memory->sessions[i], id));
  return least;
}

std::uint64_t horizon_of(SnapshotData const &snapshot, clock_id id) {
  view seen(snapshot);
  std::uint64_t const lowered = pg_atomic_read_u64(&memory->lowered);
  pg_read_barrier();
  std::uint64_t least = least_running(id);

  // The lock is held for a moment, and exclusively: readers that share it could keep those who commit waiting for ever.
  LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
  return release_after(&memory->lock, [&] {
    if (unlikely(lowered != pg_atomic_read_u64(&memory->lowered)))
      least = least_running(id); // the clock was lowered meanwhile
    for (int i = 0; i < max_prepared_xacts; i++)
      if (seen.misses(prepared()[i].one))
        keep_least(least, prepared()[i].one.floor[id]);
    return memory->committed.least_missed(seen, id, least);
  });
}

/// Returns the snapshot by which a query is told from others.
SnapshotData const *key_of(SnapshotData const &snapshot) {
  return IsolationUsesXactSnapshot() ? nullptr : &snapshot;
}

/// Returns the answer that the query of a snapshot was given, or null.
answer const *answer_for(SnapshotData const &snapshot, clock_id clock) {
  for (answer *one = answers; one != nullptr; one = one->next) {
    if (one->snapshot != key_of(snapshot))
      continue;
    if (one->xmin != snapshot.xmin || one->xmax != snapshot.xmax || one->count != snapshot.xcnt)
      one->xmin = InvalidTransactionId; // this was another snapshot, which is gone
    else if (one->clock == clock)
      return one;
  }
  return nullptr;
}

/// Returns an answer in `context` that is out of date, or a new one.
answer &free_answer(MemoryContext context) {
  for (answer *one = answers; one != nullptr; one = one->next)
    if (one->context == context && one->xmin == InvalidTransactionId)
      return *one;
  auto *const one = static_cast<answer *>(MemoryContextAllocZero(context, sizeof(answer)));
  one->at_end.func = at_end_of_query;
  one->at_end.arg = one;
  one->context = context;
  one->next = answers;
  answers = one;
  MemoryContextRegisterResetCallback(context, &one->at_end);
  return *one;
}

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon, MemoryContext query) {
  answer &one = free_answer(query);

  one.snapshot = key_of(snapshot);
  one.xmin = snapshot.xmin;
  one.xmax = snapshot.xmax;
  one.count = snapshot.xcnt;
  one.clock = clock;
  one.horizon = horizon;
}

/// Returns the memory context that lives as long as the answer for a snapshot is needed; null if it is not needed
/// again.
MemoryContext lifetime_of(SnapshotData const &snapshot, MemoryContext query) {
  if (IsolationUsesXactSnapshot())
    return TopTransactionContext;
  // A query registers its snapshot twice, in CreateQueryDesc() and in ExecutorStart(). A snapshot that is not
  // registered serves a single expression, such as an assignment in PL/pgSQL. A snapshot that is registered more often
  // is shared: the query of a function runs with the snapshot of the query that calls the function. The answer must not
  // be in the memory of the portal then: that can be a cursor or a FOR loop of the function, which ends before the
  // calling query does.
  if (snapshot.regd_count == 0)
    return nullptr;
  return snapshot.regd_count <= 2 ? query : TopTransactionContext;
}

void find_memory_or_error() {
  if (!find_memory())
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("kid must be preloaded for a horizon of so many sessions"),
        errdetail("\"max_connections\" and other settings require %zu bytes of shared memory, and without preloading "
                  "kid takes %zu at most.",
                  horizon_size(), most_unreserved),
        errhint("Add \"kid\" to \"shared_preload_libraries\", and restart the server."));
}

} // namespace

std::uint64_t horizon(clock_id id, char const *function, MemoryContext query) {
  if (IsParallelWorker())
    worker_error(function);
  clock_cell &cell = shared(function).cells[id];
  SnapshotData const &snapshot = ActiveSnapshotSet() ? *GetActiveSnapshot() : *GetTransactionSnapshot();

  find_memory_or_error();
  if (snapshot.snapshot_type != SNAPSHOT_MVCC)
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s is not available in logical decoding", function));
  if (answer const *const known = answer_for(snapshot, id))
    return known->horizon;
  open_clocks(cell);
  await_standbys(cell);
  recover_prepared();
  if (pg_atomic_read_u32(&memory->asked) == 0)
    begin_list();
  std::uint64_t const result = horizon_of(snapshot, id);
  if (auto *const context = lifetime_of(snapshot, query))
    remember(snapshot, id, result, context);
  return result;
}

/// How long a clock that is ahead of the system clock stays, at least, after leave_passed_unit() has moved it.
static constexpr unix_micros between_leaves = 100'000;

void leave_passed_unit(clock_ref const &clock, std::uint64_t now) {
  std::uint64_t last = clock.cell.load();
  std::uint64_t const end = clock.rules.end_of_unit(last, last);
  std::uint64_t left_at = 0;

  find_memory_or_error();
  if (last == 0 || last == end || clock.rules.unit(last) == now)
    return;
  left_at = pg_atomic_read_u64(&memory->left_at);
  if (last > now && ((left_at <= now && clock.rules.time(now) - clock.rules.time(left_at) < between_leaves) ||
                     !compare_exchange(memory->left_at, left_at, now)))
    return;
  // If another session was first, it has issued an ID, and there will be another poll.
  static_cast<void>(clock.cell.compare_exchange(last, end));
}

bool is_own_state(clock_id id, std::uint64_t of) {
  find_memory_or_error();
  std::uint64_t const floor = own == nullptr ? 0 : pg_atomic_read_u64(&own->floor[id]);
  return floor != 0 && floor <= of && of <= shared_memory->cells[id].load();
}

horizon_holder holder_of(clock_id id) {
  horizon_holder holder = {-1, 0};
  std::uint64_t least = ~std::uint64_t{0};

  if (!find_memory())
    return holder;
  if (!RecoveryInProgress())
    recover_prepared();
  for (int i = 0; i < MaxBackends; i++) {
    session_floors &session = memory->sessions[i];
    std::uint64_t const floor = floor_here(session, id);
    if (floor == 0 || floor >= least)
      continue;
    least = floor;
    holder = {GetPGProcByNumber(i)->pid, static_cast<TimestampTz>(pg_atomic_read_u64(&session.since))};
  }
  LWLockAcquire(&memory->lock, LW_SHARED);
  release_after(&memory->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++) {
      prepared_floors const &there = prepared()[i];
      std::uint64_t const floor = there.one.floor[id];
      if (floor == 0 || floor >= least || there.one.database != MyDatabaseId || !is_running(there.one.xid))
        continue;
      least = floor;
      holder = {0, there.since};
    }
    return true;
  });
  return holder;
}

bool knows_transactions() {
  return find_memory();
}

clock_user user_of(std::uint64_t clocks) {
  clock_user user = {-1, InvalidOid, InvalidTransactionId};

  recover_prepared();
  pg_memory_barrier(); // pairs with the one in write_floor()
  // A transaction that is being prepared has a place before its session gives up the floor.
  for (int i = 0; i < MaxBackends; i++) {
    session_floors &session = memory->sessions[i];
    if (has_floor(session, clocks))
      return {GetPGProcByNumber(i)->pid, static_cast<Oid>(pg_atomic_read_u64(&session.database)), InvalidTransactionId};
  }
  LWLockAcquire(&memory->lock, LW_SHARED);
  release_after(&memory->lock, [&] {
    for (int i = 0; i < max_prepared_xacts; i++) {
      ended const &there = prepared()[i].one;
      for (int id = 0; id < clock_count && is_running(there.xid); id++)
        if ((clocks >> id & 1) != 0 && there.floor[id] != 0)
          user = {0, there.database, static_cast<TransactionId>(there.xid)};
    }
    return true;
  });
  return user;
}

void reserve_horizon() {
  reserve_at_startup<description>();
}

} // namespace kid::pg
