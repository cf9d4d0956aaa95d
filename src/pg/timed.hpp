// IDs beside instants and spans of time: `id < timestamptz` and its kin, `id <@ tstzrange`.
#pragma once

#include "error.hpp"
#include "guc.hpp"
#include "pg.hpp"
#include "value.hpp"

#include <string_view>

namespace kid::pg {

/// The IDs that compare so with an instant. Of kid96 some more: its order is coarser than its time.
template <class Id> id_range<Id> bounds(comparison how, unix_micros time) {
  return ids_that_are(how, layout_of<Id>(), time);
}

template <> inline id_range<kid96> bounds<kid96>(comparison how, unix_micros time) {
  bool const upward = how == comparison::greater_equal || how == comparison::greater;
  return ids_that_are(upward ? comparison::greater_equal : comparison::less_equal, layout_of<kid96>(), time);
}

/// Those that are within a range.
template <class Id> id_range<Id> bounds(Datum range) {
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
    result = common(result, bounds<Id>(lower.inclusive ? comparison::greater_equal : comparison::greater,
                                       to_unix(DatumGetTimestampTz(lower.val))));
  if (!upper.infinite)
    result = common(result, bounds<Id>(upper.inclusive ? comparison::less_equal : comparison::less,
                                       to_unix(DatumGetTimestampTz(upper.val))));
  return result;
}

/// What an ID is looked at as, to compare its time exactly.
template <class Id> struct exact {
  using id = Id;
  static typename Id::word of(typename Id::word word) { return word; }
};
template <> struct exact<kid96> {
  using id = kid64;
  static kid64::word of(kid96::word word) { return layout_of<kid96>().local(word); }
};

template <class Id, int Argument> bool is_in(FunctionCallInfo fcinfo, id_range<typename exact<Id>::id> const &range) {
  auto const id = exact<Id>::of(get<Id>(PG_GETARG_DATUM(Argument)));
  return range.lowest <= id && id <= range.highest;
}

/// `id < timestamptz` and its kin, `How` being that of the ID; `Argument` is its place.
template <class Id, comparison How, int Argument> Datum compare_time(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(
      (is_in<Id, Argument>(fcinfo, bounds<typename exact<Id>::id>(How, to_unix(PG_GETARG_TIMESTAMPTZ(1 - Argument))))));
}

/// The bounds of a range, kept from one call to the next: a kid96 is compared with the same range row by row. The other
/// types are hardly ever compared so, see planner.cpp.
inline id_range<kid64> remembered_bounds(FunctionCallInfo fcinfo, Datum range) {
  struct memory {
    id_range<kid64> bounds;
    char range[32];
  };
  auto *const value = DatumGetPointer(range);
  auto const size = VARSIZE(value);

  if (fcinfo->flinfo == nullptr || size > sizeof(memory::range))
    return bounds<kid64>(range);
  auto *last = static_cast<memory *>(fcinfo->flinfo->fn_extra);
  if (last == nullptr || memcmp(last->range, value, size) != 0) {
    id_range<kid64> const found = bounds<kid64>(range);
    if (last == nullptr)
      fcinfo->flinfo->fn_extra = last =
          static_cast<memory *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(memory)));
    last->bounds = found;
    // It begins with its size.
    memcpy(last->range, value, size);
  }
  return last->bounds;
}

template <class Id, int Argument> Datum within(PG_FUNCTION_ARGS) {
  Datum const range = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(1 - Argument)));
  if constexpr (std::is_same_v<Id, kid96>)
    PG_RETURN_BOOL((is_in<Id, Argument>(fcinfo, remembered_bounds(fcinfo, range))));
  else
    PG_RETURN_BOOL((is_in<Id, Argument>(fcinfo, bounds<Id>(range))));
}

/// Of a span of time, or of an instant with an operator, the bound that a rewritten comparison uses. See planner.cpp.
template <class Id> Datum lowest_within(PG_FUNCTION_ARGS) {
  return put<Id>(bounds<Id>(PG_GETARG_DATUM(0)).lowest);
}

template <class Id> Datum highest_within(PG_FUNCTION_ARGS) {
  return put<Id>(bounds<Id>(PG_GETARG_DATUM(0)).highest);
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
  return put<Id>(bounds<Id>(comparison_argument(PG_GETARG_TEXT_PP(0)), to_unix(PG_GETARG_TIMESTAMPTZ(1))).lowest);
}

template <class Id> Datum highest_that_is(PG_FUNCTION_ARGS) {
  return put<Id>(bounds<Id>(comparison_argument(PG_GETARG_TEXT_PP(0)), to_unix(PG_GETARG_TIMESTAMPTZ(1))).highest);
}

/// The comparison itself, with its operator as an argument.
inline Datum recheck_time_of_kid96(PG_FUNCTION_ARGS) {
  comparison const how = comparison_argument(PG_GETARG_TEXT_PP(0));
  PG_RETURN_BOOL((is_in<kid96, 1>(fcinfo, bounds<kid64>(how, to_unix(PG_GETARG_TIMESTAMPTZ(2))))));
}

} // namespace kid::pg
