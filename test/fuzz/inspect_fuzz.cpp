// libFuzzer: what kid_inspect(), comparisons with time and sort keys compute of an ID. Any bits are an ID of every
// type. Its components are all of its bits, its time is that of its unit, and its logical clock has the same unit.
// Bounds of an instant have the IDs of its unit between them, and whether an ID compares with an instant follows from
// its time.
//
// An input has two IDs, an instant, and what the settings of kid96 and flake are.
#include "../unit/types.hpp"

#include "../../src/core/clock_rules.hpp"

#include <cstdlib>
#include <cstring>

namespace {

using kid::comparison;

constexpr std::size_t longest = 16; ///< bytes of an ID

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Returns the layout that the settings give a type.
template <class Id> Id layout(std::uint64_t) {
  return Id{};
}
template <> kid::kid96 layout<kid::kid96>(std::uint64_t setting) {
  return {static_cast<unsigned>(setting % (kid::kid96::neighborhood_max + 1))};
}
template <> kid::flake layout<kid::flake>(std::uint64_t setting) {
  return kid::flake{static_cast<kid::unix_micros>(setting & kid::flake::units::max) * kid::flake::unit_micros};
}

/// Returns an ID that is made of the components of `id`.
kid::kid64::word from_components(kid::kid64 const &, kid::kid64::word id) {
  using t = kid::kid64;
  return t::a::put(t::a::get(id)) | t::b::put(t::b::get(id)) | t::c::put(t::c::get(id)) |
         t::sequence::put(t::sequence::get(id));
}
kid::kid96::word from_components(kid::kid96 const &of, kid::kid96::word id) {
  return of.global(from_components(kid::kid64{}, of.local(id)), of.node(id));
}
kid::sno::word from_components(kid::sno const &, kid::sno::word id) {
  using t = kid::sno;
  return t::units::put(t::units::get(id)) | t::tick::put(t::tick::get(id)) | t::meta::put(t::meta::get(id)) |
         t::partition::put(t::partition::get(id)) | t::sequence::put(t::sequence::get(id));
}
kid::flake::word from_components(kid::flake const &, kid::flake::word id) {
  using t = kid::flake;
  auto const halves = t::datacenter::put(t::datacenter::get(id)) | t::worker::put(t::worker::get(id));
  require(halves == t::generator::put(t::generator::get(id)));
  return t::units::put(t::units::get(id)) | halves | t::sequence::put(t::sequence::get(id));
}
kid::flax::word from_components(kid::flax const &, kid::flax::word id) {
  using t = kid::flax;
  return t::units::put(t::units::get(id)) | t::random::put(t::random::get(id));
}
kid::uuidv7::word from_components(kid::uuidv7 const &, kid::uuidv7::word id) {
  using t = kid::uuidv7;
  return t::millis::put(t::millis::get(id)) | t::version::put(t::version::get(id)) |
         t::fraction::put(t::fraction::get(id)) | t::variant::put(t::variant::get(id)) |
         t::count::put(t::count::get(id)) | t::random::put(t::random::get(id));
}
kid::kid53::word from_components(kid::kid53 const &, kid::kid53::word id) {
  using t = kid::kid53;
  return t::units::put(t::units::get(id)) | t::sequence::put(t::sequence::get(id));
}

/// Whether a generator could have made the time of an ID. Of kid64 and kid96, arbitrary bits can have more seconds than
/// a megasecond, or more microseconds than a second.
template <class Id> bool has_regular_time(Id const &, typename Id::word) {
  return true;
}
bool has_regular_time(kid::kid64 const &of, kid::kid64::word id) {
  return kid::in_range(of, of.time(id)) && kid::state_of(of, id) == id;
}
bool has_regular_time(kid::kid96 const &of, kid::kid96::word id) {
  return has_regular_time(kid::kid64{}, of.local(id));
}

/// Whether the bounds of a type are around an ID. Those of uuid have the marks of version 7.
template <class Id> bool has_bounds(typename Id::word) {
  return true;
}
template <> bool has_bounds<kid::uuidv7>(kid::uuidv7::word id) {
  return kid::uuidv7::is_one(id);
}

/// Requires that the states of a logical clock have the time of the ID.
template <class Clock> void try_clock(std::uint64_t state, kid::unix_micros time) {
  require(Clock::unit(state) <= state && state <= Clock::end(state));
  require(Clock::time(Clock::unit(state)) == Clock::time(state));
  require(Clock::time(Clock::end(state)) == Clock::time(state));
  // The unit of the clock of uuid is a microsecond of the millisecond that the ID has.
  require(time <= Clock::time(state) && Clock::time(state) < time + 1000);
  auto const next = Clock::next_unit(state);
  require(next == state || (Clock::end(state) < next && Clock::time(state) < Clock::time(next)));
}
void try_state(kid::kid64 const &of, kid::kid64::word id) {
  try_clock<kid::kid_clock>(kid::state_of(of, id), of.time(id));
}
void try_state(kid::kid96 const &of, kid::kid96::word id) {
  try_clock<kid::kid_clock>(kid::state_of(of, id), of.time(id));
}
void try_state(kid::flake const &of, kid::flake::word id) {
  try_clock<kid::flake_clock>(kid::state_of(of, id), of.time(id));
}
void try_state(kid::uuidv7 const &of, kid::uuidv7::word id) {
  try_clock<kid::uuidv7_clock>(kid::state_of(of, id), of.time(id));
}
void try_state(kid::kid53 const &of, kid::kid53::word id) {
  try_clock<kid::kid53_clock>(kid::state_of(of, id), of.time(id));
}
void try_state(kid::sno const &of, kid::sno::word id) {
  using clock = kid::sno_clock;
  auto const state = kid::state_of(of, id);
  require(clock::time(state) == of.time(id) &&
          (state & clock::tick::mask) == clock::tick::put(kid::sno::tick::get(id)));
  require(state <= clock::end(state) && clock::time(clock::next_unit(state)) >= clock::time(state));
}
void try_state(kid::flax const &, kid::flax::word) {} // It has no clock.

template <class Id> bool contains(kid::id_range<Id> const &range, typename Id::word id) {
  return range.lowest <= id && id <= range.highest;
}

/// Requires that an ID compares with an instant as its time does, for each way to compare.
template <class Id> void compare_with_time(Id const &of, typename Id::word id, kid::unix_micros instant) {
  auto const lowest = of.lowest(of.time(id));
  bool const before = !kid::in_range(of, instant) ? instant > of.last() : lowest < of.lowest(instant);
  bool const same = kid::in_range(of, instant) && lowest == of.lowest(instant);
  require(contains(kid::ids_that_are(comparison::less, of, instant), id) == before);
  require(contains(kid::ids_that_are(comparison::less_equal, of, instant), id) == (before || same));
  require(contains(kid::ids_that_are(comparison::greater_equal, of, instant), id) == !before);
  require(contains(kid::ids_that_are(comparison::greater, of, instant), id) == !(before || same));
}

template <class Id> void try_type(unsigned char const *data, kid::unix_micros instant, std::uint64_t setting) {
  auto const of = layout<Id>(setting);
  auto const id = kid::load_big<Id::size, typename Id::word>(data) & kid::greatest<Id>;
  auto const other = kid::load_big<Id::size, typename Id::word>(data + longest) & kid::greatest<Id>;

  require(from_components(of, id) == id);
  require(kid::floor(of, instant) <= kid::ceil(of, instant));
  auto const time = of.time(id);
  if (kid::in_range(of, time) && has_regular_time(of, id) && has_bounds<Id>(id)) {
    require(of.lowest(time) <= id && id <= of.highest(time));
    try_state(of, id);
    compare_with_time(of, id, instant);
    compare_with_time(of, id, time);
  }
  if constexpr (kid::has_origin<Id>) {
    auto const from = of.origin(id);
    require(of.sort_key(std::min(id, other), from) <= of.sort_key(std::max(id, other), from));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
  if (size < 2 * longest + 16)
    return 0;
  auto const instant = static_cast<kid::unix_micros>(kid::load_part<8>(data + 2 * longest));
  auto const setting = kid::load_part<8>(data + 2 * longest + 8);
#define X(T) try_type<kid::T>(data, instant, setting);
#include "../../src/types.def"
  return 0;
}
