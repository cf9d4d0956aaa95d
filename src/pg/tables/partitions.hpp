// The partitions of a table whose key is an ID, and their bounds.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../traits/id_type.hpp"

#include <algorithm>

namespace kid::pg {

/// A bound, as the binary form of an ID, which orders as the ID does. MINVALUE has size 0 and is below all others.
struct partition_bound {
  int size;
  unsigned char bytes[UUID_LEN];
};

inline int compare(partition_bound const &a, partition_bound const &b) {
  int const order = memcmp(a.bytes, b.bytes, static_cast<std::size_t>(Min(a.size, b.size)));
  return order != 0 ? order : a.size - b.size;
}

/// The type of the IDs that a table is partitioned by.
struct partition_type {
  Oid oid;
  AttrNumber column;
  id_type const *ids;
};

struct partition {
  Oid oid;
  partition_bound lower;
  partition_bound upper;
  unix_micros begins; ///< when the time unit of `lower` begins; unused for MINVALUE
  unix_micros ends;   ///< when the time unit of `upper` begins; unused for MAXVALUE
  bool has_upper;     ///< false for MAXVALUE
  bool detaching;     ///< DETACH ... CONCURRENTLY is running or was interrupted, so the partition accepts no rows
};

/// The partitions of a table except the default partition, in the order of their bounds.
struct partition_list {
  partition *first;
  int count;
};

/// Returns the type of the column that a table is partitioned by. Raises an error if the table is not partitioned by
/// range of one column, or if kid makes no IDs of the type.
partition_type partition_type_of(Oid parent);

/// Returns the lowest bound of the time unit that contains an instant.
partition_bound bound_at(partition_type const &type, TimestampTz time);

/// Returns when the time unit of a bound begins.
unix_micros time_of(partition_type const &type, partition_bound const &bound);

/// Returns a bound as text, as FOR VALUES takes it.
char const *text_of(partition_type const &type, partition_bound const &bound);

/// Returns the owner of a relation. Raises an error if the relation does not exist.
Oid owner_of(Oid relation);

/// Returns the function kid_timestamp() in the schema `home` for the key of the table `parent`. Returns InvalidOid if
/// no constraint should call it: if the time of the type depends on a setting or has another order than the IDs, if the
/// owner of the table may not use the schema, or if not every role that inserts rows may call the function.
Oid time_function(partition_type const &type, Oid parent, Oid home);

/// Returns a condition that is true for all IDs between two bounds and tells the planner which times they have, so that
/// it prunes by conditions on kid_timestamp(id). `function` is from time_function(), and `upper` is null for MAXVALUE.
/// Returns null if there is no such condition.
char const *time_condition(partition_type const &type, Oid parent, Oid function, partition_bound const &lower,
                           partition_bound const *upper);

/// Returns the partitions of `parent` from the catalogs.
partition_list list_partitions(Oid parent, partition_type const &type);

/// Returns the name of the setting that the time of a type depends on, or null. Raises an error if some roles have
/// another value of it, because a partition would have another time in their sessions.
char const *check_setting(partition_type const &type);

} // namespace kid::pg
