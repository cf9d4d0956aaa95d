// Random bits for IDs.
#pragma once

#include "compat.hpp"

namespace kid::pg {

/// Random bits for many IDs, which each process fetches for itself at once. Fetching only a few would cost as much.
struct random_pool {
  int owner; ///< the process that fetched them: a forked process must not use the bits that its parent will use
  unsigned used;
  std::uint64_t words[512];

  pg_noinline pg_attribute_cold void fill() {
    owner = 0;
    if (!pg_strong_random(words, sizeof words))
      ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
    owner = MyProcPid;
    used = 0;
  }
};
inline random_pool own_pool = {};

/// Returns `width` bits, at most 64, from PostgreSQL's strong random number generator.
inline std::uint64_t random_bits(unsigned width) {
  if (unlikely(own_pool.owner != MyProcPid || own_pool.used == lengthof(own_pool.words)))
    own_pool.fill();
  return own_pool.words[own_pool.used++] >> (64 - width);
}

} // namespace kid::pg
