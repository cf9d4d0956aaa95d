// Finds the columns of a database that contain IDs, and the greatest ID in each of them.
//
// The greatest ID of a column is at the end of a btree that begins with the column. So examining a table takes one or
// two descents, whatever its size. Usually the heap is not read: every ID in an index was issued, even if its
// transaction was rolled back or its row is deleted. Only functions of the default operator class are called, and no
// expression is evaluated. So no code of a table's owner runs.
//
//   1. collect_columns()   reads the catalogs, without a lock on any table
//   2. look_at_columns()   examines one table after another. It locks each table, unless it would have to wait, and
//                          unlocks it again: the lock table has no space for all tables of a database
//
// A table may be dropped or changed between the two steps, so the second step checks each column again.
#pragma once

#include "../types/all_types.hpp"

namespace kid::pg {

/// A column that contains IDs, and what is known about it.
struct examined {
  Oid table;
  AttrNumber number;
  char const *name;
  Oid type;                ///< the column's type when it was collected
  id_type const *kind;     ///< the type of the IDs
  id_column const *reader; ///< null if collect_columns() found a problem
  bool gone;               ///< the table or the column was dropped meanwhile
  char const *problem;     ///< why its IDs are not known, or null
  bool passing;            ///< the problem can be gone the next time
  unix_micros limit;       ///< set by the caller of look_at_columns()
  bool strange;            ///< the problem is that none of the last values up to `limit` is an ID
  stored_id greatest;      ///< the greatest ID up to `limit`
  stored_id later;         ///< an ID after `limit`: usually the greatest
};

/// What counts as an ID of a column.
enum class looks_for : unsigned char {
  issued, ///< each that is in an index, even if its row is deleted: it was issued once
  rows,   ///< those of rows that are not deleted, or whose deletion is not committed yet; only `later` is looked for
};

/// Returns the columns whose IDs move a logical clock, ordered by table. If `only` is a table, returns those of `only`
/// and of all tables that inherit from it, such as partitions. Otherwise returns those of the whole database. The
/// calling SQL function is `function`; the extension that it belongs to is the one whose IDs are looked for.
List *collect_columns(Oid function, Oid only);

/// Finds the IDs of all columns that have no problem yet, or sets their problem.
void look_at_columns(List *columns, looks_for what);

} // namespace kid::pg
