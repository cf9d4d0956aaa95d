// The horizons that the running transaction was given. A query may ask more than once, as it does for each partition of
// a table. It must get one answer: rows are missed if the horizon rises between two partitions.
//
// An answer is for all snapshots with the same xmin, xmax and list of running transactions, and is kept while this
// transaction can have one. They see the same rows of others, so one answer is right for all of them, whichever was
// taken or asks first. It is also right for rows that this transaction makes: their states are at or above its floor,
// or above the state at the time of the answer. (Computed later, the answer could be higher, if a transaction without a
// transaction ID has ended since.)
//
// The list is compared, not only its length: a transaction that is being prepared is in it twice. So a list without a
// transaction that has ended can be as long, and a cursor that was opened before would miss that transaction's row.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// Returns the answer for a snapshot, or null.
std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock);

void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon);

/// Called at the end of a transaction, before its memory is freed.
void forget_answers();

} // namespace kid::pg
