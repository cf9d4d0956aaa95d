// GiST, for exclusion constraints and temporal keys. It depends on no more than the size of an ID.
//
// A key of GiST has the binary forms of the least and the greatest ID below it, which compare as bytes:
//
//   least ID | greatest ID
//
// The size of the type is half the length of a key. Keys come from the index, so they are neither compressed nor out of
// line, but their header may be short.
#include "id_bytes.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

struct id_bounds {
  unsigned char const *least;
  unsigned char const *greatest;
  std::size_t size;
};

/// Reads a key from an index. `of_type` is the size of the type, or 0 if it is not known.
id_bounds read_key(Datum key, std::size_t of_type = 0) {
  auto *const value = reinterpret_cast<bytea *>(DatumGetPointer(key));
  auto const *const bytes = reinterpret_cast<unsigned char const *>(VARDATA_ANY(value));
  std::size_t const size = VARSIZE_ANY_EXHDR(value) / 2;
  if (of_type != 0 ? size != of_type : size < sizeof(Datum))
    ereport(ERROR, errcode(ERRCODE_INDEX_CORRUPTED), errmsg("GiST index of IDs contains a key of the wrong size"),
            errhint("Please REINDEX it."));
  return {bytes, bytes + size, size};
}

Datum make_key(id_bounds const &bounds) {
  auto *const key = static_cast<bytea *>(palloc(VARHDRSZ + 2 * bounds.size));

  SET_VARSIZE(key, VARHDRSZ + 2 * bounds.size);
  memcpy(VARDATA(key), bounds.least, bounds.size);
  memcpy(VARDATA(key) + bounds.size, bounds.greatest, bounds.size);
  return PointerGetDatum(key);
}

/// Returns a key whose bounds enclose several entries: those with these numbers, or the first ones if that is null.
Datum unite(GISTENTRY const *entries, OffsetNumber const *numbers, int count) {
  auto const key = [&](int i) { return entries[numbers != nullptr ? numbers[i] : i].key; };
  id_bounds bounds = read_key(key(0));

  for (int i = 1; i < count; i++) {
    id_bounds const other = read_key(key(i), bounds.size);
    if (memcmp(other.least, bounds.least, bounds.size) < 0)
      bounds.least = other.least;
    if (memcmp(other.greatest, bounds.greatest, bounds.size) > 0)
      bounds.greatest = other.greatest;
  }
  return make_key(bounds);
}

int compare_keys(Datum a, Datum b) {
  auto const bounds = read_key(a);
  return memcmp(bounds.least, read_key(b, bounds.size).least, 2 * bounds.size);
}

/// Returns the leaf key of an ID, which is its least and its greatest ID.
Datum gist_compress(FunctionCallInfo fcinfo, std::size_t size) {
  auto *const entry = reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(0));
  unsigned char integer[sizeof(Datum)];

  if (!entry->leafkey)
    PG_RETURN_POINTER(entry);
  auto const *const bytes = bytes_of(entry->key, size, integer);
  auto *const result = static_cast<GISTENTRY *>(palloc(sizeof(GISTENTRY)));
  gistentryinit(*result, make_key({bytes, bytes, size}), entry->rel, entry->page, entry->offset, false);
  PG_RETURN_POINTER(result);
}

} // namespace

KID_DEFINE(kid_gist_consistent) {
  auto const *size = static_cast<std::size_t *>(fcinfo->flinfo->fn_extra);
  if (unlikely(size == nullptr)) {
    // Exclusion constraints do not pass the type.
    Oid const type = PG_GETARG_OID(3);
    auto *const found = static_cast<std::size_t *>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(std::size_t)));
    *found = OidIsValid(type) ? static_cast<std::size_t>(get_typlen(type)) : 0;
    fcinfo->flinfo->fn_extra = found;
    size = found;
  }
  auto const bounds = read_key(reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(0))->key, *size);
  unsigned char integer[sizeof(Datum)];
  auto const *const bytes = bytes_of(PG_GETARG_DATUM(1), bounds.size, integer);
  int const least = memcmp(bounds.least, bytes, bounds.size);
  int const greatest = memcmp(bounds.greatest, bytes, bounds.size);

  // No match needs a recheck.
  *reinterpret_cast<bool *>(PG_GETARG_POINTER(4)) = false;
  switch (PG_GETARG_UINT16(2)) {
  case RTLessStrategyNumber:
    PG_RETURN_BOOL(least < 0);
  case RTLessEqualStrategyNumber:
    PG_RETURN_BOOL(least <= 0);
  case RTEqualStrategyNumber:
    PG_RETURN_BOOL(least <= 0 && greatest >= 0);
  case RTGreaterEqualStrategyNumber:
    PG_RETURN_BOOL(greatest >= 0);
  case RTGreaterStrategyNumber:
    PG_RETURN_BOOL(greatest > 0);
  default:
    elog(ERROR, "unknown strategy number %d", PG_GETARG_UINT16(2));
  }
}

