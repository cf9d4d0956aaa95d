// Text and binary input and output.
#pragma once

#include "syntax_error.hpp"

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

/// Returns the ID whose binary form is at `bytes`. `hint` is for an error: what the caller of the function has to do.
template <class Id> Datum from_binary(char const *bytes, int length, char const *hint) {
  if (unlikely(length != Id::size))
    ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
            errmsg("incorrect binary data format for type %s", Id::name),
            errdetail("A value of type %s has %u bytes, not %d.", Id::name, Id::size, length), errhint("%s", hint));
  return put<Id>(load_big<Id::size, typename Id::word>(reinterpret_cast<unsigned char const *>(bytes)));
}

template <class Id> Datum recv(PG_FUNCTION_ARGS) {
  auto *const message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  int const length = message->len - message->cursor;

  return from_binary<Id>(pq_getmsgbytes(message, length), length,
                         "If the data is from a column of another type, send it in text format.");
}

/// Returns the binary form of an ID. It is also the cast to bytea.
template <class Id> Datum send(PG_FUNCTION_ARGS) {
  auto *const bytes = static_cast<bytea *>(palloc(VARHDRSZ + Id::size));

  SET_VARSIZE(bytes, VARHDRSZ + Id::size);
  store_big<Id::size>(get<Id>(PG_GETARG_DATUM(0)), reinterpret_cast<unsigned char *>(VARDATA(bytes)));
  PG_RETURN_BYTEA_P(bytes);
}

template <class Id> Datum from_bytea(PG_FUNCTION_ARGS) {
  bytea *const bytes = PG_GETARG_BYTEA_PP(0);

  return from_binary<Id>(VARDATA_ANY(bytes), static_cast<int>(VARSIZE_ANY_EXHDR(bytes)),
                         "Cast the binary form of an ID, as the cast to bytea returns it.");
}

} // namespace kid::pg

/// Declares the input function that KID_EXPORT_IO defines, so that `id_type` can refer to it.
#define KID_DECLARE_INPUT(T) extern "C" PGDLLEXPORT Datum T##_in(PG_FUNCTION_ARGS);

#define KID_EXPORT_IO(T)                                                                                               \
  static_assert(kid::pg::T##_type.input == T##_in, "kid recognizes its own types by their input functions");           \
  KID_FUNCTION(T##_in, kid::pg::in<kid::T>)                                                                            \
  KID_FUNCTION(T##_out, kid::pg::out<kid::T>)                                                                          \
  KID_FUNCTION(T##_recv, kid::pg::recv<kid::T>)                                                                        \
  KID_FUNCTION(T##_send, kid::pg::send<kid::T>)                                                                        \
  KID_FUNCTION(T##_from_bytea, kid::pg::from_bytea<kid::T>)
