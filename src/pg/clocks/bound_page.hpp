// The page that holds the bounds of all logical clocks: one block of a relation file of kid's own, in pg_global,
// without a row in the catalogue. It is written through shared buffers and logged whole, and recovery replays it
// without kid: a standby, a base backup, pg_rewind and recovery to a point in time have the bounds that their WAL has.
//
//    0              24                                                                           pd_lower
//   +----------------+-------+---------+--------------+------------+-----------+--------+--------+- - - - - - - - - +
//   | header of any  | magic | version | WAL timeline | bounds     | safe      | draw   | system | nothing          |
//   | page           | 8     | 4       | 4            | 8 × 8      | marks     | 16     | 8      | (left out of WAL)|
//   +----------------+-------+---------+--------------+------------+ 8 × 8 ----+--------+--------+- - - - - - - - - +
//
// The holder of the lease's lock (lease.hpp) is the only one to read or write it, so there is no second lock. During
// recovery nobody writes it but that.
#pragma once

#include "clock_rules.hpp"

namespace kid::pg {

/// A number of chance, drawn when it is first asked for on a timeline of WAL: servers that were one differ by it.
struct page_draw {
  std::uint64_t number;
  TimeLineID timeline; ///< 0: none was drawn yet
  std::uint32_t unused;
};

/// What the page says of each clock, by `clock_id`, and the draw. There is room for more clocks.
struct page_bounds {
  static constexpr int room = 8;
  static_assert(clock_count <= room);

  std::uint64_t last[room]; ///< the greatest state that can have been issued
  std::uint64_t safe[room]; ///< of a clock with sides, its safe mark, see core/types/sno.hpp
  page_draw draw;
  std::uint64_t system; ///< the system identifier of the server that wrote it, which pg_createsubscriber changes
};

/// Reads the page. False where there is none, or one of zeroes, as after a crash when it was made: a first start. A
/// page that is neither is an error. The WAL of what was read is flushed before this returns: it may be of a session
/// that was ended before it flushed.
bool read_page(page_bounds &bounds);

/// Writes the page, and creates it if there is none. Returns the LSN up to which WAL must be flushed before the new
/// bounds may be used. Never during recovery.
XLogRecPtr write_page(page_bounds const &bounds);

/// Writes the page where there is one that cannot be read. As write_page(), or InvalidXLogRecPtr where there is nothing
/// to mend.
XLogRecPtr mend_page(page_bounds const &bounds);

/// Whether the file, as the disk has it, is one that read_page() would refuse.
bool page_seems_damaged();

/// Whether a commit of this session waits for standbys.
bool replicates_synchronously();

/// Whether standbys have flushed `lsn`, or only received it. Does not wait itself: SyncRepWaitForLSN() cannot be
/// interrupted without a message to the client, who may not read it.
bool standbys_have(XLogRecPtr lsn, bool flushed);

} // namespace kid::pg
