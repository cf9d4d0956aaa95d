// The IDs at the edges of a time unit, for every instant there is.
//
// An instant that the layout cannot hold saturates: before the first one both bounds are the smallest ID,
// after the last one both are the greatest.
#pragma once

#include "check.hpp"
#include "layout.hpp"

namespace kid {

// An `Id` is a layout: most types have but one, and are empty. The neighborhood of a kid96 and the epoch of a flake,
// which an ID does not carry, make theirs.

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

} // namespace kid
