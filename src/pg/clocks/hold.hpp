// The hold: while a clock is held, transactions that want to enter it wait (horizon/floors.hpp). Those that had entered
// it before go on until they end: they may have locks that others wait for. Then nobody has a state of the clock that
// is not in a committed row, and it can be lowered.
//
// A transaction writes its floor, and then looks for a hold; the holder writes the hold, and then looks for floors. So
// at least one of the two sees the other.
//
// One process at a time holds clocks. The hold ends with kid_lower_clocks(), or with the subtransaction that began it
// if that is rolled back, or else with the transaction.
#pragma once

#include "shmem.hpp"

namespace kid::pg {

// `lease_state::hold` has a bit for each clock, and above them the ID of the process; 0 if no clock is held.
constexpr int hold_bits = 8;
static_assert(clock_count <= hold_bits);
constexpr std::uint64_t hold_clocks = (1 << hold_bits) - 1;

/// Returns which of `clocks` are held. Both are sets of bits.
inline std::uint64_t held_of(std::uint64_t clocks) {
  return pg_atomic_read_u64(&shared_memory->lease.hold) & hold_clocks & clocks;
}

constexpr std::uint64_t bit_of(clock_id id) {
  return std::uint64_t{1} << id;
}

inline bool is_held(clock_id id) {
  return held_of(bit_of(id)) != 0;
}

/// Returns the process that holds clocks, or 0.
inline int holding_process() {
  return static_cast<int>(pg_atomic_read_u64(&shared_memory->lease.hold) >> hold_bits);
}

} // namespace kid::pg
