// Columns that can contain IDs of a type, for kid_observe_all() and kid_check(). They are columns of the type itself,
// and of core types that order the same bits or characters as the type does.
#pragma once

#include "../base/datum.hpp"
#include "id_type.hpp"

namespace kid::pg {

/// Returns the IDs up to the highest one of the time unit of `limit`, or if `after` is true, the IDs after that one. If
/// the order of the type is coarser than its time, some IDs that sort up to that one are later than `limit`.
template <class Id> id_range<Id> ids_around(unix_micros limit, bool after) {
  typename Id::word const last = kid::ceil(layout_of<Id>(), limit);

  if (!after)
    return {0, last};
  return last < greatest<Id> ? id_range<Id>{static_cast<typename Id::word>(last + 1), greatest<Id>}
                             : id_range<Id>::none();
}

/// Fills in `result` for an ID that was found in a column.
template <class Id> void describe_stored(typename Id::word id, stored_id &result) {
  Id const layout = layout_of<Id>();

  static_assert(Id::text::max_length < sizeof result.text);
  result.time = layout.time(id);
  if constexpr (orders_exactly<Id>)
    result.latest = result.time;
  else
    result.latest = layout.latest(id);
  result.text[Id::text::encode(id, result.text)] = '\0';
}

/// Returns the same IDs as values of the type.
template <class Id> datum_ranges values_around(unix_micros limit, bool after) {
  auto const ids = ids_around<Id>(limit, after);

  if (ids.lowest > ids.highest)
    return {};
  return {1, {{put<Id>(ids.lowest), put<Id>(ids.highest)}}};
}

/// Describes columns of the type itself.
template <class Id> constexpr id_column in_own_type() {
  return {InvalidOid, values_around<Id>, [](Datum value, stored_id &id) {
            describe_stored<Id>(get<Id>(value), id);
            return true;
          }};
}

/// Describes columns of type bigint that contain the same 64 bits. Because a bigint has a sign, IDs whose highest bit
/// is set come first.
///
///   bigint   -2^63 ............... -1 | 0 ................ 2^63 - 1
///   ID        2^63 ...... 2^64 - 1    | 0 ................ 2^63 - 1
template <class Id> constexpr id_column in_bigint() {
  static_assert(by_value<Id>);
  return {INT8OID,
          [](unix_micros limit, bool after) -> datum_ranges {
            constexpr std::uint64_t sign = std::uint64_t{1} << 63;
            auto const ids = ids_around<Id>(limit, after);
            datum_ranges result = {};
            if (ids.lowest > ids.highest)
              return result;
            if (ids.highest >= sign)
              result.ranges[result.count++] = {put<Id>(Max(ids.lowest, sign)), put<Id>(ids.highest)};
            if (ids.lowest < sign)
              result.ranges[result.count++] = {put<Id>(ids.lowest), put<Id>(Min(ids.highest, sign - 1))};
            return result;
          },
          [](Datum value, stored_id &id) {
            describe_stored<Id>(get<Id>(value), id);
            return true;
          }};
}

/// Describes columns of type uuid whose 16 bytes are the characters of the text form.
template <class Id> constexpr id_column in_uuid_text() {
  static_assert(Id::text::length == UUID_LEN);
  return {UUIDOID,
          [](unix_micros limit, bool after) -> datum_ranges {
            auto const ids = ids_around<Id>(limit, after);
            auto const to_uuid = [](typename Id::word id) {
              auto *const uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
              Id::text::encode(id, reinterpret_cast<char *>(uuid->data));
              return UUIDPGetDatum(uuid);
            };
            if (ids.lowest > ids.highest)
              return {};
            return {1, {{to_uuid(ids.lowest), to_uuid(ids.highest)}}};
          },
          [](Datum value, stored_id &id) {
            typename Id::word word = 0;
            auto const *const bytes = reinterpret_cast<char const *>(DatumGetUUIDP(value)->data);
            if (Id::text::decode(bytes, UUID_LEN, word).error != text_error::none)
              return false;
            describe_stored<Id>(word, id);
            return true;
          }};
}

} // namespace kid::pg
