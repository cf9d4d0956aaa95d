// kid_hold_clocks() and kid_lower_clocks(), the parts of kid_reset_clock() in C: they keep transactions from a clock,
// and lower it with its bound. The other parts are in SQL, in src/sql/extension/reset_clock.sql.
#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../base/settings.hpp"
#include "../base/wait.hpp"
#include "../clocks/sides.hpp"
#include "../horizon/floors.hpp"
#include "../horizon/memory.hpp"

namespace kid::pg {

namespace {

/// What this process has begun:
///
///   none ----- kid_hold_clocks() -----> holding   transactions cannot enter `clocks`. If none is ahead, a later call
///    |                                            looks again. The page was mended if it was damaged
///    '-------- kid_hold_clocks() -----> damaged   the page is damaged, and no clock has started: kid_lower_clocks()
///                                                 mends it, and they start at `until`
///
/// kid_lower_clocks(), a rollback of the subtransaction, and the end of the transaction lead back to `none`.
enum class reset_state : unsigned char { none, holding, damaged };

struct own_reset {
  reset_state state;
  SubTransactionId owner; ///< the subtransaction whose rollback ends it
  std::uint64_t clocks;
  TimestampTz until; ///< the time to which the clocks are to be lowered
  bool mended;       ///< whether kid_hold_clocks() has mended the page
};
own_reset own = {};

void release() {
  lease_state &lease = shared_memory->lease;

  if (own.clocks != 0) {
    pg_atomic_write_u64(&lease.hold, 0);
    ConditionVariableBroadcast(&lease.released);
  }
  own = {};
}

extern "C" {

static void at_end_of_transaction(XactEvent event, void *) {
  bool const at_end = event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE;

  if (at_end && own.state != reset_state::none)
    release();
}

static void at_end_of_subtransaction(SubXactEvent event, SubTransactionId ended, SubTransactionId parent, void *) {
  if (own.state == reset_state::none || own.owner != ended)
    return;
  if (event == SUBXACT_EVENT_ABORT_SUB)
    release();
  else if (event == SUBXACT_EVENT_COMMIT_SUB)
    own.owner = parent;
}

} // extern "C"

/// Makes shared memory valid. Raises an error for an ordinary user, and in a parallel worker: the end of its
/// transaction is another event, so its hold would stay until the server is restarted.
///
/// GRANT is not enough, because it is for one database. The clocks are those of the cluster: if one is lowered below
/// IDs that are in use, each database can get these IDs again, and only a superuser may look into all of them.
void check_caller() {
  if (!superuser())
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to reset the clock of IDs"));
  reject_worker("kid_reset_clock()");
  static_cast<void>(attached_memory("kid_reset_clock()"));
}

/// Takes the hold of the clocks that are ahead of `time`, as soon as no other process holds any.
void take_hold(unix_micros time) {
  bool taken = false;

  while (!taken) {
    for_each_clock(*shared_memory, await_release);
    with_lease(nullptr, [&](lease_state &lease) {
      taken = held_of(hold_clocks) == 0;
      for_each_clock(*shared_memory, [&](clock_ref const &clock) {
        if (taken && clock.rules.unit(clock.cell.load()) > clock.rules.state_at(time))
          own.clocks |= bit_of(clock.id);
      });
      if (own.clocks != 0)
        pg_atomic_write_u64(&lease.hold, static_cast<std::uint64_t>(MyProcPid) << hold_bits | own.clocks);
    });
  }
}

[[noreturn]] void in_use_error(entrant const &open) {
  char const *const name = get_database_name(open.database);
  char const *const database = name != nullptr ? name : "";

  ereport(ERROR, errcode(ERRCODE_OBJECT_IN_USE), errmsg("a transaction that has made IDs is still open"),
          open.process == 0 ? errdetail("Transaction %u is prepared in database \"%s\".", open.prepared, database)
                            : errdetail("It is that of process %d in database \"%s\".", open.process, database),
          open.process == 0 ? errhint("Find it in pg_prepared_xacts, and commit it or roll it back.")
                            : errhint("Wait until it ends, or end it with pg_terminate_backend(), and try again."));
}

/// Waits until all transactions that have entered a held clock have ended. Raises an error after half of
/// `kid.max_wait`, at most 5 s, because others wait for this session meanwhile. It waits for one clock after the other.
/// A transaction can still enter a clock that has been waited for, but only if it had entered another held clock before
/// the hold; and the wait for that clock lasts until this transaction ends.
void await_transactions() {
  std::int64_t const most = (max_wait < 0 ? 10'000 : Min(max_wait, 10'000)) * INT64CONST(500);
  std::int64_t const start = monotonic_micros();

