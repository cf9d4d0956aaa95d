#include "settings.hpp"

#include "../base/settings.hpp"
#include "attach.hpp"

namespace kid::pg {

namespace {

char *node_text = nullptr;
identity chosen = {node_kind::automatic, false, 0, 1}; ///< by the settings of this session
int lanes_setting = 1;

/// Parses `text`, a `kid.node`, into `result`. Returns false unless it is a keyword, a 32-bit number, or the name of an
/// Erlang node. A name must contain "@", so that a mistyped number or "auto" is not taken for one.
bool parse_node(char const *text, identity &result) {
  automatic_or_number choice = {};

  if (parse_choice(text, node_max, choice)) {
    result.kind = choice.automatic ? node_kind::automatic : node_kind::numbered;
    result.node = choice.number;
  } else if (pg_strcasecmp(text, "citus") == 0) {
    result.kind = node_kind::citus;
    result.node = 0;
  } else {
    char const *const at = strchr(text, '@');
    if (at == nullptr || at == text || at[1] == '\0' || strpbrk(text, " \t\n\v\f\r") != nullptr)
      return false;
    result.kind = node_kind::named;
    result.node = node_hash(text, strlen(text));
  }
  result.known = !is_assigned(result.kind);
  return true;
}

extern "C" {

static bool check_node(char **text, void **, GucSource) {
  identity value = {};

  if (parse_node(*text, value))
    return true;
  GUC_check_errdetail("The value must be \"auto\", \"citus\", a number from 0 to 4294967295, decimal or hexadecimal "
                      "after 0x, or the name of an Erlang node such as uid@127.0.0.1.");
  return false;
}

static bool check_lanes(int *lanes, void **, GucSource) {
  if ((*lanes & (*lanes - 1)) == 0)
    return true;
  GUC_check_errdetail("The value must be a power of two.");
  return false;
}

// A change detaches this process, so that the next ID puts the settings in force.

static void assign_node(char const *text, void *) {
  static_cast<void>(parse_node(text, chosen));
  detach();
}

static void assign_lanes(int lanes, void *) {
  chosen.lanes = static_cast<std::uint32_t>(lanes);
  detach();
}

} // extern "C"

} // namespace

identity const &configured_identity() {
  return chosen;
}

void define_identity_settings(int flags) {
  DefineCustomStringVariable(
      "kid.node", "Number of this server among those that fill the same tables.",
      "A 32-bit number, decimal or hexadecimal after 0x: the node of kid96, the partition of sno, the generator of "
      "flake, and, with \"kid.lanes\", the lane of kid64, kid96 and kid53. \"citus\" is the number that "
      "Citus gives this node. \"auto\" and the name of an Erlang node, name@host, give no number: kid96 and sno then "
      "take a hash, and flake takes 0. The hash of a name is that of Erlang. The hash with \"auto\" most probably "
      "differs between servers. If \"kid.lanes\" is above 1, making a kid64, kid96 or kid53 raises an error on a "
      "server without a number. Making a flake does so too, unless another setting gives its generator.",
      &node_text, "auto", PGC_SIGHUP, flags, check_node, assign_node, nullptr);
  DefineCustomIntVariable("kid.lanes", "Number of lanes that the sequences of kid64, kid96 and kid53 are divided into.",
                          "A power of two. With more than one lane, each server that fills the same tables makes IDs "
                          "in the lane of its \"kid.node\", which must be below this number. With more than 64 lanes, "
                          "kid53_next() raises an error.",
                          &lanes_setting, 1, 1, static_cast<int>(lanes_max), PGC_SIGHUP, flags, check_lanes,
                          assign_lanes, nullptr);
}

} // namespace kid::pg
