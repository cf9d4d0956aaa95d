// What the triggers share that reject a row whose ID was not made in its transaction. The horizon does not wait for
// such a row, so consumers that read up to the horizon would miss it.
#pragma once

#include "../base/datum.hpp"

namespace kid::pg {

/// The row that a trigger is fired for.
struct fired_row {
  HeapTuple row;
  Datum id;
  bool is_null;
  bool kept; ///< whether this is an update that writes the ID that was there: it makes no row appear
};

inline fired_row row_of(TriggerData const &trigger, int number) {
  auto *const columns = RelationGetDescr(trigger.tg_relation);
  auto const &attribute = *TupleDescAttr(columns, number - 1);
  bool const updates = TRIGGER_FIRED_BY_UPDATE(trigger.tg_event);
  fired_row fired = {updates ? trigger.tg_newtuple : trigger.tg_trigtuple, 0, false, false};
  bool was_null = false;
  Datum const old = SPI_getbinval(trigger.tg_trigtuple, columns, number, &was_null);

  fired.id = SPI_getbinval(fired.row, columns, number, &fired.is_null);
  fired.kept = updates && fired.is_null == was_null &&
               (was_null || datumIsEqual(old, fired.id, attribute.attbyval, attribute.attlen));
  return fired;
}

/// Raises the error for the row of a trigger on column `number`. `hint` says what the writer can do.
[[noreturn]] inline void not_own_error(TriggerData const &trigger, int number, fired_row const &fired,
                                       char const *hint) {
  ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
          errmsg("ID %s was not made in this transaction",
                 fired.is_null ? "NULL" : SPI_getvalue(fired.row, RelationGetDescr(trigger.tg_relation), number)),
          errdetail("Consumers that read up to the horizon would miss the row."), errhint("%s", hint),
          errtablecol(trigger.tg_relation, number));
}

} // namespace kid::pg
