// What queries were told. A query that asks again gets the same answer.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// Returns the answer that the query of a snapshot was given, or null.
std::uint64_t const *answer_for(SnapshotData const &snapshot, clock_id clock);

/// Keeps an answer for as long as it is needed. `query` is the memory context of the query.
void remember(SnapshotData const &snapshot, clock_id clock, std::uint64_t horizon, MemoryContext query);

/// Called at the end of a transaction.
void forget_answers();

} // namespace kid::pg
