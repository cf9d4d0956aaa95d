// Statistics of a column of IDs.
//
// To estimate a range, PostgreSQL interpolates within a bin of the histogram, but only for core types. For other types
// it takes half of the bin, whatever the constant is. So an estimate is wrong by up to one bin, by default 1 % of the
// rows, and a range within one bin counts as empty.
//
// If IDs are unique, their histogram covers all rows. These columns get ten times as many bins, from the same sample.
// Other columns keep the standard statistics, because a longer list of most common values makes planning joins slow.
//
// An estimator of kid's own could interpolate. But PostgreSQL recognizes two bounds as a range only if both operators
// have its own estimators. Otherwise it multiplies the selectivities, as if the bounds were independent.
#include "../base/datum.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

constexpr int finer = 10;
constexpr int most = 10000; // the maximum of SET STATISTICS

/// What std_typanalyze() chose for a column.
struct standard {
  AnalyzeAttrComputeStatsFunc compute;
  void *extra;
};

bool has_slot(VacAttrStats const *stats, int kind) {
  return std::count(std::begin(stats->stakind), std::end(stats->stakind), kind) > 0;
}

void compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int rows, double total_rows) {
  auto const usually = *static_cast<standard *>(stats->extra_data);

  stats->extra_data = usually.extra;
  usually.compute(stats, fetch, rows, total_rows);
  if (has_slot(stats, STATISTIC_KIND_MCV) || !has_slot(stats, STATISTIC_KIND_HISTOGRAM))
    return;

  auto &target = statistics_target(stats);
  auto const usual_target = target;
  target = static_cast<std::decay_t<decltype(target)>>(Min(finer * target, most));
  // The second run fills slots from the first one on, and does not clear members that its statistics do not use.
  memset(stats->stakind, 0, sizeof stats->stakind);
  memset(stats->numnumbers, 0, sizeof stats->numnumbers);
  memset(stats->numvalues, 0, sizeof stats->numvalues);
  usually.compute(stats, fetch, rows, total_rows);
  // Restore the target: extended statistics are built later, and use the greatest target of their columns.
  target = usual_target;
}

} // namespace

KID_DEFINE(kid_typanalyze) {
  auto *const stats = reinterpret_cast<VacAttrStats *>(PG_GETARG_POINTER(0));
  // If a user chose a target by ALTER TABLE ... SET STATISTICS, use it unchanged.
  bool const chosen = statistics_target(stats) >= 0;

  if (!std_typanalyze(stats))
    PG_RETURN_BOOL(false);
  if (!chosen) {
    auto *const usually = static_cast<standard *>(palloc(sizeof(standard)));
    *usually = {stats->compute_stats, stats->extra_data};
    stats->extra_data = usually;
    stats->compute_stats = compute_stats;
  }
  PG_RETURN_BOOL(true);
}

} // namespace kid::pg
