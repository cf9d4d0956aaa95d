// The time of an ID, the lowest and the highest ID of a time unit, and comparisons of IDs with instants and with ranges
// of time: `id < timestamptz`, `id <@ tstzrange` and so on.
#pragma once

#include "../base/datum.hpp"

namespace kid::pg {

template <class Id> Datum timestamp(PG_FUNCTION_ARGS) {
  PG_RETURN_TIMESTAMPTZ(from_unix(layout_argument<Id>(fcinfo, 1).time(get<Id>(PG_GETARG_DATUM(0)))));
}

template <class Id> Datum floor(PG_FUNCTION_ARGS) {
  return put<Id>(kid::floor(layout_argument<Id>(fcinfo, 1), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

template <class Id> Datum ceil(PG_FUNCTION_ARGS) {
  return put<Id>(kid::ceil(layout_argument<Id>(fcinfo, 1), to_unix(PG_GETARG_TIMESTAMPTZ(0))));
}

/// Returns the IDs for which a comparison with an instant is true. The ID is on the left of `how`, which is `greater`
/// for `t < id`. If the order of the type is coarser than its time, returns some more.
template <class Id> id_range<Id> ids_compared(Id const &layout, comparison how, unix_micros time) {
  if constexpr (!orders_exactly<Id>)
    how = is_upward(how) ? comparison::greater_equal : comparison::less_equal;
  return ids_that_are(how, layout, time);
}

/// Returns the IDs in a range of time.
template <class Id> id_range<Id> ids_within(Id const &layout, Datum range) {
  auto *const value = DatumGetRangeTypeP(range);
  TypeCacheEntry *const type = lookup_type_cache(RangeTypeGetOid(value), TYPECACHE_RANGE_INFO);
  RangeBound lower;
  RangeBound upper;
  bool empty = false;

  range_deserialize(type, value, &lower, &upper, &empty);
  id_range<Id> result = empty ? id_range<Id>::none() : id_range<Id>::all();
  if (!lower.infinite)
    result = common(result, ids_compared(layout, lower.inclusive ? comparison::greater_equal : comparison::greater,
                                         to_unix(DatumGetTimestampTz(lower.val))));
  if (!upper.infinite)
    result = common(result, ids_compared(layout, upper.inclusive ? comparison::less_equal : comparison::less,
                                         to_unix(DatumGetTimestampTz(upper.val))));
  return result;
}

/// Returns the layout in which IDs are compared with time: their own, or if its order is coarser than time,
/// `Id::exact`.
template <class Id> auto exact_layout(Id const &layout) {
  if constexpr (orders_exactly<Id>)
    return layout;
  else
    return typename Id::exact{};
}

/// Whether an ID, in its exact layout, is in a range of IDs.
template <class Id, class Exact> bool is_in(Id const &layout, Datum id, id_range<Exact> const &range) {
  typename Exact::word word = 0;

  if constexpr (orders_exactly<Id>)
    word = get<Id>(id);
  else
    word = layout.to_exact(get<Id>(id));
  return range.lowest <= word && word <= range.highest;
}

/// Which argument of a comparison is the ID. The other one is the time.
enum id_place : int { id_first = 0, id_last = 1 };

/// Compares an ID with an instant by `How`, which is for the ID on the left, wherever it is.
template <class Id, comparison How, id_place Place> Datum compare_time(PG_FUNCTION_ARGS) {
  Id const layout = layout_of<Id>();
  PG_RETURN_BOOL(is_in(layout, PG_GETARG_DATUM(Place),
                       ids_compared(exact_layout(layout), How, to_unix(PG_GETARG_TIMESTAMPTZ(1 - Place)))));
}

/// Returns the IDs in a range of time, and caches them for the next call. A recheck compares an ID with the same range
/// for each row.
template <class Id> id_range<Id> remembered_ids_within(FunctionCallInfo fcinfo, Id const &layout, Datum range) {
  struct memory {
    id_range<Id> ids;
    char range[32];
  };
  auto *const value = DatumGetPointer(range);
  auto const size = VARSIZE(value);

  static_assert(std::is_empty_v<Id>, "the cached IDs do not depend on a setting");
  if (fcinfo->flinfo == nullptr || size > sizeof(memory::range))
    return ids_within(layout, range);
  auto *last = static_cast<memory *>(fcinfo->flinfo->fn_extra);
  if (last == nullptr || memcmp(last->range, value, size) != 0) {
    id_range<Id> const found = ids_within(layout, range);
    if (last == nullptr)
      fcinfo->flinfo->fn_extra = last =
          static_cast<memory *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(memory)));
    last->ids = found;
    // The copy need not store the size, because the value begins with it.
    memcpy(last->range, value, size);
  }
  return last->ids;
}

template <class Id, id_place Place> Datum within(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  Datum const id = PG_GETARG_DATUM(Place);
  Datum const range = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(1 - Place)));
  // If the type needs no recheck, the planner nearly always replaces this comparison, so a cache would not pay.
  if constexpr (orders_exactly<Id>)
    PG_RETURN_BOOL(is_in(layout, id, ids_within(layout, range)));
  else
    PG_RETURN_BOOL(is_in(layout, id, remembered_ids_within(fcinfo, exact_layout(layout), range)));
}

