"""The move of a table to new keys for all rows: its steps, and what a rehearsal needs to know of it."""
from __future__ import annotations

import re
from typing import Any, Callable, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, hanging, state
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Refused
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.rekey import checks, follow, twins
from pgkid.ctl.rekey.fill import Fill
from pgkid.ctl.throttle import Throttle
from pgkid.ctl.rekey.finish import drop_new, finish, index_name
from pgkid.ctl.rekey.plan import Options, Plan, beside, read_plan
from pgkid.ctl.rekey.swap import Swap
from pgkid.ctl.steps import Runner, Statement, Step, raw, statement
from pgkid.ctl.terminal import progress


class Rekey:
    """A move on one connection. Every step reads the catalog again."""

    def __init__(
        self,
        conn: Connection,
        relation: str,
        options: Optional[Options],
        throttle: Throttle,
        rehearses: bool = False,
    ) -> None:
        self.conn, self.relation, self.options, self.throttle = conn, relation, options, throttle
        self.rehearses = rehearses
        self.twins: twins.Definitions = {}

    def plan(self) -> Plan:
        """Reads the plan as it is now."""
        plan = read_plan(self.conn, catalog.table(self.conn, self.relation), self.options)
        if plan.state and not self.rehearses:
            state.refuse_other_database(self.conn, plan.state)
        return plan

    def tables(self) -> Sequence[int]:
        """Returns the tables that the move changes."""
        return [table.oid for table in self.plan().tables()]

    def extremes(self) -> Sequence[tuple[int, str]]:
        """Returns the key, and the column with the time."""
        plan = self.plan()
        columns = {c.name for c in catalog.columns(self.conn, plan.root.oid)}
        return [(plan.root.oid, name) for name in (plan.key.name, plan.options.time) if name in columns]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        plan = self.plan()
        key = next(c for c in catalog.columns(self.conn, plan.root.oid) if c.number == plan.key.number)
        given = sql.SQL("pg_catalog.gen_random_uuid()::{}").format(sql.SQL(key.type))
        if key.category == "N":
            given = sql.SQL("(SELECT pg_catalog.max({}) OPERATOR(pg_catalog.+) 1 FROM {})").format(
                key.sql, plan.root.sql
            )
        return Writers([t.label for t in plan.top_tables()], {(plan.root.label, key.name): given})

    def steps(self) -> Sequence[Step]:
        """Returns the steps up to the swap."""
        return [
            Step("prepare", "adding columns, which new rows fill from here on", self.prepare),
            Step("fill", "filling the rows that were there", self.fill),
            Step("index", "building indexes on the new columns", self.index),
            Step("constrain", "adding constraints on the new columns", self.constrain),
            Step("validate", "looking whether rows fulfil them", self.validate),
            self.swapping(),
        ]

    def swapping(self) -> Step:
        """Returns the step in which the new columns take the names."""
        return Step("swap", "giving the new columns the names of the old ones", self.swap)

    def end(self) -> Sequence[Step]:
        """Returns the step that drops the old keys."""
        return [Step("finish", "dropping the old keys", self.finish)]

    def back(self) -> Sequence[Step]:
        """Returns the way back after the swap."""
        return [Step("back", "giving the old columns their names again", self.go_back)]

    def reset(self) -> None:
        """Takes back, in a copy of the schema, what an earlier run has done."""
        Cancel(self.conn, self.relation).run(Runner(self.conn))

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return Expected(self.plan()).line

    def prepare(self, runner: Runner) -> None:
        """Adds the columns, and the triggers that fill them."""
        plan = self.plan()
        if plan.state:
            return
        with runner.locked(plan.locks()):
            refuse_other_moves(plan)
            tables = {table.label: table.oid for table in plan.top_tables()}
            plan.state = state.State("rekey", plan.root.label, *state.identity(self.conn), tables, plan.saved())
            state.create(self.conn, plan.schema, plan.state)
            runner.all(follow.tables(plan))
            for column in plan.tops:
                table, name = plan.table(column.table), sql.Identifier(beside("new", column.name))
                about = f"column {column.name} of {table.label}"
                runner.execute(
                    statement(
                        "ALTER TABLE {} ADD COLUMN {} {}", table.sql, name, sql.SQL(plan.keys.new_type), about=about
                    )
                )
            runner.execute(follow.known(plan))
            runner.all(follow.follow(plan, plan.direction("new")))
            runner.all(follow.triggers(plan))
            self.note(plan, "prepare")

    def note(self, plan: Plan, step: str, **kept: Any) -> None:
        """Notes that a step is done, and what hung on the columns then."""
        seen = {made.label: made.make for made in hanging.hanging(self.conn, plan.columns, plan.schema)}
        plan.save(step, seen=seen, **kept)

    def fill(self, runner: Runner) -> None:
        """Fills the new columns, and makes room for what writers do next."""
        plan = self.plan_with_triggers()
        with progress("filling", "blocks") as bar:
            Fill(plan, runner, self.throttle, bar).run()
        for table in plan.top_tables():
            runner.execute(statement("VACUUM (ANALYZE) {}", table.sql, outside=True))

    def plan_with_triggers(self) -> Plan:
        """Reads the plan, and raises an error if the triggers of the move have been disabled or dropped."""
        plan = self.plan()
        begun = set(plan.state.tables.values()) if plan.state else set()
        for table in plan.top_tables():
            if table.oid not in begun and begun:
                raise Refused(
                    f"{table.label} refers to the keys since the move began, so its rows have no new keys",
                    "Drop its foreign key until the move is finished, or take the move back.",
                )
        lost = self.conn.execute(
            "SELECT t.oid::regclass::text FROM unnest(%s::oid[]) AS t (oid) WHERE NOT EXISTS ("
            " SELECT FROM pg_trigger AS g WHERE g.tgrelid = t.oid AND g.tgname = %s AND g.tgenabled = 'A')",
            ([c.table for c in plan.columns], follow.TRIGGER),
        ).fetchall()
        if lost:
            raise Refused(
                f"the trigger {follow.TRIGGER} of {lost[0][0]} was disabled or dropped, so rows have lost their keys",
                "Take the move back: kidctl rekey cancel.",
            )
        return plan

    def index(self, runner: Runner) -> None:
        """Builds the indexes."""
        plan = self.plan_with_triggers()
        self.twins = twins.definitions(plan, runner, self.twins)
        twins.Builder(plan, runner, self.twins).build_indexes()

    def constrain(self, runner: Runner) -> None:
        """Adds constraints without looking at rows, where PostgreSQL can do that."""
        plan = self.plan_with_triggers()
        self.twins = twins.definitions(plan, runner, self.twins)
        with runner.locked(plan.locks()):
            add_full(plan, runner, "new")
            twins.Builder(plan, runner, self.twins).add_constraints()

    def validate(self, runner: Runner) -> None:
        """Fills what transactions have added that saw no row filled, and validates the constraints."""
        plan = self.plan_with_triggers()
        with progress("filling", "blocks") as bar:
            Fill(plan, runner, self.throttle, bar).run()
        builder = twins.Builder(plan, runner, self.twins)
        builder.validate()
        with runner.locked(plan.locks()):
            builder.join_parts()
            self.note(plan, "validate")

    def swap(self, runner: Runner) -> None:
        """Exchanges the columns, and fills materialized views."""
        plan = self.plan_with_triggers()
        with runner.locked(plan.locks()):
            swap = Swap(plan, runner, plan.direction("new"))
            swap.run()
            kept = swap.keep()
            if plan.state:
                plan.save("swap", **kept)
        self.refresh(runner, kept["refresh"])

    def refresh(self, runner: Runner, views: Sequence[Sequence[str]]) -> None:
        """Fills materialized views, as their owners, unless that was done before an interruption."""
        for label, refresh in views:
            name = label.split("view ", 1)[1]
            if not one(self.conn, "SELECT relispopulated FROM pg_class WHERE oid = to_regclass(%s)", (name,)):
                runner.execute(Statement(raw(refresh), label))

    def refill(self, runner: Runner) -> None:
        """Fills the materialized views that an interrupted swap has left empty."""
        plan = self.plan()
        self.refresh(runner, plan.state.kept.get("refresh", []) if plan.state else [])

    def finish(self, runner: Runner) -> None:
        """Drops the old keys."""
        plan = self.swapped()
        self.refill(runner)
        with runner.locked(plan.locks()):
            finish(plan, runner)

    def swapped(self) -> Plan:
        """Reads the plan, and raises an error unless the swap is done."""
        plan = self.plan()
        if not plan.is_swapped:
            raise Refused(
                f"{plan.root.label} does not have its new keys yet", "Before the swap, cancel takes all back."
            )
        return plan

    def go_back(self, runner: Runner) -> None:
        """Exchanges the columns again, and removes all that the move has added."""
        plan = self.swapped()
        with runner.locked(plan.locks()):
            add_full(plan, runner, "old")
        twins.Builder(plan, runner, {}).validate()
        with runner.locked(plan.locks()):
            swap = Swap(plan, runner, plan.direction("old"))
            swap.run()
            follow.remove(plan, runner)
            drop_new(runner, [(plan.table(column.table), column) for column in plan.tops])
        for label, name, _definition, late in plan.state.kept["constraints"] if plan.state else []:
            if late:
                table = one(self.conn, "SELECT to_regclass(%s)::oid", (label,))
                runner.execute(twins.validation(plan, table, name))
        self.refresh(runner, [[made.label, made.refresh] for made in swap.made if made.refresh])