  for_each_clock(*shared_memory, [&](clock_ref const &clock) {
    while ((own.clocks & bit_of(clock.id)) != 0) {
      entrant const open = earliest_entrant(clock.id, false);
      if (open.process < 0)
        return;
      if (open.process == MyProcPid || monotonic_micros() - start > most)
        in_use_error(open);
      // No latch is set when it ends, because transactions do not know who waits for them.
      wait_briefly(1, wait_event::reset);
    }
  });
}

/// Raises an error if the rows that this session sees differ from those that others see.
void check_transaction() {
  if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
    ereport(ERROR, errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
            errmsg("kid_reset_clock() cannot run in a transaction that has changed rows"),
            errdetail("It has to see the rows that are committed now."), errhint("Commit the transaction first."));
  if (IsolationUsesXactSnapshot())
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("clocks can only be reset at READ COMMITTED"),
            errdetail("kid_reset_clock() has to see the rows that are committed now."),
            errhint("Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, "
                    "SET default_transaction_isolation = 'read committed'."));
}

/// Returns the last microsecond of the millisecond of `time`. The order of uuid is no finer than a millisecond, but its
/// clock is. So that no ID after the end of a lowered clock counts as earlier, a clock is lowered to this instant.
TimestampTz end_of_milli(TimestampTz time) {
  return TIMESTAMP_NOT_FINITE(time) ? time : time + 999 - to_unix(time) % 1000;
}

/// Begins a reset to `above`. If the page is damaged and the clocks have started, mends it from what is in shared
/// memory.
void begin(TimestampTz above) {
  static bool registered = false;
  bool const damaged = !shared_memory->lease.open && page_seems_damaged();

  if (!registered) {
    RegisterXactCallback(at_end_of_transaction, nullptr);
    RegisterSubXactCallback(at_end_of_subtransaction, nullptr);
  }
  registered = true;
  own = {damaged ? reset_state::damaged : reset_state::holding, GetCurrentSubTransactionId(), 0, end_of_milli(above),
         false};
  if (!damaged)
    own.mended = mend_bounds(to_unix(above));
}

/// Lowers a clock, and its bound with it, to the unit of `state`, unless it is not above that unit. No issued ID above
/// it may still be in use. Returns whether the clock was lowered, and reports by how much, and from which time. When
/// real time reaches the abandoned IDs, the clock would issue them again, except for those of uuidv7, which have random
/// bits.
bool lower_clock(clock_ref const &clock, std::uint64_t state) {
  clock_rules const &rules = clock.rules;
  bool done = false;
  bool lowered = false;
  unix_micros latest = 0;
  unix_micros span = 0;

  with_lease(&clock, [&](lease_state &lease) {
    // Called again only to wait for standbys. Meanwhile other sessions may issue IDs from the lowered state on.
    if (done)
      return true;
    done = true;
    bool const leased = lease.length > 0;
    std::uint64_t last = clock.cell.load();
    // Lower it to the end of the unit on the side in use, because either side of the unit itself may have been used.
    std::uint64_t const end = rules.end_of_unit(state, last);
    std::uint64_t greatest = last_on_page(lease, clock);

    if (end < last) {
      // Lower the bound first, so that nothing is issued before the next renewal, which writes a page that is as low.
      if (leased)
        set_bound(clock, 0, 0);
      lower_state(clock, end);
      lowered = true;
      latest = rules.time(last);
      span = latest - rules.time(end);
      greatest = leased ? end : Min(end, greatest);
      pg_atomic_write_u64(&clock.cell.keep_until, 0);
      pg_atomic_fetch_add_u64(&lease.resets, 1);
      pg_atomic_write_u64(&clock.stats.counted_until, 0);
    } else if (greatest > end) {
      // Only the bound is above `end`.
      greatest = leased ? take_bound_back(clock, bound_of(clock)) : end;
    }
    lower_other_side(clock, end);
    return put_page(lease, page_with(lease.page, clock, greatest));
  });
  if (lowered)
    ereport(NOTICE, errmsg("logical clock of %s was lowered by %s", rules.name, display_span(span)),
            errdetail("It has issued IDs with times up to %s.", display(latest)),
            clock.id == clock_uuidv7
                ? 0
                : errhint("Shortly before real time reaches the abandoned IDs, move the clock past the last one with "
                          "%s(). Otherwise it issues them again.",
                          clock.id == clock_kid53 ? "kid53_observe" : "kid_observe"));
  return lowered;
}

