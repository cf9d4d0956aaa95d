// The IDs at the edges of a time unit, for every instant there is.
//
// An instant that the layout cannot hold saturates: before the first one both bounds are the smallest ID,
// after the last one both are the greatest.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

namespace kid {

// An `Id` is a layout. Most types have but one, and are empty. Those whose layout depends on something that an ID does
// not carry, such as an epoch, hold that.

template <class Id> constexpr bool holds(Id const &layout, unix_micros time) noexcept {
  return layout.first() <= time && time <= layout.last();
}

template <class Id>
constexpr typename Id::word greatest = static_cast<typename Id::word>(~typename Id::word{0}) >>
                                       (8 * (sizeof(typename Id::word) - Id::size));

template <class Id> constexpr typename Id::word saturate(Id const &layout, unix_micros time) noexcept {
  return time < layout.first() ? typename Id::word{0} : greatest<Id>;
}

/// The lowest ID of the time unit that holds `time`.
template <class Id> constexpr typename Id::word floor(Id const &layout, unix_micros time) noexcept {
  return holds(layout, time) ? layout.lowest(time) : saturate(layout, time);
}

/// The highest ID of the time unit that holds `time`.
template <class Id> constexpr typename Id::word ceil(Id const &layout, unix_micros time) noexcept {
  return holds(layout, time) ? layout.highest(time) : saturate(layout, time);
}

/// The IDs from `lowest` to `highest`; none where that is the lower one.
template <class Id> struct id_range {
  typename Id::word lowest;
  typename Id::word highest;

  static constexpr id_range all() noexcept { return {0, greatest<Id>}; }
  static constexpr id_range none() noexcept { return {greatest<Id>, 0}; }
};

/// How an ID is to compare with an instant, or with its time unit, which is the same.
enum class comparison : unsigned char { less, less_equal, greater_equal, greater };

constexpr bool is_upward(comparison how) noexcept {
  return how == comparison::greater_equal || how == comparison::greater;
}

/// The IDs that compare so with `time`, in units of the type: an ID is as late as any instant of its unit. Exact at the
/// ends of the range too, where `floor` and `ceil` saturate: there are none before the first unit, nor after the last.
template <class Id> constexpr id_range<Id> ids_that_are(comparison how, Id const &layout, unix_micros time) noexcept {
  using range = id_range<Id>;

  if (!holds(layout, time))
    return is_upward(how) == (time < layout.first()) ? range::all() : range::none();
  auto const lowest = layout.lowest(time);
  auto const highest = layout.highest(time);
  switch (how) {
  case comparison::less:
    return lowest > 0 ? range{0, lowest - 1} : range::none();
  case comparison::less_equal:
    return {0, highest};
  case comparison::greater_equal:
    return {lowest, greatest<Id>};
  case comparison::greater:
    break;
  }
  return highest < greatest<Id> ? range{highest + 1, greatest<Id>} : range::none();
}

/// The IDs that are in both.
template <class Id> constexpr id_range<Id> common(id_range<Id> const &x, id_range<Id> const &y) noexcept {
  id_range<Id> const both = {x.lowest > y.lowest ? x.lowest : y.lowest, x.highest < y.highest ? x.highest : y.highest};
  return both.lowest <= both.highest ? both : id_range<Id>::none();
}

/// Whether IDs order exactly by time. Those that do not have a finer form, `exact`, to compare with time.
template <class Id, class = void> inline constexpr bool orders_exactly = true;
template <class Id> inline constexpr bool orders_exactly<Id, std::void_t<typename Id::exact>> = false;

} // namespace kid
