// The SQL functions: those that every type has, by one line a type, and those that only one has.
#include "export.hpp"
#include "fields.hpp"
#include "generate.hpp"
#include "io.hpp"
#include "ops.hpp"
#include "pg.hpp"
#include "timed.hpp"

#define KID_EXPORT_TYPE(T)                                                                                             \
  KID_FUNCTION(T##_in, kid::pg::in<kid::T>)                                                                            \
  KID_FUNCTION(T##_out, kid::pg::out<kid::T>)                                                                          \
  KID_FUNCTION(T##_recv, kid::pg::recv<kid::T>)                                                                        \
  KID_FUNCTION(T##_send, kid::pg::send<kid::T>)                                                                        \
  KID_FUNCTION(T##_from_bytea, kid::pg::from_bytea<kid::T>)                                                            \
  KID_FUNCTION(T##_lt, kid::pg::compare<kid::T, std::less<>>)                                                          \
  KID_FUNCTION(T##_le, kid::pg::compare<kid::T, std::less_equal<>>)                                                    \
  KID_FUNCTION(T##_eq, kid::pg::compare<kid::T, std::equal_to<>>)                                                      \
  KID_FUNCTION(T##_ne, kid::pg::compare<kid::T, std::not_equal_to<>>)                                                  \
  KID_FUNCTION(T##_ge, kid::pg::compare<kid::T, std::greater_equal<>>)                                                 \
  KID_FUNCTION(T##_gt, kid::pg::compare<kid::T, std::greater<>>)                                                       \
  KID_FUNCTION(T##_cmp, kid::pg::cmp<kid::T>)                                                                          \
  KID_FUNCTION(T##_smaller, kid::pg::choose<kid::T, std::less<>>)                                                      \
  KID_FUNCTION(T##_larger, kid::pg::choose<kid::T, std::greater<>>)                                                    \
  KID_FUNCTION(T##_sortsupport, kid::pg::sortsupport<kid::T>)                                                          \
  KID_FUNCTION(T##_hash, kid::pg::hash<kid::T>)                                                                        \
  KID_FUNCTION(T##_hash_extended, kid::pg::hash_extended<kid::T>)                                                      \
  KID_FUNCTION(T##_brin_distance, kid::pg::brin_distance<kid::T>)                                                      \
  KID_FUNCTION(T##_timestamp, kid::pg::timestamp<kid::T>)                                                              \
  KID_FUNCTION(T##_floor, kid::pg::floor<kid::T>)                                                                      \
  KID_FUNCTION(T##_ceil, kid::pg::ceil<kid::T>)                                                                        \
  KID_FUNCTION(T##_lowest, kid::pg::lowest_within<kid::T>)                                                             \
  KID_FUNCTION(T##_highest, kid::pg::highest_within<kid::T>)                                                           \
  KID_FUNCTION(T##_lowest_that_is, kid::pg::lowest_that_is<kid::T>)                                                    \
  KID_FUNCTION(T##_highest_that_is, kid::pg::highest_that_is<kid::T>)                                                  \
  KID_FUNCTION(T##_within, kid::pg::within<kid::T, 0>)                                                                 \
  KID_FUNCTION(T##_range_contains, kid::pg::within<kid::T, 1>)                                                         \
  KID_FUNCTION(T##_lt_time, kid::pg::compare_time<kid::T, kid::comparison::less, 0>)                                   \
  KID_FUNCTION(T##_le_time, kid::pg::compare_time<kid::T, kid::comparison::less_equal, 0>)                             \
  KID_FUNCTION(T##_ge_time, kid::pg::compare_time<kid::T, kid::comparison::greater_equal, 0>)                          \
  KID_FUNCTION(T##_gt_time, kid::pg::compare_time<kid::T, kid::comparison::greater, 0>)                                \
  KID_FUNCTION(T##_time_lt, kid::pg::compare_time<kid::T, kid::comparison::greater, 1>)                                \
  KID_FUNCTION(T##_time_le, kid::pg::compare_time<kid::T, kid::comparison::greater_equal, 1>)                          \
  KID_FUNCTION(T##_time_ge, kid::pg::compare_time<kid::T, kid::comparison::less_equal, 1>)                             \
  KID_FUNCTION(T##_time_gt, kid::pg::compare_time<kid::T, kid::comparison::less, 1>)

/// And those of the types whose text has 16 characters.
#define KID_EXPORT_UUID_CASTS(T)                                                                                       \
  KID_FUNCTION(T##_to_uuid, kid::pg::to_uuid<kid::T>)                                                                  \
  KID_FUNCTION(T##_from_uuid, kid::pg::from_uuid<kid::T>)

KID_EXPORT_TYPE(kid64)
KID_EXPORT_TYPE(kid96)
KID_EXPORT_UUID_CASTS(kid96)
KID_EXPORT_TYPE(sno)
KID_EXPORT_UUID_CASTS(sno)
KID_EXPORT_TYPE(flake)
KID_EXPORT_TYPE(flax)
KID_EXPORT_UUID_CASTS(flax)

namespace kid::pg {

/// The next of the sequences from `min` to `max`, which roll over.
static std::uint64_t roll(pg_atomic_uint32 &rolling, std::uint64_t min, std::uint64_t max) {
  return min + pg_atomic_fetch_add_u32(&rolling, 1) % (max - min + 1);
}

struct kid64_maker {
  using type = kid64;
  static constexpr int arguments = 0;
  explicit kid64_maker(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(kid64{}, kid_line(), shared("kid_next()").lines[line_kid], count);
  }
  kid64::word id(std::uint64_t state) const { return state; }
};

/// A kid64 at `time` with the next sequence of `rolling`.
static kid64::word backfill(pg_atomic_uint32 &rolling, TimestampTz time) {
  return kid64::lowest(time_argument(kid64{}, time)) | roll(rolling, 0, kid64::sequence::max);
}

static Datum kid64_at_time(PG_FUNCTION_ARGS) {
  return put<kid64>(backfill(shared("kid64_at()").backfill.kid64, PG_GETARG_TIMESTAMPTZ(0)));
}

static Datum make_kid64(PG_FUNCTION_ARGS) {
  return put<kid64>(kid64::lowest(time_argument(kid64{}, PG_GETARG_TIMESTAMPTZ(0))) |
                    component<kid64, kid64::sequence>("sequence", PG_GETARG_INT32(1)));
}

struct kid96_maker {
  using type = kid96;
  static constexpr int arguments = 0;
  kid96 layout = layout_of<kid96>();
  explicit kid96_maker(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(layout, kid_line(), shared("kid96_next()").lines[line_kid], count);
  }
  kid96::word id(std::uint64_t state) const { return layout.global(state, node()); }
};

static Datum kid96_at_time(PG_FUNCTION_ARGS) {
  auto const local = backfill(shared("kid96_at()").backfill.kid96, PG_GETARG_TIMESTAMPTZ(0));
  return put<kid96>(layout_of<kid96>().global(local, node()));
}

/// The layout with the neighborhood of an argument.
static kid96 kid96_layout(std::int32_t bits) {
  return {static_cast<unsigned>(check_component<kid96>("neighborhood", bits, kid96::neighborhood_max))};
}

/// Not strict: without a neighborhood it is that of the setting.
static Datum make_kid96(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
    PG_RETURN_NULL();
  kid96 const layout = PG_ARGISNULL(3) ? layout_of<kid96>() : kid96_layout(PG_GETARG_INT32(3));
  auto const node = check_component<kid96>("node", PG_GETARG_INT64(1), kid96::node_max);
  auto const sequence = component<kid96, kid64::sequence>("sequence", PG_GETARG_INT32(2));
  auto const time = time_argument(layout, PG_GETARG_TIMESTAMPTZ(0));

  return put<kid96>(layout.global(kid64::lowest(time) | static_cast<kid64::word>(sequence), node));
}

static Datum timestamp_of_kid96(PG_FUNCTION_ARGS) {
  PG_RETURN_TIMESTAMPTZ(from_unix(kid96_layout(PG_GETARG_INT32(1)).time(get<kid96>(PG_GETARG_DATUM(0)))));
}

static Datum node_of_kid96(PG_FUNCTION_ARGS) {
  kid96 const layout = PG_NARGS() > 1 ? kid96_layout(PG_GETARG_INT32(1)) : layout_of<kid96>();
  PG_RETURN_INT64(static_cast<std::int64_t>(layout.node(get<kid96>(PG_GETARG_DATUM(0)))));
}

static Datum sequence_of_kid96(PG_FUNCTION_ARGS) {
  auto const local = layout_of<kid96>().local(get<kid96>(PG_GETARG_DATUM(0)));
  PG_RETURN_INT32(static_cast<std::int32_t>(kid64::sequence::get(local)));
}

static Datum global(PG_FUNCTION_ARGS) {
  return put<kid96>(layout_of<kid96>().global(get<kid64>(PG_GETARG_DATUM(0)), node()));
}

/// With one argument it is the cast, which never forces.
static Datum local(PG_FUNCTION_ARGS) {
  kid96 const layout = layout_of<kid96>();
  auto const id = get<kid96>(PG_GETARG_DATUM(0));
  bool const force = PG_NARGS() > 1 && PG_GETARG_BOOL(1);

  if (!force && layout.node(id) != node())
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("ID is of another node"),
            errdetail("Its node is " UINT64_FORMAT ", that of this server is %u.", layout.node(id), node()),
            errhint("kid_local(id, true) drops the node of an ID, which is then no longer unique."));
  return put<kid64>(layout.local(id));
}

/// The metabyte that an argument gives.
static sno::word meta(std::int32_t value) {
  return component<sno, sno::meta>("meta", value);
}

struct sno_maker {
  using type = sno;
  static constexpr int arguments = 1;
  sno::word payload;
  explicit sno_maker(FunctionCallInfo fcinfo)
      : payload(meta(PG_GETARG_INT32(0)) | sno::partition::put(sno_partition())) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(sno{}, sno_line(), shared("sno_next()").lines[line_sno], count);
  }
  sno::word id(std::uint64_t state) const { return sno_timeline::id(state) | payload; }
};

static Datum sno_at_time(PG_FUNCTION_ARGS) {
  auto const payload = meta(PG_GETARG_INT32(1)) | sno::partition::put(sno_partition());
  auto const lowest = sno{}.lowest(time_argument(sno{}, PG_GETARG_TIMESTAMPTZ(0)));
  sno_timeline const line = sno_line();
  auto const sequence = roll(shared("sno_at()").backfill.sno, line.sequence_min, line.sequence_max);
  return put<sno>(lowest | payload | sno::sequence::put(sequence));
}

static Datum make_sno(PG_FUNCTION_ARGS) {
  return put<sno>(sno{}.lowest(time_argument(sno{}, PG_GETARG_TIMESTAMPTZ(0))) | meta(PG_GETARG_INT32(1)) |
                  component<sno, sno::partition>("partition", PG_GETARG_INT32(2)) |
                  component<sno, sno::sequence>("sequence", PG_GETARG_INT32(3)) |
                  sno::tick::put(PG_GETARG_BOOL(4) ? 1 : 0));
}

struct flake_maker {
  using type = flake;
  static constexpr int arguments = 0;
  flake layout = layout_of<flake>();
  flake::word generator = flake::generator::put(flake_generator());
  explicit flake_maker(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *count) const {
    return issue(layout, flake_line(), shared("flake_next()").lines[line_flake], count);
  }
  flake::word id(std::uint64_t state) const {
    unix_micros const time = flake_timeline::time(state);

    // A timeline that is held ahead of the clock can be ahead of the range too.
    if (unlikely(!holds(layout, time)))
      time_error(layout);
    return layout.lowest(time) | generator | flake_timeline::sequence::get(state);
  }
};

static Datum flake_at_time(PG_FUNCTION_ARGS) {
  flake const layout = layout_of<flake>();
  auto const lowest = layout.lowest(time_argument(layout, PG_GETARG_TIMESTAMPTZ(0)));
  auto const generator = flake::generator::put(flake_generator());
  return put<flake>(lowest | generator | roll(shared("flake_at()").backfill.flake, 0, flake_line().sequence_max));
}

/// The layout with the epoch of an argument.
static flake flake_from(TimestampTz time) {
  unix_micros const epoch = to_unix(time);

  if (epoch < 0 || epoch > flake::epoch_max || epoch % flake::unit != 0)
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("epoch is out of range for type flake"),
            errdetail("It is a whole millisecond from %s to %s.", display(0), display(flake::epoch_max)));
  return flake{epoch};
}

/// Not strict: without an epoch it is that of the setting.
static Datum make_flake(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
    PG_RETURN_NULL();
  flake const layout = PG_ARGISNULL(4) ? layout_of<flake>() : flake_from(PG_GETARG_TIMESTAMPTZ(4));

  return put<flake>(layout.lowest(time_argument(layout, PG_GETARG_TIMESTAMPTZ(0))) |
                    component<flake, flake::datacenter>("datacenter", PG_GETARG_INT32(1)) |
                    component<flake, flake::worker>("worker", PG_GETARG_INT32(2)) |
                    component<flake, flake::sequence>("sequence", PG_GETARG_INT32(3)));
}

static Datum timestamp_of_flake(PG_FUNCTION_ARGS) {
  PG_RETURN_TIMESTAMPTZ(from_unix(flake_from(PG_GETARG_TIMESTAMPTZ(1)).time(get<flake>(PG_GETARG_DATUM(0)))));
}

constexpr unsigned flax_random_size = flax::random::width / 8;

/// 56 random bits, as a number. They are fetched for many IDs at once, by each process for itself.
static std::uint64_t next_random() {
  static struct {
    int owner; ///< the process that fetched: a child would inherit what its parent is about to use
    unsigned used;
    unsigned char bytes[64 * flax_random_size];
  } pool;
  unsigned char bits[8] = {};

  if (unlikely(pool.owner != MyProcPid || pool.used == sizeof pool.bytes)) {
    pool.owner = 0;
    if (!pg_strong_random(pool.bytes, sizeof pool.bytes))
      ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
    pool.owner = MyProcPid;
    pool.used = 0;
  }
  memcpy(bits + 8 - flax_random_size, pool.bytes + pool.used, flax_random_size);
  pool.used += flax_random_size;
  return load_big<8, std::uint64_t>(bits);
}

static flax::word flax_of_time(TimestampTz time) {
  return flax{}.lowest(time_argument(flax{}, time)) | next_random();
}

/// It has no timeline: time and chance are all it needs.
struct flax_maker {
  using type = flax;
  static constexpr int arguments = 0;
  explicit flax_maker(FunctionCallInfo) {}
  std::uint64_t next(std::uint64_t *) const { return 0; }
  flax::word id(std::uint64_t) const { return flax_of_time(GetCurrentTimestamp()); }
};

static Datum flax_at_time(PG_FUNCTION_ARGS) {
  return put<flax>(flax_of_time(PG_GETARG_TIMESTAMPTZ(0)));
}

static Datum make_flax(PG_FUNCTION_ARGS) {
  auto const lowest = flax{}.lowest(time_argument(flax{}, PG_GETARG_TIMESTAMPTZ(0)));
  bytea *const random = PG_GETARG_BYTEA_PP(1);
  unsigned char bits[8] = {};

  if (VARSIZE_ANY_EXHDR(random) != flax_random_size)
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("random is out of range for type flax"),
            errdetail("It has %u bytes, not %d.", flax_random_size, static_cast<int>(VARSIZE_ANY_EXHDR(random))));
  memcpy(bits + 8 - flax_random_size, VARDATA_ANY(random), flax_random_size);
  return put<flax>(lowest | load_big<8, std::uint64_t>(bits));
}

static Datum random_of_flax(PG_FUNCTION_ARGS) {
  auto *const random = static_cast<bytea *>(palloc(VARHDRSZ + flax_random_size));
  unsigned char bits[8];

  store_big<8>(flax::random::get(get<flax>(PG_GETARG_DATUM(0))), bits);
  SET_VARSIZE(random, VARHDRSZ + flax_random_size);
  memcpy(VARDATA(random), bits + 8 - flax_random_size, flax_random_size);
  PG_RETURN_BYTEA_P(random);
}

} // namespace kid::pg

KID_FUNCTION(kid64_next, kid::pg::next<kid::pg::kid64_maker>)
KID_FUNCTION(kid64_next_many, kid::pg::next_many<kid::pg::kid64_maker>)
KID_FUNCTION(kid64_at, kid::pg::kid64_at_time)
KID_FUNCTION(kid64_make, kid::pg::make_kid64)
KID_FUNCTION(kid64_sequence, kid::pg::component<kid::kid64, kid::kid64::sequence>)

KID_FUNCTION(kid96_next, kid::pg::next<kid::pg::kid96_maker>)
KID_FUNCTION(kid96_next_many, kid::pg::next_many<kid::pg::kid96_maker>)
KID_FUNCTION(kid96_at, kid::pg::kid96_at_time)
KID_FUNCTION(kid96_make, kid::pg::make_kid96)
KID_FUNCTION(kid96_timestamp_in, kid::pg::timestamp_of_kid96)
KID_FUNCTION(kid96_node, kid::pg::node_of_kid96)
KID_FUNCTION(kid96_sequence, kid::pg::sequence_of_kid96)
KID_FUNCTION(kid96_recheck_time, kid::pg::recheck_time_of_kid96)
KID_FUNCTION(kid64_global, kid::pg::global)
KID_FUNCTION(kid96_local, kid::pg::local)

KID_FUNCTION(sno_next, kid::pg::next<kid::pg::sno_maker>)
KID_FUNCTION(sno_next_many, kid::pg::next_many<kid::pg::sno_maker>)
KID_FUNCTION(sno_at, kid::pg::sno_at_time)
KID_FUNCTION(sno_make, kid::pg::make_sno)
KID_FUNCTION(sno_tick, kid::pg::flag<kid::sno, kid::sno::tick>)
KID_FUNCTION(sno_meta, kid::pg::component<kid::sno, kid::sno::meta>)
KID_FUNCTION(sno_partition, kid::pg::component<kid::sno, kid::sno::partition>)
KID_FUNCTION(sno_sequence, kid::pg::component<kid::sno, kid::sno::sequence>)

KID_FUNCTION(flake_next, kid::pg::next<kid::pg::flake_maker>)
KID_FUNCTION(flake_next_many, kid::pg::next_many<kid::pg::flake_maker>)
KID_FUNCTION(flake_at, kid::pg::flake_at_time)
KID_FUNCTION(flake_make, kid::pg::make_flake)
KID_FUNCTION(flake_timestamp_from, kid::pg::timestamp_of_flake)
KID_FUNCTION(flake_datacenter, kid::pg::component<kid::flake, kid::flake::datacenter>)
KID_FUNCTION(flake_worker, kid::pg::component<kid::flake, kid::flake::worker>)
KID_FUNCTION(flake_generator, kid::pg::component<kid::flake, kid::flake::generator>)
KID_FUNCTION(flake_sequence, kid::pg::component<kid::flake, kid::flake::sequence>)

KID_FUNCTION(flax_next, kid::pg::next<kid::pg::flax_maker>)
KID_FUNCTION(flax_next_many, kid::pg::next_many<kid::pg::flax_maker>)
KID_FUNCTION(flax_at, kid::pg::flax_at_time)
KID_FUNCTION(flax_make, kid::pg::make_flax)
KID_FUNCTION(flax_random, kid::pg::random_of_flax)