KID_DEFINE(kid_gist_union) {
  auto const *const entries = reinterpret_cast<GistEntryVector *>(PG_GETARG_POINTER(0));
  Datum const key = unite(entries->vector, nullptr, entries->n);

  *reinterpret_cast<int *>(PG_GETARG_POINTER(1)) = static_cast<int>(VARSIZE(DatumGetPointer(key)));
  return key;
}

/// Returns how much an entry widens the bounds.
KID_DEFINE(kid_gist_penalty) {
  auto const added = read_key(reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(1))->key);
  auto const before = read_key(reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(0))->key, added.size);

  *reinterpret_cast<float *>(PG_GETARG_POINTER(2)) = static_cast<float>(
      excess(before.least, added.least, before.size) + excess(added.greatest, before.greatest, before.size));
  PG_RETURN_DATUM(PG_GETARG_DATUM(2));
}

/// Puts the lower half of the entries into the left page, and the upper half into the right page.
KID_DEFINE(kid_gist_picksplit) {
  auto const *const entries = reinterpret_cast<GistEntryVector *>(PG_GETARG_POINTER(0))->vector;
  int const count = reinterpret_cast<GistEntryVector *>(PG_GETARG_POINTER(0))->n - 1;
  auto *const split = reinterpret_cast<GIST_SPLITVEC *>(PG_GETARG_POINTER(1));
  // PostgreSQL may add entries to either array, so each has space for all of them.
  auto *const left = static_cast<OffsetNumber *>(palloc(static_cast<std::size_t>(count) * sizeof(OffsetNumber)));
  auto *const right = static_cast<OffsetNumber *>(palloc(static_cast<std::size_t>(count) * sizeof(OffsetNumber)));

  for (int i = 0; i < count; i++)
    left[i] = static_cast<OffsetNumber>(FirstOffsetNumber + i);
  std::sort(left, left + count,
            [entries](OffsetNumber a, OffsetNumber b) { return compare_keys(entries[a].key, entries[b].key) < 0; });
  split->spl_left = left;
  split->spl_nleft = count / 2;
  split->spl_right = right;
  split->spl_nright = count - count / 2;
  std::copy(left + split->spl_nleft, left + count, right);
  split->spl_ldatum = unite(entries, left, split->spl_nleft);
  split->spl_rdatum = unite(entries, right, split->spl_nright);
  PG_RETURN_POINTER(split);
}

KID_DEFINE(kid_gist_same) {
  *reinterpret_cast<bool *>(PG_GETARG_POINTER(2)) = compare_keys(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) == 0;
  PG_RETURN_DATUM(PG_GETARG_DATUM(2));
}

/// Sorts the keys of an index that is built at once. The sort support of bytea would abbreviate keys. When building a
/// GiST index, PostgreSQL 15 then asks after each key whether to go on with that, which takes far longer than sorting.
KID_DEFINE(kid_gist_sortsupport) {
  reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0))->comparator = [](Datum a, Datum b, SortSupport) {
    return compare_keys(a, b);
  };
  PG_RETURN_VOID();
}

/// Returns the ID of a leaf key, for index-only scans.
KID_DEFINE(kid_gist_fetch) {
  auto const *const entry = reinterpret_cast<GISTENTRY *>(PG_GETARG_POINTER(0));
  auto const bounds = read_key(entry->key);
  auto *const result = static_cast<GISTENTRY *>(palloc(sizeof(GISTENTRY)));
  auto const integer = load_big<sizeof(Datum), std::uint64_t>(bounds.least);
  Datum const id = bounds.size == sizeof(Datum) ? UInt64GetDatum(integer) : PointerGetDatum(bounds.least);

  gistentryinit(*result, id, entry->rel, entry->page, entry->offset, false);
  PG_RETURN_POINTER(result);
}

} // namespace kid::pg

#define KID_EXPORT_SIZE(size)                                                                                          \
  KID_DEFINE(kid_gist_compress_##size) {                                                                               \
    return kid::pg::gist_compress(fcinfo, size);                                                                       \
  }

KID_EXPORT_SIZE(8)
KID_EXPORT_SIZE(10)
KID_EXPORT_SIZE(12)
