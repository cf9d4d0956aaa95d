#include "backfill.hpp"

#include "../node/attach.hpp"

namespace kid::pg {

backfilled choose_backfilled(FunctionCallInfo fcinfo, clock_id clock, char const *function, unix_micros time,
                             std::uint64_t first, std::uint64_t last, backfill_memory &session) {
  clock_rules const &rules = *all_clock_rules[clock];
  // No caller has an empty lane. But with one, the server would crash: nothing can be divided by 0.
  std::uint64_t const sequences = Max(last - first + 1, 1);
  std::uint64_t const count = pg_atomic_fetch_add_u64(&attached_memory(function).backfill.next[clock], 1);
  auto *units = static_cast<used_units *>(fcinfo->flinfo->fn_extra);

  if (unlikely(units == nullptr)) {
    units = static_cast<used_units *>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(used_units)));
    *units = session.recent;
    fcinfo->flinfo->fn_extra = units;
  }
  // Sequences that were used in another lane may be in this one, too.
  if (session.first != first || session.last != last)
    session.since = count;
  session.first = first;
  session.last = last;

  std::uint64_t const asked = rules.at(time);
  if (asked < units->from || asked > units->to)
    *units = {asked, asked, count};
  if (units->since < session.since || count - units->since >= sequences) {
    std::uint64_t const next = rules.next_unit(units->to);
    // There is no unit after the last one that the clock can represent.
    if (next == units->to)
      return {PG_INT64_MAX, 0};
    units->to = next;
    units->since = count;
  }
  session.recent = *units;
  return {units->to == asked ? time : rules.time(units->to), first + count % sequences};
}

} // namespace kid::pg
