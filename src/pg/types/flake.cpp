// flake in SQL. Its layout and its logical clock are in core/types/flake.hpp.
#include "../../core/types/flake.hpp"

#include "../base/arguments.hpp"
#include "../clocks/move_clock.hpp"
#include "../issue/generate.hpp"
#include "../traits/clock.hpp"
#include "../traits/own_type.hpp"
#include "all_types.hpp"

KID_DECLARE_INPUT(flake)

namespace kid::pg {

constexpr clock_rules flake_clock_rules = describe_clock<flake_clock, 0, flake_clock::time(~std::uint64_t{0})>("flake");

namespace {

int flake_id = -1;
int flake_datacenter = -1;
int flake_worker = -1;
int sequence_max = flake::sequence::max;
double epoch = 0;
flake chosen{}; ///< the layout that `kid.flake_epoch` gives

bool is_contradictory() {
  // The datacenter and the worker, if they are set, must be the two parts of the ID.
  return flake_id >= 0 && ((flake_datacenter >= 0 && flake_datacenter != flake_id >> flake::worker::width) ||
                           (flake_worker >= 0 && flake_worker != (flake_id & static_cast<int>(flake::worker::max))));
}

/// Returns the generator of this server, that is, its datacenter and worker. If nothing sets it, returns the library's
/// default, 0. Returns -1 if the settings contradict each other, if the node number is unknown or too large, or if
/// other servers may use the default too: on a Citus worker, or if there are lanes.
std::int64_t generator_of(identity const &who) {
  if (is_contradictory())
    return -1;
  if (flake_id >= 0)
    return flake_id;
  if (flake_datacenter >= 0 || flake_worker >= 0)
    return Max(flake_datacenter, 0) << flake::worker::width | Max(flake_worker, 0);
  if (who.is_numbered())
    return who.known && who.node <= flake::generator::max ? std::int64_t{who.node} : -1;
  return who.lanes > 1 || on_citus_worker() ? -1 : 0;
}

[[noreturn]] void generator_error(identity const &who) {
  if (is_contradictory())
    ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
            errmsg("\"kid.flake_id\" contradicts \"kid.flake_datacenter\" and \"kid.flake_worker\""),
            errdetail("Their values are %d, %d and %d, but the first must be %d times the second plus the third.",
                      flake_id, flake_datacenter, flake_worker, 1 << flake::worker::width),
            errhint("Set either \"kid.flake_id\" or the other two settings, and leave the rest at -1."));
  if (on_citus_worker() && !who.is_numbered())
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("IDs that this Citus worker makes would repeat those of other nodes"),
            errdetail("The generator of flake is not set, and would be 0 on each node."),
            errhint("On every node: ALTER SYSTEM SET kid.node = 'citus'; then reload the configuration."));
  unfit_number_error(who, "the generator of flake", flake::generator::max, "Set \"kid.flake_id\".");
}

/// Returns the generator of this server in its place in an ID. Raises an error if there is none.
flake::word generator(char const *function) {
  // Only Citus is asked for a node number. A random one is of no use here.
  identity who = identity_in_force(function);
  if (who.kind == node_kind::citus)
    who = with_number(who);
  std::int64_t const value = generator_of(who);
  if (unlikely(value < 0))
    generator_error(who);
  return flake::generator::put(static_cast<std::uint64_t>(value));
}

} // namespace

extern "C" {

static bool check_epoch(double *millis, void **, GucSource) {
  if (*millis == static_cast<double>(static_cast<std::int64_t>(*millis)))
    return true;
  GUC_check_errdetail("The value must be a whole number of milliseconds.");
  return false;
}

static void assign_epoch(double millis, void *) {
  flake const assigned{static_cast<std::int64_t>(millis) * flake::unit_micros};

  if (assigned.epoch != chosen.epoch)
    ResetPlanCache();
  chosen = assigned;
}

/// Returns all digits of the epoch. PostgreSQL would round them.
static char const *show_epoch() {
  static char text[24];
  snprintf(text, sizeof text, INT64_FORMAT, chosen.epoch / flake::unit_micros);
  return text;
}

} // extern "C"

static void define_flake_settings(int flags) {
  define_number("kid.flake_id", "Generator of the flake that this server makes.",
                "A number that consists of datacenter and worker, 5 bits each. -1 takes it from "
                "\"kid.flake_datacenter\" and \"kid.flake_worker\", or from \"kid.node\" if both of them are -1.",
                &flake_id, -1, flake::generator::max, flags);
  define_number("kid.flake_datacenter", "Datacenter of the flake that this server makes.",
                "The upper 5 bits of the generator, a number of 10 bits. -1 takes it from \"kid.flake_id\". If "
                "\"kid.flake_id\" is -1 and \"kid.flake_worker\" is not, the datacenter is 0.",
                &flake_datacenter, -1, flake::datacenter::max, flags);
  define_number("kid.flake_worker", "Worker of the flake that this server makes.",
                "The lower 5 bits of the generator, a number of 10 bits. -1 takes it from \"kid.flake_id\". If "
                "\"kid.flake_id\" is -1 and \"kid.flake_datacenter\" is not, the worker is 0.",
                &flake_worker, -1, flake::worker::max, flags);
  DefineCustomRealVariable("kid.flake_epoch", "Time from which a flake counts, in milliseconds since 1970-01-01 UTC.",
                           "A whole number, as flake-idgen takes it. An ID does not contain its epoch, so every "
                           "session that makes or reads the same IDs must use the same value.",
                           &epoch, 0, 0, static_cast<double>(flake::units::max), PGC_SUSET, GUC_UNIT_MS | flags,
                           check_epoch, assign_epoch, show_epoch);
  define_number("kid.flake_sequence_max", "Greatest sequence of the flake that this server makes.",
                "A lower value makes fewer IDs in a millisecond.", &sequence_max, 0, flake::sequence::max, flags);
}

