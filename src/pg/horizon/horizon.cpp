#include "horizon.hpp"

#include "../clocks/lease.hpp"
#include "answers.hpp"
#include "floors.hpp"
#include "view.hpp"

namespace kid::pg {

namespace {

std::uint64_t horizon_of(SnapshotData const &snapshot, clock_id id) {
  view seen(snapshot);
  std::uint64_t const lowered = pg_atomic_read_u64(&horizon_shared->lowered);
  pg_read_barrier();
  std::uint64_t least = least_running(id);

  // The lock is held for a moment, and exclusively: readers that share it could keep those who commit waiting for ever.
  LWLockAcquire(&horizon_shared->lock, LW_EXCLUSIVE);
  release_after(&horizon_shared->lock, [&] {
    if (unlikely(lowered != pg_atomic_read_u64(&horizon_shared->lowered)))
      least = least_running(id); // the clock was lowered meanwhile
    for (int i = 0; i < max_prepared_xacts; i++)
      if (seen.misses(prepared()[i].one))
        keep_least(least, prepared()[i].one.floor[id]);
    least = horizon_shared->committed.least_missed(seen, id, least);
  });
  return least;
}

} // namespace

std::uint64_t horizon(clock_id id, char const *function) {
  reject_worker(function);
  clock_cell &cell = shared(function).cells[id];
  SnapshotData const &snapshot = ActiveSnapshotSet() ? *GetActiveSnapshot() : *GetTransactionSnapshot();

  find_horizon_or_error();
  if (snapshot.snapshot_type != SNAPSHOT_MVCC)
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s is not available in logical decoding", function));
  if (std::uint64_t const *const known = answer_for(snapshot, id))
    return *known;
  open_clocks(cell);
  await_standbys(cell);
  recover_prepared();
  if (pg_atomic_read_u32(&horizon_shared->asked) == 0)
    begin_list();
  std::uint64_t const result = horizon_of(snapshot, id);
  remember(snapshot, id, result);
  return result;
}

} // namespace kid::pg
