// Text and binary input and output.
#pragma once

#include "error.hpp"
#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

template <class Id> Datum in(PG_FUNCTION_ARGS) {
  char const *const text = PG_GETARG_CSTRING(0);
  typename Id::word id = 0;
  text_status const status = Id::text::decode(text, strlen(text), id);

  if (unlikely(status.error != text_error::none))
    syntax_error<Id>(fcinfo->context, text, status);
  return put<Id>(id);
}

template <class Id> Datum out(PG_FUNCTION_ARGS) {
  auto *const text = static_cast<char *>(palloc(Id::text::max_length + 1));

  text[Id::text::encode(get<Id>(PG_GETARG_DATUM(0)), text)] = '\0';
  PG_RETURN_CSTRING(text);
}

template <class Id> Datum recv(PG_FUNCTION_ARGS) {
  auto *const message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  int const length = message->len - message->cursor;

  if (length != Id::size)
    binary_error<Id>(length);
  return put<Id>(load_big<Id::size, typename Id::word>(
      reinterpret_cast<unsigned char const *>(pq_getmsgbytes(message, Id::size))));
}

/// Also the cast to bytea.
template <class Id> Datum send(PG_FUNCTION_ARGS) {
  auto *const bytes = static_cast<bytea *>(palloc(VARHDRSZ + Id::size));

  SET_VARSIZE(bytes, VARHDRSZ + Id::size);
  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), reinterpret_cast<unsigned char *>(VARDATA(bytes)));
  PG_RETURN_BYTEA_P(bytes);
}

template <class Id> Datum from_bytea(PG_FUNCTION_ARGS) {
  bytea *const bytes = PG_GETARG_BYTEA_PP(0);
  auto const length = static_cast<int>(VARSIZE_ANY_EXHDR(bytes));

  if (length != Id::size)
    binary_error<Id>(length);
  return put<Id>(load_big<Id::size, typename Id::word>(reinterpret_cast<unsigned char const *>(VARDATA_ANY(bytes))));
}

/// Casts to and from uuid: the 16 characters of the text form as its 16 bytes.
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
            errdetail("Its 16 bytes are not 16 characters of %s.", Id::text::characters));
  return put<Id>(id);
}

} // namespace kid::pg
