"""What kidctl cannot give new keys, and rows whose time is no use, as findings."""
from __future__ import annotations

from typing import Collection, Iterable, Iterator

import psycopg
from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.beside import aliases
from pgkid.ctl.catalog import ColumnAddress, Table
from pgkid.ctl.connection import scalar
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import of_home
from pgkid.ctl.names import beside, is_beside
from pgkid.ctl.obstacles import (
    of_hidden_rows,
    of_made,
    of_owners,
    of_row_types,
    of_state,
    of_tablespaces,
    refused,
    rights,
)
from pgkid.ctl.publications import of_updates
from pgkid.ctl.rekey import already, follow
from pgkid.ctl.rekey.plan import Plan, Word
from pgkid.ctl.rekey.times import TIMES, time_of, time_type
from pgkid.ctl.rekey.twins import indexes, taken_names


def look(plan: Plan, accepted: Collection[str]) -> Iterator[Finding]:
    """Yields everything that stands in the way of a move, before it begins.

    It calls functions of kid only if these names were accepted, should the schema belong to a stranger.
    """
    yield from of_tables(plan)
    yield from of_columns(plan)
    yield from of_names(plan)
    yield from of_domains(plan)
    yield from of_keys(plan)
    yield from of_orphans(plan)
    yield from of_triggers(plan)
    yield from of_rules(plan)
    yield from of_rights(plan)
    yield from of_updates(plan.conn, plan.tables())
    yield from of_row_types(plan.conn, [t.oid for t in plan.tables()], "whose key would be lost")
    yield from of_hanging(plan)
    yield from aliases.look(plan.conn, plan.columns)
    yield from taken_names(plan)
    yield from of_other_moves(plan)
    yield from of_later_columns(plan)
    home = list(of_home(plan.conn))
    yield from home
    if not any(finding.stops_unless(accepted) for finding in home):
        yield from of_times(plan)


def refuse_changed(plan: Plan) -> None:
    """Raises an error if what hangs on the columns is not what the last run saw."""
    assert plan.state
    if plan.state.step != "validate":
        raise Refused(f"{plan.root.label} is not ready for the swap", "Run `kidctl rekey run` again.")
    seen = {s.object: s.make for s in plan.state.seen}
    now = {made.object: made.make for made in plan.hanging()}
    changed = sorted(o.label for o in {*seen, *now} if seen.get(o) != now.get(o))
    if changed:
        raise Refused(
            "changed since the last run of kidctl: " + ", ".join(changed),
            "Run `kidctl rekey run` again, which looks at them, and then `swap`.",
        )


def of_tables(plan: Plan) -> Iterator[Finding]:
    """Yields tables of kinds that cannot be moved."""
    tops = {c.top for c in plan.columns}
    for table in plan.tables():
        label = table.label
        if table.oid == plan.root.oid and table.kind == "p":
            message = "is partitioned: only tables that refer to the key may be"
            yield refused(label, message, "Make a new partitioned table, and copy the rows with new keys.")
        if table.kind not in ("r", "p"):
            yield refused(label, "is a foreign table", "Move it on its own server.")
        if table.persistence != "p":
            yield refused(label, "is temporary or unlogged", "ALTER TABLE … SET LOGGED.")
        if table.is_typed:
            yield refused(label, "is a typed table", "ALTER TABLE … NOT OF.")
        if table.inherits:
            hint = "Take it out of the inheritance: ALTER TABLE … NO INHERIT …."
            yield refused(label, "inherits or is inherited", hint)
        if table.oid in tops and table.is_partition:
            hint = "Drop that foreign key, or add one to the partitioned table instead."
            yield refused(label, "is a partition that a foreign key names by itself", hint)


