#include "guc.hpp"

namespace kid::pg {

int lease_length = 1000;
int max_observe = 3600 * 1000;
int max_wait = 1000;
int clock_backward = backward_hold;
int neighborhood = 8;
flake flake_layout{};

namespace {

/// "auto" or a number.
struct choice {
  bool automatic;
  std::uint32_t number;
};

char *node_text = nullptr;
choice chosen_node = {true, 0};
char *partition_text = nullptr;
choice chosen_partition = {true, 0};
int sno_sequence_min = 0;
int sno_sequence_max = sno::sequence::max;
int flake_id = -1;
int flake_datacenter = -1;
int flake_worker = -1;
int flake_sequence_max = flake::sequence::max;
double flake_epoch = 0;

constexpr config_enum_entry backward_options[] = {
    {"hold", backward_hold, false}, {"refuse", backward_refuse, false}, {nullptr, 0, false}};

/// False unless `text` is "auto" or a number from 0 to `max`.
bool parse_choice(char const *text, std::uint64_t max, choice &result) {
  std::uint64_t number = 0;

  if (pg_strcasecmp(text, "auto") == 0) {
    result = {true, 0};
    return true;
  }
  text_status const status = decimal_text::decode(text, strlen(text), number);
  result = {false, static_cast<std::uint32_t>(number)};
  return status.error == text_error::none && number <= max;
}

/// False where `text` is neither a number of 32 bits nor, with its "@", the name of an Erlang node: a number or an
/// "auto" with a slip of the pen in it must not become a name.
bool parse_node(char const *text, choice &result) {
  if (parse_choice(text, kid96::node_max, result))
    return true;
  char const *const at = strchr(text, '@');
  if (at == nullptr || at == text || at[1] == '\0' || strpbrk(text, " \t\n\v\f\r") != nullptr)
    return false;
  result = {false, node_hash(text, strlen(text))};
  return true;
}

/// Hands `value` to the assign hook. False when out of memory, which PostgreSQL reports.
bool keep(choice value, void **extra) {
  *extra = guc_extra(sizeof value);
  if (*extra == nullptr)
    return false;
  memcpy(*extra, &value, sizeof value);
  return true;
}

/// Differs between clusters, and between a primary and the standby that was promoted after it.
std::uint32_t identity() {
  static std::uint32_t hash = 0;
  static bool known = false;
  struct {
    std::uint64_t system;
    std::uint64_t timeline;
  } parts = {GetSystemIdentifier(), 0};
  TimeLineID timeline = 0;

  if (known)
    return hash;
  // A promotion begins another timeline; after recovery there is none any more.
  known = !RecoveryInProgress();
  if (known)
    timeline = GetWALInsertionTimeLine();
  else
    GetXLogReplayRecPtr(&timeline);
  parts.timeline = timeline;
  hash = hash_bytes(reinterpret_cast<unsigned char const *>(&parts), sizeof parts);
  return hash;
}

// Rules between settings hold where they are used, not where one is set: values come one by one, in any order, from a
// file, from SET, and from the leader of a parallel worker.

bool pool_is_large_enough(int min, int max) {
  return static_cast<unsigned>(abs(max - min)) + 1 >= sno_timeline::pool_min;
}

/// Whether `id` is made of those of `datacenter` and `worker` that are set.
bool same_generator(int id, int datacenter, int worker) {
  return id < 0 || ((datacenter < 0 || datacenter == id >> flake::worker::width) &&
                    (worker < 0 || worker == (id & static_cast<int>(flake::worker::max))));
}

} // namespace

extern "C" {

static bool check_node(char **text, void **extra, GucSource) {
  choice value = {};

  if (!parse_node(*text, value)) {
    GUC_check_errdetail(
        "It is \"auto\", a number from 0 to 4294967295, decimal or hexadecimal after 0x, or the name of an Erlang node "
        "such as uid@127.0.0.1.");
    return false;
  }
  return keep(value, extra);
}

static void assign_node(char const *, void *extra) {
  chosen_node = *static_cast<choice *>(extra);
}

static bool check_partition(char **text, void **extra, GucSource) {
  choice value = {};

  if (!parse_choice(*text, sno::partition::max, value)) {
    GUC_check_errdetail("It is \"auto\" or a number from 0 to 65535, decimal or hexadecimal after 0x.");
    return false;
  }
  return keep(value, extra);
}

static void assign_partition(char const *, void *extra) {
  chosen_partition = *static_cast<choice *>(extra);
}

static bool check_flake_epoch(double *epoch, void **, GucSource) {
  if (*epoch == static_cast<double>(static_cast<std::int64_t>(*epoch)))
    return true;
  GUC_check_errdetail("It is a whole number of milliseconds.");
  return false;
}

static void assign_flake_epoch(double epoch, void *) {
  flake_layout = flake{static_cast<std::int64_t>(epoch) * flake::unit};
}

/// All its digits, which PostgreSQL would round.
static char const *show_flake_epoch() {
  static char text[24];
  snprintf(text, sizeof text, INT64_FORMAT, flake_layout.epoch / flake::unit);
  return text;
}

} // extern "C"

std::uint32_t node() {
  return chosen_node.automatic ? identity() : chosen_node.number;
}

std::uint64_t sno_partition() {
  return (chosen_partition.automatic ? identity() : chosen_partition.number) & sno::partition::max;
}

sno_timeline sno_line() {
  if (unlikely(!pool_is_large_enough(sno_sequence_min, sno_sequence_max)))
    ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("too few sequences for sno"),
            errdetail("\"kid.sno_sequence_min\" and \"kid.sno_sequence_max\" make a pool of fewer than 4 sequences."));
  return {static_cast<std::uint64_t>(Min(sno_sequence_min, sno_sequence_max)),
          static_cast<std::uint64_t>(Max(sno_sequence_min, sno_sequence_max))};
}

