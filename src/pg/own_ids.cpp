// kid_own_ids_trigger(): rejects a row that the horizon does not wait for: its ID is outside the states that this
// transaction can have taken.
#include "base/datum.hpp"
#include "horizon/horizon.hpp"
#include "types/all_types.hpp"

namespace kid::pg {

namespace {

struct own_column {
  int number;
  id_type const *type;
};

/// Returns the column that the trigger names. Raises an error if it has no horizon.
own_column column_of(TriggerData const &trigger) {
  char const *const function = "kid_own_ids_trigger()";
  auto *const row = RelationGetDescr(trigger.tg_relation);

  if (trigger.tg_trigger->tgnargs != 1)
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("%s needs the name of a column", function));
  char const *const name = trigger.tg_trigger->tgargs[0];
  int const number = SPI_fnumber(row, name);
  if (number <= 0)
    ereport(
        ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
        errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(trigger.tg_relation)));
  if (TupleDescAttr(row, number - 1)->attgenerated != '\0')
    ereport(ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION), errmsg("cannot use generated column \"%s\"", name));
  id_type const *const type = id_type_of(getBaseType(SPI_gettypeid(row, number)));
  if (type == nullptr || type->state == nullptr)
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
            errmsg("column \"%s\" of relation \"%s\" is of type %s", name, RelationGetRelationName(trigger.tg_relation),
                   format_type_be(SPI_gettypeid(row, number))),
            errdetail("The type must have a horizon, as kid64 has kid_horizon()."));
  return {number, type};
}

} // namespace

KID_DEFINE(kid_own_ids_trigger) {
  if (!CALLED_AS_TRIGGER(fcinfo))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() was not called as a trigger"));
  auto const &trigger = *reinterpret_cast<TriggerData *>(fcinfo->context);
  if (!TRIGGER_FIRED_FOR_ROW(trigger.tg_event) || TRIGGER_FIRED_BY_DELETE(trigger.tg_event))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() must be fired FOR EACH ROW by INSERT or UPDATE"));
  own_column const column = column_of(trigger);
  bool const updates = TRIGGER_FIRED_BY_UPDATE(trigger.tg_event);
  auto *const columns = RelationGetDescr(trigger.tg_relation);
  HeapTuple row = updates ? trigger.tg_newtuple : trigger.tg_trigtuple;
  auto const &attribute = *TupleDescAttr(columns, column.number - 1);
  bool is_null = false;
  bool was_null = false;
  Datum const id = SPI_getbinval(row, columns, column.number, &is_null);
  Datum const old = SPI_getbinval(trigger.tg_trigtuple, columns, column.number, &was_null);

  // As kid_track_check() in track.cpp, accepts an update that keeps the ID.
  bool const kept = updates && !is_null && !was_null && datumIsEqual(old, id, attribute.attbyval, attribute.attlen);
  if (!is_null && !kept && !is_own_state(column.type->clock, column.type->state(id)))
    ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
            errmsg("ID %s was not made in this transaction", SPI_getvalue(row, columns, column.number)),
            errdetail("Consumers that read up to the horizon would miss the row."),
            errhint("Leave the column to its default, or give consumers another column, with a default of its own."),
            errtablecol(trigger.tg_relation, column.number));
  return PointerGetDatum(row);
}

} // namespace kid::pg