def of_columns(plan: Plan) -> Iterator[Finding]:
    """Yields columns that cannot be replaced, and columns with the names that the move gives."""
    moved = {c.address: c for c in plan.columns}
    own = {beside("new", c.name) for c in plan.columns} if plan.state else set()
    for table in plan.tables():
        for column in catalog.columns(plan.conn, table.oid):
            about = f"column {column.name} of {table.label}"
            if is_beside(column.name, "new", "old") and column.name not in own:
                yield of_own_name(about)
            if column.address not in moved:
                continue
            if column.is_partition_key:
                yield refused(
                    about, "is what the table is partitioned by", "Drop its foreign key: it then keeps old keys."
                )
            if column.generated:
                yield refused(about, "is generated", "ALTER TABLE … ALTER … DROP EXPRESSION.")
            if (column.default or column.identity) and moved[column.address] != plan.key:
                yield refused(about, "refers to the key, and has a default", "ALTER TABLE … ALTER … DROP DEFAULT.")


def of_names(plan: Plan) -> Iterator[Finding]:
    """Yields indexes and constraints with names that the move gives, before it begins: `cancel` would drop them."""
    if plan.state:
        return
    oids = [table.oid for table in plan.tables()]
    for index in catalog.indexes(plan.conn, oids):
        if is_beside(index.name, "new", "old") and not index.parent:
            yield of_own_name(f"index {index.label}")
    for constraint in catalog.constraints(plan.conn, oids):
        is_own = not constraint.parent and not constraint.is_inherited
        if is_beside(constraint.name, "new", "old", "full", "part") and is_own:
            yield of_own_name(f"constraint {constraint.name} on {plan.table(constraint.table).label}")


def of_own_name(about: str) -> Finding:
    """Returns the finding for something that has a name of kidctl's own, and is not of this move."""
    hint = "Finish the move that it is of, or take that move back. If no move has made it, rename it, or drop it."
    return refused(about, "has a name that kidctl gives", hint)


def of_domains(plan: Plan) -> Iterator[Finding]:
    """Yields columns whose domain says more than a type: new keys are not of it, and old keys are null at first."""
    for column in filter(lambda c: c.is_top, plan.columns):
        for domain, base, rules in plan.conn.execute(
            """
            WITH RECURSIVE d (depth, oid) AS (
                SELECT 1, atttypid FROM pg_attribute WHERE attrelid = %s AND attnum = %s
                UNION ALL
                SELECT d.depth + 1, t.typbasetype FROM d JOIN pg_type AS t ON t.oid = d.oid AND t.typtype = 'd')
            SELECT d.oid::regtype::text, (SELECT oid::regtype::text FROM d ORDER BY depth DESC LIMIT 1),
                   concat_ws(' ', CASE WHEN t.typnotnull THEN 'NOT NULL' END, 'DEFAULT ' || t.typdefault,
                             (SELECT string_agg(pg_get_constraintdef(k.oid), ' ' ORDER BY k.conname)
                                FROM pg_constraint AS k WHERE k.contypid = d.oid AND k.contype = 'c'))
              FROM d JOIN pg_type AS t ON t.oid = d.oid AND t.typtype = 'd' ORDER BY d.depth
            """,
            (column.table, column.number),
        ).fetchall():
            label = plan.table(column.table).label
            about = f"column {column.name} of {label}"
            if rules:
                yield Finding(
                    "changed",
                    about,
                    f"new keys are not of domain {domain}, whose rules then do not hold",
                    definition=rules,
                    hint=f"ALTER TABLE {label} ALTER {column.sql.as_string(plan.conn)} TYPE {base}, and give the"
                    " table such rules of its own.",
                    stops=True,
                    accept_name=about,
                )


