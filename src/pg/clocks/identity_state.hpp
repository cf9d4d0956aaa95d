// The identity of this server in shared memory. What it is for, and when it changes: node/identity.hpp.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

enum class node_kind : std::uint32_t {
  none,      ///< there is no identity yet
  automatic, ///< a hash that differs between servers, even if they are copies of one
  named,     ///< the hash of a name
  numbered,
  citus, ///< the number that Citus gives its nodes
};

struct identity {
  node_kind kind;
  bool known; ///< whether `node` is known: a random number is drawn when it is first needed
  std::uint32_t node;
  std::uint32_t lanes;

  /// Returns whether servers are numbered, from 0 on. Otherwise `node` is a hash of 32 bits, and any part of it will
  /// do.
  constexpr bool is_numbered() const { return kind == node_kind::numbered || kind == node_kind::citus; }
};

/// The greatest `kid.lanes`.
constexpr std::uint32_t lanes_max = 1024;

constexpr std::uint64_t pack(identity const &who) {
  return std::uint64_t{who.lanes} << 40 | static_cast<std::uint64_t>(who.kind) << 36 | std::uint64_t{who.known} << 32 |
         who.node;
}

constexpr identity unpack(std::uint64_t word) {
  return {static_cast<node_kind>(word >> 36 & 15), (word >> 32 & 1) != 0, static_cast<std::uint32_t>(word),
          static_cast<std::uint32_t>(word >> 40)};
}

struct identity_state {
  pg_atomic_uint64 word; ///< packed; changed under `lock`, read without it; 0 if there is none yet
  LWLock lock;           ///< held for a moment, while no other lock is taken

  // Guarded by `lock`:
  TimestampTz configured_at; ///< when the configuration behind `word` was read
  Oid citus_database;        ///< the database whose Citus gave the number
};

} // namespace kid::pg
