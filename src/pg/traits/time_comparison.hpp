// IDs beside instants and spans of time: `id < timestamptz` and its kin, `id <@ tstzrange`.
#pragma once

#include "../datum.hpp"
#include "../error.hpp"
#include "../export.hpp"

#include <string_view>

namespace kid::pg {

/// The IDs that compare so with an instant. Of a type whose order is coarser than its time, some more.
template <class Id> id_range<Id> range_of(comparison how, unix_micros time) {
  if constexpr (!orders_exactly<Id>) {
    bool const upward = how == comparison::greater_equal || how == comparison::greater;
    how = upward ? comparison::greater_equal : comparison::less_equal;
  }
  return ids_that_are(how, layout_of<Id>(), time);
}

/// Those that are within a range.
template <class Id> id_range<Id> range_of(Datum range) {
  auto *const value = DatumGetRangeTypeP(range);
  TypeCacheEntry *const type = lookup_type_cache(RangeTypeGetOid(value), TYPECACHE_RANGE_INFO);
  RangeBound lower;
  RangeBound upper;
  bool empty = false;
  id_range<Id> result = id_range<Id>::all();

  range_deserialize(type, value, &lower, &upper, &empty);
  if (empty)
    return id_range<Id>::none();
  if (!lower.infinite)
    result = common(result, range_of<Id>(lower.inclusive ? comparison::greater_equal : comparison::greater,
                                         to_unix(DatumGetTimestampTz(lower.val))));
  if (!upper.infinite)
    result = common(result, range_of<Id>(upper.inclusive ? comparison::less_equal : comparison::less,
                                         to_unix(DatumGetTimestampTz(upper.val))));
  return result;
}

/// What an ID is looked at as, to compare its time exactly.
template <class Id, bool IsExact = orders_exactly<Id>> struct exact {
  using type = Id;
  static typename Id::word of(typename Id::word id) { return id; }
};
template <class Id> struct exact<Id, false> {
  using type = typename Id::exact;
  static typename type::word of(typename Id::word id) { return layout_of<Id>().to_exact(id); }
};
template <class Id> using exact_id = typename exact<Id>::type;

template <class Id, int Argument> bool is_in(FunctionCallInfo fcinfo, id_range<exact_id<Id>> const &range) {
  auto const id = exact<Id>::of(get<Id>(PG_GETARG_DATUM(Argument)));
  return range.lowest <= id && id <= range.highest;
}

/// `id < timestamptz` and its kin, `How` being that of the ID; `Argument` is its place.
template <class Id, comparison How, int Argument> Datum compare_time(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(
      (is_in<Id, Argument>(fcinfo, range_of<exact_id<Id>>(How, to_unix(PG_GETARG_TIMESTAMPTZ(1 - Argument))))));
}

/// The IDs of a range, kept from one call to the next: in a recheck, IDs are compared with the same range row by row.
template <class Id> id_range<Id> remembered_range_of(FunctionCallInfo fcinfo, Datum range) {
  struct memory {
    id_range<Id> ids;
    char range[32];
  };
  auto *const value = DatumGetPointer(range);
  auto const size = VARSIZE(value);

  if (fcinfo->flinfo == nullptr || size > sizeof(memory::range))
    return range_of<Id>(range);
  auto *last = static_cast<memory *>(fcinfo->flinfo->fn_extra);
  if (last == nullptr || memcmp(last->range, value, size) != 0) {
    id_range<Id> const found = range_of<Id>(range);
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
  Datum const range = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(1 - Argument)));
  // Types that need no recheck are hardly ever compared so, see planner.cpp.
  if constexpr (orders_exactly<Id>)
    PG_RETURN_BOOL((is_in<Id, Argument>(fcinfo, range_of<Id>(range))));
  else
    PG_RETURN_BOOL((is_in<Id, Argument>(fcinfo, remembered_range_of<exact_id<Id>>(fcinfo, range))));
}

/// Of a span of time, or of an instant with an operator, the ID that a rewritten comparison uses. See planner.cpp.
template <class Id> Datum lowest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of<Id>(PG_GETARG_DATUM(0)).lowest);
}

template <class Id> Datum highest_within(PG_FUNCTION_ARGS) {
  return put<Id>(range_of<Id>(PG_GETARG_DATUM(0)).highest);
}

/// The operator of an argument, as text.
inline comparison comparison_argument(text *symbol) {
  static constexpr struct {
    std::string_view symbol;
    comparison how;
  } known[] = {{"<", comparison::less},
               {"<=", comparison::less_equal},
               {">=", comparison::greater_equal},
               {">", comparison::greater}};
  std::string_view const given(VARDATA_ANY(symbol), VARSIZE_ANY_EXHDR(symbol));

  for (auto const &one : known)
    if (given == one.symbol)
      return one.how;
  ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
          errmsg("\"%s\" is not one of <, <=, >= and >", text_to_cstring(symbol)));
}

template <class Id> Datum lowest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_of<Id>(comparison_argument(PG_GETARG_TEXT_PP(0)), to_unix(PG_GETARG_TIMESTAMPTZ(1))).lowest);
}

template <class Id> Datum highest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(range_of<Id>(comparison_argument(PG_GETARG_TEXT_PP(0)), to_unix(PG_GETARG_TIMESTAMPTZ(1))).highest);
}

/// The comparison itself, with its operator as an argument.
template <class Id> Datum recheck_time(PG_FUNCTION_ARGS) {
  comparison const how = comparison_argument(PG_GETARG_TEXT_PP(0));
  PG_RETURN_BOOL((is_in<Id, 1>(fcinfo, range_of<exact_id<Id>>(how, to_unix(PG_GETARG_TIMESTAMPTZ(2))))));
}

} // namespace kid::pg

#define KID_EXPORT_TIME_COMPARISON(T)                                                                                  \
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