def of_keys(plan: Plan) -> Iterator[Finding]:
    """Yields foreign keys and indexes that cannot have a twin."""
    oids = [table.oid for table in plan.tables()]
    moved = {c.address for c in plan.columns}
    again = "Drop it before, and add it again after `finish`."
    for key in catalog.constraints(plan.conn, oids):
        if key.kind != "f" or key.parent or not any((key.table, number) in moved for number in key.columns):
            continue
        about = f"constraint {key.name} on {plan.table(key.table).label}"
        for child, parent in zip(key.columns, key.ref_columns):
            if (key.table, child) in moved and (key.ref_table, parent) not in moved:
                other = plan.table(key.ref_table).label
                is_key = (key.table, child) == plan.key.address
                hint = f"Move {other} instead, with which this key is moved." if is_key else "Drop it."
                yield refused(about, f"makes the column refer also to {other}", hint)
        if plan.table(key.ref_table).kind == "p":
            yield refused(about, "refers to a partitioned table", again)
        if key.has_period:
            yield refused(
                about, "refers by PERIOD to a key WITHOUT OVERLAPS, which is not there before the swap", again
            )
    for index in catalog.indexes(plan.conn, oids):
        if any((index.table, number) in moved for number in index.other_classes):
            yield refused(f"index {index.label}", "has an operator class for the key that is not the default", again)


def of_orphans(plan: Plan) -> Iterator[Finding]:
    """Yields foreign keys that were not validated, if values would be lost that refer to no row. Reads the tables."""
    moved = {c.address: c for c in plan.columns}
    for key in catalog.constraints(plan.conn, [table.oid for table in plan.tables()]):
        if key.kind != "f" or key.parent or key.is_validated:
            continue
        for child, parent in zip(key.columns, key.ref_columns):
            mine = moved.get(ColumnAddress(key.table, child))
            other = moved.get(ColumnAddress(key.ref_table, parent))
            missing = count_orphans(plan, mine, other) if mine and other else 0
            if mine and missing:
                about = f"constraint {key.name} on {plan.table(key.table).label}"
                yield Finding(
                    "changed",
                    about,
                    f"is not validated, and {missing} rows refer to no row: they get keys that no row has, and `finish`"
                    " drops the old ones",
                    hint=f"Delete these rows, set {mine.name} to NULL, or keep the values in a column without a"
                    " foreign key.",
                    stops=True,
                    accept_name=about,
                )


def count_orphans(plan: Plan, child: catalog.KeyColumn, parent: catalog.KeyColumn) -> int:
    """Returns how many rows have a value in a column that no row has in the column that it refers to."""
    query = sql.SQL(
        "SELECT count(*) FROM {} AS c WHERE c.{child} IS NOT NULL"
        " AND NOT EXISTS (SELECT FROM {} AS p WHERE p.{parent}::{type} {equals} c.{child}::{type})"
    ).format(
        plan.table(child.table).sql,
        plan.table(parent.table).sql,
        child=child.sql,
        parent=parent.sql,
        type=sql.SQL(plan.keys.old_type),
        equals=sql.SQL(plan.keys.old_equals),
    )
    return int(scalar(plan.conn, query))


def of_triggers(plan: Plan) -> Iterator[Finding]:
    """Yields triggers that get in the way of the fill, or that run for each row of it."""
    running = states_that_run(plan)
    for trigger in catalog.triggers(plan.conn, [table.oid for table in plan.tables()]):
        if trigger.function_schema == plan.schema:
            continue
        about = f"trigger {trigger.name} on {plan.table(trigger.table).label}"
        if trigger.is_before_row and trigger.name > follow.TRIGGER:
            yield refused(about, f"runs after kidctl's own, which is called {follow.TRIGGER}", "Rename it.")
        if trigger.runs_at_update and not trigger.has_columns and trigger.enabled in running:
            yield Finding(
                "functions",
                about,
                "runs for each row while rows are filled",
                definition=trigger.definition,
                hint="What it does to the row itself is undone.",
                stops=True,
                accept_name=about,
            )


