// GiST: turns an ID into an index key. The functions in gist.cpp work on keys and do not depend on the type.
#pragma once

#include "../base/datum.hpp"
#include "../base/export.hpp"

namespace kid::pg {

/// Returns the leaf key of an ID: a bytea with the binary form twice, as the least and as the greatest ID.
template <class Id> Datum gist_compress(PG_FUNCTION_ARGS) {
  auto *const entry = reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(0));

  if (!entry->leafkey)
    PG_RETURN_POINTER(entry);
  auto *const key = static_cast<bytea *>(palloc(VARHDRSZ + 2 * Id::size));
  auto *const bytes = reinterpret_cast<unsigned char *>(VARDATA(key));
  SET_VARSIZE(key, VARHDRSZ + 2 * Id::size);
  store_big<Id::size>(get<Id>(entry->key), bytes);
  memcpy(bytes + Id::size, bytes, Id::size);
  auto *const result = static_cast<GISTENTRY *>(palloc(sizeof(GISTENTRY)));
  gistentryinit(*result, PointerGetDatum(key), entry->rel, entry->page, entry->offset, false);
  PG_RETURN_POINTER(result);
}

} // namespace kid::pg

#define KID_EXPORT_GIST(T) KID_FUNCTION(T##_gist_compress, kid::pg::gist_compress<kid::T>)
