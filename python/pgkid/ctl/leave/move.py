"""The steps by which tables leave kid, and what a rehearsal needs to know of them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, filling, hanging, state
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused, Report
from pgkid.ctl.leave import triggers
from pgkid.ctl.leave.change import Change
from pgkid.ctl.leave.checks import look
from pgkid.ctl.leave.columns import attributes
from pgkid.ctl.leave.expected import Expected
from pgkid.ctl.leave.needs import remains
from pgkid.ctl.leave.plan import LeaveState, Plan, read_plan, state_schemas
from pgkid.ctl.leave.uses import declaration
from pgkid.ctl.objects import Object
from pgkid.ctl.obstacles import refuse_made
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.steps import Runner, Step, lock, statement


@dataclass(frozen=True)
class Agreed:
    """What the user has agreed to in the check: the findings, and the objects that are not made again."""

    accepted: frozenset[str]
    given_up: frozenset[Object]


def validate(runner: Runner) -> None:
    """Validates constraints and fills materialized views that changes of this or earlier runs have left, without kid.

    Also what runs of other roles have left, if this role has got their tables since.
    """
    for schema in state_schemas(runner.conn):
        validate_left(runner, schema)


def validate_left(runner: Runner, schema: str) -> None:
    """Does what one state says is left.

    Somebody may have given constraints and views other names since. In a restored copy, what has their names is meant.
    """
    conn = runner.conn
    begun = state.load(conn, schema, LeaveState)
    if begun is None:
        if state.has_table(conn, schema):  # in a copy of the schema alone
            state.remove(runner, schema)
        return
    late, views = begun.late, begun.to_fill
    if state.is_here(conn, begun.origin, schema):
        late = [constraint.present(conn) for constraint in late]
        named = "SELECT oid::regclass::text FROM pg_class WHERE oid = %s AND relkind = 'm'"
        views = [scalar(conn, named, (begun.views.get(view),)) or view for view in views]
    for constraint in late:
        if constraint.is_valid(conn) is False:
            refuse_others(conn, [constraint.table])  # just before: the one before can have taken hours
            constraint.validate(runner)
    refuse_others(conn, filling.empty(conn, views))
    filling.fill(runner, views)
    state.remove(runner, schema)


def refuse_others(conn: Connection, relations: Sequence[str]) -> None:
    """Raises an error if one of some tables or materialized views belongs to another role by now."""
    for label, owner in conn.execute(
        "SELECT c.oid::regclass::text, quote_ident(pg_get_userbyid(c.relowner)) FROM pg_class AS c"
        " WHERE c.oid = ANY (%s::regclass[]) AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 1",
        (list(relations),),
    ).fetchall():
        raise Refused(
            f"{label} belongs to {owner} now, and an earlier run has left it to validate its constraints or to fill it",
            f"Let {owner} do that by ALTER TABLE … VALIDATE CONSTRAINT or REFRESH MATERIALIZED VIEW, and run the same"
            " command again.",
        )


VALIDATE = Step("validate", "validating constraints, and filling materialized views", validate)


class Leave:
    """A move on one connection. Every step reads the catalog again."""

    def __init__(
        self, conn: Connection, names: Optional[Sequence[str]], agreed: Agreed, report: Optional[Report] = None
    ) -> None:
        """Prepares the move of tables with these names, or of all of the session's role if there are none.

        `report` gets what a rehearsal finds at its end.
        """
        self.conn, self.names, self.agreed, self.report = conn, names, agreed, report
        plan = self.plan()
        self.groups = [group.labels for group in plan.groups]
        self.has_types = bool(plan.attributes)

    @property
    def is_needed(self) -> bool:
        """Whether anything changes."""
        return bool(self.groups) or self.has_types

    def plan(self) -> Plan:
        """Reads the plan as it is now."""
        return read_plan(self.conn, self.names)

    def tables(self) -> Sequence[int]:
        """Returns the tables that change."""
        plan = self.plan()
        return [t.oid for group in plan.groups for t in plan.family(group)]

    def extremes(self) -> Sequence[catalog.ColumnName]:
        """Returns the columns that get another type."""
        columns = [c for group in self.plan().groups for c in group.typed if c.is_top and not c.is_array]
        return [catalog.ColumnName(c.table, c.name) for c in columns]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        return Writers([t.label for group in self.plan().groups for t in group.tables], {})

    def steps(self) -> Sequence[Step]:
        """Returns a step for each group of tables, and the last one."""
        steps = [
            Step("change", f"giving core types to {', '.join(labels)}", self.changing(labels)) for labels in self.groups
        ]
        if self.has_types:
            steps.append(Step("types", "giving core types to composite types", self.change_types))
        return [*steps, VALIDATE]

    def end(self) -> Sequence[Step]:
        """Returns, in a rehearsal, the step that looks what is left."""
        return [Step("drop", "looking what still depends on kid", self.look_again)]

    def back(self) -> Sequence[Step]:
        """Returns nothing: a way back would be a rekey."""
        return []

    def reset(self) -> None:
        """Drops, in a copy of the schema, what interrupted runs have left. A change is either done or not.

        In the copy, those of other roles belong to this one, too, and can lack the tables that it may not read.
        """
        for schema in state_schemas(self.conn):
            self.conn.execute(catalog.identifier("DROP SCHEMA {} CASCADE", schema))

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return Expected(self.plan(), self.agreed.given_up).line

    def changing(self, labels: Sequence[str]) -> Callable[[Runner], None]:
        """Returns what changes the group of these tables."""

        def change(runner: Runner) -> None:
            plan = read_plan(self.conn, labels[:1])
            if not plan.groups:  # Somebody else has changed them since this run has begun.
                return
            made = [made for group in plan.groups for made in plan.hanging(group)]
            refuse_made(self.conn, made, [column for group in plan.groups for column in plan.touched(group)])
            tables = [catalog.table(self.conn, label).sql for label in labels]
            runner.retried([*hanging.lock_views(made), lock(tables)], lambda: self.change(runner, labels))

        return change

    def change(self, runner: Runner, labels: Sequence[str]) -> None:
        """Changes the group of these tables, which are locked, unless something has come in the way since the check."""
        plan = read_plan(self.conn, labels[:1])
        if sorted(label for group in plan.groups for label in group.labels) != sorted(labels):
            raise Refused("other tables have been linked with these meanwhile", "Run the same command again.")
        for finding in look(plan).findings:
            if finding.stops_unless(self.agreed.accepted):
                raise Refused(f"{finding.object}: {finding.message}", "Look at it with `kidctl leave check`.")
        triggers.drop(plan, plan.groups[0], runner)
        Change(plan, plan.groups[0], runner, self.agreed.given_up).run()

    def change_types(self, runner: Runner) -> None:
        """Changes composite types. PostgreSQL refuses those that are the type of a table's column."""
        for a in attributes(self.conn):
            change = "ALTER TYPE {} ALTER ATTRIBUTE {} TYPE {}"
            name, attribute = sql.Identifier(a.schema, a.type), sql.Identifier(a.name)
            runner.execute(statement(change, name, attribute, sql.SQL(declaration(a.base, a.is_array)), about=a.object))

    def look_again(self, runner: Runner) -> None:
        """Reports what still depends on kid."""
        if self.report is not None:
            self.report.extend(remains(self.conn))
            if not any(f.kind == "remains" for f in self.report.findings):
                self.try_drop(runner)

    def try_drop(self, runner: Runner) -> None:
        """Drops the extension in the copy, to be taken back, unless it belongs to somebody else there."""
        foreign = self.conn.execute(
            "SELECT extname, quote_ident(pg_get_userbyid(extowner)) FROM pg_extension"
            " WHERE extname IN ('kid', 'kid_seal', 'kid_workers') AND NOT pg_has_role(extowner, 'USAGE') ORDER BY 1"
        ).fetchall()
        assert self.report
        for name, owner in foreign:
            self.report.add(
                "not tried", f"extension {name}", f"is not dropped, as it belongs to {owner} in the template"
            )
        if not foreign and scalar(self.conn, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid')"):
            with self.conn.transaction(force_rollback=True):
                for name in ("kid_seal", "kid_workers", "kid"):
                    about = Object("extension", "", name, label=f"extension {name}")
                    runner.execute(statement("DROP EXTENSION IF EXISTS {}", sql.SQL(name), about=about))
