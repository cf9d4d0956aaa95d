// The IDs at the edges of a time unit, for every instant there is.
//
// An instant that the layout cannot hold saturates: before the first one both bounds are the smallest ID,
// after the last one both are the greatest.
#pragma once

#include "check.hpp"
#include "layout.hpp"

namespace kid {

template <class Id> constexpr bool holds(unix_micros time) noexcept {
  return Id::first <= time && time <= Id::last;
}

template <class Id>
constexpr typename Id::word greatest = static_cast<typename Id::word>(~typename Id::word{0}) >>
                                       (8 * (sizeof(typename Id::word) - Id::size));

template <class Id> constexpr typename Id::word saturate(unix_micros time) noexcept {
  return time < Id::first ? typename Id::word{0} : greatest<Id>;
}

/// The lowest ID of the time unit that holds `time`.
template <class Id> constexpr typename Id::word floor(unix_micros time) noexcept {
  return holds<Id>(time) ? Id::lowest(time) : saturate<Id>(time);
}

/// The highest ID of the time unit that holds `time`.
template <class Id> constexpr typename Id::word ceil(unix_micros time) noexcept {
  return holds<Id>(time) ? Id::highest(time) : saturate<Id>(time);
}

} // namespace kid
