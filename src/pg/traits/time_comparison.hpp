// IDs beside instants and spans of time: `id < timestamptz` and its kin, `id <@ tstzrange`.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../base/export.hpp"

#include <string_view>

namespace kid::pg {

/// The IDs that compare so with an instant. Of a type whose order is coarser than its time, some more.
template <class Id> id_range<Id> range_of(Id const &layout, comparison how, unix_micros time) {
  if constexpr (!orders_exactly<Id>)
    how = is_upward(how) ? comparison::greater_equal : comparison::less_equal;
  return ids_that_are(how, layout, time);
}

/// Those that are between two bounds of time.
template <class Id> id_range<Id> range_of(Id const &layout, RangeBound const &lower, RangeBound const &upper) {
  id_range<Id> result = id_range<Id>::all();

  if (!lower.infinite)
    result = common(result, range_of(layout, lower.inclusive ? comparison::greater_equal : comparison::greater,
                                     to_unix(DatumGetTimestampTz(lower.val))));
  if (!upper.infinite)
    result = common(result, range_of(layout, upper.inclusive ? comparison::less_equal : comparison::less,
                                     to_unix(DatumGetTimestampTz(upper.val))));
  return result;
}

/// Those that are within a range.
template <class Id> id_range<Id> range_of(Id const &layout, Datum range) {
  auto *const value = DatumGetRangeTypeP(range);
  TypeCacheEntry *const type = lookup_type_cache(RangeTypeGetOid(value), TYPECACHE_RANGE_INFO);
  RangeBound lower;
  RangeBound upper;
  bool empty = false;

  range_deserialize(type, value, &lower, &upper, &empty);
  return empty ? id_range<Id>::none() : range_of(layout, lower, upper);
}

/// What an ID is looked at as, to compare its time exactly.
template <class Id, bool IsExact = orders_exactly<Id>> struct exact {
  using type = Id;
  static Id const &layout(Id const &of) { return of; }
  static typename Id::word id(Id const &, typename Id::word id) { return id; }
};
template <class Id> struct exact<Id, false> {
  using type = typename Id::exact;
  static type layout(Id const &) { return type{}; }
  static typename type::word id(Id const &layout, typename Id::word id) { return layout.to_exact(id); }
};
template <class Id> using exact_id = typename exact<Id>::type;

template <class Id> bool is_in(Id const &layout, Datum id, id_range<exact_id<Id>> const &range) {
  auto const word = exact<Id>::id(layout, get<Id>(id));
  return range.lowest <= word && word <= range.highest;
}

/// `id < timestamptz` and its kin, `How` being that of the ID; `Argument` is its place.
template <class Id, comparison How, int Argument> Datum compare_time(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  PG_RETURN_BOOL(is_in(layout, PG_GETARG_DATUM(Argument),
                       range_of(exact<Id>::layout(layout), How, to_unix(PG_GETARG_TIMESTAMPTZ(1 - Argument)))));
}

/// The IDs of a range, kept from one call to the next: in a recheck, IDs are compared with the same range row by row.
template <class Id> id_range<Id> remembered_range_of(FunctionCallInfo fcinfo, Id const &layout, Datum range) {
  struct memory {
    id_range<Id> ids;
    char range[32];
  };
  auto *const value = DatumGetPointer(range);
  auto const size = VARSIZE(value);

  static_assert(std::is_empty_v<Id>, "what is kept does not depend on a setting");
  if (fcinfo->flinfo == nullptr || size > sizeof(memory::range))
    return range_of(layout, range);
  auto *last = static_cast<memory *>(fcinfo->flinfo->fn_extra);
  if (last == nullptr || memcmp(last->range, value, size) != 0) {
    id_range<Id> const found = range_of(layout, range);
    if (last == nullptr)
      fcinfo->flinfo->fn_extra = last =
          static_cast<memory *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(memory)));
    last->ids = found;
    // It begins with its size.
    memcpy(last->range, value, size);
  }
  return last->ids;
}

template <class Id, int Argument> Datum within(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  Datum const id = PG_GETARG_DATUM(Argument);
  Datum const range = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(1 - Argument)));
  // Types that need no recheck are hardly ever compared so, see planner/time_comparison.cpp.
  if constexpr (orders_exactly<Id>)
    PG_RETURN_BOOL(is_in(layout, id, range_of(layout, range)));
  else
    PG_RETURN_BOOL(is_in(layout, id, remembered_range_of(fcinfo, exact<Id>::layout(layout), range)));
}

/// Of a span of time, or of an instant with an operator, the IDs that a rewritten comparison uses. See
/// planner/time_comparison.cpp.
template <class Id> Datum lowest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of(layout_argument<Id>(fcinfo, 1), PG_GETARG_DATUM(0)).lowest);
}

