// flax in SQL. Its layout is in core/types/flax.hpp. It needs no logical clock, because an ID is only a time and random
// bits.
#include "../../core/types/flax.hpp"

#include "../base/arguments.hpp"
#include "../base/random.hpp"
#include "../issue/generate.hpp"
#include "../traits/own_type.hpp"
#include "../traits/uuid_casts.hpp"
#include "all_types.hpp"

KID_DECLARE_INPUT(flax)

namespace kid::pg {

// IDs in tables have this layout.
static_assert(flax::units::width == 40 && flax::random::width == 56,
              "kid_inspect() and the comments of src/sql/extension/types/flax.sql state these widths, too");

constexpr id_type flax_type = basic<flax>(flax_in);

namespace {

constexpr unsigned random_size = flax::random::width / 8;
static_assert(flax::random::width % 8 == 0);

flax::word flax_of_time(TimestampTz time) {
  return flax{}.lowest(time_argument(flax{}, time)) | flax::random::put(random_bits(flax::random::width));
}

struct flax_generator {
  using type = flax;
  explicit flax_generator(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *) const { return 0; }
  flax::word id(std::uint64_t) const { return flax_of_time(GetCurrentTimestamp()); }
};

} // namespace

KID_DEFINE(flax_at) {
  return put<flax>(flax_of_time(PG_GETARG_TIMESTAMPTZ(0)));
}

KID_DEFINE(flax_make) {
  auto const lowest = flax{}.lowest(time_argument(flax{}, PG_GETARG_TIMESTAMPTZ(0)));
  bytea *const random = PG_GETARG_BYTEA_PP(1);
  unsigned char bits[8] = {};

  if (VARSIZE_ANY_EXHDR(random) != random_size)
    ereport(
        ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("random is out of range for type flax"),
        errdetail("The random part has %u bytes, not %d.", random_size, static_cast<int>(VARSIZE_ANY_EXHDR(random))));
  memcpy(bits + 8 - random_size, VARDATA_ANY(random), random_size);
  return put<flax>(lowest | load_big<8, std::uint64_t>(bits));
}

KID_DEFINE(flax_random) {
  auto *const random = static_cast<bytea *>(palloc(VARHDRSZ + random_size));
  unsigned char bits[8];

  store_big<8>(flax::random::get(get<flax>(PG_GETARG_DATUM(0))), bits);
  SET_VARSIZE(random, VARHDRSZ + random_size);
  memcpy(VARDATA(random), bits + 8 - random_size, random_size);
  PG_RETURN_BYTEA_P(random);
}

} // namespace kid::pg

KID_EXPORT_OWN_TYPE(flax)
KID_EXPORT_UUID_CASTS(flax)
KID_EXPORT_GENERATOR(flax, kid::pg::flax_generator)
