#include "answers.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

struct answer {
  answer *next;
  std::uint64_t horizon;
  clock_id clock;
  TransactionId xmin;
  TransactionId xmax;
  std::uint32_t count;
  TransactionId running[FLEXIBLE_ARRAY_MEMBER];

  bool is_for(SnapshotData const &snapshot) const {
    return xmin == snapshot.xmin && xmax == snapshot.xmax && count == snapshot.xcnt &&
           (count == 0 || memcmp(running, snapshot.xip, count * sizeof *running) == 0);
  }
};

answer *answers = nullptr; ///< in TopTransactionContext

} // namespace

std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock) {
  for (answer **link = &answers; *link != nullptr;) {
    answer *const one = *link;
    if (one->clock == clock && one->is_for(snapshot))
      return &one->horizon;
    // This process has no snapshot with an earlier xmin than TransactionXmin any more.
    if (TransactionIdPrecedes(one->xmin, TransactionXmin)) {
      *link = one->next;
      pfree(one);
    } else {
      link = &one->next;
    }
  }
  return nullptr;
}

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon) {
  std::size_t const size = offsetof(answer, running) + snapshot.xcnt * sizeof(TransactionId);
  auto *const one = static_cast<answer *>(MemoryContextAlloc(TopTransactionContext, size));

  one->next = answers;
  one->horizon = horizon;
  one->clock = clock;
  one->xmin = snapshot.xmin;
  one->xmax = snapshot.xmax;
  one->count = snapshot.xcnt;
  std::copy(snapshot.xip, snapshot.xip + snapshot.xcnt, one->running);
  answers = one;
}

void forget_answers() {
  answers = nullptr;
}

} // namespace kid::pg
