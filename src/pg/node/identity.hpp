// Who this server is among others that fill the same tables. Its identity is its node number, of which each type uses a
// part, and the number of lanes (core/lane.hpp) into which servers divide the sequences of kid64.
//
// Both come from settings of the server, `kid.node` and `kid.lanes`. IDs are made with the identity in force: one word
// in shared memory, so that a change applies to all sessions at once, even to running statements. A session publishes
// its settings there when it makes its first ID, and again with the first ID after a reload, provided they are newer
// than those in force (`PgReloadTime`). So a statement that began before a reload cannot restore the old values.
//
// To issue a state of a divided clock, a session chooses its lane by an identity. After it has read the clock, and
// before it moves the clock, it checks that this identity is still in force. A session that changes the lane moves the
// clock after that, so that others fail their compare-and-swap. Therefore no ID of the old lane is issued once the
// change is done.
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
  constexpr bool counts() const { return kind == node_kind::numbered || kind == node_kind::citus; }
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
  TimestampTz configured; ///< when the configuration behind `word` was read
  Oid citus_database;     ///< the database whose Citus gave the number
};

struct shared_state;

/// Reads the number that Citus gives this server in the current database.
void look_for_citus();

/// Returns whether this session is on a Citus worker. A worker computes what a coordinator sends to it, including
/// defaults.
bool on_citus_worker();

/// Puts the identity of this session's settings in force, unless the identity in force comes from newer settings.
void put_in_force(shared_state &shared);

/// Returns `who`, which is in force, with its number. Draws a random number if there is none yet.
identity with_number(identity who);

/// Returns the identity in force, with its number if that is known. During recovery, returns the identity of the
/// settings.
identity identity_to_show();

/// Raises an error because `who` has no number.
[[noreturn]] void no_number_error(identity const &who);

/// Raises an error because the number of `who` does not fit `what`, which takes a number from 0 to `max`.
[[noreturn]] void unfit_number_error(identity const &who, char const *what, std::uint32_t max, char const *hint);

void define_identity_settings(int flags);

} // namespace kid::pg
