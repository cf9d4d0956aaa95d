// Comparison of IDs with instants and with ranges of time: `id < timestamptz`, `id <@ tstzrange` and so on.
#pragma once

#include "../base/datum.hpp"
#include "../base/error.hpp"
#include "../base/export.hpp"

#include <string_view>

namespace kid::pg {

/// Returns the IDs for which a comparison with an instant is true. If the order of the type is coarser than its time,
/// returns some more.
template <class Id> id_range<Id> range_of(Id const &layout, comparison how, unix_micros time) {
  if constexpr (!orders_exactly<Id>)
    how = is_upward(how) ? comparison::greater_equal : comparison::less_equal;
  return ids_that_are(how, layout, time);
}

/// Returns the IDs between two bounds of a range of time.
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

/// Returns the IDs in a range of time.
template <class Id> id_range<Id> range_of(Id const &layout, Datum range) {
  auto *const value = DatumGetRangeTypeP(range);
  TypeCacheEntry *const type = lookup_type_cache(RangeTypeGetOid(value), TYPECACHE_RANGE_INFO);
  RangeBound lower;
  RangeBound upper;
  bool empty = false;

  range_deserialize(type, value, &lower, &upper, &empty);
  return empty ? id_range<Id>::none() : range_of(layout, lower, upper);
}

/// The form of an ID that orders exactly by time: the ID itself, or for a type whose order is coarser, `Id::exact`.
template <class Id, bool IsExact = orders_exactly<Id>> struct exact_form {
  using type = Id;
  static Id const &layout(Id const &of) { return of; }
  static typename Id::word id(Id const &, typename Id::word id) { return id; }
};
template <class Id> struct exact_form<Id, false> {
  using type = typename Id::exact;
  static type layout(Id const &) { return type{}; }
  static typename type::word id(Id const &layout, typename Id::word id) { return layout.to_exact(id); }
};
template <class Id> using exact_id = typename exact_form<Id>::type;

/// Whether an ID, in its exact form, is in a range of IDs.
template <class Id> bool is_in(Id const &layout, Datum id, id_range<exact_id<Id>> const &range) {
  auto const word = exact_form<Id>::id(layout, get<Id>(id));
  return range.lowest <= word && word <= range.highest;
}

/// Compares an ID with an instant by `How`, with the ID on the left. `Argument` is the position of the ID among the
/// arguments.
template <class Id, comparison How, int Argument> Datum compare_time(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  PG_RETURN_BOOL(is_in(layout, PG_GETARG_DATUM(Argument),
                       range_of(exact_form<Id>::layout(layout), How, to_unix(PG_GETARG_TIMESTAMPTZ(1 - Argument)))));
}

/// Returns the IDs in a range of time, and caches them for the next call. A recheck compares an ID with the same range
/// for each row.
template <class Id> id_range<Id> remembered_range_of(FunctionCallInfo fcinfo, Id const &layout, Datum range) {
  struct memory {
    id_range<Id> ids;
    char range[32];
  };
  auto *const value = DatumGetPointer(range);
  auto const size = VARSIZE(value);

  static_assert(std::is_empty_v<Id>, "the cached IDs do not depend on a setting");
  if (fcinfo->flinfo == nullptr || size > sizeof(memory::range))
    return range_of(layout, range);
  auto *last = static_cast<memory *>(fcinfo->flinfo->fn_extra);
  if (last == nullptr || memcmp(last->range, value, size) != 0) {
    id_range<Id> const found = range_of(layout, range);
    if (last == nullptr)
      fcinfo->flinfo->fn_extra = last =
          static_cast<memory *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(memory)));
    last->ids = found;
    // The copy need not store the size, because the value begins with it.
    memcpy(last->range, value, size);
  }
  return last->ids;
}

template <class Id, int Argument> Datum within(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  Datum const id = PG_GETARG_DATUM(Argument);
  Datum const range = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(1 - Argument)));
  // If the type needs no recheck, the planner nearly always replaces this comparison, so a cache would not pay.
  if constexpr (orders_exactly<Id>)
    PG_RETURN_BOOL(is_in(layout, id, range_of(layout, range)));
  else
    PG_RETURN_BOOL(is_in(layout, id, remembered_range_of(fcinfo, exact_form<Id>::layout(layout), range)));
}

// The bounds that planner/time_comparison.cpp uses in place of a comparison. First those of a range of time.

template <class Id> Datum lowest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of(layout_argument<Id>(fcinfo, 1), PG_GETARG_DATUM(0)).lowest);
}

template <class Id> Datum highest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of(layout_argument<Id>(fcinfo, 1), PG_GETARG_DATUM(0)).highest);
}

/// Returns the IDs for which the comparison with an instant is true, with the operator given as text. An unknown
/// operator yields the empty range, not an error: these functions are LEAKPROOF, and an error would reveal an argument.
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

/// Returns the lowest of these IDs, or the greatest ID of all if there is none.
template <class Id> Datum lowest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_argument<Id>(fcinfo).lowest);
}

/// Returns the highest of these IDs, or the smallest ID of all if there is none.
template <class Id> Datum highest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_argument<Id>(fcinfo).highest);
}

/// Returns the lowest of these IDs, or NULL if there is none.
template <class Id> Datum first_that_is(PG_FUNCTION_ARGS) {
  id_range<Id> const range = range_argument<Id>(fcinfo);
  if (range.lowest > range.highest)
    PG_RETURN_NULL();
  return put<Id>(range.lowest);
}

/// Returns the highest of these IDs, or NULL if there is none.
template <class Id> Datum last_that_is(PG_FUNCTION_ARGS) {
  id_range<Id> const range = range_argument<Id>(fcinfo);
  if (range.lowest > range.highest)
    PG_RETURN_NULL();
  return put<Id>(range.highest);
}

/// Compares an ID with time exactly. The arguments are the first and the last ID in the exact form.
template <class Id> Datum between(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(is_in(layout_argument<Id>(fcinfo, 3), PG_GETARG_DATUM(0),
                       {get<exact_id<Id>>(PG_GETARG_DATUM(1)), get<exact_id<Id>>(PG_GETARG_DATUM(2))}));
}

/// Compares an ID with an instant exactly, with the operator as an argument.
template <class Id> Datum recheck_time(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 3);
  PG_RETURN_BOOL(is_in(layout, PG_GETARG_DATUM(1),
                       range_of(exact_form<Id>::layout(layout), PG_GETARG_TEXT_PP(0), PG_GETARG_TIMESTAMPTZ(2))));
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

/// Exports the function of src/sql/traits/range_contains.sql.in.
#define KID_EXPORT_RANGE_CONTAINS(T) KID_FUNCTION(T##_range_contains, kid::pg::within<kid::T, 1>)
