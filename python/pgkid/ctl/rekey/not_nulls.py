"""NOT NULL in the swap: the columns that take the names get it as the other ones had it.

From PostgreSQL 18 on NOT NULL is a constraint, which has a name, and can be NOT VALID, NO INHERIT, or commented.
"""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.names import beside
from pgkid.ctl.rekey.plan import Direction, Plan
from pgkid.ctl.steps import Runner, statement


class NotNulls:
    """What the columns have that have the names before the swap."""

    def __init__(self, plan: Plan, runner: Runner, direction: Direction) -> None:
        self.plan, self.runner, self.direction = plan, runner, direction
        self.not_null = {c.address for t in plan.tables() for c in catalog.columns(plan.conn, t.oid) if c.not_null}
        self.named = self.read()

    def read(self) -> list[catalog.NotNull]:
        """Returns the constraints of the columns that have the names now."""
        mine = {(c.table, c.name) for c in self.plan.columns}
        found = catalog.not_nulls(self.plan.conn, [t.oid for t in self.plan.tables()])
        return [n for n in found if (n.table, n.column) in mine]

    def give_valid(self) -> None:
        """Gives NOT NULL to the columns that have the names now. A CHECK proves that no row has a NULL."""
        for column in self.plan.columns:
            if column.address in self.not_null:
                table = self.plan.table(column.table).sql
                self.runner.execute(statement("ALTER TABLE {} ALTER {} SET NOT NULL", table, column.sql))

    def take(self) -> None:
        """Takes NOT NULL from the columns that had the names, unless they are identities, which always have it."""
        identities = {c.address for c in catalog.columns(self.plan.conn, self.plan.root.oid) if c.identity}
        not_valid = {(n.table, n.column) for n in self.named if not n.is_validated and not n.is_inherited}
        for column in self.plan.columns:
            had_it = column.address in self.not_null or (column.table, column.name) in not_valid
            if had_it and column.address not in identities:
                other = sql.Identifier(beside(self.direction.other, column.name))
                table = self.plan.table(column.table).sql
                self.runner.execute(statement("ALTER TABLE {} ALTER {} DROP NOT NULL", table, other))

    def give_names(self) -> None:
        """Gives the constraints the names that those of the other columns had, and what else these had."""
        present = {(n.table, n.column): n for n in self.read()}
        for wanted in self.named:
            if wanted.is_inherited:
                continue  # it has the name of the parent's
            self.give_name(wanted, present.get((wanted.table, wanted.column)))
            if wanted.comment:
                table, name = self.plan.table(wanted.table).sql, sql.Identifier(wanted.name)
                self.runner.execute(statement("COMMENT ON CONSTRAINT {} ON {} IS {}", name, table, wanted.comment))

    def give_name(self, wanted: catalog.NotNull, made: catalog.NotNull | None) -> None:
        """Names a constraint, or adds it if it is not valid."""
        table, name = self.plan.table(wanted.table).sql, sql.Identifier(wanted.name)
        if (made is None or made.name != wanted.name) and self.is_taken(wanted):
            free = sql.Identifier(beside(self.direction.other, wanted.name))
            self.runner.execute(statement("ALTER TABLE {} RENAME CONSTRAINT {} TO {}", table, name, free))
        if made is None:
            end = " NO INHERIT" * wanted.is_no_inherit + " NOT VALID" * (not wanted.is_validated)
            add = "ALTER TABLE {} ADD CONSTRAINT {} NOT NULL {}{}"
            self.runner.execute(statement(add, table, name, sql.Identifier(wanted.column), sql.SQL(end)))
            return
        if made.name != wanted.name:
            rename = "ALTER TABLE {} RENAME CONSTRAINT {} TO {}"
            self.runner.execute(statement(rename, table, sql.Identifier(made.name), name))
        if wanted.is_no_inherit and not made.is_no_inherit:
            self.runner.execute(statement("ALTER TABLE {} ALTER CONSTRAINT {} NO INHERIT", table, name))

    def is_taken(self, wanted: catalog.NotNull) -> bool:
        """Returns whether the table has a constraint of this name."""
        return catalog.is_valid_constraint(self.runner.conn, wanted.table, wanted.name) is not None
