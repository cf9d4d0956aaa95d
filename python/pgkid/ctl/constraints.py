"""Statements that add, comment and validate a constraint of a table."""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl.catalog import Constraint, Table
from pgkid.ctl.connection import Connection
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Statement, statement


def add(table: sql.Composable, about: Object, definition: str, late: bool = False) -> Statement:
    """Returns the statement that adds a constraint. If it is late, PostgreSQL does not look at rows."""
    parts = sql.Identifier(about.name), sql.SQL(definition), sql.SQL(" NOT VALID" if late else "")
    return statement("ALTER TABLE {} ADD CONSTRAINT {} {}{}", table, *parts, about=about)


def comment(table: sql.Composable, about: Object, text: str) -> Statement:
    """Returns the statement that comments a constraint."""
    return statement("COMMENT ON CONSTRAINT {} ON {} IS {}", sql.Identifier(about.name), table, text, about=about)


def validate(table: sql.Composable, about: Object) -> Statement:
    """Returns the statement that validates a constraint."""
    return statement("ALTER TABLE {} VALIDATE CONSTRAINT {}", table, sql.Identifier(about.name), about=about)


def can_be_late(conn: Connection, constraint: Constraint, table: Table) -> bool:
    """Returns whether PostgreSQL can add a constraint without validating it.

    Before version 18, it cannot if the constraint is a foreign key of a partitioned table.
    """
    return constraint.kind == "c" or table.kind == "r" or conn.info.server_version >= 180000
