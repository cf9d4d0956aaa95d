// Who this server is among others that fill the same tables. Its identity is its node number, of which each type uses a
// part, and the number of lanes (core/lane.hpp) into which servers divide the sequences of kid64, kid96 and kid53.
//
// Both come from settings of the server, `kid.node` and `kid.lanes`. IDs are made with the identity in force: one word
// in shared memory, so that a change applies to all sessions at once, even to running statements. A session publishes
// its settings with its first ID, and with the first one after a reload, unless those in force are newer
// (`PgReloadTime`): a statement that began before a reload must not restore the old values.
//
// A session chooses its lane of a divided clock by an identity. Between reading the clock and moving it, the session
// checks that this identity is still in force. A session that changes the lane moves the clock afterwards
// (core/leave_unit.hpp), so that those that checked the old identity fail their compare-and-swap. So no ID of the old
// lane is issued after the change.
#pragma once

#include "attach.hpp"
#include "citus.hpp"

namespace kid::pg {

enum class node_kind : std::uint32_t {
  none,      ///< there is no identity yet
  automatic, ///< the hash of a random number (page_draw), which differs even between copies of a server
  named,     ///< the hash of a name
  numbered,
  citus, ///< the number that Citus gives its nodes
};

/// Who a server is: its node number and the number of lanes. One word can hold it, see pack().
struct identity {
  node_kind kind;
  bool known; ///< whether `node` is known: an automatic one is not until page_draw is drawn, when it is first needed
  std::uint32_t node;
  std::uint32_t lanes;

  /// Returns whether servers are numbered, from 0 on. Otherwise `node` is a hash of 32 bits, and any part of it will
  /// do.
  constexpr bool is_numbered() const { return kind == node_kind::numbered || kind == node_kind::citus; }
};

constexpr std::uint64_t pack(identity const &who) {
  return std::uint64_t{who.lanes} << 40 | static_cast<std::uint64_t>(who.kind) << 36 | std::uint64_t{who.known} << 32 |
         who.node;
}

constexpr identity unpack(std::uint64_t word) {
  return {static_cast<node_kind>(word >> 36 & 15), (word >> 32 & 1) != 0, static_cast<std::uint32_t>(word),
          static_cast<std::uint32_t>(word >> 40)};
}

/// Looks for Citus, and puts the identity of this session's settings in force, unless the identity in force comes from
/// newer settings. If the lane changes, waits until the lock of the lease is free; that can be interrupted.
void put_in_force(shared_state &shared);

/// Returns `who`, which is in force, with its number. If that is automatic, draws page_draw if there is none yet.
identity with_number(identity who);

/// Returns the identity that IDs are made with. If this session is not attached yet, attaches it first: that puts the
/// settings in force, may wait for the lock of the lease, and raises an error in the name of `function` during
/// recovery.
inline identity identity_in_force(char const *function) {
  return unpack(pg_atomic_read_u64(&attached_memory(function).identity.word));
}

/// The same for a generator that puts the node number into its IDs. Finds out the number if it is not known yet.
inline identity numbered_identity(char const *function) {
  identity const who = identity_in_force(function);
  return likely(who.known && who.kind != node_kind::citus) ? who : with_number(who);
}

/// Returns the identity in force, with its number if that is known. During recovery, returns the identity of the
/// settings.
identity identity_to_show();

/// Raises an error because `who` has no number.
[[noreturn]] void no_number_error(identity const &who);

/// Raises an error because the number of `who` does not fit `what`, which takes a number from 0 to `max`.
[[noreturn]] void unfit_number_error(identity const &who, char const *what, std::uint32_t max, char const *hint);

} // namespace kid::pg
