// BRIN minmax and minmax_multi, by PostgreSQL's functions, which do not know that a column may have another type than
// the operator class.
//
// These functions look up the operators of the type that the index has for a column. If the operator class has no type
// of storage, as one that CREATE OPERATOR CLASS made for a type of its own cannot have, this is the type of the table's
// column. That can be a domain, or a bigint whose index names an operator class of kid, as one that had another type
// before. The operator class has no operators for either, and PostgreSQL's functions fail. PostgreSQL's own operator
// classes do not have this problem, because their rows of pg_opclass name a type of storage. kid does not write into
// that row: pg_upgrade creates the class anew, and would lose it.
#include "id_bytes.hpp"

namespace kid::pg {

/// Calls one of PostgreSQL's functions for BRIN, whose first two arguments are the description of an index and the
/// values of a column. If the column has another type than its operator class, the description gets that of the class.
/// The description belongs to one scan, insert or build. Its descriptor of the columns is that of the relation, which
/// others use, too.
static Datum call_with_type_of_class(PGFunction function, FunctionCallInfo fcinfo) {
  auto *const index = reinterpret_cast<BrinDesc *>(PG_GETARG_POINTER(0));
  int const column = reinterpret_cast<BrinValues *>(PG_GETARG_POINTER(1))->bv_attno - 1;
  Oid const type = index->bd_index->rd_opcintype[column];

  if (unlikely(TupleDescAttr(index->bd_tupdesc, column)->atttypid != type)) {
    if (index->bd_tupdesc == RelationGetDescr(index->bd_index)) {
      auto *const before = MemoryContextSwitchTo(index->bd_context);
      index->bd_tupdesc = CreateTupleDescCopy(index->bd_tupdesc);
      // brin_free_desc() asserts that the descriptor is in use.
      index->bd_tupdesc->tdrefcount = 1;
      MemoryContextSwitchTo(before);
    }
    TupleDescAttr(index->bd_tupdesc, column)->atttypid = type;
  }
  return function(fcinfo);
}

/// Returns the distance of two IDs for BRIN minmax_multi, which merges the ranges that are nearest. It never passes the
/// greater ID first. The distance depends on no more than the size of an ID.
static Datum brin_distance(FunctionCallInfo fcinfo, std::size_t size) {
  unsigned char integers[2][sizeof(Datum)];

  PG_RETURN_FLOAT8(
      excess(bytes_of(PG_GETARG_DATUM(1), size, integers[1]), bytes_of(PG_GETARG_DATUM(0), size, integers[0]), size));
}

} // namespace kid::pg

#define KID_EXPORT_WITH_TYPE_OF_CLASS(function)                                                                        \
  KID_DEFINE(kid_##function) {                                                                                         \
    return kid::pg::call_with_type_of_class(function, fcinfo);                                                         \
  }

KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_add_value)
KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_consistent)
KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_union)
KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_multi_add_value)
KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_multi_consistent)
KID_EXPORT_WITH_TYPE_OF_CLASS(brin_minmax_multi_union)

#define KID_EXPORT_SIZE(size)                                                                                          \
  KID_DEFINE(kid_brin_distance_##size) {                                                                               \
    return kid::pg::brin_distance(fcinfo, size);                                                                       \
  }

KID_EXPORT_SIZE(8)
KID_EXPORT_SIZE(10)
KID_EXPORT_SIZE(12)
