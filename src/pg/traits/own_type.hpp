// What each type of kid's own has.
#pragma once

#include "base32.hpp"
#include "id_type.hpp"
#include "io.hpp"
#include "order.hpp"
#include "time.hpp"
#include "time_comparison.hpp"

#define KID_EXPORT_OWN_TYPE(T)                                                                                         \
  KID_EXPORT_IO(T)                                                                                                     \
  KID_EXPORT_BASE32(T)                                                                                                 \
  KID_EXPORT_ORDER(T)                                                                                                  \
  KID_EXPORT_TIME(T)                                                                                                   \
  KID_EXPORT_TIME_COMPARISON(T)                                                                                        \
  KID_FUNCTION(T##_range_contains, kid::pg::within<kid::T, 1>)
