// kid_own_ids_trigger() rejects a row whose ID of kid was not made in its transaction.
#include "../horizon/floors.hpp"
#include "../types/all_types.hpp"
#include "fired_row.hpp"

namespace kid::pg {

/// Returns the type whose IDs a column contains: the type of the column, or the one that the trigger names for a
/// bigint. Returns null if there is none that has a horizon.
static id_type const *type_of(Trigger const &trigger, Oid column_type) {
  id_type const *type = nullptr;

  if (trigger.tgnargs == 1) {
    type = id_type_of(column_type);
  } else if (column_type == INT8OID) {
    for (id_type const *one : all_types)
      if (one->size == sizeof(int64) && strcmp(one->prefix, trigger.tgargs[1]) == 0)
        type = one;
  }
  return type != nullptr && type->state != nullptr ? type : nullptr;
}

/// Returns the number of the column that the trigger names, and the type of its IDs. Raises an error if that has no
/// horizon.
static std::pair<int, id_type const *> column_of(TriggerData const &trigger) {
  auto *const row = RelationGetDescr(trigger.tg_relation);

  if (trigger.tg_trigger->tgnargs != 1 && trigger.tg_trigger->tgnargs != 2)
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() needs the name of a column, and of a bigint what IDs it contains"));
  char const *const name = trigger.tg_trigger->tgargs[0];
  int const number = SPI_fnumber(row, name);
  if (number <= 0)
    ereport(
        ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
        errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(trigger.tg_relation)));
  if (TupleDescAttr(row, number - 1)->attgenerated != '\0')
    ereport(ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION), errmsg("cannot use generated column \"%s\"", name));
  id_type const *const type = type_of(*trigger.tg_trigger, getBaseType(SPI_gettypeid(row, number)));
  if (type == nullptr)
    ereport(
        ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
        errmsg("column \"%s\" of relation \"%s\" is of type %s", name, RelationGetRelationName(trigger.tg_relation),
               format_type_be(SPI_gettypeid(row, number))),
        errdetail("The type must have a horizon, as kid64 has kid_horizon()."),
        errhint("For a bigint, name the IDs in a second argument, such as kid_own_ids_trigger('%s', 'kid53').", name));
  return {number, type};
}

KID_DEFINE(kid_own_ids_trigger) {
  if (!CALLED_AS_TRIGGER(fcinfo))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() was not called as a trigger"));
  auto const &trigger = *reinterpret_cast<TriggerData *>(fcinfo->context);
  if (!TRIGGER_FIRED_FOR_ROW(trigger.tg_event) || TRIGGER_FIRED_BY_DELETE(trigger.tg_event))
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("kid_own_ids_trigger() must be fired FOR EACH ROW by INSERT or UPDATE"));
  auto const [number, type] = column_of(trigger);
  fired_row const fired = row_of(trigger, number);

  if (!fired.is_null && !fired.kept && !is_own_state(type->clock, type->state(fired.id)))
    not_own_error(trigger, number, fired,
                  "Leave the column to its default, or give consumers another column, with a default of its own.");
  return PointerGetDatum(fired.row);
}

} // namespace kid::pg
