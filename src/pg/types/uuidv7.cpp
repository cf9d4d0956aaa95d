// UUID version 7 in SQL, as values of the core type uuid. Its layout and its logical clock are in
// core/types/uuidv7.hpp.
#include "../../core/types/uuidv7.hpp"

#include "../base/arguments.hpp"
#include "../base/random.hpp"
#include "../issue/generate.hpp"
#include "../traits/base32.hpp"
#include "../traits/clock.hpp"
#include "../traits/time.hpp"
#include "all_types.hpp"

namespace kid {

/// The layout under the name that its functions in SQL begin with, for the macros that export them.
using kid_uuidv7 = uuidv7;

/// Any uuid, for functions that do not depend on its version.
struct kid_uuid {
  using word = uuidv7::word;
  static constexpr char name[] = "uuid";
  static constexpr unsigned size = uuidv7::size;
};

} // namespace kid

namespace kid::pg {

template <> inline char const *label<uuidv7>() {
  return uuidv7::name;
}

constexpr clock_rules uuidv7_clock_rules = describe_clock<uuidv7_clock, uuidv7::first(), uuidv7::last()>("uuidv7");

static bool next_id(Datum bound, bool above, Datum *id) {
  auto const word = get<uuidv7>(bound);
  uuidv7::word next = above ? word + 1 : word - 1;

  // A comparison that no ID matches has the smallest and the greatest uuid as its bounds, see range.hpp. The IDs next
  // to these are the first and the last of all.
  if (above && word == 0)
    next = uuidv7::lowest(uuidv7::first());
  else if (!above && word == ~uuidv7::word{0})
    next = uuidv7::highest(uuidv7::last());
  if (uuidv7::is_one(word) || !uuidv7::is_one(next))
    return false;
  *id = put<uuidv7>(next);
  return true;
}

// The page of the bounds contains states of the clock.
static_assert(
    uuidv7::millis::width == 48 && uuidv7::fraction::width == 12 && uuidv7::count::width == 4 &&
        uuidv7::random::width == 58,
    "kid_inspect() and the comments of src/sql/extension/types/uuidv7.sql state these widths, too; see page_version");

template <> std::uint64_t state_argument<uuidv7>(Datum argument) {
  auto const id = get<uuidv7>(argument);

  if (!uuidv7::is_one(id))
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("uuid \"%s\" is not of version 7", DatumGetCString(DirectFunctionCall1(uuid_out, argument))));
  return state_of(uuidv7{}, id);
}

constexpr id_type uuidv7_type = [] {
  id_type type = basic<uuidv7>();
  type.prefix = "kid_uuidv7";
  type.core_type = UUIDOID;
  type.clock = clock_uuidv7;
  type.state = state_argument<uuidv7>;
  type.next_id = next_id;
  return type;
}();

/// Returns the time of a UUID of version 7, or NULL for other versions, whose time kid does not know.
template <> Datum timestamp<uuidv7>(PG_FUNCTION_ARGS) {
  auto const id = get<uuidv7>(PG_GETARG_DATUM(0));

  if (!uuidv7::is_one(id))
    PG_RETURN_NULL();
  PG_RETURN_TIMESTAMPTZ(from_unix(uuidv7::time(id)));
}

namespace {

uuidv7::word random_part() {
  return uuidv7::random::put(random_bits(uuidv7::random::width));
}

struct uuidv7_generator {
  using type = uuidv7;
  explicit uuidv7_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(uuidv7{}, uuidv7_clock{keeps_highest_time()}, clock_uuidv7, "kid_uuidv7()", count).state;
  }
  uuidv7::word id(std::uint64_t state) const { return uuidv7_clock::id(state) | random_part(); }
};

} // namespace

/// Any random part is above the horizon, which has none.
KID_DEFINE(kid_uuidv7_horizon) {
  return put<uuidv7>(uuidv7_clock::id(horizon_state(clock_uuidv7, "kid_uuidv7_horizon()")));
}

/// Makes an ID for an old row. All bits below the millisecond are random, because its time may be no more precise.
KID_DEFINE(kid_uuidv7_at) {
  auto const lowest = uuidv7::lowest(time_argument(uuidv7{}, PG_GETARG_TIMESTAMPTZ(0)));
  return put<uuidv7>(lowest | uuidv7::fraction::put(random_bits(uuidv7::fraction::width)) |
                     uuidv7::count::put(random_bits(uuidv7::count::width)) | random_part());
}

} // namespace kid::pg

KID_EXPORT_BASE32(kid_uuid)
KID_EXPORT_TIME(kid_uuidv7)
KID_EXPORT_GENERATOR(kid_uuidv7, kid::pg::uuidv7_generator)
KID_EXPORT_OBSERVE(kid_uuidv7, clock_uuidv7)