std::uint64_t flake_generator() {
  if (unlikely(!same_generator(flake_id, flake_datacenter, flake_worker)))
    ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
            errmsg("\"kid.flake_id\" contradicts \"kid.flake_datacenter\" and \"kid.flake_worker\""),
            errdetail("They are %d, %d and %d, and the first is 32 times the second plus the third.", flake_id,
                      flake_datacenter, flake_worker),
            errhint("Set either the one or the other two, and leave the rest at -1."));
  if (flake_id >= 0)
    return static_cast<std::uint64_t>(flake_id);
  return static_cast<std::uint64_t>(Max(flake_datacenter, 0)) << flake::worker::width |
         static_cast<std::uint64_t>(Max(flake_worker, 0));
}

flake_timeline flake_line() {
  return {clock_backward == backward_hold, static_cast<std::uint64_t>(flake_sequence_max)};
}

/// PostgreSQL gives a setting that is defined late the value that its placeholder had. In parallel mode that is
/// refused, with a warning, to settings that may not be changed there. Ours may, but only until they are defined.
void define_settings() {
  int const flags = IsInParallelMode() ? GUC_ALLOW_IN_PARALLEL : 0;

  DefineCustomIntVariable(
      "kid.max_wait", "Longest time that a generator waits for the clock.",
      "A generator waits when all sequence numbers of the current time unit are used up, and, unless "
      "it keeps the highest time, when the clock went back. "
      "0 raises an error instead of waiting, -1 waits for ever.",
      &max_wait, 1000, -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS | flags, nullptr, nullptr, nullptr);

  DefineCustomEnumVariable(
      "kid.clock_backward", "What generators of kid64, kid96 and flake do when the clock goes back.",
      "\"hold\" keeps the highest time and counts on, \"refuse\" waits, at most \"kid.max_wait\", "
      "until the clock is there again.",
      &clock_backward, backward_hold, backward_options, PGC_SUSET, flags, nullptr, nullptr, nullptr);

  DefineCustomIntVariable(
      "kid.lease", "How far ahead of the clock the bound of IDs is that survives a crash.",
      "It is kept in the file kid.lease in the data directory, written at most twice in this time. "
      "After a crash IDs start there. 0 keeps none, and leaves it to the clock. Read when the first "
      "ID after a start of the server is made.",
      &lease_length, 1000, 0, 3600 * 1000, PGC_SIGHUP, GUC_UNIT_MS | flags, nullptr, nullptr, nullptr);

  DefineCustomIntVariable("kid.max_observe", "How far ahead of the clock an ID may be that kid_observe() takes.",
                          "A superuser is not bound by it.", &max_observe, 3600 * 1000, 0, INT_MAX, PGC_SUSET,
                          GUC_UNIT_MS | flags, nullptr, nullptr, nullptr);

  DefineCustomStringVariable(
      "kid.node", "Node that this server puts into the kid96 it makes.",
      "\"auto\" hashes the system identifier and the timeline of the cluster. A number is of 32 bits, "
      "decimal or hexadecimal after 0x; or the name of an Erlang node, name@host, hashed as Erlang does.",
      &node_text, "auto", PGC_SUSET, flags, check_node, assign_node, nullptr);

  DefineCustomIntVariable("kid.neighborhood", "Bits of seconds in which the node of a kid96 sorts before its time.",
                          "With I bits IDs are ordered by node within 2^I seconds. An ID does not say with how many "
                          "it was made, so all that are read together need the same.",
                          &neighborhood, 8, 0, kid96::neighborhood_max, PGC_SUSET, flags, nullptr, nullptr, nullptr);

  DefineCustomStringVariable(
      "kid.sno_partition", "Partition that this server puts into the sno it makes.",
      "\"auto\" hashes the system identifier and the timeline of the cluster. Otherwise a number "
      "from 0 to 65535, decimal or hexadecimal after 0x.",
      &partition_text, "auto", PGC_SUSET, flags, check_partition, assign_partition, nullptr);

  DefineCustomIntVariable(
      "kid.sno_sequence_min", "One end of the sequences that this server puts into the sno it makes.",
      "Generators that share a partition need different sequences, each at least four.", &sno_sequence_min, 0, 0,
      static_cast<int>(sno::sequence::max), PGC_SUSET, flags, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("kid.sno_sequence_max",
                          "Other end of the sequences that this server puts into the sno it makes.",
                          "Generators that share a partition need different sequences, each at least four.",
                          &sno_sequence_max, static_cast<int>(sno::sequence::max), 0,
                          static_cast<int>(sno::sequence::max), PGC_SUSET, flags, nullptr, nullptr, nullptr);

  DefineCustomIntVariable("kid.flake_id", "Generator that this server puts into the flake it makes.",
                          "Datacenter and worker in one number. -1 leaves it to \"kid.flake_datacenter\" and "
                          "\"kid.flake_worker\".",
                          &flake_id, -1, -1, static_cast<int>(flake::generator::max), PGC_SUSET, flags, nullptr,
                          nullptr, nullptr);
  DefineCustomIntVariable("kid.flake_datacenter", "Datacenter that this server puts into the flake it makes.",
                          "-1 leaves it to \"kid.flake_id\", and is 0 if that is -1 too.", &flake_datacenter, -1, -1,
                          static_cast<int>(flake::datacenter::max), PGC_SUSET, flags, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("kid.flake_worker", "Worker that this server puts into the flake it makes.",
                          "-1 leaves it to \"kid.flake_id\", and is 0 if that is -1 too.", &flake_worker, -1, -1,
                          static_cast<int>(flake::worker::max), PGC_SUSET, flags, nullptr, nullptr, nullptr);

  DefineCustomRealVariable(
      "kid.flake_epoch", "Time from which a flake counts, in milliseconds since 1970-01-01 UTC.",
      "A whole number, as the library takes it. An ID does not say its epoch, so all that are read "
      "together need the same.",
      &flake_epoch, 0, 0, static_cast<double>(flake::units::max), PGC_SUSET, GUC_UNIT_MS | flags, check_flake_epoch,
      assign_flake_epoch, show_flake_epoch);

  DefineCustomIntVariable("kid.flake_sequence_max", "Greatest sequence of the flake made in a millisecond.",
                          "Lower it to make fewer IDs in a millisecond.", &flake_sequence_max,
                          static_cast<int>(flake::sequence::max), 0, static_cast<int>(flake::sequence::max), PGC_SUSET,
                          0, nullptr, nullptr, nullptr);

  MarkGUCPrefixReserved("kid");
  if (flags != 0)
    for (config_generic *const setting : all_settings())
      if (strncmp(setting->name, "kid.", 4) == 0)
        setting->flags &= ~flags;
}

} // namespace kid::pg
