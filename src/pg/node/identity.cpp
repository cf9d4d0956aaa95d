#include "identity.hpp"

#include "../base/datum.hpp"
#include "../base/random.hpp"
#include "../base/settings.hpp"
#include "../clocks/lease_lock.hpp"

namespace kid::pg {

namespace {

/// The table that Citus itself reads its group ID from, which has one row with one integer. Only a superuser can create
/// another table of that name in pg_catalog.
constexpr char const *local_group_name = "pg_dist_local_group";

/// That table; InvalidOid if there was none when this process last looked.
Oid local_group_table = InvalidOid;

std::uint32_t local_group_hash = 0; ///< of its name, in the catalog cache of names

// Both callbacks detach this process, so that the next ID looks for the number again.

extern "C" {

/// Called when the table is created, dropped, renamed or moved to another schema. PostgreSQL names the table by its
/// hash, so that other tables do not detach this process. A hash of 0 means any table: messages were lost.
static void forget_table(Datum, catalog_cache, uint32 hash) {
  if (hash == local_group_hash || hash == 0)
    detach();
}

/// Called when the number changes: when a promoted standby gets its own number, or a server its first one. Citus then
/// invalidates the table.
static void forget_group(Datum, Oid table) {
  if (OidIsValid(local_group_table) && (table == local_group_table || table == InvalidOid))
    detach();
}

} // extern "C"

/// Returns whether the number is drawn, or given by Citus. It is not in the configuration then, so a reload keeps it.
bool is_assigned(node_kind kind) {
  return kind == node_kind::automatic || kind == node_kind::citus;
}

char *node_text = nullptr;
identity configured = {node_kind::automatic, false, 0, 1}; ///< by the settings of this session
int chosen_lanes = 1;

/// Parses `text`, a `kid.node`, into `result`. Returns false unless it is a keyword, a 32-bit number, or the name of an
/// Erlang node. A name must contain "@", so that a mistyped number or "auto" is not taken for one.
bool parse_node(char const *text, identity &result) {
  automatic_or_number choice = {};

  if (parse_choice(text, node_max, choice)) {
    result.kind = choice.automatic ? node_kind::automatic : node_kind::numbered;
    result.node = choice.number;
  } else if (pg_strcasecmp(text, "citus") == 0) {
    result.kind = node_kind::citus;
    result.node = 0;
  } else {
    char const *const at = strchr(text, '@');
    if (at == nullptr || at == text || at[1] == '\0' || strpbrk(text, " \t\n\v\f\r") != nullptr)
      return false;
    result.kind = node_kind::named;
    result.node = node_hash(text, strlen(text));
  }
  result.known = !is_assigned(result.kind);
  return true;
}

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

/// Puts the random number of this server in force. Draws it if there is none yet on this timeline of WAL, and makes it
/// durable. So a copy of a server that is promoted draws its own.
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

/// Returns the number that was drawn last, for use during recovery. Its timeline is 0 if none was drawn.
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

extern "C" {

static bool check_node(char **text, void **, GucSource) {
  identity value = {};

  if (parse_node(*text, value))
    return true;
  GUC_check_errdetail("The value must be \"auto\", \"citus\", a number from 0 to 4294967295, decimal or hexadecimal "
                      "after 0x, or the name of an Erlang node such as uid@127.0.0.1.");
  return false;
}

static bool check_lanes(int *lanes, void **, GucSource) {
  if ((*lanes & (*lanes - 1)) == 0)
    return true;
  GUC_check_errdetail("The value must be a power of two.");
  return false;
}

// A change detaches this process, so that the next ID puts the settings in force.

static void assign_node(char const *text, void *) {
  static_cast<void>(parse_node(text, configured));
  detach();
}

static void assign_lanes(int lanes, void *) {
  configured.lanes = static_cast<std::uint32_t>(lanes);
  detach();
}

} // extern "C"

} // namespace

void look_for_citus() {
  static bool registered = false;

  local_group = no_citus;
  if (!registered) {
    local_group_hash =
        GetSysCacheHashValue2(RELNAMENSP, CStringGetDatum(local_group_name), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
    CacheRegisterSyscacheCallback(RELNAMENSP, forget_table, 0);
    CacheRegisterRelcacheCallback(forget_group, 0);
  }
  registered = true;
  local_group_table = get_relname_relid(local_group_name, PG_CATALOG_NAMESPACE);
  auto *const table = OidIsValid(local_group_table) ? try_relation_open(local_group_table, AccessShareLock) : nullptr;
  if (table == nullptr)
    return;
  auto *const row = RelationGetDescr(table);
  if (table->rd_rel->relkind == RELKIND_RELATION && row->natts > 0 && TupleDescAttr(row, 0)->atttypid == INT4OID) {
    auto *const scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    auto *const tuple = systable_getnext(scan);
    bool is_null = true;
    Datum const value = HeapTupleIsValid(tuple) ? heap_getattr(tuple, 1, row, &is_null) : 0;
    if (!is_null)
      local_group = Max(DatumGetInt32(value), no_citus);
    systable_endscan(scan);
  }
  relation_close(table, AccessShareLock);
}

void put_in_force(shared_state &shared) {
  identity_state &state = shared.identity;
  TimestampTz const read_at = IsParallelWorker() ? 0 : PgReloadTime;

  look_for_citus();
  LWLockAcquire(&state.lock, LW_EXCLUSIVE);
  identity const old = unpack(pg_atomic_read_u64(&state.word));
  identity next = old;
  // A parallel worker does not know when its leader read the settings. If `configured_at` is in the future, the system
  // clock has gone back since.
  bool const newer = !IsParallelWorker() && !ConfigReloadPending &&
                     (read_at > state.configured_at || state.configured_at > GetCurrentTimestamp());
  if (old.kind == node_kind::none || newer) {
    state.configured_at = read_at;
    next = configured;
    if (next.kind == old.kind && is_assigned(next.kind))
      next = {old.kind, old.known, old.node, next.lanes};
  }
  // The number is 0 until Citus adds this server. Another database may belong to another Citus cluster.
  if (next.kind == node_kind::citus && has_citus() &&
      (!next.known || next.node == 0 || state.citus_database == MyDatabaseId)) {
    set_number(next, static_cast<std::uint32_t>(local_group));
    state.citus_database = MyDatabaseId;
  }
  if (pack(next) != pack(old))
    pg_atomic_write_u64(&state.word, pack(next));
  if (old.kind != node_kind::none && !same_lane(old, next)) {
    // Pairs with the barrier in permits().
    pg_memory_barrier();
    for_each_clock(shared, [](clock_ref const &clock) {
      if (clock.rules.divided)
        leave_unit(clock);
    });
    pg_atomic_fetch_add_u64(&shared.lease.resets, 1);
  }
  LWLockRelease(&state.lock);
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
  identity who = configured;
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
          who.is_numbered()
              ? errdetail("It is %u, and the range is 0 to %u.", who.node, max)
              : errdetail("\"kid.node\" is \"%s\", which is not a number, and the range is 0 to %u.", node_text, max),
          errhint("%s", hint));
}

void define_identity_settings(int flags) {
  DefineCustomStringVariable(
      "kid.node", "Number of this server among those that fill the same tables.",
      "A 32-bit number, decimal or hexadecimal after 0x: the node of kid96, the partition of sno, the generator of "
      "flake, and, with \"kid.lanes\", the lane of kid64. \"auto\" is a hash that differs between servers. \"citus\" "
      "is the number that Citus gives this node. The name of an Erlang node, name@host, is hashed as Erlang does.",
      &node_text, "auto", PGC_SIGHUP, flags, check_node, assign_node, nullptr);
  DefineCustomIntVariable("kid.lanes", "Number of lanes that the sequences of kid64 and kid96 are divided into.",
                          "A power of two. With more than one lane, each server that fills the same tables makes IDs "
                          "in the lane of its \"kid.node\", which must be below this number.",
                          &chosen_lanes, 1, 1, static_cast<int>(lanes_max), PGC_SIGHUP, flags, check_lanes,
                          assign_lanes, nullptr);
}

} // namespace kid::pg
