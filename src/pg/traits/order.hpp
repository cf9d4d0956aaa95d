// Order and hashing: the functions behind operators, aggregates and index access methods.
#pragma once

#include "../base/datum.hpp"

#include <functional>

namespace kid::pg {

/// Compares two IDs. `Comparison` is three_way, or a comparison of the standard library such as std::less<>.
template <class Id, class Comparison> auto compare(Datum a, Datum b) {
  if constexpr (by_value<Id>)
    return Comparison{}(get<Id>(a), get<Id>(b));
  else
    return compare_big<Id::size>(stored(a), stored(b), Comparison{});
}

/// Returns the result as an SQL integer. 0 and 1 are also the SQL booleans.
template <class Id, class Comparison> Datum compare(PG_FUNCTION_ARGS) {
  PG_RETURN_INT32((compare<Id, Comparison>(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1))));
}

/// Sorts by abbreviated keys, which decide nearly every comparison: the first 8 bytes of an ID as an integer. If too
/// few keys differ, tells tuplesort to stop abbreviating.
///
/// If IDs have an origin in the middle, such as a node, the key has the bits above the origin. The bits below it follow
/// only in IDs with the same origin as the first ID, because most IDs of a column have one origin.
template <class Id> struct abbreviation {
  hyperLogLogState distinct = {};
  bool estimating = true;
  Id layout = layout_of<Id>();
  std::uint64_t from = 0;
  bool started = false;

  static int compare_whole(Datum a, Datum b, SortSupport) { return compare<Id, three_way>(a, b); }

  static Datum abbreviate(Datum original, SortSupport support) {
    auto *const self = static_cast<abbreviation *>(support->ssup_extra);
    auto const id = get<Id>(original);
    std::uint64_t key = 0;

    if constexpr (has_origin<Id>) {
      if (!self->started)
        self->from = self->layout.origin(id);
      self->started = true;
      key = self->layout.sort_key(id, self->from);
    } else {
      key = static_cast<std::uint64_t>(id >> (8 * (Id::size - sizeof(Datum))));
    }
    if (self->estimating)
      addHyperLogLog(&self->distinct, hash_bytes_uint32(static_cast<std::uint32_t>(key ^ (key >> 32))));
    return UInt64GetDatum(key);
  }

  /// Whether abbreviation was of no use for the first `count` values: they have fewer than one distinct key in 2000.
  static bool give_up(int count, SortSupport support) {
    auto *const self = static_cast<abbreviation *>(support->ssup_extra);

    if (count < 10000 || !self->estimating)
      return false;
    double const distinct = estimateHyperLogLog(&self->distinct);
    // With so many distinct keys, abbreviation stays useful however many values follow.
    if (distinct > 100000)
      self->estimating = false;
    return distinct < count / 2000.0 + 0.5;
  }

  static void set_up(SortSupport support) {
    support->comparator = compare_whole;
    if (!support->abbreviate)
      return;
    MemoryContext caller = MemoryContextSwitchTo(support->ssup_cxt);
    auto *const self = static_cast<abbreviation *>(palloc(sizeof(abbreviation)));
    *self = {};
    initHyperLogLog(&self->distinct, 10);
    MemoryContextSwitchTo(caller);

    support->ssup_extra = self;
    support->comparator = ssup_datum_unsigned_cmp;
    support->abbrev_converter = abbreviate;
    support->abbrev_abort = give_up;
    support->abbrev_full_comparator = compare_whole;
  }
};

template <class Id> Datum sortsupport(PG_FUNCTION_ARGS) {
  auto *const support = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));

  // tuplesort recognises this very pointer and inlines the comparison.
  if constexpr (by_value<Id>)
    support->comparator = ssup_datum_unsigned_cmp;
  else
    abbreviation<Id>::set_up(support);
  PG_RETURN_VOID();
}

/// Returns the hash of the binary form, which does not depend on whether the type is passed by value.
template <class Id> Datum hash(PG_FUNCTION_ARGS) {
  unsigned char bytes[Id::size];

  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), bytes);
  return hash_any(bytes, Id::size);
}

template <class Id> Datum hash_extended(PG_FUNCTION_ARGS) {
  unsigned char bytes[Id::size];

  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), bytes);
  return hash_any_extended(bytes, Id::size, DatumGetUInt64(PG_GETARG_DATUM(1)));
}

} // namespace kid::pg

#define KID_EXPORT_ORDER(T)                                                                                            \
  KID_FUNCTION(T##_lt, kid::pg::compare<kid::T, std::less<>>)                                                          \
  KID_FUNCTION(T##_le, kid::pg::compare<kid::T, std::less_equal<>>)                                                    \
  KID_FUNCTION(T##_eq, kid::pg::compare<kid::T, std::equal_to<>>)                                                      \
  KID_FUNCTION(T##_ne, kid::pg::compare<kid::T, std::not_equal_to<>>)                                                  \
  KID_FUNCTION(T##_ge, kid::pg::compare<kid::T, std::greater_equal<>>)                                                 \
  KID_FUNCTION(T##_gt, kid::pg::compare<kid::T, std::greater<>>)                                                       \
  KID_FUNCTION(T##_cmp, kid::pg::compare<kid::T, kid::three_way>)                                                      \
  KID_FUNCTION(T##_sortsupport, kid::pg::sortsupport<kid::T>)                                                          \
  KID_FUNCTION(T##_hash, kid::pg::hash<kid::T>)                                                                        \
  KID_FUNCTION(T##_hash_extended, kid::pg::hash_extended<kid::T>)