def of_rules(plan: Plan) -> Iterator[Finding]:
    """Yields rules that change what the fill does."""
    for table, name in plan.conn.execute(
        "SELECT ev_class::regclass::text, rulename FROM pg_rewrite"
        " WHERE ev_class = ANY (%s) AND ev_type = '2' AND ev_enabled = ANY (%s::\"char\"[])",
        ([t.oid for t in plan.tables()], states_that_run(plan)),
    ).fetchall():
        hint = "Drop it before the move, or disable it until the swap: ALTER TABLE … DISABLE RULE …."
        yield refused(f"rule {name} on {table}", "runs at every UPDATE", hint)


def states_that_run(plan: Plan) -> list[str]:
    """Returns the states in which triggers and rules run in the session that fills rows, as the catalogs have them."""
    return ["A", "R"] if plan.options.triggers == "off" else ["O", "A"]


def of_rights(plan: Plan) -> Iterator[Finding]:
    """Yields what the owner may not do."""
    user = scalar(plan.conn, "SELECT quote_ident(current_user)")
    yield from of_owners(plan.conn, plan.tables())
    yield from of_hidden_rows(plan.conn, plan.tables())
    yield from of_state(plan.conn)
    yield from of_tablespaces(plan.conn, [index.oid for index in indexes(plan)])
    if plan.options.triggers == "off" and not scalar(
        plan.conn, "SELECT has_parameter_privilege('session_replication_role', 'SET')"
    ):
        yield rights(
            user,
            "may not keep triggers from running while rows are filled",
            f"As a superuser run GRANT SET ON PARAMETER session_replication_role TO {user}."
            " Or pass --triggers run: triggers then run, but what they do to the row itself is undone.",
        )
    for function in (plan.keys.new_next.rpartition("(")[0], plan.keys.new_at):
        yield from of_function(plan, function, user)


def of_function(plan: Plan, function: str, user: str) -> Iterator[Finding]:
    """Yields a function of kid that the owner may not call."""
    for name, allowed in plan.conn.execute(
        "SELECT p.oid::regprocedure::text, has_function_privilege(p.oid, 'EXECUTE') FROM pg_proc AS p"
        " WHERE format('%%s.%%I', p.pronamespace::regnamespace, p.proname) = %s"
        " AND p.pronargs - p.pronargdefaults <= 1 AND NOT p.proretset",
        (function,),
    ).fetchall():
        if not allowed:
            hint = f"GRANT EXECUTE ON FUNCTION {name} TO {user}."
            yield rights(name, f"{user} may not call this function", hint)


def of_hanging(plan: Plan) -> Iterator[Finding]:
    """Yields what cannot be made again as it is, because of its owner, or of those who granted privileges on it."""
    try:
        made = plan.hanging()
    except Refused as error:
        yield refused("", str(error), error.hint)
        return
    for filled in made:
        if filled.is_filled:
            yield Finding(
                "note",
                filled.object.label,
                "is filled again right after the swap, with what its query returns then; until then it cannot be read",
            )
    yield from of_made(plan.conn, made, plan.addresses)
    views = [m for m in made if m.is_view]
    for label, grantor in plan.conn.execute(
        """
        SELECT DISTINCT v.label, g.grantor::regrole::text
          FROM unnest(%s::text[], %s::text[]) AS v (label, name) JOIN pg_class AS c ON c.oid = to_regclass(v.name)::oid,
               LATERAL (SELECT a.grantor FROM aclexplode(c.relacl) AS a
                        UNION SELECT a.grantor FROM pg_attribute AS t, aclexplode(t.attacl) AS a
                               WHERE t.attrelid = c.oid)
               AS g (grantor)
         WHERE g.grantor <> c.relowner AND NOT pg_has_role(g.grantor, 'MEMBER')
        """,
        ([m.object.label for m in views], [m.view for m in views]),
    ).fetchall():
        yield Finding(
            "changed",
            label,
            f"privileges that {grantor} granted will come from the owner",
            stops=True,
            accept_name=label,
        )


