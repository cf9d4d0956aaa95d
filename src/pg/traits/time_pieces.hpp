// IDs beside times of several pieces: kid_within(id, tstzmultirange).
#pragma once

#include "time_comparison.hpp"

namespace kid::pg {

/// Whether an ID is in a piece, at the time unit of the type as in a range.
template <class Id>
bool is_in_piece(Id const &layout, typename Id::word id, MultirangeType const *times, TypeCacheEntry *range) {
  // The IDs that compare so with where a piece begins.
  auto const ids_from = [&](RangeBound const &lower, comparison how) {
    return lower.infinite ? id_range<Id>::all() : range_of(layout, how, to_unix(DatumGetTimestampTz(lower.val)));
  };
  RangeBound lower;
  RangeBound upper;
  std::uint32_t first_later = 0; // of the pieces that begin in a later unit than that of the ID
  std::uint32_t end = times->rangeCount;

  while (first_later < end) {
    std::uint32_t const middle = first_later + (end - first_later) / 2;
    multirange_get_bounds(range, times, middle, &lower, &upper);
    if (id < ids_from(lower, comparison::greater_equal).lowest)
      end = middle;
    else
      first_later = middle + 1;
  }
  // Of those before, several can begin in the unit of the ID. One that begins in an earlier unit is the last to look
  // at, as pieces do not overlap.
  for (std::uint32_t piece = first_later; piece-- > 0;) {
    multirange_get_bounds(range, times, piece, &lower, &upper);
    id_range<Id> const ids = range_of(layout, lower, upper);
    if (ids.lowest <= id && id <= ids.highest)
      return true;
    if (id > ids_from(lower, comparison::less_equal).highest)
      return false;
  }
  return false;
}

template <class Id> Datum within_pieces(PG_FUNCTION_ARGS) {
  Id const layout = layout_argument<Id>(fcinfo, 2);
  auto const id = exact<Id>::id(layout, get<Id>(PG_GETARG_DATUM(0)));
  MultirangeType const *const times = PG_GETARG_MULTIRANGE_P(1);
  TypeCacheEntry *const type = multirange_get_typcache(fcinfo, MultirangeTypeGetOid(times));
  PG_RETURN_BOOL(is_in_piece(exact<Id>::layout(layout), id, times, type->rngtype));
}

} // namespace kid::pg

#define KID_EXPORT_TIME_PIECES(T) KID_FUNCTION(T##_within_pieces, kid::pg::within_pieces<kid::T>)
