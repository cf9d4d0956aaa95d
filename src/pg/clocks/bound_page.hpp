// The page that holds the bounds of all logical clocks: one block of a relation file of kid's own, in pg_global,
// without a row in the catalog. It is written through shared buffers and logged whole, and recovery replays it without
// kid: a standby, a base backup, pg_rewind and recovery to a point in time have the bounds that their WAL has.
//
//    0              24                                                                      pd_lower
//   +----------------+-------+---------+--------------+--------+------------+------+--------+- - - - - - - +
//   | header of any  | magic | version | WAL timeline | bounds | safe marks | draw | system | unused       |
//   | page           | 8     | 4       | 4            | 8 × 8  | 8 × 8      | 16   | 8      | (not in WAL) |
//   +----------------+-------+---------+--------------+--------+------------+------+--------+- - - - - - - +
//
// A session reads or writes the page in shared buffers only while it holds the lock of the lease (lease_lock.hpp). It
// also locks the content of the buffer, because PostgreSQL writes the buffer to disk. During recovery only WAL replay
// writes the page. page_seems_damaged() reads the file without a lock.
#pragma once

#include "clock_rules.hpp"

namespace kid::pg {

/// A random number, drawn when it is first needed on a timeline of WAL. It tells apart servers that are copies of one.
struct page_draw {
  std::uint64_t number;
  TimeLineID timeline; ///< 0 if none was drawn yet
  std::uint32_t unused;
};

/// What the page says about each clock, indexed by `clock_id`, and the draw. There is room for more clocks.
struct page_bounds {
  static constexpr int room = 8;
  static_assert(clock_count <= room);

  std::uint64_t last[room]; ///< the greatest state that can have been issued
  std::uint64_t safe[room]; ///< of a clock with sides, its safe mark, see core/types/sno.hpp
  page_draw draw;
  std::uint64_t system; ///< the system identifier of the server that wrote it, which pg_createsubscriber changes
};

/// Reads the page into `bounds`, and the end of its WAL into `lsn`. Returns false if this is a first start: there is no
/// page, or a page of zeroes, which a crash leaves while the page is being created. Raises an error if the page is
/// damaged or of another version. The WAL of what was read is flushed on return, because the session that wrote it may
/// have ended before it flushed.
bool read_page(page_bounds &bounds, XLogRecPtr &lsn);

/// Writes the page, and creates it if there is none. Returns the LSN up to which WAL must be flushed before the new
/// bounds may be used. Raises an error during recovery.
XLogRecPtr write_page(page_bounds const &bounds);

/// Writes the page as write_page() does, if there is one that cannot be read. Otherwise returns InvalidXLogRecPtr.
XLogRecPtr mend_page(page_bounds const &bounds);

/// Returns whether read_page() would reject the file as it is on disk.
bool page_seems_damaged();

/// Returns whether a commit of this session waits for standbys.
bool replicates_synchronously();

/// Returns whether synchronous standbys have flushed `lsn`, or, if `flushed` is false, have written it. Does not wait.
/// SyncRepWaitForLSN() would not do: interrupting it sends a message to the client, and a client that does not read
/// would block the session.
bool standbys_have(XLogRecPtr lsn, bool flushed);

} // namespace kid::pg
