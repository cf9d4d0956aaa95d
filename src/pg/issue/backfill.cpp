#include "backfill.hpp"

#include "../clocks/shmem.hpp"

namespace kid::pg {

namespace {

/// A node of the tree of ranges. Ranges have no unit in common.
struct range_node {
  RBTNode links = {};
  used_units units = {};
};

/// What a call in a statement remembers, from row to row.
struct statement_memory {
  MemoryContext nodes;
  RBTree *ranges;
  std::uint64_t known_from; ///< every forgotten range ended before this unit
};

used_units &units_of(RBTNode *node) {
  return reinterpret_cast<range_node *>(node)->units;
}

/// Returns the range that contains `unit`, or null.
RBTNode *find(RBTree *ranges, std::uint64_t unit) {
  range_node const wanted = {{}, {unit, unit, 0}};
  return rbt_find(ranges, &wanted.links);
}

used_units &insert(RBTree *ranges, used_units const &units) {
  range_node const wanted = {{}, units};
  bool is_new = false;
  return units_of(rbt_insert(ranges, &wanted.links, &is_new));
}

} // namespace

extern "C" {

/// Ranges that have a unit in common compare as equal, so that a search for one unit finds the range around it.
static int compare_ranges(RBTNode const *a, RBTNode const *b, void *) {
  used_units const &left = reinterpret_cast<range_node const *>(a)->units;
  used_units const &right = reinterpret_cast<range_node const *>(b)->units;
  return left.to < right.from ? -1 : left.from > right.to;
}

/// Never called, because a range is inserted only if no other has a unit in common with it.
static void combine_ranges(RBTNode *, RBTNode const *, void *) {}

static RBTNode *allocate_range(void *nodes) {
  return static_cast<RBTNode *>(MemoryContextAlloc(static_cast<MemoryContext>(nodes), sizeof(range_node)));
}

static void free_range(RBTNode *node, void *) {
  pfree(node);
}

} // extern "C"

namespace {

/// Creates the memory of a statement, for its first row. It is in `fn_mcxt`, and freed with the statement.
statement_memory &begin_statement(FmgrInfo *place, used_units const &recent) {
  MemoryContext caller = MemoryContextSwitchTo(place->fn_mcxt);
  auto *const memory = static_cast<statement_memory *>(palloc0(sizeof(statement_memory)));

  memory->nodes =
      SlabContextCreate(place->fn_mcxt, "time units of back-filled IDs", SLAB_DEFAULT_BLOCK_SIZE, sizeof(range_node));
  memory->ranges =
      rbt_create(sizeof(range_node), compare_ranges, combine_ranges, allocate_range, free_range, memory->nodes);
  if (recent.from <= recent.to)
    insert(memory->ranges, recent);
  place->fn_extra = memory;
  MemoryContextSwitchTo(caller);
  return *memory;
}

/// Forgets the earliest range, so that a row at or before it becomes an error. There may be no range left: from 16 on,
/// a slab context keeps some blocks that are empty, and these alone may exceed the limit.
void forget_earliest(statement_memory &memory) {
  RBTNode *const earliest = rbt_leftmost(memory.ranges);

  if (earliest == nullptr)
    return;
  memory.known_from = units_of(earliest).to + 1;
  rbt_delete(memory.ranges, earliest);
}

[[noreturn]] void order_error(char const *function, unix_micros time) {
  ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many unordered times for %s", function),
          errdetail("It is no longer known which IDs of %s this statement has given.", display(time)),
          errhint("Read the rows in the order of time, from a sub-select with ORDER BY, or increase \"work_mem\"."));
}

} // namespace

backfilled backfill(FunctionCallInfo fcinfo, clock_id clock, char const *function, unix_micros time,
                    std::uint64_t first, std::uint64_t last, backfill_memory &session) {
  clock_rules const &rules = rules_of(clock);
  std::uint64_t const sequences = last - first + 1;
  std::uint64_t const count = pg_atomic_fetch_add_u64(&shared(function).backfill.next[clock], 1);
  auto *const known = static_cast<statement_memory *>(fcinfo->flinfo->fn_extra);
  statement_memory &statement = likely(known != nullptr) ? *known : begin_statement(fcinfo->flinfo, session.recent);

  // Sequences that were used in another lane may be in this one, too.
  if (session.first != first || session.last != last)
    session.since = count;
  session.first = first;
  session.last = last;

  std::uint64_t const asked = rules.at(time);
  RBTNode *const found = find(statement.ranges, asked);
  if (found == nullptr) {
    if (MemoryContextMemAllocated(statement.nodes, false) > get_hash_memory_limit())
      forget_earliest(statement);
    if (asked < statement.known_from)
      order_error(function, time);
  }
  used_units &units = found != nullptr ? units_of(found) : insert(statement.ranges, {asked, asked, count});
  while (units.since < session.since || count - units.since >= sequences) {
    CHECK_FOR_INTERRUPTS();
    std::uint64_t const next = rules.next_unit(units.to);
    // There is no unit after the last one that the clock can represent.
    if (next == units.to)
      return {PG_INT64_MAX, 0};
    // Deleting the neighbor leaves `units` where it is: rbt_delete() moves only nodes after the one to delete.
    used_units added = {next, next, count};
    if (RBTNode *const neighbor = find(statement.ranges, next); neighbor != nullptr) {
      added = units_of(neighbor);
      rbt_delete(statement.ranges, neighbor);
    }
    units.to = added.to;
    units.since = added.since;
  }
  session.recent = units;
  return {units.to == asked ? time : rules.time(units.to), first + count % sequences};
}

} // namespace kid::pg
