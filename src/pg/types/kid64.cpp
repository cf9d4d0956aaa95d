// kid64 in SQL. Its layout and its logical clock are in core/types/kid64.hpp.
#include "../../core/types/kid64.hpp"

#include "../base/arguments.hpp"
#include "../issue/issue_in_lane.hpp"
#include "../traits/clock.hpp"
#include "../traits/own_type.hpp"
#include "all_types.hpp"

KID_DECLARE_INPUT(kid64)

namespace kid::pg {

// These widths are permanent: IDs in tables have them, and so have the states on the page of the bounds. To change them
// anyway, increase `page_version`.
static_assert(
    kid64::a::width == 20 && kid64::b::width == 20 && kid64::c::width == 10 && kid64::sequence::width == 14,
    "kid_inspect() and the comments of src/sql/extension/types/kid64.sql and kid96.sql state these widths, too");

constexpr id_type kid64_type = [] {
  id_type type = basic<kid64>(kid64_in);
  type.clock = clock_kid;
  // For arbitrary bits the state can be that of another ID, which sorts elsewhere. No generator makes such bits.
  type.state = [](Datum id) {
    std::uint64_t const state = state_argument<kid64>(id);
    return state == get<kid64>(id) ? state : 0;
  };
  type.node_part = {"lane", [](identity const &who) { return lane_number(who, !has_origin<kid64>); }};
  return type;
}();
constexpr clock_rules kid_clock_rules = describe_clock<kid_clock, kid64::first(), kid64::last()>("kid");

namespace {

struct kid64_generator {
  using type = kid64;
  explicit kid64_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue_in_lane(kid64{}, kid_clock{keeps_highest_time()}, clock_kid, "kid_next()", count);
  }
  kid64::word id(std::uint64_t state) const { return state; }
};

} // namespace

KID_DEFINE(kid64_horizon) {
  return put<kid64>(horizon_state(clock_kid, "kid_horizon()"));
}

KID_DEFINE(kid64_at) {
  auto const given = backfill_in_lane<kid_clock>(fcinfo, kid64{}, clock_kid, "kid64_at()", PG_GETARG_TIMESTAMPTZ(0));
  return put<kid64>(kid64::lowest(given.time) | given.sequence);
}

KID_DEFINE(kid64_make) {
  return put<kid64>(kid64::lowest(time_argument(kid64{}, PG_GETARG_TIMESTAMPTZ(0))) |
                    component_argument<kid64, kid64::sequence>("sequence", PG_GETARG_INT32(1)));
}

} // namespace kid::pg

KID_EXPORT_OWN_TYPE(kid64)
KID_EXPORT_GENERATOR(kid64, kid::pg::kid64_generator)
KID_EXPORT_OBSERVE(kid64, clock_kid)
KID_FUNCTION(kid64_sequence, kid::pg::component<kid::kid64, kid::kid64::sequence>)