def refuse_other_moves(plan: Plan) -> None:
    """Raises an error if another move changes one of the tables. They are locked."""
    for finding in checks.of_other_moves(plan):
        raise Refused(f"{finding.object}: {finding.message}", finding.hint)


def add_full(plan: Plan, runner: Runner, word: str) -> None:
    """Adds constraints that prove that no row lacks a key, so that nothing looks for one under the lock of the swap."""
    not_null = {(c.table, c.number) for t in plan.tables() for c in catalog.columns(plan.conn, t.oid) if c.not_null}
    for column in plan.columns:
        is_not_null = (column.table, column.number) in not_null
        if not column.is_top and (not is_not_null or (column.top, column.top_number) in not_null):
            continue
        table, name = plan.table(column.table), sql.Identifier(beside("full" if column.is_top else "part", column.name))
        other = sql.Identifier(beside(word, column.name))
        condition = sql.SQL("{} IS NOT NULL").format(other)
        if not is_not_null:
            condition = sql.SQL("({} IS NULL) = ({} IS NULL)").format(other, column.sql)
        runner.execute(statement("ALTER TABLE {} DROP CONSTRAINT IF EXISTS {}", table.sql, name))
        runner.execute(statement("ALTER TABLE {} ADD CONSTRAINT {} CHECK ({}) NOT VALID", table.sql, name, condition))


