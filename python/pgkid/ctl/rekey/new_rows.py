"""New keys for new rows only: the key gets another default, and old rows keep their keys."""
from __future__ import annotations

from typing import Collection, Iterator

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import scalar
from pgkid.ctl.details import grants, identity
from pgkid.ctl.findings import Finding
from pgkid.ctl.kid import TARGETS, of_home
from pgkid.ctl.objects import of_table
from pgkid.ctl.obstacles import of_hidden_rows, of_state, refuse, refused
from pgkid.ctl.rekey.move import Rekey
from pgkid.ctl.rekey.plan import Plan
from pgkid.ctl.steps import Runner, Statement, Step, lock, raw, statement


EXACT = 2**53  # From here on a double does not represent each integer.


class NewRows(Rekey):
    """A move that only new rows take part in. It locks the table for a moment, and can be taken back."""

    def extremes(self) -> list[catalog.ColumnName]:
        """Returns the key."""
        plan = self.plan()
        return [catalog.ColumnName(plan.root.oid, plan.key.name)]

    def found(self, plan: Plan, accepted: Collection[str]) -> Iterator[Finding]:
        """Yields what stands in the way of the move, beside what a rehearsal finds."""
        yield from look(plan, accepted)

    def found_since(self, plan: Plan) -> Iterator[Finding]:
        """Yields nothing: tables that refer to the key need no new keys."""
        yield from ()

    def refuse_changed(self, plan: Plan) -> None:
        """Does nothing: the swap changes no definition but the default."""

    def steps_before_swap(self) -> list[Step]:
        """Returns the step before the new default."""
        return [Step("prepare", "noting how keys are made now", self.prepare)]

    def swapping(self) -> Step:
        """Returns the step that gives the key its new default."""
        return Step("swap", "giving the key its new default", self.swap)

    def end(self) -> list[Step]:
        """Returns the step that forgets the way back."""
        return [Step("finish", "forgetting the way back", self.finish)]

    def back(self) -> list[Step]:
        """Returns the way back."""
        return [Step("back", "giving the key its old default", self.go_back)]

    def reset(self) -> None:
        """Takes back, in a copy of the schema, what an earlier run has done: nothing but the schema of the move."""
        plan = self.plan()
        state.remove(Runner(self.conn), plan.schema)

    def prepare(self, runner: Runner) -> None:
        """Creates the state."""
        plan = self.plan()
        if plan.state:
            return
        with self.conn.transaction():
            state.create(self.conn, plan.schema, plan.begin([plan.root]))
            plan.save("validate")

    def swap(self, runner: Runner) -> None:
        """Sets the new default."""
        plan = self.plan()
        runner.retried([lock([plan.root.sql])], lambda: self.exchange(runner, plan))

    def exchange(self, runner: Runner, plan: Plan) -> None:
        """Sets the new default. The table is locked, so that no greater key can come any more."""
        refuse(of_greatest(plan))
        lines = way_back(plan)
        column = key_column(plan)
        if column.identity:
            runner.execute(statement("ALTER TABLE {} ALTER {} DROP IDENTITY", plan.root.sql, column.sql))
        default = sql.SQL(plan.keys.new_next)
        runner.execute(statement("ALTER TABLE {} ALTER {} SET DEFAULT {}", plan.root.sql, column.sql, default))
        if plan.state:
            plan.state.default = lines
            plan.save("swap")

    def go_back(self, runner: Runner) -> None:
        """Sets the old default."""
        plan = self.swapped()

        def exchange() -> None:
            for line in plan.state.default if plan.state else []:
                runner.execute(Statement(raw(line), of_table(plan.root, "key of")))
            state.remove(runner, plan.schema)

        runner.retried([lock([plan.root.sql])], exchange)

    def finish(self, runner: Runner) -> None:
        """Drops the state."""
        state.remove(runner, self.swapped().schema)


def key_column(plan: Plan) -> catalog.Column:
    """Returns the primary key as a column."""
    return next(c for c in catalog.columns(plan.conn, plan.root.oid) if c.number == plan.key.number)


def way_back(plan: Plan) -> list[str]:
    """Returns the statements that give the key the default that it has now."""
    column = key_column(plan)
    head = sql.SQL("ALTER TABLE {} ALTER {} ").format(plan.root.sql, column.sql).as_string(plan.conn)
    lines = [head + "DROP DEFAULT"]
    sequence = scalar(
        plan.conn,
        """
        SELECT s.oid FROM pg_class AS s WHERE s.relkind = 'S' AND s.oid = coalesce(
            (SELECT d.refobjid FROM pg_attrdef AS f
                    JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
                                           AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> f.adrelid
              WHERE f.adrelid = %s AND f.adnum = %s LIMIT 1), to_regclass(%s)::oid)
        """,
        (plan.root.oid, column.number, column.sequence),
    )
    if column.identity:
        lines.append(head + identity(plan.conn, column.identity, sequence))
        lines += grants(plan.conn, sequence, None)
        comment = scalar(plan.conn, "SELECT obj_description(%s, 'pg_class')", (sequence,))
        if comment:
            label = scalar(plan.conn, "SELECT %s::regclass::text", (sequence,))
            lines.append(f"COMMENT ON SEQUENCE {label} IS {sql.Literal(comment).as_string(plan.conn)}")
    elif column.default:
        lines.append(head + "SET DEFAULT " + column.default)
    if sequence:
        lines += next_number(plan, sequence, bool(column.identity))
    return lines


