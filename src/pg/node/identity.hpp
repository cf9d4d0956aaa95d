// Who this server is among others that fill the same tables: its node number, which every type takes its share of, and
// into how many lanes (core/lane.hpp) the sequences of kid64 are divided.
//
// Both are settings of the server, `kid.node` and `kid.lanes`. What IDs are made with is the identity in force: one
// word in shared memory, so that it changes for all sessions at once, statements that run included. A session takes its
// settings there with its first ID, and with the first one after it was told to read the configuration again, if they
// are newer than those in force (`PgReloadTime`), so that one whose statement began before a reload does not bring back
// what was before it.
//
// Who issues a state of a clock that is divided goes by an identity, and looks whether it is still in force after it
// has read the clock, and before it moves it. Whoever changes the lane moves the clock after that. So no ID of the lane
// of before is issued once the change is done.
#pragma once

#include "../base/compat.hpp"

namespace kid::pg {

enum class node_kind : std::uint32_t {
  none,      ///< there is no identity yet
  automatic, ///< a hash that differs between servers, also those that were one
  named,     ///< the hash of a name
  numbered,
  citus, ///< the number that Citus gives its nodes
};

struct identity {
  node_kind kind;
  bool known; ///< whether `node` is: a number of chance is drawn when one is asked for
  std::uint32_t node;
  std::uint32_t lanes;

  /// Whether somebody gave each server a number, from 0 on. A hash is of 32 bits, and part of it is as good as any.
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
  pg_atomic_uint64 word; ///< packed; changed under `lock`, and read without. 0: none yet
  LWLock lock;           ///< held for a moment, and while no other is taken

  // Guarded by `lock`:
  TimestampTz configured; ///< when the configuration that it comes from was read
  Oid citus_database;     ///< the one whose Citus said the number
};

struct shared_state;

/// Reads what the settings do not say: the number that Citus gives this server, in the current database.
void look_for_citus();

/// Whether this session is on a Citus worker: what a coordinator sends there is computed there, defaults included.
bool on_citus_worker();

/// Puts the identity that the settings ask for in force, unless the one that is comes from newer settings.
void put_in_force(shared_state &shared);

/// `who`, which is in force, with its number. A number of chance is drawn where there is none yet.
identity with_number(identity who);

/// The identity in force, with its number where it has one. During recovery: the one that the settings ask for.
identity identity_to_show();

/// An error because `who` has no number.
[[noreturn]] void no_number_error(identity const &who);

/// An error because the number of `who` does not do for `what`, which takes one from 0 to `max`.
[[noreturn]] void unfit_number_error(identity const &who, char const *what, std::uint32_t max, char const *hint);

void define_identity_settings(int flags);

} // namespace kid::pg
