/* The least that a C function can do: what calling any of them costs. */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(noop);

Datum noop(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(42);
}