template <> inline flake layout_of<flake>() {
  return chosen;
}

template <> inline flake layout_with<flake>(Datum time) {
  unix_micros const from = to_unix(DatumGetTimestampTz(time));

  if (from < 0 || from > flake::epoch_max || from % flake::unit_micros != 0)
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("epoch is out of range for type flake"),
            errdetail("An epoch must be a whole millisecond from %s to %s.", display(0), display(flake::epoch_max)));
  return flake{from};
}

static constexpr id_setting epoch_setting = {TIMESTAMPTZOID,
                                             [] { return TimestampTzGetDatum(from_unix(chosen.epoch)); }};
template <> constexpr id_setting const *setting_of<flake> = &epoch_setting;

// IDs in tables have this layout, and the page of the bounds contains states of the clock.
static_assert(
    flake::units::width == 42 && flake::datacenter::width == 5 && flake::worker::width == 5 &&
        flake::sequence::width == 12,
    "kid_inspect() and the comments of src/sql/extension/types/flake.sql state these widths, too; see page_version");

constexpr id_type flake_type = [] {
  id_type type = basic<flake>(flake_in);
  type.define_settings = define_flake_settings;
  type.clock = clock_flake;
  type.state = state_argument<flake>;
  type.node_part = {"generator", generator_of};
  return type;
}();

namespace {

flake_clock clock() {
  return {{keeps_highest_time()}, static_cast<std::uint64_t>(sequence_max)};
}

struct flake_generator {
  using type = flake;
  flake layout = layout_of<flake>();
  flake::word origin = generator("flake_next()");
  explicit flake_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(layout, clock(), clock_flake, "flake_next()", count).state;
  }
  flake::word id(std::uint64_t state) const {
    unix_micros const time = flake_clock::time(state);

    // If the clock is ahead of the system clock, it can also be past the last instant of the layout.
    if (unlikely(!in_range(layout, time)))
      time_error(layout);
    return layout.lowest(time) | origin | flake_clock::sequence::get(state);
  }
};

} // namespace

/// Sessions may have different generators, and the generator sorts before the sequence. So this is the ID of generator
/// 0, which sorts before those of all others with the same state. For a horizon above the IDs of other generators, the
/// clock has to be in a later millisecond.
KID_DEFINE(flake_horizon) {
  flake const layout = layout_of<flake>();
  char const function[] = "flake_horizon()";
  clock_ref const flakes(attached_memory(function), clock_flake);

  leave_passed_unit(flakes, read_clock(layout, clock(), flakes.cell).state);
  std::uint64_t const state = horizon_state(clock_flake, function);
  unix_micros const time = Max(flake_clock::time(state), layout.first());
  if (!in_range(layout, time))
    time_error(layout);
  return put<flake>(layout.lowest(time) | flake_clock::sequence::get(state));
}

KID_DEFINE(flake_at) {
  flake const layout = layout_of<flake>();
  auto const origin = generator("flake_at()");
  auto const given =
      backfill(fcinfo, layout, clock_flake, "flake_at()", PG_GETARG_TIMESTAMPTZ(0), 0, clock().sequence_max);
  return put<flake>(layout.lowest(given.time) | origin | given.sequence);
}

/// Assembles a flake. The function is not STRICT, because a null epoch stands for the setting.
KID_DEFINE(flake_make) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
    PG_RETURN_NULL();
  flake const layout = PG_ARGISNULL(4) ? layout_of<flake>() : layout_with<flake>(PG_GETARG_DATUM(4));

  return put<flake>(layout.lowest(time_argument(layout, PG_GETARG_TIMESTAMPTZ(0))) |
                    component_argument<flake, flake::datacenter>("datacenter", PG_GETARG_INT32(1)) |
                    component_argument<flake, flake::worker>("worker", PG_GETARG_INT32(2)) |
                    component_argument<flake, flake::sequence>("sequence", PG_GETARG_INT32(3)));
}

} // namespace kid::pg

KID_EXPORT_OWN_TYPE(flake)
KID_EXPORT_GENERATOR(flake, kid::pg::flake_generator)
KID_EXPORT_OBSERVE(flake, clock_flake)
KID_FUNCTION(flake_compare, kid::pg::compare_by<kid::flake>)
KID_FUNCTION(flake_datacenter, kid::pg::component<kid::flake, kid::flake::datacenter>)
KID_FUNCTION(flake_worker, kid::pg::component<kid::flake, kid::flake::worker>)
KID_FUNCTION(flake_generator, kid::pg::component<kid::flake, kid::flake::generator>)
KID_FUNCTION(flake_sequence, kid::pg::component<kid::flake, kid::flake::sequence>)
