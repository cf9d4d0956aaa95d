#include "identity.hpp"

#include "../base/datum.hpp"
#include "../base/locked.hpp"
#include "../base/random.hpp"
#include "../base/wait.hpp"
#include "../clocks/lease.hpp"
#include "settings.hpp"

namespace kid::pg {

namespace {

std::uint32_t hash_of_cluster(page_draw const &draw) {
  std::uint64_t const parts[] = {GetSystemIdentifier(), draw.timeline, draw.number};

  return hash_bytes(reinterpret_cast<unsigned char const *>(parts), sizeof parts);
}

bool same_lane(identity const &a, identity const &b) {
  return a.lanes == b.lanes && (a.lanes == 1 || (a.kind == b.kind && a.node == b.node));
}

void set_number(identity &who, std::uint32_t number) {
  who.known = true;
  who.node = number;
}

/// Puts the automatic number of this server in force, the hash of a page_draw. Draws that if there is none yet on this
/// timeline of WAL, and makes it durable. So a copy of a server that is promoted draws its own.
identity draw_number() {
  identity_state &state = shared_memory->identity;
  page_draw draw = {};

  with_lease(nullptr, [&](lease_state &lease) {
    page_bounds page = lease.page;
    if (page.draw.timeline != GetWALInsertionTimeLine())
      page.draw = {random_bits(64), GetWALInsertionTimeLine(), 0};
    draw = page.draw;
    return put_page(lease, page);
  });
  LWLockAcquire(&state.lock, LW_EXCLUSIVE);
  identity who = unpack(pg_atomic_read_u64(&state.word));
  if (who.kind == node_kind::automatic && !who.known) {
    set_number(who, hash_of_cluster(draw));
    pg_atomic_write_u64(&state.word, pack(who));
  }
  LWLockRelease(&state.lock);
  return who;
}

/// Returns what was drawn last, for use during recovery. Its timeline is 0 if nothing was drawn.
page_draw replayed_draw() {
  lease_state &lease = find_or_make().lease;
  page_bounds page = {};
  XLogRecPtr lsn = InvalidXLogRecPtr;

  take_lock(lease, nullptr);
  release_after(&lease.lock, [&] { static_cast<void>(read_page(page, lsn)); });
  return page.draw;
}

bool citus_contradicts(identity const &who) {
  return who.kind == node_kind::citus && has_citus() && who.node != static_cast<std::uint32_t>(local_group);
}

/// Returns the identity of this session's settings, with the number of `old` if the settings do not contain it.
identity next_identity(identity const &old) {
  identity next = configured_identity();

  if (next.kind == old.kind && is_assigned(next.kind))
    next = {old.kind, old.known, old.node, next.lanes};
  return next;
}

/// Returns whether `who` gets the number of this database's Citus. The number is 0 until Citus adds this server. `from`
/// is the database whose Citus gave the number before; another database may belong to another Citus cluster.
bool takes_group(identity const &who, Oid from) {
  return who.kind == node_kind::citus && has_citus() && (!who.known || who.node == 0 || from == MyDatabaseId);
}

/// Puts `next` in force in place of `old`. If the lane changes, voids what was issued in the old one and not used yet.
/// That takes the lock of the lease: if another session has it, this changes nothing, and returns false.
bool publish(shared_state &shared, identity const &old, identity const &next) {
  if (old.kind == node_kind::none || same_lane(old, next)) {
    if (pack(next) != pack(old))
      pg_atomic_write_u64(&shared.identity.word, pack(next));
    return true;
  }
  // With the lock, the bound is the greatest limit that a session can have read. Its holder may be in a flush that
  // hangs. Sessions that waited for it here could not be interrupted, nor could those that wait for the identity.
  if (!LWLockConditionalAcquire(&shared.lease.lock, LW_EXCLUSIVE))
    return false;
  pg_atomic_write_u64(&shared.identity.word, pack(next));
  pg_memory_barrier(); // the identity before the states; pairs with those in permits() and is_stale()
  for_each_clock(shared, [](clock_ref const &clock) {
    if (clock.rules.divided)
      leave_unit(clock.rules, clock.cell, bound_of(clock));
  });
  pg_atomic_fetch_add_u64(&shared.lease.resets, 1);
  LWLockRelease(&shared.lease.lock);
  return true;
}

/// Does what put_in_force() does, or returns false if publish() does.
bool try_to_put_in_force(shared_state &shared) {
  identity_state &state = shared.identity;
  // A parallel worker does not know when its leader read the settings.
  TimestampTz const read_at = IsParallelWorker() ? 0 : PgReloadTime;

  LWLockAcquire(&state.lock, LW_EXCLUSIVE);
  identity const old = unpack(pg_atomic_read_u64(&state.word));
  identity next = old;
  // If `configured_at` is in the future, the system clock has gone back since.
  bool const newer = read_at != 0 && !ConfigReloadPending &&
                     (read_at > state.configured_at || state.configured_at > GetCurrentTimestamp());
  bool const is_configured = old.kind == node_kind::none || newer;
  if (is_configured)
    next = next_identity(old);
  bool const takes = takes_group(next, state.citus_database);
  if (takes)
    set_number(next, static_cast<std::uint32_t>(local_group));
  bool const done = publish(shared, old, next);
  if (done && is_configured)
    state.configured_at = read_at;
  if (done && takes)
    state.citus_database = MyDatabaseId;
  LWLockRelease(&state.lock);
  return done;
}

} // namespace

void put_in_force(shared_state &shared) {
  look_for_citus();
  while (!try_to_put_in_force(shared))
    wait_briefly(1, wait_event::lease);
}

identity with_number(identity who) {
  if (who.kind == node_kind::automatic && !who.known)
    who = draw_number();
  if (!citus_contradicts(who))
    return who;
  // This process may have asked Citus before this server got its number.
  put_in_force(*shared_memory);
  who = unpack(pg_atomic_read_u64(&shared_memory->identity.word));
  who.known = who.known && !citus_contradicts(who);
  return who;
}

identity identity_to_show() {
  if (!RecoveryInProgress())
    return with_number(identity_in_force("kid_identity()"));
  identity who = configured_identity();
  look_for_citus();
  if (who.kind == node_kind::citus && has_citus())
    set_number(who, static_cast<std::uint32_t>(local_group));
  // The number is that of the primary; a promotion changes it.
  if (who.kind == node_kind::automatic)
    if (page_draw const draw = replayed_draw(); draw.timeline != 0)
      set_number(who, hash_of_cluster(draw));
  return who;
}

void no_number_error(identity const &who) {
  bool const is_drawn = who.kind != node_kind::citus;
  if (is_drawn || !has_citus())
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("node number of this server is not known"),
            is_drawn
                ? errdetail("It is drawn when the first ID that contains it is made, and the server is in recovery.")
                : errdetail("\"kid.node\" is \"citus\", and this database does not have Citus."),
            is_drawn ? errhint("Set \"kid.node\", or make an ID on the primary.")
                     : errhint("After a start of the server, make the first ID in a database that has Citus, or set "
                               "\"kid.node\" to a number."));
  ereport(
      ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("this server has two node numbers"),
      errdetail("\"kid.node\" is \"citus\", which is %d in this database and %u in another.", local_group, who.node),
      errhint("Set \"kid.node\" to a number, or restart the server if the number was changed."));
}

void unfit_number_error(identity const &who, char const *what, std::uint32_t max, char const *hint) {
  if (!who.known)
    no_number_error(who);
  ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("node number of this server does not fit %s", what),
          who.is_numbered() ? errdetail("It is %u, and the range is 0 to %u.", who.node, max)
                            : errdetail("\"kid.node\" is \"%s\", which is not a number, and the range is 0 to %u.",
                                        GetConfigOption("kid.node", false, false), max),
          errhint("%s", hint));
}

} // namespace kid::pg
