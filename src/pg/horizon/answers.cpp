#include "answers.hpp"

namespace kid::pg {

extern "C" {
static void at_end_of_query(void *one);
} // extern "C"

namespace {

/// What a query was told. A query may ask again, from another place, and gets the same answer as long as it runs. If
/// all queries of a transaction have the same snapshot, the answer is for all of them.
///
/// The memory of a procedure lives through all of its transactions. So an answer that is out of date stays here until
/// its memory is freed, and is used again.
struct answer {
  MemoryContextCallback at_end; ///< called when `context` is freed, and the answer with it
  MemoryContext context;        ///< where it was allocated
  SnapshotData const *snapshot; ///< null if it is that of the transaction
  TransactionId xmin;           ///< these tell the snapshot from a later one in the same place; 0 if out of date
  TransactionId xmax;
  std::uint32_t count;
  clock_id clock;
  std::uint64_t horizon;
  answer *next;
};
answer *answers = nullptr;

void forget(answer const *one) {
  answer **link = &answers;

  while (*link != nullptr && *link != one)
    link = &(*link)->next;
  if (*link != nullptr)
    *link = one->next;
}

/// Returns the snapshot by which a query is told from others.
SnapshotData const *key_of(SnapshotData const &snapshot) {
  return IsolationUsesXactSnapshot() ? nullptr : &snapshot;
}

/// Returns an answer in `context` that is out of date, or a new one.
answer &free_answer(MemoryContext context) {
  for (answer *one = answers; one != nullptr; one = one->next)
    if (one->context == context && one->xmin == InvalidTransactionId)
      return *one;
  auto *const one = static_cast<answer *>(MemoryContextAllocZero(context, sizeof(answer)));
  one->at_end.func = at_end_of_query;
  one->at_end.arg = one;
  one->context = context;
  one->next = answers;
  answers = one;
  MemoryContextRegisterResetCallback(context, &one->at_end);
  return *one;
}

/// Returns the memory context that lives as long as the answer for a snapshot is needed; null if it is not needed
/// again.
MemoryContext lifetime_of(SnapshotData const &snapshot, MemoryContext query) {
  if (IsolationUsesXactSnapshot())
    return TopTransactionContext;
  // A query registers its snapshot twice, in CreateQueryDesc() and in ExecutorStart(). A snapshot that is not
  // registered serves a single expression, such as an assignment in PL/pgSQL. A snapshot that is registered more often
  // is shared: the query of a function runs with the snapshot of the query that calls the function. The answer must not
  // be in the memory of the portal then: that can be a cursor or a FOR loop of the function, which ends before the
  // calling query does.
  if (snapshot.regd_count == 0)
    return nullptr;
  return snapshot.regd_count <= 2 ? query : TopTransactionContext;
}

} // namespace

extern "C" {
static void at_end_of_query(void *one) {
  forget(static_cast<answer *>(one));
}
} // extern "C"

std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock) {
  for (answer *one = answers; one != nullptr; one = one->next) {
    if (one->snapshot != key_of(snapshot))
      continue;
    if (one->xmin != snapshot.xmin || one->xmax != snapshot.xmax || one->count != snapshot.xcnt)
      one->xmin = InvalidTransactionId; // this was another snapshot, which is gone
    else if (one->clock == clock)
      return &one->horizon;
  }
  return nullptr;
}

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon, MemoryContext query) {
  auto *const context = lifetime_of(snapshot, query);
  if (context == nullptr)
    return;
  answer &one = free_answer(context);

  one.snapshot = key_of(snapshot);
  one.xmin = snapshot.xmin;
  one.xmax = snapshot.xmax;
  one.count = snapshot.xcnt;
  one.clock = clock;
  one.horizon = horizon;
}

void forget_answers() {
  for (answer *one = answers; one != nullptr; one = one->next)
    one->xmin = InvalidTransactionId;
}

} // namespace kid::pg
