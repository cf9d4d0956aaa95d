// What the running transaction was told. A query may ask more than once, as it does for each partition of a table. It
// must get one answer: rows are missed if the horizon rises between two partitions.
//
// Answers are kept until the transaction ends, by what the snapshot lists: xmin, xmax and the transactions that were
// running. Snapshots with the same lists see the same rows of others, so an answer that is right for one is right for
// the other, whichever of them was taken or asks first. Rows of this transaction get no state below its floor, or below
// the state of the time of the answer. (A later answer for the same lists could be higher, because a transaction
// without a transaction ID has ended since.)
//
// The length of the list would not do. A transaction that is being prepared is in it twice, so a list that has lost a
// transaction can be as long, and a cursor that was opened before would miss the row of the one that is gone.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// Returns the answer for a snapshot, or null.
std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock);

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon);

/// Called at the end of a transaction, before its memory is freed.
void forget_answers();

} // namespace kid::pg
