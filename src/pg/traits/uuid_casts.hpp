// Casts to and from uuid, for types whose text form has 16 characters. The characters become the 16 bytes of the uuid.
#pragma once

#include "../base/datum.hpp"

namespace kid::pg {

template <class Id> Datum to_uuid(PG_FUNCTION_ARGS) {
  static_assert(Id::text::length == UUID_LEN);
  auto *const uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));

  Id::text::encode(get<Id>(PG_GETARG_DATUM(0)), reinterpret_cast<char *>(uuid->data));
  PG_RETURN_UUID_P(uuid);
}

template <class Id> Datum from_uuid(PG_FUNCTION_ARGS) {
  pg_uuid_t *const uuid = PG_GETARG_UUID_P(0);
  typename Id::word id = 0;

  if (Id::text::decode(reinterpret_cast<char const *>(uuid->data), UUID_LEN, id).error != text_error::none)
    ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("uuid \"%s\" does not hold a value of type %s",
                   DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(uuid))), Id::name),
            errdetail("The 16 bytes of the uuid are not 16 characters of %s.", Id::text::allowed));
  return put<Id>(id);
}

} // namespace kid::pg

#define KID_EXPORT_UUID_CASTS(T)                                                                                       \
  KID_FUNCTION(T##_to_uuid, kid::pg::to_uuid<kid::T>)                                                                  \
  KID_FUNCTION(T##_from_uuid, kid::pg::from_uuid<kid::T>)
