// The function of the type kid_ambiguous and of its operators (src/sql/extension/ambiguous.sql). PostgreSQL only has to
// find them: the type has no values, and a call of one is an error.
#include "../base/datum.hpp"

KID_DEFINE(kid_ambiguous) {
  ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("type kid_ambiguous has no values"));
}