class Cancel:
    """Takes everything back before the swap. It goes by names alone, so that it works in a restored copy, too."""

    def __init__(self, conn: Connection, relation: str) -> None:
        self.conn, self.relation = conn, relation

    def run(self, runner: Runner) -> None:
        """Drops triggers, columns, and the schema of the move."""
        root = catalog.table(self.conn, self.relation)
        columns = catalog.related(self.conn, root.oid)
        schema = state.schema_of("rekey", root)
        names = {c.name for c in catalog.columns(self.conn, root.oid)}
        if beside("old", columns[0].name) in names:
            raise Refused(f"{root.label} has its new keys already", "Run `kidctl rekey back`.")
        begun = state.load(self.conn, schema)
        if begun and begun.step == "swap":
            raise Refused(f"{root.label} has its new keys already", "Run `kidctl rekey back`.")
        tops = catalog.tables(self.conn, dict.fromkeys(c.top for c in columns))
        with runner.locked([table.sql for table in tops]):
            for table in tops:
                if self.has_trigger(table, schema):
                    runner.execute(statement("DROP TRIGGER {} ON {}", sql.Identifier(follow.TRIGGER), table.sql))
            state.remove(runner, schema)
            found = [(catalog.tables(self.conn, [c.table])[0], c) for c in columns if c.is_top]
            for table, column in found:
                self.drop_beside(runner, table, column)
            drop_new(runner, found)

    def has_trigger(self, table: catalog.Table, schema: str) -> bool:
        """Returns whether a table has the trigger of this move, and not that of another one."""
        return any(
            trigger.name == follow.TRIGGER and trigger.function_schema == schema
            for trigger in catalog.triggers(self.conn, [table.oid])
        )

    def drop_beside(self, runner: Runner, table: catalog.Table, column: catalog.KeyColumn) -> None:
        """Drops what stands beside a column, and the index that was for the way back."""
        for index in catalog.indexes(self.conn, [table.oid, *self.parts(table)]):
            if index.name.startswith("kid_old_") and not index.parent:
                runner.execute(statement("DROP INDEX IF EXISTS {}", index.sql))
        for word in ("full", "part"):
            for oid in [table.oid, *self.parts(table)]:
                runner.execute(
                    statement(
                        "ALTER TABLE {} DROP CONSTRAINT IF EXISTS {}",
                        catalog.tables(self.conn, [oid])[0].sql,
                        sql.Identifier(beside(word, column.name)),
                    )
                )

    def parts(self, table: catalog.Table) -> list[int]:
        """Returns the partitions of a table."""
        return [
            row[0]
            for row in self.conn.execute("SELECT relid::oid FROM pg_partition_tree(%s) WHERE level > 0", (table.oid,))
        ]


