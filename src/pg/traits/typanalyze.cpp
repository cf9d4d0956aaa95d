// Statistics of a column of IDs.
//
// To estimate a range PostgreSQL interpolates within a bin of the histogram, but only for its own types: of others it
// takes half of the bin, whatever the constant. So the error is a bin, by default 1 % of the rows, and a range within
// one bin counts as empty. IDs that are unique, and so have a histogram of all rows, get ten times as many bins, from
// the same sample. Others keep what they would have: a longer list of most common values makes planning of joins slow.
//
// An estimator of kid's own for its operators would interpolate. But PostgreSQL takes two bounds for a range only where
// both operators have its own estimators; of others it multiplies, as if one bound said nothing of the other.
#include "../base/export.hpp"

namespace kid::pg {

namespace {

constexpr int finer = 10;
constexpr int most = 10000; // as for SET STATISTICS

/// What std_typanalyze() chose for a column.
struct standard {
  AnalyzeAttrComputeStatsFunc compute;
  void *extra;
};

bool has_slot(VacAttrStats const *stats, int kind) {
  for (std::int16_t const slot : stats->stakind)
    if (slot == kind)
      return true;
  return false;
}

void compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int rows, double total_rows) {
  auto const usually = *static_cast<standard *>(stats->extra_data);

  stats->extra_data = usually.extra;
  usually.compute(stats, fetch, rows, total_rows);
  if (has_slot(stats, STATISTIC_KIND_MCV) || !has_slot(stats, STATISTIC_KIND_HISTOGRAM))
    return;

  int &target = statistics_target(stats);
  int const usual_target = target;
  target = Min(finer * target, most);
  // It fills slots from the first one on, and of each only what that kind of statistics has.
  memset(stats->stakind, 0, sizeof stats->stakind);
  memset(stats->numnumbers, 0, sizeof stats->numnumbers);
  memset(stats->numvalues, 0, sizeof stats->numvalues);
  usually.compute(stats, fetch, rows, total_rows);
  // Extended statistics, which come later, take the greatest target of their columns.
  target = usual_target;
}

} // namespace

static Datum typanalyze(PG_FUNCTION_ARGS) {
  auto *const stats = reinterpret_cast<VacAttrStats *>(PG_GETARG_POINTER(0));
  // Somebody's own ALTER TABLE ... SET STATISTICS is taken at its word.
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

KID_FUNCTION(kid_typanalyze, kid::pg::typanalyze)
