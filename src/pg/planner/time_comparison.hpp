// Planner support for comparisons of an ID with time. It turns them into comparisons of the ID with IDs, which indexes,
// partitions, statistics and other servers understand.
//
//   id <@ range        id >= T_edge('lowest', range)      AND id <= T_edge('highest', range)
//   id < time          id >= T_edge('lowest', '<', time)  AND id <= T_edge('highest', '<', time)
//
// The operators <=, >= and > are rewritten as < is.
//
// The two inclusive bounds are equivalent to the comparison wherever it stands. If no ID matches, they are the greatest
// ID and the smallest one; if every ID does, the smallest and the greatest; if the time is NULL, they are NULL. A
// constant bound that excludes no ID is dropped, but not both of them: the one that stays makes the result NULL if the
// ID is NULL.
//
// The order of some types is coarser than their time. Their bounds admit a few more IDs, so the comparison itself is
// kept beside the bounds, as T_recheck(…). A constant instant becomes a range there, which T_recheck() converts once.
//
// A sub-select or a costly expression must not be evaluated twice, so its comparison stays as it is. An index can use
// that comparison all the same. An index condition need not distinguish false from NULL, so one bound is enough, which
// is NULL if no ID matches:
//
//   id < time          id <= T_edge('last', '<', time)          <= likewise
//   id > time          id >= T_edge('first', '>', time)         >= likewise
//
// The functions of an instant are LEAKPROOF, as the operators are. So an index condition can be evaluated before the
// policies of row-level security.
//
// If the layout depends on a setting, these functions take its value as last argument, and are not LEAKPROOF, because
// an invalid value is an error. A comparison that stays takes the value too: T_compare('<', id, time, setting). Outside
// queries the value is not added, and a comparison without it is not rewritten.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

/// Returns what replaces a call, or null if it stays as it is, as it does unless it compares an ID with time.
Node *rewrite_comparison(SupportRequestSimplify *request);

/// Returns the index condition of a comparison of an ID with time that was not rewritten. Returns NIL if there is none:
/// if the index does not order IDs, if the time may change during a scan, or if a volatile sub-select would be
/// evaluated more than once, for two bounds or for a recheck.
List *index_condition(SupportRequestIndexCondition *request);

} // namespace kid::pg