/// Raises an error if rows forbid to lower the clocks: `later` IDs, or columns `unseen`. Both are lists, or null.
void check_rows(char const *later, char const *unseen) {
  if (later != nullptr)
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("rows have IDs after %s", timestamptz_to_str(own.until)), errdetail("%s", later),
            own.state == reset_state::damaged
                ? errhint("Call kid_reset_clock() with a later time. Otherwise these IDs would be issued again.")
                : errhint("Give these rows new keys, or delete them, and try again. Otherwise these IDs would be "
                          "issued again."));
  if (unseen != nullptr)
    ereport(ERROR, errcode(ERRCODE_OBJECT_IN_USE), errmsg("columns of IDs cannot be examined now"),
            errdetail("%s", unseen), errhint("Try again when this is over."));
}

/// Reports what was not looked at, where rows were: columns `unknown`, a list, or null.
void report_unseen(char const *unknown) {
  ereport(NOTICE,
          errmsg("IDs in other databases, in arrays, composites and ranges, in columns of type bigint or uuid whose "
                 "default makes no IDs, and IDs that clients keep, were not looked at"),
          unknown != nullptr ? errdetail("The IDs of these columns were not looked at either:\n%s", unknown) : 0);
}

void report_nothing_lowered(TimestampTz above) {
  ereport(NOTICE, errmsg("no logical clock was lowered"), errdetail("None is ahead of %s.", timestamptz_to_str(above)),
          errhint("kid_reset_clock() never raises a clock. To raise one, see kid_observe()."));
}

/// Mends the page if it is damaged, or with `force`. Returns whether that was done now or by begin().
bool mend(TimestampTz time, bool force) {
  bool const damaged = own.state == reset_state::damaged;
  bool const mended = force || damaged ? mend_bounds(to_unix(time)) : own.mended;

  if (damaged)
    with_lease(nullptr, [](lease_state &) {}); // says what is wrong with the page, if it still is
  return mended;
}

/// Lowers the clocks that this transaction holds, or with `force` all, to `time`. Returns whether one was ahead of it.
bool lower(TimestampTz time, bool force) {
  bool lowered = false;

  for_each_clock(*shared_memory, [&](clock_ref const &clock) {
    if (force || (own.clocks & bit_of(clock.id)) != 0)
      lowered |= lower_clock(clock, clock.rules.state_at(to_unix(time)));
  });
  return lowered;
}

/// Returns an argument, or null.
char const *text_argument(FunctionCallInfo fcinfo, int i) {
  return PG_ARGISNULL(i) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(i));
}

} // namespace

/// Holds the clocks that are ahead of `above`, and of the system clock. Returns a row for each: its name, and the time
/// to which it can be lowered. If the page of the bounds is damaged, and no clock has started, returns all clocks,
/// which are to start at `above`.
KID_DEFINE(kid_hold_clocks) {
  TimestampTz const above = PG_GETARG_TIMESTAMPTZ(0);

  check_caller();
  check_transaction();
  ReturnSetInfo const &result = begin_rows(fcinfo, 2);
  if (own.state == reset_state::none)
    begin(above);
  if (own.state == reset_state::holding && own.clocks == 0) {
    find_horizon_or_error();
    own.owner = GetCurrentSubTransactionId(); // an earlier call that held nothing may have been outside of it
    take_hold(to_unix(Max(above, GetCurrentTimestamp())));
    await_transactions();
  }
  // Rows may have been given keys of the present since the last call.
  if (own.clocks != 0)
    own.until = end_of_milli(Max(above, GetCurrentTimestamp()));
  for_each_clock(*shared_memory, [&](clock_ref const &clock) {
    Datum values[] = {CStringGetTextDatum(clock.rules.name), TimestampTzGetDatum(own.until)};
    bool nulls[] = {false, false};
    if (own.state == reset_state::damaged || (own.clocks & bit_of(clock.id)) != 0)
      tuplestore_putvalues(result.setResult, result.setDesc, values, nulls);
  });
  return 0;
}

/// Lowers the clocks that this transaction holds, or mends the page, and ends the hold. With `force`, lowers all clocks
/// that are ahead of `above`. The other arguments are lists, one item a line, or null: `later` IDs, which forbid it;
/// columns `unseen`, because they cannot be examined now; and columns `unknown`, because they can never be.
KID_DEFINE(kid_lower_clocks) {
  check_caller();
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
    PG_RETURN_NULL();
  TimestampTz const above = PG_GETARG_TIMESTAMPTZ(0);
  bool const force = PG_GETARG_BOOL(1);

  if (!force)
    check_rows(text_argument(fcinfo, 2), text_argument(fcinfo, 3));
  TimestampTz const time = force ? above : own.until;
  bool const damaged = own.state == reset_state::damaged;
  bool const mended = mend(time, force);
  bool const lowered = lower(time, force);
  if (!force && (lowered || damaged))
    report_unseen(text_argument(fcinfo, 4));
  else if (!lowered && !mended)
    report_nothing_lowered(above);
  release();
  PG_RETURN_VOID();
}

} // namespace kid::pg
