// Which transactions have entered clocks.
#pragma once

#include "../clocks/shmem.hpp"

namespace kid::pg {

/// A transaction, of any database, that has entered a clock.
struct clock_user {
  int process; ///< 0 if the transaction is prepared, -1 if there is none
  Oid database;
  TransactionId prepared;
  TimestampTz since; ///< when it began; if it was prepared before the last start of the server, that start
};

/// Returns the transaction of the current database that holds back the horizon of a clock.
clock_user holder_of(clock_id id);

/// Returns one that has entered any of `clocks`, a set of bits (clocks/hold.hpp). find_horizon() must have returned
/// true.
clock_user user_of(std::uint64_t clocks);

} // namespace kid::pg