def of_other_moves(plan: Plan) -> Iterator[Finding]:
    """Yields tables that another move is changing."""
    for table, schema in plan.conn.execute(
        "SELECT t.tgrelid::regclass::text, n.nspname FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid"
        " JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE t.tgrelid = ANY (%s) AND t.tgname = %s AND t.tgparentid = 0 AND n.nspname <> %s",
        ([t.oid for t in plan.tables()], follow.TRIGGER, plan.schema),
    ).fetchall():
        yield refused(table, f"another move has begun, whose state is in schema {schema}", "Finish that move first.")


def of_renamed_columns(plan: Plan) -> Iterator[Finding]:
    """Yields columns of the move whose column was renamed since, by whose name the move finds them.

    Only tables with the trigger of this move have such columns: those of other tables are of another move.
    """
    word: Word = "old" if plan.is_swapped else "new"
    for table in plan.top_tables():
        triggers = catalog.triggers(plan.conn, [table.oid])
        if not any(t.name == follow.TRIGGER and t.function_schema == plan.schema for t in triggers):
            continue
        names = [column.name for column in catalog.columns(plan.conn, table.oid)]
        known = {beside(word, name) for name in names}
        for name in names:
            if is_beside(name, word) and name not in known:
                yield refused(
                    f"column {name} of {table.label}",
                    "belongs to a column that was renamed since",
                    "Rename that column back. If it was dropped, drop this one, too.",
                )


def of_lost_columns(plan: Plan) -> Iterator[Finding]:
    """Yields columns that the move gave another key, and that no foreign key makes a part of it any more.

    The swap would leave them with old keys, and nothing would remove what the move has added to their tables.
    """
    word: Word = "old" if plan.is_swapped else "new"
    moved = {(c.table, c.name) for c in plan.tops}
    for table in catalog.tables(plan.conn, follow.followed(plan.conn, plan.schema)):
        names = [column.name for column in catalog.columns(plan.conn, table.oid)]
        for name in names:
            if (table.oid, name) not in moved and beside(word, name) in names:
                hint = "Add its foreign key again, also as NOT VALID"
                hint += ", and drop it after `finish` or `back`." if plan.is_swapped else ", or take the move back."
                about = f"column {name} of {table.label}"
                yield refused(about, "is a part of the move, but does not refer to the key any more", hint)


def of_lost_triggers(plan: Plan) -> Iterator[Finding]:
    """Yields tables whose trigger was disabled or dropped, so that rows can have no other keys, or wrong ones."""
    for oid, is_there in plan.conn.execute(
        "SELECT t.oid, g.oid IS NOT NULL FROM unnest(%s::oid[]) WITH ORDINALITY AS t (oid, n)"
        " LEFT JOIN pg_trigger AS g ON g.tgrelid = t.oid AND g.tgname = %s"
        " WHERE g.tgenabled IS DISTINCT FROM 'A' ORDER BY t.n",
        ([c.table for c in plan.columns], follow.TRIGGER),
    ).fetchall():
        hint = "Take the move back: kidctl rekey cancel."
        if plan.is_swapped:
            hint = "Without it there is no way back: run `finish`."
            if is_there:
                hint = f"Give rows the old keys, and enable it: {statements_of_trigger(plan, plan.table(oid))}"
        message = "was disabled or dropped, so rows can have lost their other keys"
        yield refused(f"trigger {follow.TRIGGER} of {plan.table(oid).label}", message, hint)