// What planner/time_comparison.cpp uses in place of a comparison.

/// Returns the IDs for which the comparison with an instant is true, with the operator given as text. An unknown
/// operator yields the empty range, not an error: T_edge() is LEAKPROOF, and an error would reveal an argument.
template <class Id> id_range<Id> ids_compared_by(Id const &layout, std::string_view symbol, TimestampTz time) {
  static constexpr std::pair<std::string_view, comparison> known[] = {{"<", comparison::less},
                                                                      {"<=", comparison::less_equal},
                                                                      {">=", comparison::greater_equal},
                                                                      {">", comparison::greater}};

  for (auto const &[name, how] : known)
    if (symbol == name)
      return ids_compared(layout, how, to_unix(time));
  return id_range<Id>::none();
}

/// Returns the edge of a range of IDs that the first argument names. If the range is empty, the lowest ID is the
/// greatest of all, the highest one is the smallest of all, and the first and the last one are NULL.
template <class Id> Datum edge(FunctionCallInfo fcinfo, id_range<Id> const &ids) {
  std::string_view const which = text_view(PG_GETARG_TEXT_PP(0));
  bool const is_empty = ids.lowest > ids.highest;

  if (which == "lowest" || (which == "first" && !is_empty))
    return put<Id>(ids.lowest);
  if (which == "highest" || (which == "last" && !is_empty))
    return put<Id>(ids.highest);
  PG_RETURN_NULL();
}

template <class Id> Datum edge_of_comparison(PG_FUNCTION_ARGS) {
  return edge(fcinfo, ids_compared_by(layout_argument<Id>(fcinfo, 3), text_view(PG_GETARG_TEXT_PP(1)),
                                      PG_GETARG_TIMESTAMPTZ(2)));
}

template <class Id> Datum edge_of_range(PG_FUNCTION_ARGS) {
  return edge(fcinfo, ids_within(layout_argument<Id>(fcinfo, 2), PG_GETARG_DATUM(1)));
}

/// Compares an ID with an instant, with the operator as the first argument.
template <class Id> Datum compare_by(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 3);
  PG_RETURN_BOOL(
      is_in(layout, PG_GETARG_DATUM(1),
            ids_compared_by(exact_layout(layout), text_view(PG_GETARG_TEXT_PP(0)), PG_GETARG_TIMESTAMPTZ(2))));
}

} // namespace kid::pg

/// The functions that compare an ID with an instant: T_lt_time and so on. `X` gets, after `T`, what their names end
/// with, how they compare if the ID is on the left, and where the ID is. The planner knows them by the same list.
#define KID_TIME_COMPARISONS(X, T)                                                                                     \
  X(T, lt_time, less, id_first)                                                                                        \
  X(T, le_time, less_equal, id_first)                                                                                  \
  X(T, ge_time, greater_equal, id_first)                                                                               \
  X(T, gt_time, greater, id_first)                                                                                     \
  X(T, time_lt, greater, id_last)                                                                                      \
  X(T, time_le, greater_equal, id_last)                                                                                \
  X(T, time_ge, less_equal, id_last)                                                                                   \
  X(T, time_gt, less, id_last)

#define KID_EXPORT_TIME_COMPARISON(T, name, how, place)                                                                \
  KID_FUNCTION(T##_##name, kid::pg::compare_time<kid::T, kid::comparison::how, kid::pg::place>)

#define KID_EXPORT_TIMESTAMP(T)                                                                                        \
  KID_FUNCTION(T##_timestamp, kid::pg::timestamp<kid::T>)                                                              \
  KID_FUNCTION(T##_floor, kid::pg::floor<kid::T>)                                                                      \
  KID_FUNCTION(T##_ceil, kid::pg::ceil<kid::T>)

#define KID_EXPORT_TIME(T)                                                                                             \
  KID_EXPORT_TIMESTAMP(T)                                                                                              \
  KID_FUNCTION(T##_edge, kid::pg::edge_of_comparison<kid::T>)                                                          \
  KID_FUNCTION(T##_edge_of_range, kid::pg::edge_of_range<kid::T>)                                                      \
  KID_FUNCTION(T##_within, kid::pg::within<kid::T, kid::pg::id_first>)                                                 \
  KID_TIME_COMPARISONS(KID_EXPORT_TIME_COMPARISON, T)
