"""The sequences of a table's columns, which go to the table that takes its name.

The sequence of a serial column gets another owner. That of an identity goes with the identity, and is made again.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from psycopg import sql

from pgkid.ctl.catalog import Column
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.details import grants, identity
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Runner, Statement, raw, statement, text


@dataclass(frozen=True)
class ColumnSequence:
    """A sequence that belongs to a column."""

    column: Column
    label: str  # its name as part of a statement
    identity: str = ""  # what makes the column an identity again, if it was one
    details: tuple[str, ...] = ()  # the statements that give the new sequence of an identity what the old one had


def take(runner: Runner, columns: Sequence[Column], table: sql.Composable) -> list[ColumnSequence]:
    """Takes identities from columns of a table, and returns all of their sequences."""
    found = []
    for column in columns:
        if column.identity and column.sequence:
            found.append(read_identity(runner, column, column.sequence))
            runner.execute(statement("ALTER TABLE {} ALTER {} DROP IDENTITY", table, column.sql))
        elif column.sequence:
            found.append(ColumnSequence(column, column.sequence))
    return found


def read_identity(runner: Runner, column: Column, label: str) -> ColumnSequence:
    """Returns the sequence of an identity, and keeps sessions from taking numbers until it is there again.

    For that it runs an ALTER SEQUENCE that changes nothing. Its lock lasts until the end of the transaction, and
    nextval() waits for it, so no number is taken after the value was read.
    """
    conn, sequence = runner.conn, scalar(runner.conn, "SELECT to_regclass(%s)::oid", (label,))
    increment = scalar(conn, "SELECT seqincrement FROM pg_sequence WHERE seqrelid = %s", (sequence,))
    runner.execute(statement("ALTER SEQUENCE {} INCREMENT {}", sql.SQL(label), increment))
    return ColumnSequence(
        column, label, identity(conn, column.identity, sequence), tuple(details(conn, sequence, label))
    )


def details(conn: Connection, sequence: int, label: str) -> list[str]:
    """Returns the statements that give a sequence of the same name the value, the rights and the comment."""
    name = sql.SQL(label)
    value, called = conn.execute(sql.SQL("SELECT last_value, is_called FROM {}").format(name)).fetchall()[0]
    lines = [text(conn, "SELECT pg_catalog.setval({}, {}, {})", label, value, called)]
    lines += grants(conn, sequence, None)
    comment = scalar(conn, "SELECT obj_description(%s, 'pg_class')", (sequence,))
    return lines + ([text(conn, "COMMENT ON SEQUENCE {} IS {}", name, comment)] if comment else [])


def give(runner: Runner, taken: Sequence[ColumnSequence], table: sql.Composable) -> None:
    """Gives the columns of a table identities, or the sequences that belonged to the other table."""
    for own in taken:
        if own.identity:
            runner.execute(statement("ALTER TABLE {} ALTER {} {}", table, own.column.sql, sql.SQL(own.identity)))
            about = Object("sequence", "", own.label, label=f"sequence {own.label}")
            runner.all([Statement(raw(line), about) for line in own.details])
        else:
            owner = sql.SQL("{}.{}").format(table, own.column.sql)
            runner.execute(statement("ALTER SEQUENCE {} OWNED BY {}", sql.SQL(own.label), owner))
