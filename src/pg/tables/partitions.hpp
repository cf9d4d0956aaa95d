// The partitions of a table whose key is an ID, and their bounds: partition_bounds.cpp.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../types/id_type.hpp"

#include <algorithm>

namespace kid::pg {

/// A bound, in the binary form of an ID, by which IDs are ordered. MINVALUE has none, and is below every other.
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
  unix_micros begins; ///< when the time unit of `lower` begins, unless that is MINVALUE
  unix_micros ends;   ///< the same of `upper`, unless that is MAXVALUE
  bool has_upper;     ///< false for MAXVALUE
  bool detaching;     ///< DETACH ... CONCURRENTLY works on it, or was interrupted: it takes no more rows
};

/// The partitions of a table but the default one, in the order of their bounds.
struct partition_list {
  partition *first;
  int count;
};

/// Returns the type of the only column that a table is partitioned by. Raises an error if it is not a type of IDs.
partition_type partition_type_of(Oid parent);

/// The bound between an instant's time unit and the one before.
partition_bound bound_at(partition_type const &type, TimestampTz time);

char const *text_of(partition_type const &type, partition_bound const &bound);

partition_list list_partitions(Oid parent, partition_type const &type);

/// Returns the name of the setting that the time of a type depends on, or null. Raises an error if sessions differ in
/// it: in one of them the partitions would be of other times.
char const *check_setting(partition_type const &type);

} // namespace kid::pg
