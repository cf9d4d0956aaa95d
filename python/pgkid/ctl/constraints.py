"""Statements that add, comment, validate and drop a constraint of a table, and constraints that a state keeps."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from psycopg import sql

from pgkid.ctl.catalog import Constraint, Table, is_valid_constraint
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Runner, Statement, statement


def add(table: sql.Composable, about: Object, definition: str, late: bool = False) -> Statement:
    """Returns the statement that adds a constraint. If it is late, PostgreSQL does not look at rows."""
    parts = sql.Identifier(about.name), sql.SQL(definition), sql.SQL(" NOT VALID" if late else "")
    return statement("ALTER TABLE {} ADD CONSTRAINT {} {}{}", table, *parts, about=about)


def comment(table: sql.Composable, about: Object, text: str) -> Statement:
    """Returns the statement that comments a constraint."""
    return statement("COMMENT ON CONSTRAINT {} ON {} IS {}", sql.Identifier(about.name), table, text, about=about)


def make(
    table: sql.Composable, about: Object, definition: str, text: Optional[str], late: bool = False
) -> list[Statement]:
    """Returns the statements that add a constraint with its comment, if it has one."""
    return [add(table, about, definition, late)] + ([comment(table, about, text)] if text else [])


def validate(table: sql.Composable, about: Object) -> Statement:
    """Returns the statement that validates a constraint."""
    return statement("ALTER TABLE {} VALIDATE CONSTRAINT {}", table, sql.Identifier(about.name), about=about)


def drop(table: sql.Composable, about: Object) -> Statement:
    """Returns the statement that drops a constraint."""
    return statement("ALTER TABLE {} DROP CONSTRAINT {}", table, sql.Identifier(about.name), about=about)


def drop_own(table: sql.Composable, name: str) -> Statement:
    """Returns the statement that drops a constraint of the move, if it is there."""
    return statement("ALTER TABLE {} DROP CONSTRAINT IF EXISTS {}", table, sql.Identifier(name))


def can_be_late(conn: Connection, constraint: Constraint, table: Table) -> bool:
    """Returns whether PostgreSQL can add a constraint without validating it.

    Before version 18, it cannot if the constraint is a foreign key of a partitioned table.
    """
    return constraint.kind == "c" or table.kind == "r" or conn.info.server_version >= 180000


@dataclass(frozen=True)
class Kept:
    """A constraint as the state of a move keeps it: by names, since its table may be created again."""

    table: str  # its name as part of a statement
    name: str

    @property
    def about(self) -> Object:
        """The constraint as errors name it."""
        return Object("constraint", "", self.name, self.table, f"constraint {self.name} on {self.table}")

    def is_valid(self, conn: Connection) -> Optional[bool]:
        """Returns whether it is valid, or None if it is not there."""
        return is_valid_constraint(conn, scalar(conn, "SELECT to_regclass(%s)::oid", (self.table,)), self.name)

    def validate(self, runner: Runner) -> None:
        """Validates it, unless it is valid or gone: an earlier run may have been interrupted after that."""
        if self.is_valid(runner.conn) is False:
            runner.execute(validate(sql.SQL(self.table), self.about))