class Expected:
    """What differs in a dump because it was asked for: the types of keys, and what makes them."""

    def __init__(self, plan: Plan) -> None:
        self.keys: dict[tuple[str, str], list[str]] = {}
        for column in plan.columns:
            table = plan.table(column.table)
            name = plan.conn.execute("SELECT quote_ident(%s)", (column.name,)).fetchall()[0][0]
            self.keys.setdefault((table.schema, table.name), []).append(name)
        self.default = (plan.root.schema, f"{plan.root.name} {plan.key.name}")
        self.sequences = {
            (row[0], name)
            for row in plan.conn.execute(
                "SELECT n.nspname, c.relname, 'SEQUENCE ' || quote_ident(c.relname) FROM pg_depend AS d"
                " JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S'"
                " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE d.refobjid = %s AND d.refobjsubid = %s"
                " AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')",
                (plan.root.oid, plan.key.number),
            )
            for name in row[1:]
        }
        self.old_name, self.kept = None, set[dumps.Entry]()
        if plan.options.old_name:
            root, kept = plan.root, plan.options.old_name
            self.old_name = plan.conn.execute("SELECT quote_ident(%s)", (kept,)).fetchall()[0][0]
            self.kept = {
                ("TABLE", root.schema, root.name),
                ("DEFAULT", root.schema, f"{root.name} {kept}"),
                ("INDEX", root.schema, index_name(plan)),
            }
        # In plain SQL, the types of kid are domains over bigint.
        self.is_domain = one(
            plan.conn, "SELECT typtype = 'd' FROM pg_type WHERE oid = to_regtype(%s)::oid", (plan.keys.new_type,)
        )
        self.types = re.compile(
            "NULL::(?:" + "|".join(map(re.escape, (plan.keys.old_type, plan.keys.new_type))) + ") AS"
        )

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line without what was asked for, or None if it all was."""
        kind, schema, name = entry
        if self.is_domain:
            line = dumps.without_casts(line)
        if kind == "DEFAULT" and (schema, name) == self.default:
            return None
        if entry in self.kept and (kind != "TABLE" or line.startswith(f"{self.old_name} ")):
            return None
        if (schema, name) in self.sequences:
            return None
        if kind == "VIEW":  # pg_dump makes some views in two steps, first with the types of columns alone
            return self.types.sub("NULL AS", line)
        if kind == "STATISTICS":  # PostgreSQL orders columns by their number
            return re.sub(" ON (.*) FROM ", lambda on: " ON " + ", ".join(sorted(on[1].split(", "))) + " FROM ", line)
        if kind == "TABLE":
            for key in self.keys.get((schema, name), []):
                if line.startswith(key + " "):
                    return f"{key} NOT NULL" if "NOT NULL" in line else key
        return line
