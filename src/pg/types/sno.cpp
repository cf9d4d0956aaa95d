// sno in SQL. Its layout and its logical clock are in core/types/sno.hpp.
#include "../../core/types/sno.hpp"

#include "../base/arguments.hpp"
#include "../issue/generate.hpp"
#include "../traits/clock.hpp"
#include "../traits/own_type.hpp"
#include "../traits/uuid_casts.hpp"
#include "all_types.hpp"

KID_DECLARE_INPUT(sno)

namespace kid::pg {

namespace {

char *partition_text = nullptr;
automatic_or_number chosen_partition = {true, 0};
int sequence_min = 0;
int sequence_max = sno::sequence::max;

/// Returns the partition that is set or follows from the node number, or -1 if there is none. If the node number is a
/// hash, uses its low bits. A number that counts servers must fit.
std::int64_t partition_of(identity const &who) {
  if (!chosen_partition.automatic)
    return chosen_partition.number;
  if (!who.known)
    return -1;
  if (!who.is_numbered())
    return static_cast<std::int64_t>(who.node & sno::partition::max);
  return who.node <= sno::partition::max ? std::int64_t{who.node} : -1;
}

/// Returns the partition of this server in its place in an ID. Raises an error if there is none.
sno::word partition(char const *function) {
  if (!chosen_partition.automatic)
    return sno::partition::put(chosen_partition.number);
  identity const who = numbered_identity(function);
  std::int64_t const value = partition_of(who);
  if (unlikely(value < 0))
    unfit_number_error(who, "the partition of sno", sno::partition::max, "Set \"kid.sno_partition\".");
  return sno::partition::put(static_cast<std::uint64_t>(value));
}

/// A sno_clock that keeps its highest time for a while after a server start or a kid_observe(), instead of changing
/// sides. keeps() reads the span from shared memory each time, because the first call of a generator after a start
/// opens the lease, and so sets the span during the call.
struct keeping_clock : sno_clock {
  bool keeps(std::uint64_t last, std::uint64_t now) const noexcept {
    clock_cell &cell = shared_memory->cells[clock_sno];
    return now >= pg_atomic_read_u64(&cell.keep_from) && last < pg_atomic_read_u64(&cell.keep_until);
  }
};

/// Returns a clock with this server's part of the sequences. Raises an error if that part is too small.
sno_clock clock() {
  if (unlikely(static_cast<unsigned>(abs(sequence_max - sequence_min)) + 1 < sno_clock::pool_min))
    ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("too few sequences for sno"),
            errdetail("\"kid.sno_sequence_min\" and \"kid.sno_sequence_max\" make a pool of fewer than %u sequences.",
                      static_cast<unsigned>(sno_clock::pool_min)));
  return {static_cast<std::uint64_t>(Min(sequence_min, sequence_max)),
          static_cast<std::uint64_t>(Max(sequence_min, sequence_max))};
}

} // namespace

constexpr clock_rules sno_clock_rules = [] {
  clock_rules rules = describe_clock<sno_clock, sno{}.first(), sno{}.last()>("sno");

  rules.sides = sno_clock::tick::mask;
  rules.step_to_other_side = [](std::uint64_t safe, std::uint64_t last, std::uint64_t now_state) {
    return step_to_other_side(clock(), safe, last, now_state);
  };
  return rules;
}();

extern "C" {

static bool check_partition(char **text, void **, GucSource) {
  automatic_or_number value = {};

  if (parse_choice(*text, sno::partition::max, value))
    return true;
  GUC_check_errdetail("The value must be \"auto\" or a number from 0 to 65535, decimal or hexadecimal after 0x.");
  return false;
}

static void assign_partition(char const *text, void *) {
  static_cast<void>(parse_choice(text, sno::partition::max, chosen_partition));
}

} // extern "C"

static void define_sno_settings(int flags) {
  DefineCustomStringVariable(
      "kid.sno_partition", "Partition of the sno that this server makes.",
      "\"auto\" takes it from \"kid.node\". Otherwise it is a number from 0 to 65535, decimal or hexadecimal after 0x.",
      &partition_text, "auto", PGC_SUSET, flags, check_partition, assign_partition, nullptr);

  define_number("kid.sno_sequence_min", "One end of the sequences of the sno that this server makes.",
                "The other end is \"kid.sno_sequence_max\". Servers and programs that share a partition need "
                "separate sequences, at least four each.",
                &sequence_min, 0, sno::sequence::max, flags);
  define_number("kid.sno_sequence_max", "One end of the sequences of the sno that this server makes.",
                "The other end is \"kid.sno_sequence_min\". This setting may be below \"kid.sno_sequence_min\".",
                &sequence_max, 0, sno::sequence::max, flags);
}

// IDs in tables have this layout, and the page of the bounds contains states of the clock.
static_assert(sno::units::width == 39 && sno::tick::width == 1 && sno::meta::width == 8 &&
                  sno::partition::width == 16 && sno::sequence::width == 16,
              "kid_inspect(), the comments of src/sql/extension/types/sno.sql, and texts above state these widths, "
              "too; see page_version");

constexpr id_type sno_type = [] {
  id_type type = basic<sno>(sno_in);
  type.define_settings = define_sno_settings;
  type.node_part = {"partition", partition_of};
  return type;
}();

namespace {

/// Returns the metabyte in its place in an ID.
sno::word meta(std::int32_t value) {
  return component_argument<sno, sno::meta>("meta", value);
}

struct sno_generator {
  using type = sno;
  sno::word payload;
  explicit sno_generator(FunctionCallInfo fcinfo) : payload(meta(PG_GETARG_INT32(0)) | partition("sno_next()")) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(sno{}, keeping_clock{clock()}, clock_sno, "sno_next()", count).state;
  }
  sno::word id(std::uint64_t state) const { return sno_clock::id(state) | payload; }
};

} // namespace

KID_DEFINE(sno_at) {
  auto const payload = meta(PG_GETARG_INT32(1)) | partition("sno_at()");
  sno_clock const pool = clock();
  auto const given =
      backfill(fcinfo, sno{}, clock_sno, "sno_at()", PG_GETARG_TIMESTAMPTZ(0), pool.sequence_min, pool.sequence_max);
  return put<sno>(sno{}.lowest(given.time) | payload | sno::sequence::put(given.sequence));
}

KID_DEFINE(sno_make) {
  return put<sno>(sno{}.lowest(time_argument(sno{}, PG_GETARG_TIMESTAMPTZ(0))) | meta(PG_GETARG_INT32(1)) |
                  component_argument<sno, sno::partition>("partition", PG_GETARG_INT32(2)) |
                  component_argument<sno, sno::sequence>("sequence", PG_GETARG_INT32(3)) |
                  sno::tick::put(PG_GETARG_BOOL(4) ? 1 : 0));
}

} // namespace kid::pg

KID_EXPORT_OWN_TYPE(sno)
KID_EXPORT_UUID_CASTS(sno)
KID_EXPORT_GENERATOR(sno, kid::pg::sno_generator)
KID_EXPORT_OBSERVE(sno, clock_sno)
KID_FUNCTION(sno_tick, kid::pg::component<kid::sno, kid::sno::tick>)
KID_FUNCTION(sno_meta, kid::pg::component<kid::sno, kid::sno::meta>)
KID_FUNCTION(sno_partition, kid::pg::component<kid::sno, kid::sno::partition>)
KID_FUNCTION(sno_sequence, kid::pg::component<kid::sno, kid::sno::sequence>)