def next_number(plan: Plan, sequence: int, is_identity: bool) -> list[str]:
    """Returns the statement after which a sequence goes on above all keys or, if it cannot, where it was.

    The sequence of an identity has to be told, since it is created again.
    """
    label, name, is_free = plan.conn.execute(
        "SELECT seqrelid::regclass::text, quote_literal(seqrelid::regclass::text),"
        " seqincrement > 0 AND seqmax = 9223372036854775807 FROM pg_sequence WHERE seqrelid = %s",
        (sequence,),
    ).fetchall()[0]
    if is_free:
        return [f"SELECT pg_catalog.setval({name}, {plan.keys.new_next}::bigint)"]
    if not is_identity:
        return []
    value, called = plan.conn.execute(
        sql.SQL("SELECT last_value, is_called FROM {}").format(sql.SQL(label))
    ).fetchall()[0]
    return [f"SELECT pg_catalog.setval({name}, {value}, {called})"]


def target_of(key_type: str) -> str:
    """Returns what --to is if it is not given: what makes keys of the present type, if anything does.

    Those of a bigint are exact in JavaScript, as are the old ones.
    """
    name = key_type.split(".")[-1]
    return name if name in TARGETS and name != "bigint" else "kid53"


def look(plan: Plan, accepted: Collection[str]) -> Iterator[Finding]:
    """Yields what stands in the way: a key of another type, great keys, and columns too narrow for new keys.

    It calls functions of kid only if these names were accepted, should the schema belong to a stranger.
    """
    yield from of_state(plan.conn)
    home = list(of_home(plan.conn))
    yield from home
    about = f"column {plan.key.name} of {plan.root.label}"
    if plan.key.type != plan.keys.new_type:
        yield refused(
            about,
            f"is of type {plan.key.type}, and new keys would be of type {plan.keys.new_type}",
            "ALTER it to bigint first, or give all rows new keys.",
        )
    elif not any(finding.stops_unless(accepted) for finding in home):
        yield from of_greatest(plan)
    for column in plan.columns[1:]:
        if plan.keys.new_type == "bigint" and column.type in ("integer", "smallint"):
            table = plan.table(column.table)
            yield refused(
                f"column {column.name} of {table.label}",
                f"refers to the key, and is of type {column.type}, which is too narrow for new keys",
                f"ALTER TABLE {table.label} ALTER {column.name} TYPE bigint.",
            )
    if plan.keys.new_type == "bigint":
        yield of_javascript(plan, about)


def of_greatest(plan: Plan) -> Iterator[Finding]:
    """Yields the key if the table has one already that is greater than a new one would be now."""
    if plan.key.type != "bigint":
        return
    hidden = list(of_hidden_rows(plan.conn, [plan.root]))
    yield from hidden
    if hidden:
        return
    floor = TARGETS[plan.options.to].at.removesuffix("_at") + "_floor"
    greatest, is_taken = plan.conn.execute(
        sql.SQL(
            "SELECT k.greatest, k.greatest OPERATOR(pg_catalog.>=) {}.{}(pg_catalog.clock_timestamp())::pg_catalog.int8"
            " FROM (SELECT pg_catalog.max({}) FROM {}) AS k (greatest)"
        ).format(sql.SQL(plan.keys.home), sql.SQL(floor), plan.key.sql, plan.root.sql)
    ).fetchall()[0]
    if not is_taken:
        return
    about, hint = f"column {plan.key.name} of {plan.root.label}", "Give all rows new keys, without --new-rows-only."
    message = f"contains {greatest}, and a new key would not be greater"
    if plan.options.to != "bigint":
        message += f": those of {plan.options.to} are below 2^53" * (greatest >= EXACT)
        hint = "Pass --to bigint, which makes greater ones, above 2^53, or give all rows new keys."
    yield refused(about, message, hint)


def of_javascript(plan: Plan, about: str) -> Finding:
    """Returns whether programs that keep numbers as a double can read new keys."""
    if plan.options.to == "kid53":
        return Finding("clients", about, "new keys are below 2^53, so JavaScript's numbers represent them exactly")
    return Finding(
        "clients",
        about,
        "new keys are above 2^53, where JavaScript's numbers are not exact",
        hint="Send them as text to JavaScript, and to every program that keeps numbers in a double. Without --to, new"
        " keys are below 2^53.",
    )
