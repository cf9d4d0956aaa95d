// The lowest and the highest ID of a time unit, for any instant. Before the range of the layout both are the smallest
// ID, and after it the greatest.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

#include <algorithm>

namespace kid {

// An `Id`, in the file of its type in core/types, is a layout. What it depends on and an ID does not contain, such as
// an epoch, is a member of its struct. Every layout has:
//
//   word                          the integer that holds an ID
//   name                          what messages call the IDs
//   size                          how many bytes the binary form has
//   first(), last()               the first and the last instant that an ID can carry
//   lowest(time), highest(time)   the lowest and the highest ID of the time unit that contains an instant in that range
//   time(id)                      when the time unit of an ID begins
//
// Some layouts also have:
//
//   text                          the text form, if the type has one of its own, see text.hpp
//   bits                          how many bits an ID has, if those are fewer than the binary form has: bits_of
//   origin(id), sort_key(id, f)   where an ID comes from, and its sort key among IDs from `f`: origin_sort_key()
//   exact, to_exact(id)           the type that an ID is converted to before it is compared with time: orders_exactly
//   is_one(value)                 whether a value of the core type is an ID, if not every value is one
//
// A function saturate(layout, time) beside the layout replaces the one below, if bounds out of range must be IDs, too.

/// The base of an `Id` whose uppermost field counts time units from an epoch. The `Id` has `units`, the field;
/// `unit_micros`, how long a unit is; and `epoch`, the instant at which unit 0 begins.
template <class Id> struct counts_from_epoch {
  constexpr unix_micros first() const noexcept { return self().epoch; }
  constexpr unix_micros last() const noexcept {
    return first() + static_cast<unix_micros>(Id::units::max + 1) * Id::unit_micros - 1;
  }
  constexpr auto lowest(unix_micros time) const noexcept {
    return Id::units::put(static_cast<std::uint64_t>(time - first()) / Id::unit_micros);
  }
  constexpr auto highest(unix_micros time) const noexcept { return lowest(time) | (Id::units::put(1) - 1); }
  template <class Word> constexpr unix_micros time(Word id) const noexcept {
    return first() + static_cast<unix_micros>(Id::units::get(id)) * Id::unit_micros;
  }

private:
  constexpr Id const &self() const noexcept { return static_cast<Id const &>(*this); }
};

/// Returns whether an ID of this layout can carry `time`.
template <class Id> constexpr bool in_range(Id const &layout, unix_micros time) noexcept {
  return layout.first() <= time && time <= layout.last();
}

template <class Id>
constexpr typename Id::word greatest = static_cast<typename Id::word>(~typename Id::word{0}) >>
                                       (8 * sizeof(typename Id::word) - bits_of<Id>);

template <class Id> constexpr typename Id::word saturate(Id const &layout, unix_micros time) noexcept {
  return time < layout.first() ? typename Id::word{0} : greatest<Id>;
}

/// Returns the lowest ID of the time unit that contains `time`.
template <class Id> constexpr typename Id::word floor(Id const &layout, unix_micros time) noexcept {
  return in_range(layout, time) ? layout.lowest(time) : saturate(layout, time);
}

/// Returns the highest ID of the time unit that contains `time`.
template <class Id> constexpr typename Id::word ceil(Id const &layout, unix_micros time) noexcept {
  return in_range(layout, time) ? layout.highest(time) : saturate(layout, time);
}

/// The IDs from `lowest` to `highest`. The range is empty if `highest` is below `lowest`.
template <class Id> struct id_range {
  typename Id::word lowest;
  typename Id::word highest;

  static constexpr id_range all() noexcept { return {0, greatest<Id>}; }
  static constexpr id_range none() noexcept { return {greatest<Id>, 0}; }
};

/// How an ID must compare with an instant, or, which is the same, with the time unit of that instant.
enum class comparison : unsigned char { less, less_equal, greater_equal, greater };

constexpr bool is_upward(comparison how) noexcept {
  return how == comparison::greater_equal || how == comparison::greater;
}

/// Returns the IDs that compare with `time` as `how` says. An ID counts as equal to every instant of its time unit.
/// Unlike `floor` and `ceil`, this is exact at the ends of the range.
template <class Id> constexpr id_range<Id> ids_that_are(comparison how, Id const &layout, unix_micros time) noexcept {
  using range = id_range<Id>;

  if (!in_range(layout, time))
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

/// Returns the IDs that are in both ranges.
template <class Id> constexpr id_range<Id> common(id_range<Id> const &x, id_range<Id> const &y) noexcept {
  id_range<Id> const both = {std::max(x.lowest, y.lowest), std::min(x.highest, y.highest)};
  return both.lowest <= both.highest ? both : id_range<Id>::none();
}

/// Whether the order of the IDs is exactly that of their time units. If it is coarser, `Id::exact` is the type that an
/// ID is converted to before it is compared with time.
template <class Id, class = void> inline constexpr bool orders_exactly = true;
template <class Id> inline constexpr bool orders_exactly<Id, std::void_t<typename Id::exact>> = false;

} // namespace kid
