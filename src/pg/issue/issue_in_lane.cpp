#include "issue_in_lane.hpp"

namespace kid::pg {

/// Returns whether IDs of the whole sequence would repeat those of other servers.
static bool would_repeat(identity const &who, bool without_node) {
  return without_node && who.lanes == 1 && on_citus_worker();
}

/// Returns the number of the lane of `who`, or -1 if `who` has no number that fits.
static std::int64_t number_of(identity const &who) {
  if (who.lanes == 1)
    return 0;
  return who.known && who.is_numbered() && who.node < who.lanes ? std::int64_t{who.node} : -1;
}

std::int64_t lane_number(identity const &who, bool without_node) {
  return would_repeat(who, without_node) ? -1 : number_of(who);
}

lane_entry choose_lane(char const *function, std::uint64_t sequence_max, std::uint32_t most_lanes, bool without_node) {
  identity who = identity_in_force(function);
  std::uint64_t const word = pack(who);

  if (who.lanes > most_lanes)
    ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
            errmsg("%s cannot be called with more than %u lanes", function, most_lanes),
            errdetail("\"kid.lanes\" is %u, and a lane would have only " UINT64_FORMAT " IDs of each time unit.",
                      who.lanes, static_cast<uint64>((sequence_max + 1) / who.lanes)),
            errhint("Decrease \"kid.lanes\", or make IDs of type kid64."));
  if (who.lanes > 1)
    who = with_number(who);
  if (would_repeat(who, without_node))
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("IDs that this Citus worker makes would repeat those of other nodes"),
            errdetail("\"kid.lanes\" is 1, and each node would make IDs of the whole sequence."),
            errhint("On every node: ALTER SYSTEM SET kid.node = 'citus'; ALTER SYSTEM SET kid.lanes = 16; then reload "
                    "the configuration."));
  std::int64_t const number = number_of(who);
  if (number < 0)
    unfit_number_error(
        who, "\"kid.lanes\"", who.lanes - 1,
        "Set \"kid.node\" to a number in that range, a different one on each server, or increase \"kid.lanes\".");
  return {word, lane_of(sequence_max, who.lanes, static_cast<std::uint64_t>(number)), who.lanes == 1, local_group};
}

} // namespace kid::pg
