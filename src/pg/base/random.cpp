#include "random.hpp"

namespace kid::pg {

namespace {

/// Random bits for many IDs, which each process fetches for itself at once. Fetching only a few would cost as much.
struct {
  int owner; ///< the process that fetched them: a forked process must not use the bits that its parent will use
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
