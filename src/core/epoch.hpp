// IDs whose uppermost field counts time units from an epoch.
#pragma once

#include "bits.hpp"
#include "no_postgres.hpp"

namespace kid {

/// The base of an `Id`, see range.hpp, that has `units`, the field; `unit_micros`, how long a unit is; and `epoch`, the
/// instant at which unit 0 begins.
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

} // namespace kid
