#include "backfill.hpp"

#include "shmem.hpp"

namespace kid::pg {

namespace {

/// A time unit of which this session gave IDs.
struct used_unit {
  std::uint64_t unit;
  std::uint64_t first; ///< the count at its first ID
  std::uint64_t next;  ///< where to go on when its sequences are used up
};

HTAB *make_table() {
  HASHCTL control = {};

  control.keysize = sizeof used_unit::unit;
  control.entrysize = sizeof(used_unit);
  control.hcxt = TopMemoryContext;
  return hash_create("time units of back-filled IDs", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/// How many units one of the two tables may have. An entry takes twice its size, with what leads to it.
long capacity() {
  std::size_t const entries = get_hash_memory_limit() / 2 / (2 * sizeof(used_unit));
  return static_cast<long>(Max(Min(entries, INT_MAX), 1024));
}

used_unit *look_up(HTAB *table, std::uint64_t unit) {
  return table == nullptr ? nullptr : static_cast<used_unit *>(hash_search(table, &unit, HASH_FIND, nullptr));
}

used_unit &remember(used_units &units, used_unit const &known) {
  bool found = false;

  if (units.recent != nullptr && hash_get_num_entries(units.recent) >= capacity()) {
    HTAB *const oldest = units.older;
    units.older = units.recent;
    units.recent = nullptr;
    units.forgotten = Max(units.forgotten, units.older_greatest);
    units.older_greatest = units.recent_greatest;
    units.recent_greatest = 0;
    hash_destroy(oldest);
  }
  if (units.recent == nullptr)
    units.recent = make_table();
  auto &entry = *static_cast<used_unit *>(hash_search(units.recent, &known.unit, HASH_ENTER, &found));
  entry = known;
  units.recent_greatest = Max(units.recent_greatest, known.unit);
  return entry;
}

/// What is known of a unit, after this call among the recent ones.
used_unit *find(used_units &units, std::uint64_t unit) {
  used_unit *const entry = look_up(units.recent, unit);

  if (entry != nullptr) {
    units.recent_greatest = Max(units.recent_greatest, unit);
    return entry;
  }
  used_unit const *const old = look_up(units.older, unit);
  return old == nullptr ? nullptr : &remember(units, *old);
}

[[noreturn]] void order_error(char const *function, unix_micros time) {
  ereport(
      ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many times in no order for %s", function),
      errdetail("Whether this statement has given the IDs of %s before is not known any more.", display(time)),
      errhint("Let the rows come in the order of time, from a sub-select with ORDER BY, or increase \"work_mem\"."));
}

} // namespace

backfilled backfill(FunctionCallInfo fcinfo, clock_id clock, char const *function, unix_micros time,
                    std::uint64_t first, std::uint64_t last, used_units &units) {
  static char const seen = 0;
  clock_rules const &rules = rules_of(clock);
  std::uint64_t const sequences = last - first + 1;
  std::uint64_t const count = pg_atomic_fetch_add_u64(&shared(function).backfill.next[clock], 1);

  // The first call from this place of a statement.
  if (fcinfo->flinfo != nullptr && fcinfo->flinfo->fn_extra == nullptr) {
    fcinfo->flinfo->fn_extra = const_cast<char *>(&seen);
    units.recent_greatest = units.older_greatest = units.forgotten = 0;
  }
  // What was used of a unit in another lane may be in this one, too.
  if (units.first != first || units.last != last)
    units.since = count;
  units.first = first;
  units.last = last;

  std::uint64_t const asked = rules.at(time);
  std::uint64_t unit = asked;
  for (;;) {
    CHECK_FOR_INTERRUPTS();
    used_unit *const entry = find(units, unit);
    if (entry == nullptr) {
      if (unit <= units.forgotten)
        order_error(function, time);
      remember(units, {unit, count, rules.next_unit(unit)});
      break;
    }
    if (entry->first >= units.since && count - entry->first < sequences)
      break;
    // The last unit that the clock can tell has none after it.
    if (entry->next == unit)
      return {PG_INT64_MAX, 0};
    unit = entry->next;
  }
  // So that the next one of this instant need not look at all units in between.
  used_unit *const origin = unit == asked ? nullptr : find(units, asked);
  if (origin != nullptr)
    origin->next = unit;
  return {unit == asked ? time : rules.time(unit), first + count % sequences};
}

} // namespace kid::pg