def statements_of_trigger(plan: Plan, table: Table) -> str:
    """Returns the statements that give rows the old keys that a disabled trigger has not given them."""
    name, sets = sql.Identifier(follow.TRIGGER), []
    for column in plan.columns_of(table.oid):
        holes = {
            "table": table.sql,
            "old": sql.Identifier(beside("old", column.name)),
            "column": column.sql,
            "root": plan.root.sql,
            "key": plan.key.sql,
            "old_key": sql.Identifier(beside("old", plan.key.name)),
            "equals": sql.SQL(plan.keys.new_equals),
        }
        if column == plan.key:
            text = "UPDATE {table} SET {old} = {next} WHERE {old} IS NULL;"
            sets.append(sql.SQL(text).format(next=sql.SQL(plan.keys.old_next), **holes))
        else:
            given = "(SELECT o.{old_key} FROM {root} AS o WHERE o.{key} {equals} r.{column})"
            text = f"UPDATE {{table}} AS r SET {{old}} = {given} WHERE r.{{old}} IS DISTINCT FROM {given};"
            sets.append(sql.SQL(text).format(**holes))
    head, end = "BEGIN; ALTER TABLE {} DISABLE TRIGGER {};", "ALTER TABLE {} ENABLE ALWAYS TRIGGER {}; COMMIT;"
    parts = [sql.SQL(head).format(table.sql, name), *sets, sql.SQL(end).format(table.sql, name)]
    return sql.SQL(" ").join(parts).as_string(plan.conn)


def of_later_columns(plan: Plan) -> Iterator[Finding]:
    """Yields columns that have referred to the key only since the move began, or since the swap.

    Nothing has given them the column beside them, so their rows have no other keys. A column that was renamed looks
    like these, so nothing else is told while there is one.
    """
    if plan.state is None or plan.is_half_back:
        return
    renamed = list(of_renamed_columns(plan))
    yield from renamed
    if renamed:
        return
    yield from of_lost_columns(plan)
    word: Word = "old" if plan.is_swapped else "new"
    for column in plan.without_beside(word):
        about = f"column {column.name} of {plan.table(column.table).label}"
        if column == plan.key:
            hint = "Without it there is no way back: run `finish`." if plan.is_swapped else "Take the move back."
            yield refused(about, f"has lost column {beside(word, column.name)}, which had its {word} keys", hint)
        else:
            since = "since the swap" if plan.is_swapped else "since the move began"
            message = f"refers to the key {since}, so its rows have no {word} keys"
            yield refused(about, message, hint_of_later(plan, column))


def hint_of_later(plan: Plan, column: catalog.KeyColumn) -> str:
    """Returns how rows keep what they refer to, although their column has no other keys.

    After the way back no table knows any more which new key was whose, so rows get the old keys before it.
    """
    if not plan.is_swapped:
        return "Take the move back, and begin again, so that this column is a part of it."
    statements = sql.SQL(
        "ALTER TABLE {table} ADD old {type}; UPDATE {table} AS r SET old = o.{old} FROM {root} AS o"
        " WHERE o.{key} = r.{column};"
    ).format(
        table=plan.table(column.table).sql,
        type=sql.SQL(plan.keys.old_type),
        old=sql.Identifier(beside("old", plan.key.name)),
        root=plan.root.sql,
        key=plan.key.sql,
        column=column.sql,
    )
    return f"Before `back`, give its rows the old keys: {statements.as_string(plan.conn)} then drop its foreign key."


def of_times(plan: Plan) -> Iterator[Finding]:
    """Yields what is wrong with the times that rows get."""
    o = plan.options
    zone = of_time_zone(plan)
    yield from zone
    if o.since:
        if scalar(plan.conn, "SELECT %s::timestamptz > clock_timestamp()", (o.until,)):
            yield Finding("times", "--during", "ends in the future", stops=True)
        yield from in_range(plan, [("--during", o.since), ("--during", o.until)])
        yield from already.look(plan)
        return
    about, type = f"column {o.time} of {plan.root.label}", time_type(plan)
    if not o.time:
        yield Finding(
            "times",
            plan.root.label,
            "kidctl must know when each row was made",
            hint="Name a column with --time, or pass --during: keys then get times within it, in their order.",
            stops=True,
        )
    elif o.time not in [column.name for column in catalog.columns(plan.conn, plan.root.oid)]:
        hint = "Name a column of this table with --time, or pass --during."
        yield Finding("times", about, "does not exist", hint=hint, stops=True)
    elif type is None:
        hint = "Name a column of type timestamptz, timestamp or date, or one with IDs of kid, or pass --during."
        yield Finding("times", about, "does not contain a time", hint=hint, stops=True)
    elif TIMES.get(type) is False and not o.time_zone:
        yield Finding(
            "times",
            about,
            f"is of type {type}, which has no time zone",
            hint="Pass the zone in which its values are written, such as --time-zone UTC.",
            stops=True,
        )
    elif not any(finding.stops for finding in zone):
        yield from of_rows(plan, about, type)


