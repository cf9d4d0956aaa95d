// kid96 in SQL. Its layout is in core/types/kid96.hpp. It shares the logical clock of kid64.
#include "../../core/types/kid96.hpp"

#include "../base/arguments.hpp"
#include "../issue/issue_in_lane.hpp"
#include "../traits/clock.hpp"
#include "../traits/own_type.hpp"
#include "../traits/uuid_casts.hpp"
#include "all_types.hpp"

KID_DECLARE_INPUT(kid96)

namespace kid::pg {

static int neighborhood = 8;

extern "C" {

static void assign_neighborhood(int bits, void *) {
  if (bits != neighborhood)
    ResetPlanCache();
}

} // extern "C"

static void define_kid96_settings(int flags) {
  define_number("kid.neighborhood", "How many of the lowest bits of the seconds come after the node in a kid96.",
                "With N such bits, IDs of the same 2^N seconds sort by node first, and then by time. An ID does not "
                "contain N, so every session that makes or reads the same IDs must use the same value.",
                &neighborhood, 0, kid96::neighborhood_max, flags, PGC_SUSET, assign_neighborhood);
}

template <> inline kid96 layout_of<kid96>() {
  return {static_cast<unsigned>(neighborhood)};
}

template <> inline kid96 layout_with<kid96>(Datum bits) {
  return {static_cast<unsigned>(check_component<kid96>("neighborhood", DatumGetInt32(bits), kid96::neighborhood_max))};
}

static constexpr id_setting neighborhood_setting = {INT4OID, [] { return Int32GetDatum(neighborhood); }};
template <> constexpr id_setting const *setting_of<kid96> = &neighborhood_setting;

// IDs in tables have this layout.
static_assert(kid96::node_width == 32 && kid96::neighborhood_max == 10,
              "kid_inspect() and the comments of src/sql/extension/types/kid96.sql state these widths, too, and "
              "src/sql/tables/partitions/missing_partitions.sql the longest time unit, 2^10 s");

constexpr id_type kid96_type = [] {
  id_type type = basic<kid96>(kid96_in);
  type.define_settings = define_kid96_settings;
  return type;
}();

namespace {

std::uint32_t node_of(identity const &who) {
  if (unlikely(!who.known))
    no_number_error(who);
  return who.node;
}

/// Returns the node of this server, also on a standby.
std::uint32_t node() {
  return node_of(identity_to_show());
}

struct kid96_generator {
  using type = kid96;
  kid96 layout = layout_of<kid96>();
  std::uint32_t node = node_of(numbered_identity("kid96_next()"));
  explicit kid96_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue_in_lane(layout, kid_clock{keeps_highest_time()}, clock_kid, "kid96_next()", count);
  }
  kid96::word id(std::uint64_t state) const { return layout.global(state, node); }
};

} // namespace

KID_DEFINE(kid96_at) {
  kid96 const layout = layout_of<kid96>();
  auto const node = node_of(numbered_identity("kid96_at()"));
  auto const given = backfill_in_lane<kid_clock>(fcinfo, layout, clock_kid, "kid96_at()", PG_GETARG_TIMESTAMPTZ(0));
  return put<kid96>(layout.global(kid64::lowest(given.time) | given.sequence, node));
}

/// Assembles a kid96. The function is not STRICT, because a null neighborhood stands for the setting.
KID_DEFINE(kid96_make) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
    PG_RETURN_NULL();
  kid96 const layout = PG_ARGISNULL(3) ? layout_of<kid96>() : layout_with<kid96>(PG_GETARG_DATUM(3));
  auto const chosen = check_component<kid96>("node", PG_GETARG_INT64(1), kid96::node_max);
  auto const sequence = component_argument<kid96, kid64::sequence>("sequence", PG_GETARG_INT32(2));
  auto const time = time_argument(layout, PG_GETARG_TIMESTAMPTZ(0));

  return put<kid96>(layout.global(kid64::lowest(time) | static_cast<kid64::word>(sequence), chosen));
}

KID_DEFINE(kid96_node) {
  auto const layout = layout_argument<kid96>(fcinfo, 1);
  PG_RETURN_INT64(static_cast<std::int64_t>(layout.node(get<kid96>(PG_GETARG_DATUM(0)))));
}

KID_DEFINE(kid96_sequence) {
  auto const local = layout_of<kid96>().local(get<kid96>(PG_GETARG_DATUM(0)));
  PG_RETURN_INT32(static_cast<std::int32_t>(kid64::sequence::get(local)));
}

KID_DEFINE(kid64_global) {
  return put<kid96>(layout_of<kid96>().global(get<kid64>(PG_GETARG_DATUM(0)), node()));
}

/// Returns an ID without its node. Called with one argument it is the cast, which requires the node of this server.
KID_DEFINE(kid96_local) {
  kid96 const layout = layout_of<kid96>();
  auto const id = get<kid96>(PG_GETARG_DATUM(0));
  bool const force = PG_NARGS() > 1 && PG_GETARG_BOOL(1);

  std::uint32_t const mine = force ? 0 : node();
  if (!force && layout.node(id) != mine)
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is from another node"),
            errdetail("The node of the ID is " UINT64_FORMAT ", but the node of this server is %u.",
                      static_cast<uint64>(layout.node(id)), mine),
            errhint("kid_local(id, true) drops the node of an ID, which is then no longer unique."));
  return put<kid64>(layout.local(id));
}

} // namespace kid::pg

KID_EXPORT_OWN_TYPE(kid96)
KID_EXPORT_UUID_CASTS(kid96)
KID_EXPORT_GENERATOR(kid96, kid::pg::kid96_generator)
KID_EXPORT_OBSERVE(kid96, clock_kid)
KID_FUNCTION(kid96_compare, kid::pg::compare_by<kid::kid96>)
