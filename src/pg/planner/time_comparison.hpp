// Comparisons of an ID with time, for planner support.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

/// Returns what replaces a comparison, or null if it stays as it is.
Node *rewrite_comparison(SupportRequestSimplify *request);

/// Returns the index condition of a comparison that was not rewritten. Returns NIL if there is none.
List *index_condition(SupportRequestIndexCondition *request);

} // namespace kid::pg
