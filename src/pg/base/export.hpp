// How SQL finds a function.
#pragma once

#include "compat.hpp"

/// Exports the C function `symbol` to SQL. It calls what follows `symbol` with `fcinfo`.
#define KID_FUNCTION(symbol, ...)                                                                                      \
  extern "C" {                                                                                                         \
  PGDLLEXPORT Datum symbol(PG_FUNCTION_ARGS);                                                                          \
  PG_FUNCTION_INFO_V1(symbol);                                                                                         \
  }                                                                                                                    \
  Datum symbol(PG_FUNCTION_ARGS) {                                                                                     \
    return __VA_ARGS__(fcinfo);                                                                                        \
  }
