#include "guc.hpp"

namespace kid::pg {

int max_wait = 1000;
int neighborhood = 8;

namespace {

/// What kid.node says.
struct node_choice {
  bool automatic;
  std::uint32_t node;
};

char *node_text = nullptr;
node_choice chosen_node = {true, 0};

/// False where `text` is empty, or looks like a number and is not one of 32 bits.
bool parse_node(char const *text, node_choice &choice) {
  std::uint64_t number = 0;

  if (pg_strcasecmp(text, "auto") == 0) {
    choice = {true, 0};
    return true;
  }
  if (text[0] == '\0')
    return false;
  if (strchr("+-0123456789", text[0]) != nullptr && strchr(text, '@') == nullptr) {
    text_status const status = decimal_text::decode(text, strlen(text), number);
    choice = {false, static_cast<std::uint32_t>(number)};
    return status.error == text_error::none && number <= kid96::node_max;
  }
  choice = {false, node_hash(text, strlen(text))};
  return true;
}

/// Differs between clusters, and between a primary and the standby that was promoted after it.
std::uint32_t automatic_node() {
  struct {
    std::uint64_t system;
    std::uint64_t timeline;
  } identity = {GetSystemIdentifier(), 0};
  TimeLineID timeline = 0;

  if (RecoveryInProgress())
    GetXLogReplayRecPtr(&timeline);
  else
    timeline = GetWALInsertionTimeLine();
  identity.timeline = timeline;
  return hash_bytes(reinterpret_cast<unsigned char const *>(&identity), sizeof identity);
}

} // namespace

extern "C" {

static bool check_node(char **text, void **extra, GucSource) {
  node_choice choice = {};

  if (!parse_node(*text, choice)) {
    GUC_check_errdetail(
        "It is \"auto\", a number from 0 to 4294967295, decimal or hexadecimal after 0x, or the name of a node.");
    return false;
  }
  *extra = guc_extra(sizeof choice);
  if (*extra == nullptr)
    return false;
  memcpy(*extra, &choice, sizeof choice);
  return true;
}

static void assign_node(char const *, void *extra) {
  chosen_node = *static_cast<node_choice *>(extra);
}

} // extern "C"

std::uint32_t node() {
  return chosen_node.automatic ? automatic_node() : chosen_node.node;
}

void define_settings() {
  DefineCustomIntVariable("kid.max_wait", "Longest time that a generator waits for the clock.",
                          "A generator waits when all sequence numbers of the current time unit are used up. "
                          "0 raises an error instead of waiting, -1 waits for ever.",
                          &max_wait, 1000, -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);

  DefineCustomStringVariable(
      "kid.node", "Node that this server puts into the kid96 it makes.",
      "\"auto\" hashes the system identifier and the timeline of the cluster. A number is of 32 bits, "
      "decimal or hexadecimal after 0x. Anything else is the name of an Erlang node, hashed as Erlang does.",
      &node_text, "auto", PGC_SUSET, 0, check_node, assign_node, nullptr);

  DefineCustomIntVariable("kid.neighborhood", "Bits of seconds in which the node of a kid96 sorts before its time.",
                          "With I bits IDs are ordered by node within 2^I seconds. An ID does not say with how many "
                          "it was made, so all that are read together need the same.",
                          &neighborhood, 8, 0, kid96::neighborhood_max, PGC_SUSET, 0, nullptr, nullptr, nullptr);

  MarkGUCPrefixReserved("kid");
}

} // namespace kid::pg
