#include "export.hpp"
#include "settings.hpp"
#include "shmem.hpp"

extern "C" {

KID_MODULE_MAGIC("kid", KID_VERSION);

PGDLLEXPORT void _PG_init();

void _PG_init() {
  kid::pg::define_settings();
  if (process_shared_preload_libraries_in_progress)
    kid::pg::reserve_shared_memory();
}

} // extern "C"

namespace kid::pg {

/// An older script may use this library, which has all that it needs. A newer one may not.
static Datum require_library(PG_FUNCTION_ARGS) {
  char *const script = text_to_cstring(PG_GETARG_TEXT_PP(0));
  unsigned of_script[2] = {};
  unsigned of_library[2] = {};

  sscanf(script, "%u.%u", &of_script[0], &of_script[1]);
  sscanf(KID_VERSION, "%u.%u", &of_library[0], &of_library[1]);
  if (of_script[0] > of_library[0] || (of_script[0] == of_library[0] && of_script[1] > of_library[1]))
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("library of kid is older than its SQL script"),
        errdetail("The script is of version %s, and the library in this session of version %s.", script, KID_VERSION),
        errhint("Install both of one version, then start a new session, or restart the server if kid is in "
                "\"shared_preload_libraries\"."));
  PG_RETURN_VOID();
}

} // namespace kid::pg

KID_FUNCTION(kid_require_library, kid::pg::require_library)