template <class Id> Datum highest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of(layout_argument<Id>(fcinfo, 1), PG_GETARG_DATUM(0)).highest);
}

/// Those of an operator, as text, and an instant. None are of another operator: an error would tell of an argument, and
/// what is LEAKPROOF must not.
template <class Id> id_range<Id> range_of(Id const &layout, text *symbol, TimestampTz time) {
  static constexpr struct {
    std::string_view symbol;
    comparison how = comparison::less;
  } known[] = {{"<", comparison::less},
               {"<=", comparison::less_equal},
               {">=", comparison::greater_equal},
               {">", comparison::greater}};
  std::string_view const given(VARDATA_ANY(symbol), VARSIZE_ANY_EXHDR(symbol));

  for (auto const &one : known)
    if (given == one.symbol)
      return range_of(layout, one.how, to_unix(time));
  return id_range<Id>::none();
}

template <class Id> id_range<Id> range_argument(FunctionCallInfo fcinfo) {
  return range_of(layout_argument<Id>(fcinfo, 2), PG_GETARG_TEXT_PP(0), PG_GETARG_TIMESTAMPTZ(1));
}

template <class Id> Datum lowest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_argument<Id>(fcinfo).lowest);
}

template <class Id> Datum highest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_argument<Id>(fcinfo).highest);
}

/// The same, but NULL where there is none.
template <class Id> Datum first_that_is(PG_FUNCTION_ARGS) {
  id_range<Id> const range = range_argument<Id>(fcinfo);
  if (range.lowest > range.highest)
    PG_RETURN_NULL();
  return put<Id>(range.lowest);
}

template <class Id> Datum last_that_is(PG_FUNCTION_ARGS) {
  id_range<Id> const range = range_argument<Id>(fcinfo);
  if (range.lowest > range.highest)
    PG_RETURN_NULL();
  return put<Id>(range.highest);
}

/// The comparison itself, with the bounds of what an ID is compared with time as.
template <class Id> Datum between(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(is_in(layout_argument<Id>(fcinfo, 3), PG_GETARG_DATUM(0),
                       {get<exact_id<Id>>(PG_GETARG_DATUM(1)), get<exact_id<Id>>(PG_GETARG_DATUM(2))}));
}

/// The comparison itself, with its operator as an argument.
template <class Id> Datum recheck_time(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 3);
  PG_RETURN_BOOL(is_in(layout, PG_GETARG_DATUM(1),
                       range_of(exact<Id>::layout(layout), PG_GETARG_TEXT_PP(0), PG_GETARG_TIMESTAMPTZ(2))));
}

} // namespace kid::pg

#define KID_EXPORT_TIME_COMPARISON(T)                                                                                  \
  KID_FUNCTION(T##_lowest, kid::pg::lowest_within<kid::T>)                                                             \
  KID_FUNCTION(T##_highest, kid::pg::highest_within<kid::T>)                                                           \
  KID_FUNCTION(T##_lowest_that_is, kid::pg::lowest_that_is<kid::T>)                                                    \
  KID_FUNCTION(T##_highest_that_is, kid::pg::highest_that_is<kid::T>)                                                  \
  KID_FUNCTION(T##_first_that_is, kid::pg::first_that_is<kid::T>)                                                      \
  KID_FUNCTION(T##_last_that_is, kid::pg::last_that_is<kid::T>)                                                        \
  KID_FUNCTION(T##_within, kid::pg::within<kid::T, 0>)                                                                 \
  KID_FUNCTION(T##_lt_time, kid::pg::compare_time<kid::T, kid::comparison::less, 0>)                                   \
  KID_FUNCTION(T##_le_time, kid::pg::compare_time<kid::T, kid::comparison::less_equal, 0>)                             \
  KID_FUNCTION(T##_ge_time, kid::pg::compare_time<kid::T, kid::comparison::greater_equal, 0>)                          \
  KID_FUNCTION(T##_gt_time, kid::pg::compare_time<kid::T, kid::comparison::greater, 0>)                                \
  KID_FUNCTION(T##_time_lt, kid::pg::compare_time<kid::T, kid::comparison::greater, 1>)                                \
  KID_FUNCTION(T##_time_le, kid::pg::compare_time<kid::T, kid::comparison::greater_equal, 1>)                          \
  KID_FUNCTION(T##_time_ge, kid::pg::compare_time<kid::T, kid::comparison::less_equal, 1>)                             \
  KID_FUNCTION(T##_time_gt, kid::pg::compare_time<kid::T, kid::comparison::less, 1>)

/// Likewise, for src/sql/traits/range_operators.sql.in.
#define KID_EXPORT_RANGE_OPERATORS(T) KID_FUNCTION(T##_range_contains, kid::pg::within<kid::T, 1>)
