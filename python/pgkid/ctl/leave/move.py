"""The steps by which tables leave kid, and what a rehearsal needs to know of them."""
from __future__ import annotations

from typing import Callable, Collection, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging, state
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Finding, Refused, Report
from pgkid.ctl.kid import CORE
from pgkid.ctl.leave.change import Change
from pgkid.ctl.leave.checks import Look
from pgkid.ctl.leave.expected import Expected
from pgkid.ctl.leave.plan import Plan, attributes, read_plan
from pgkid.ctl.leave.uses import COLLATION, uses
from pgkid.ctl.objects import Object
from pgkid.ctl.obstacles import refuse_made
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.steps import Runner, Step, lock, statement


class Leave:
    """A move on one connection. Every step reads the catalog again."""

    def __init__(
        self,
        conn: Connection,
        names: Optional[Sequence[str]],
        given_up: frozenset[Object],
        accepted: Collection[str],
        report: Optional[Report] = None,
    ) -> None:
        self.conn, self.names, self.given_up, self.accepted = conn, names, given_up, accepted
        self.report = report
        plan = self.plan()
        self.known = [[t.label for t in group.tables] for group in plan.groups]
        self.has_types = bool(plan.attributes)

    def plan(self) -> Plan:
        """Reads the plan as it is now."""
        return read_plan(self.conn, self.names)

    def tables(self) -> Sequence[int]:
        """Returns the tables that change."""
        plan = self.plan()
        return [t.oid for group in plan.groups for t in plan.family(group)]

    def extremes(self) -> Sequence[tuple[int, str]]:
        """Returns the columns that get another type."""
        return [(c.table, c.name) for group in self.plan().groups for c in group.typed if c.is_top and not c.is_array]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        return Writers([t.label for group in self.plan().groups for t in group.tables], {})

    def steps(self) -> Sequence[Step]:
        """Returns a step for each group of tables, and the last one."""
        steps = [
            Step("change", f"giving core types to {', '.join(known)}", self.changing(known)) for known in self.known
        ]
        if self.has_types:
            steps.append(Step("types", "giving core types to composite types", self.change_types))
        return [*steps, Step("validate", "validating constraints, and filling materialized views", self.validate)]

    def end(self) -> Sequence[Step]:
        """Returns, in a rehearsal, the step that looks what is left."""
        return [Step("drop", "looking what still depends on kid", self.look_again)]

    def back(self) -> Sequence[Step]:
        """Returns nothing: a way back would be a rekey."""
        return []

    def reset(self) -> None:
        """Takes nothing back: a change is either done or not."""

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return Expected(self.plan(), self.given_up).line

    def changing(self, known: Sequence[str]) -> Callable[[Runner], None]:
        """Returns what changes the group of these tables."""

        def change(runner: Runner) -> None:
            before = read_plan(self.conn, known[:1])
            made = [made for group in before.groups for made in before.made(group)]
            refuse_made(self.conn, made)
            tables = [catalog.table(self.conn, label).sql for label in known]
            runner.retried([*hanging.lock_views(made), lock(tables)], lambda: self.change(runner, known))

        return change

    def change(self, runner: Runner, known: Sequence[str]) -> None:
        """Changes the group of these tables, which are locked, unless something has come in the way since the check."""
        plan = read_plan(self.conn, known[:1])
        if [t.label for group in plan.groups for t in group.tables] != list(known):
            raise Refused("other tables have been linked with these meanwhile", "Run the same command again.")
        look = Look(plan)
        look.run()
        for finding in look.findings:
            if finding.stops_unless(self.accepted):
                raise Refused(f"{finding.object}: {finding.message}", "Look at it with `kidctl leave check`.")
        Change(plan, plan.groups[0], runner, self.given_up).run()

    def change_types(self, runner: Runner) -> None:
        """Changes composite types. PostgreSQL refuses those that are the type of a table's column."""
        for a in attributes(self.conn):
            core = CORE[a.base]
            kind = core + "[]" * a.is_array + (COLLATION if core == "text" else "")
            change = "ALTER TYPE {} ALTER ATTRIBUTE {} TYPE {}"
            name = sql.Identifier(a.schema, a.type)
            runner.execute(
                statement(
                    change,
                    name,
                    sql.Identifier(a.name),
                    sql.SQL(kind),
                    about=Object("type", a.schema, a.type, label=f"type {a.label}"),
                )
            )

    def validate(self, runner: Runner) -> None:
        """Does what was left for after the transactions, also of earlier runs."""
        for (schema,) in runner.query(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl\\_leave\\_%' AND pg_get_userbyid(nspowner) ="
            " current_user"
        ):
            begun = state.load(self.conn, schema)
            for table, name in begun.kept["late"] if begun else []:
                self.validate_one(runner, table, name)
            filling.fill(runner, filling.kept(begun))
            state.remove(runner, schema)

    def validate_one(self, runner: Runner, table: str, name: str) -> None:
        """Validates a constraint, unless it is valid or gone."""
        if one(
            self.conn,
            "SELECT NOT convalidated FROM pg_constraint WHERE conrelid = to_regclass(%s)::oid AND conname = %s",
            (table, name),
        ):
            about = Object("constraint", "", name, table, f"constraint {name} on {table}")
            runner.execute(constraints.validate(sql.SQL(table), about))

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
        if not foreign and one(self.conn, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid')"):
            with self.conn.transaction(force_rollback=True):
                for name in ("kid_seal", "kid_workers", "kid"):
                    about = Object("extension", "", name, label=f"extension {name}")
                    runner.execute(statement("DROP EXTENSION IF EXISTS {}", sql.SQL(name), about=about))


def remains(conn: Connection) -> list[Finding]:
    """Returns a finding for each object that depends on kid."""
    found: dict[str, list[str]] = {}
    for use in uses(conn):
        found.setdefault(use.object, []).append(use.member)
    return [Finding("remains", name, "uses " + ", ".join(members)) for name, members in found.items()]
