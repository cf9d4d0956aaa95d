// kid53 in SQL, as values of the core type bigint. Its layout and its logical clock are in core/types/kid53.hpp.
#include "../../core/types/kid53.hpp"

#include "../base/arguments.hpp"
#include "../issue/issue_in_lane.hpp"
#include "../traits/base32.hpp"
#include "../traits/clock.hpp"
#include "../traits/time.hpp"
#include "all_types.hpp"

namespace kid::pg {

template <> inline char const *label<kid53>() {
  return kid53::name;
}

constexpr clock_rules kid53_clock_rules = describe_clock<kid53_clock, kid53{}.first(), kid53{}.last()>("kid53");

// These widths are permanent: IDs in tables have them, and so have the states on the page of the bounds.
static_assert(
    kid53::units::width == 41 && kid53::sequence::width == 12,
    "kid53_inspect() and the comments of src/sql/extension/types/kid53.sql state these widths, too; see page_version");

constexpr id_type kid53_type = [] {
  id_type type = basic<kid53>();
  type.clock = clock_kid53;
  type.state = [](Datum id) {
    auto const state = get<kid53>(id);
    return kid53::is_one(state) ? state : 0;
  };
  return type;
}();

template <> kid53::word id_argument<kid53>(Datum argument) {
  auto const id = get<kid53>(argument);

  if (unlikely(!kid53::is_one(id)))
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("bigint " INT64_FORMAT " is out of range for kid53", DatumGetInt64(argument)),
            errdetail("The range is 0 to " UINT64_FORMAT ".", static_cast<uint64>(greatest<kid53>)));
  return id;
}

template <> constexpr char const *observe_name<kid53> = "kid53_observe()";

template <> std::uint64_t state_argument<kid53>(Datum argument) {
  return id_argument<kid53>(argument);
}

/// Returns the time of a kid53, or NULL for other numbers.
template <> Datum timestamp<kid53>(PG_FUNCTION_ARGS) {
  auto const id = get<kid53>(PG_GETARG_DATUM(0));

  if (!kid53::is_one(id))
    PG_RETURN_NULL();
  PG_RETURN_TIMESTAMPTZ(from_unix(kid53{}.time(id)));
}

namespace {

struct kid53_generator {
  using type = kid53;
  explicit kid53_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue_in_lane(kid53{}, kid53_clock{keeps_highest_time()}, clock_kid53, "kid53_next()", count);
  }
  kid53::word id(std::uint64_t state) const { return state; }
};

} // namespace

KID_DEFINE(kid53_horizon) {
  return put<kid53>(horizon_state(clock_kid53, "kid53_horizon()"));
}

KID_DEFINE(kid53_at) {
  auto const given =
      backfill_in_lane<kid53_clock>(fcinfo, kid53{}, clock_kid53, "kid53_at()", PG_GETARG_TIMESTAMPTZ(0));
  return put<kid53>(kid53{}.lowest(given.time) | given.sequence);
}

KID_DEFINE(kid53_make) {
  return put<kid53>(kid53{}.lowest(time_argument(kid53{}, PG_GETARG_TIMESTAMPTZ(0))) |
                    component_argument<kid53, kid53::sequence>("sequence", PG_GETARG_INT32(1)));
}

/// Returns the sequence of a kid53, or NULL for other numbers.
KID_DEFINE(kid53_sequence) {
  auto const id = get<kid53>(PG_GETARG_DATUM(0));

  if (!kid53::is_one(id))
    PG_RETURN_NULL();
  PG_RETURN_INT32(static_cast<std::int32_t>(kid53::sequence::get(id)));
}

} // namespace kid::pg

KID_EXPORT_BASE32(kid53)
KID_EXPORT_TIMESTAMP(kid53)
KID_EXPORT_GENERATOR(kid53, kid::pg::kid53_generator)
KID_EXPORT_OBSERVE(kid53, clock_kid53)
