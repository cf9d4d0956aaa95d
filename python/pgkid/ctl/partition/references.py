"""Foreign keys that refer to a table whose place another one takes.

They are dropped in the swap and added again without looking at rows. Later they are validated, without a lock that
makes others wait. PostgreSQL before version 18 cannot add the foreign key of a partitioned table so: it gets one on
each partition, and takes them over when it gets its own.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Iterator, Optional

from psycopg import sql

from pgkid.ctl import catalog, constraints
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.objects import Object
from pgkid.ctl.partition.plan import Plan
from pgkid.ctl.steps import Runner, Statement


@dataclass(frozen=True)
class Late:
    """A foreign key that is validated later or, if it takes over those of partitions, added later."""

    table: str
    name: str
    definition: str
    is_validated: bool
    takes_over: bool
    comment: Optional[str]

    @property
    def about(self) -> Object:
        """The foreign key as errors name it."""
        return Object("constraint", "", self.name, self.table, f"constraint {self.name} on {self.table}")

    def saved(self) -> dict[str, Any]:
        """Returns what the state keeps."""
        return asdict(self)

    def add(self) -> list[Statement]:
        """Returns the statements of the swap, if there are any."""
        return [] if self.takes_over else self.create(self.is_validated)

    def create(self, late: bool) -> list[Statement]:
        """Returns the statements that create it."""
        table = sql.SQL(self.table)
        made = [constraints.add(table, self.about, self.definition, late)]
        return made + ([constraints.comment(table, self.about, self.comment)] if self.comment else [])

    def end(self, runner: Runner) -> None:
        """Validates or adds it, unless that is done."""
        validated = one(
            runner.conn,
            "SELECT convalidated FROM pg_constraint WHERE conrelid = to_regclass(%s)::oid AND conname = %s",
            (self.table, self.name),
        )
        if self.takes_over and validated is None:
            runner.retried([], lambda: runner.all(self.create(False)))
        elif self.is_validated and validated is False:
            runner.execute(constraints.validate(sql.SQL(self.table), self.about))


def parts(plan: Plan, key: catalog.Constraint, old: catalog.Table, root_kind: str, old_label: str) -> Iterator[Late]:
    """Yields how to make a foreign key again. Afterwards the table is of a kind, and `old_label` has its rows."""
    conn = plan.conn
    table = catalog.tables(conn, [key.table])[0]
    is_own = key.table == plan.root.oid
    if (root_kind if is_own else table.kind) != "p" or not key.is_validated:
        yield Late(table.label, key.name, key.definition, key.is_validated, False, key.comment)
        return
    for label, name, comment in leaves(conn, key, old.oid if is_own else None):
        if label == old.label:
            label = old_label
        yield Late(label, name, key.definition, True, False, comment)
    yield Late(table.label, key.name, key.definition, True, True, key.comment)


def leaves(conn: Connection, key: catalog.Constraint, within: Optional[int]) -> list[tuple[str, str, Optional[str]]]:
    """Returns the tables that have rows for which a foreign key counts, with its name and comment there.

    They are within a table.
    """
    rows = conn.execute(
        """
        WITH RECURSIVE parts (oid, conrelid, conname) AS (
            SELECT oid, conrelid, conname FROM pg_constraint WHERE oid = %s
            UNION ALL
            SELECT k.oid, k.conrelid, k.conname FROM parts AS p JOIN pg_constraint AS k ON k.conparentid = p.oid
             WHERE k.conrelid <> p.conrelid)
        SELECT c.oid::regclass::text, p.conname, obj_description(p.oid, 'pg_constraint')
          FROM parts AS p JOIN pg_class AS c ON c.oid = p.conrelid
         WHERE c.relkind = 'r' AND (%s::oid IS NULL OR c.oid = %s OR c.oid IN (SELECT relid FROM pg_partition_tree(%s)))
         ORDER BY c.oid
        """,
        (key.oid, within, within, within),
    ).fetchall()
    return [(row[0], row[1], row[2]) for row in rows]
