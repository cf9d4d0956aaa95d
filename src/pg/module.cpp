#include "guc.hpp"
#include "pg.hpp"
#include "state.hpp"

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init();

void _PG_init() {
  kid::pg::define_settings();
  if (process_shared_preload_libraries_in_progress)
    kid::pg::reserve_shared_memory();
}

} // extern "C"
