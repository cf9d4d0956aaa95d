#include "export.hpp"
#include "settings.hpp"
#include "shmem.hpp"

namespace kid::pg {

/// Raises an error if the running server is older than kid can be loaded into, although it is of the major version that
/// kid was built for. From these minor versions on WalSndCtl->sync_standbys_status has two bits; before, the same byte
/// is a boolean, which would be read as "no synchronous standbys".
static void check_server_version() {
  constexpr int least[] = {150013, 160009, 170005};
  char const *const text = GetConfigOption("server_version_num", false, false);
  int const version = static_cast<int>(strtol(text, nullptr, 10));

  for (int const one : least)
    if (version / 10000 == one / 10000 && version < one)
      ereport(
          ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
          errmsg("kid needs PostgreSQL %d.%d or later", one / 10000, one % 10000),
          errdetail("This server is %d.%d, whose shared memory has another layout.", version / 10000, version % 10000),
          errhint("Update the server to the current minor version."));
}

} // namespace kid::pg

extern "C" {

KID_MODULE_MAGIC("kid", KID_VERSION);

PGDLLEXPORT void _PG_init();

void _PG_init() {
  kid::pg::check_server_version();
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
