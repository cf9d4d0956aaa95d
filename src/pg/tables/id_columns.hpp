// The columns of a database that hold IDs, and a look at the IDs in them.
//
// The greatest ID of a column is at the end of a btree that begins with the column, so a look at a table is a descent
// or two, whatever its size. The heap is not asked: what is in an index was issued, also where its transaction was
// rolled back or its row is deleted. No function is called but those of the default operator class, and no expression
// is evaluated, so nothing runs that an owner of a table has written.
//
//   1. collect     the columns, from the catalogs, without a lock on any table
//   2. look        at one table after the other, which is locked, if that is to be had at once, and unlocked again:
//                  locks on all tables of a database would not fit into the lock table
//
// Between them a table may be dropped or changed, so a look begins from what is there then.
#pragma once

#include "../types/id_type.hpp"

namespace kid::pg {

/// A column that holds IDs, and what has come of it.
struct examined {
  Oid table;
  AttrNumber number;
  char const *name;
  Oid type;                ///< as it was when it was collected
  id_type const *kind;     ///< of the IDs
  id_column const *reader; ///< null where there is a problem from the beginning
  bool gone;               ///< the table or the column was dropped meanwhile
  char const *problem;     ///< why its IDs are not known; null: none
  unix_micros limit;       ///< to be set before a look
  bool strange;            ///< that is the problem: none of the last values up to the limit is an ID
  stored_id greatest;      ///< up to the limit
  stored_id later;         ///< the greatest after it
};

/// The columns of IDs that move a logical clock, those of a table one after the other: of the database, or of the table
/// `only`, its partitions and those that inherit from it. `function` is who asks, of the extension whose IDs they are.
List *collect_columns(Oid function, Oid only);

/// Looks at all of them that have no problem yet.
void look_at_columns(List *columns);

} // namespace kid::pg
