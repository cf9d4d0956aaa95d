// Included first by every header of the core. The core knows ID schemes, not PostgreSQL: it must build
// on its own, and the server's macros (Min, Max, Abs, Assert, likely, snprintf ...) must not reach it.
// A file of src/pg therefore includes what it needs of the core before "pg/pg.hpp".
#ifdef POSTGRES_H
#error "include the headers of src/core before those of PostgreSQL"
#endif
