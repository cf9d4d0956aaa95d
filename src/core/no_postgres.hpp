// Included by every header of the core. The core knows ID schemes, not PostgreSQL: it must build on its own, and
// the server's macros (Min, Max, Abs, Assert, likely, snprintf ...) must not reach it. A file in src/pg therefore
// includes the core headers it needs before src/pg/base/postgres.hpp.
#ifdef POSTGRES_H
#error "include the headers of src/core before those of PostgreSQL"
#endif
