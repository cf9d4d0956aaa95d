// What the running transaction was told. A query may ask more than once, as it does for each partition of a table. It
// must get one answer: rows are missed if the horizon rises between two partitions.
//
// Answers are kept until the transaction ends, by what the snapshot lists: xmin, xmax and the transactions that were
// running. A snapshot with the same lists sees the same rows of others. So if no row that the first one does not see is
// below the answer, none that the second does not see is either, whichever of them was taken or asks first. Rows of
// this transaction get no state below its floor, or below the state of the time of the answer.
//
// A later answer for the same lists could be higher, because a transaction without a transaction ID has ended since. A
// statement that reads the same rows does without.
//
// The number of running transactions would not do for the list of them. A transaction that is being prepared is in the
// list twice. So a list can have lost a transaction meanwhile and be as long, and a cursor that was opened before would
// miss the row of the one that is gone.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// Returns the answer for a snapshot, or null.
std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock);

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon);

/// Called at the end of a transaction, before its memory is freed.
void forget_answers();

} // namespace kid::pg
