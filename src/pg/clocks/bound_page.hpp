// The page of the bounds: one block of a relation file of kid's own, in pg_global, without a row in the catalog. It is
// written through shared buffers and logged whole, so recovery replays it without kid: a standby, a base backup,
// pg_rewind and recovery to a point in time have the bounds that their WAL has.
//
//    0              24                                                                            pd_lower
//   +----------------+-------+---------+--------------+--------+------------+------+--------+-----+- - - - - - - +
//   | header of any  | magic | version | WAL timeline | bounds | safe marks | draw | system | CRC | unused       |
//   | page           | 8     | 4       | 4            | 8 × 8  | 8 × 8      | 16   | 8      | 8   | (not in WAL) |
//   +----------------+-------+---------+--------------+--------+------------+------+--------+-----+- - - - - - - +
//
// The CRC is of the fields before it, because a cluster without data checksums would not notice a flipped bit.
// In the header, pd_checksum is 0 whenever kid writes the page. PostgreSQL replaces it when it writes the buffer to
// disk, if the cluster has checksums. So a page on disk with 0 has never had a checksum: it was written before
// checksums were turned on. Such a page is good if its CRC is right, and is written again.
//
// A session reads or writes the page only while it holds the lock of the lease (lease_lock.hpp), and the lock of the
// buffer, which PostgreSQL writes to disk. Only page_seems_damaged() reads the file without a lock. During recovery
// only WAL replay writes the page.
#pragma once

#include "all_clocks.hpp"

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

/// What the file of the page contains.
enum class page_state : unsigned char { missing, empty, zeroes, good, damaged, other_version };

/// Reads the page into `bounds`, and the end of its WAL into `lsn`. Raises an error if the page is damaged or of
/// another version. Otherwise returns `good`, or one of the states before it if none was written yet. Flushes the WAL
/// of what it read, because the session that wrote it may have ended before it did.
///
/// A crash while the page is being created leaves no file, an empty file or zeroes. So does a disk that loses a page,
/// and nothing tells the two apart: pg_control and WAL know nothing of a page that was written before the last
/// checkpoint. The caller logs what it found.
page_state read_page(page_bounds &bounds, XLogRecPtr &lsn);

/// Returns a sentence that says where the file should be, and what is there. `state` is one of those before `good`.
char const *describe_unwritten(page_state state);

/// Writes the page, and creates it if there is none. Returns up to which LSN WAL must be flushed before the new bounds
/// may be used. Raises an error during recovery.
XLogRecPtr write_page(page_bounds const &bounds);

/// Writes the page as write_page() does, if there is one that cannot be read. If only its file is damaged, and a buffer
/// has the page, writes that page once more. Otherwise returns InvalidXLogRecPtr.
XLogRecPtr mend_page(page_bounds const &bounds);

/// Returns whether read_page() would reject the file as it is on disk.
bool page_seems_damaged();

} // namespace kid::pg
