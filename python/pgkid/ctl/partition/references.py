"""Foreign keys that refer to a table whose place another one takes.

They are dropped in the swap and added again without looking at rows. Later they are validated, without a lock that
makes others wait. PostgreSQL before version 18 cannot add the foreign key of a partitioned table so: it gets one on
each partition, and takes them over when it gets its own.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from pgkid.ctl import catalog, constraints
from pgkid.ctl.connection import Connection
from pgkid.ctl.objects import on_table
from pgkid.ctl.partition.late import Late
from pgkid.ctl.partition.plan import Plan
from pgkid.ctl.steps import Runner


@dataclass(frozen=True)
class Afterwards:
    """What the table of a plan is after an exchange."""

    source: catalog.Table  # what has its rows now
    kind: str  # that of the table then: p if it is partitioned
    label: str  # the name of what has these rows then


def drop(runner: Runner, keys: Sequence[catalog.Constraint]) -> None:
    """Drops foreign keys that refer to the table."""
    for key in keys:
        table = catalog.tables(runner.conn, [key.table])[0]
        runner.execute(constraints.drop(table.sql, on_table("constraint", key.name, table)))


def parts(plan: Plan, key: catalog.Constraint, afterwards: Afterwards) -> Iterator[Late]:
    """Yields how to make a foreign key again: as one, or as one of each partition and then that of the table."""
    table = catalog.tables(plan.conn, [key.table])[0]
    is_own = key.table == plan.root.oid
    if (afterwards.kind if is_own else table.kind) != "p" or not key.is_validated:
        yield Late(table.label, key.name, key.definition, key.is_validated, False, key.comment)
        return
    for leaf in leaves(plan.conn, key, afterwards.source.oid if is_own else None):
        label = afterwards.label if leaf.table == afterwards.source.label else leaf.table
        yield Late(label, leaf.name, key.definition, True, False, leaf.comment)
    yield Late(table.label, key.name, key.definition, True, True, key.comment)


@dataclass(frozen=True)
class Leaf:
    """A foreign key on a table that has rows: the table itself, or a partition of it."""

    table: str  # its name as part of a statement
    name: str
    comment: Optional[str]


def leaves(conn: Connection, key: catalog.Constraint, within: Optional[int]) -> list[Leaf]:
    """Returns a foreign key on each table that has rows for which it counts.

    If `within` is not None, the tables are those within this one.
    """
    return catalog.read(
        conn,
        Leaf,
        """
        WITH RECURSIVE parts (oid, conrelid, conname) AS (
            SELECT oid, conrelid, conname FROM pg_constraint WHERE oid = %s
            UNION ALL
            SELECT k.oid, k.conrelid, k.conname FROM parts AS p JOIN pg_constraint AS k ON k.conparentid = p.oid
             WHERE k.conrelid <> p.conrelid)
        SELECT c.oid::regclass::text AS table, p.conname AS name, obj_description(p.oid, 'pg_constraint') AS comment
          FROM parts AS p JOIN pg_class AS c ON c.oid = p.conrelid
         WHERE c.relkind = 'r' AND (%s::oid IS NULL OR c.oid = %s OR c.oid IN (SELECT relid FROM pg_partition_tree(%s)))
         ORDER BY c.oid
        """,
        (key.oid, within, within, within),
    )
