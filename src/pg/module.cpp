// The library: what PostgreSQL calls when it loads kid, and the versions that go together.
#include "base/datum.hpp"
#include "define_settings.hpp"
#include "horizon/memory.hpp"
#include "types/all_types.hpp"

namespace kid::pg {

/// Raises an error if the running server is too old for kid, although it is of the major version that kid was built
/// for.
static void check_server_version() {
  char const *const text = GetConfigOption("server_version_num", false, false);
  int const version = static_cast<int>(strtol(text, nullptr, 10));
  int const least = least_version(version);

  if (version < least)
    ereport(
        ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
        errmsg("kid needs PostgreSQL %d.%d or later", least / 10000, least % 10000),
        errdetail("This server is %d.%d, whose shared memory has another layout.", version / 10000, version % 10000),
        errhint("Update the server to the current minor version."));
}

/// Never called. The scripts of all versions 1.0.x need a library that has this function, and every later library keeps
/// it. So an older script can use a newer library, but a script of a newer minor version cannot use an older one.
KID_DEFINE(kid_library_1_0) {
  PG_RETURN_VOID();
}

KID_DEFINE(kid_version) {
  return PointerGetDatum(cstring_to_text(KID_VERSION));
}

} // namespace kid::pg

extern "C" {

PG_MODULE_MAGIC_EXT(.name = "kid", .version = KID_VERSION);

PGDLLEXPORT void _PG_init();

void _PG_init() {
  kid::pg::check_server_version();
  kid::pg::register_clocks();
  kid::pg::define_settings();
  if (process_shared_preload_libraries_in_progress) {
    kid::pg::reserve_shared_memory();
    kid::pg::reserve_horizon();
  }
}

} // extern "C"