def of_time_zone(plan: Plan) -> list[Finding]:
    """Returns what is wrong with --time-zone: PostgreSQL does not know it, or the times of the rows need none."""
    o, type = plan.options, time_type(plan)
    if not o.time_zone:
        return []
    try:
        plan.conn.execute("SELECT clock_timestamp() AT TIME ZONE %s", (o.time_zone,))
    except psycopg.errors.InvalidParameterValue as error:
        return [Finding("times", "--time-zone", error.diag.message_primary or "", stops=True)]
    if o.since or (type is not None and TIMES.get(type) is not False):
        used = "--during" if o.since else f"column {o.time}"
        return [Finding("note", "--time-zone", f"has no effect, because the times of {used} have a time zone")]
    return []


def of_rows(plan: Plan, about: str, type: str) -> Iterator[Finding]:
    """Yields rows that have no time, or none that a key can have. Reads the whole table."""
    none, late, first, last = plan.conn.execute(
        sql.SQL(
            "SELECT count(*) FILTER (WHERE t.time IS NULL OR NOT isfinite(t.time)),"
            " count(*) FILTER (WHERE isfinite(t.time) AND t.time > clock_timestamp()),"
            " (min(t.time) FILTER (WHERE isfinite(t.time)))::text, (max(t.time) FILTER (WHERE"
            " isfinite(t.time)))::text"
            " FROM (SELECT {} AS time FROM {} AS t) AS t"
        ).format(time_of(plan), plan.root.sql)
    ).fetchall()[0]
    missing, hint = "no time, or an infinite one", "Give these rows another time first."
    if type not in TIMES:
        missing = "no ID there"
        if type == "pg_catalog.uuid":
            missing = "no uuid of version 7 there, the one that contains a time"
        hint = "Name another column with --time, or pass --during."
    if none:
        yield Finding("times", about, f"{none} rows have {missing}", hint=hint, stops=True)
    if late:
        yield Finding("times", about, f"{late} rows have a time in the future, up to {last}", hint=hint, stops=True)
    yield from in_range(plan, [(about, first)] + ([] if late else [(about, last)]))
    yield from already.look(plan)


def in_range(plan: Plan, times: Iterable[tuple[str, str | None]]) -> Iterator[Finding]:
    """Yields times that keys of the new type cannot have."""
    for about, time in times:
        if time is None:
            continue
        try:
            with plan.conn.transaction(force_rollback=True):
                instant = sql.SQL("{}::timestamptz").format(sql.Literal(time))
                plan.conn.execute(sql.SQL("SELECT {}").format(plan.keys.key_at(instant)))
        except psycopg.errors.InsufficientPrivilege:
            return  # told as a matter of rights
        except psycopg.Error as error:
            message = f"keys cannot have the time {time}: {error.diag.message_primary}"
            yield Finding("times", about, message, error.diag.message_detail or "", hint_of_range(plan), stops=True)


def hint_of_range(plan: Plan) -> str:
    """Returns what to do if keys of the new type cannot have the times of some rows."""
    if plan.options.to != "kid53":
        return "Give these rows another time first."
    return (
        "Pass --to bigint or --to kid64, whose times begin in 1970, or --new-rows-only, which leaves old keys as they"
        " are. Or give these rows another time first."
    )
