#include "random.hpp"

namespace kid::pg {

namespace {

/// What was fetched for many IDs at once, by each process for itself. To fetch costs as much for a few as for these.
struct {
  int owner; ///< the process that fetched: a child would inherit what its parent is about to use
  unsigned used;
  std::uint64_t words[512];
} pool;

pg_noinline pg_attribute_cold void fill_pool() {
  pool.owner = 0;
  if (!pg_strong_random(pool.words, sizeof pool.words))
    ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
  pool.owner = MyProcPid;
  pool.used = 0;
}

} // namespace

std::uint64_t random_bits(unsigned width) {
  if (unlikely(pool.owner != MyProcPid || pool.used == lengthof(pool.words)))
    fill_pool();
  return pool.words[pool.used++] >> (64 - width);
}

} // namespace kid::pg
