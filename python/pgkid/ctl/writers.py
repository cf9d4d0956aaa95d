"""What writers do, tried in a transaction that is rolled back: it must work after each step as it did before."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Optional

import psycopg
from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Report


@dataclass
class Writers:
    """Inserts, updates and deletes a row of each table, and remembers what worked the first time.

    `made` are columns that an INSERT leaves to their default. `given` has an expression for a key without a default.
    """

    tables: list[str]
    made: set[tuple[str, str]]
    given: dict[tuple[str, str], sql.Composable]
    worked: set[tuple[str, str]] = field(default_factory=set)

    def first(self, conn: Connection, report: Report) -> None:
        """Tries everything before the first step. What fails is not tried later."""
        for name, what, error in self.attempts(conn):
            if error is None:
                self.worked.add((name, what))
            else:
                report.add("not tried", f"{what} on {name}", message_of(error))

    def again(self, conn: Connection, step: str, report: Report) -> None:
        """Tries everything after a step, and reports what worked before."""
        for name, what, error in self.attempts(conn):
            if error is not None and (name, what) in self.worked:
                context = (error.diag.context or "").splitlines()
                report.add(
                    "writers",
                    f"{what} on {name}",
                    f"after {step}: {message_of(error)}",
                    definition=context[0] if context else "",
                    stops=True,
                    accept_name=f"{what} on {name}",
                )

    def attempts(self, conn: Connection) -> Iterable[tuple[str, str, Optional[psycopg.Error]]]:
        """Runs each statement on each table, and rolls it back."""
        for name in self.tables:
            oid = conn.execute("SELECT to_regclass(%s)::oid", (name,)).fetchall()[0][0]
            table = catalog.tables(conn, [oid])[0]
            for what, text in self.statements(table, catalog.columns(conn, oid)):
                error: Optional[psycopg.Error] = None
                try:
                    with conn.transaction(force_rollback=True):
                        if conn.execute(text).rowcount == 0:
                            raise psycopg.errors.NoData("the copy has no row of this table")
                        conn.execute("SET CONSTRAINTS ALL IMMEDIATE")
                except psycopg.Error as caught:
                    error = caught
                yield name, what, error

    def statements(self, table: catalog.Table, columns: list[catalog.Column]) -> list[tuple[str, sql.Composed]]:
        """Returns the three statements. A row is inserted again after it was deleted, so that it is no duplicate."""
        values: list[tuple[sql.Composable, sql.Composable]] = [
            (c.sql, self.given.get((table.label, c.name), c.sql))
            for c in columns
            if not c.generated and (table.label, c.name) not in self.made and not c.name.startswith("kid_")
        ]
        settable = [c.sql for c in columns if not c.generated and c.identity != "a" and not c.name.startswith("kid_")]
        into, out = (sql.SQL(", ").join(pair[i] for pair in values) for i in (0, 1))
        insert = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM r").format(table.sql, into, out)
        if not values:
            insert = sql.SQL("INSERT INTO {} DEFAULT VALUES").format(table.sql)
        row = sql.SQL("WITH r AS MATERIALIZED (SELECT * FROM {} LIMIT 1) ").format(table.sql)
        changes = [sql.SQL("{} = {}").format(name, name) for name in settable]
        return [
            ("INSERT", insert if not values else row + insert),
            ("UPDATE", sql.SQL("UPDATE {} SET {}").format(table.sql, sql.SQL(", ").join(changes))),
            ("DELETE", sql.SQL("DELETE FROM {}").format(table.sql)),
        ]


def message_of(error: psycopg.Error) -> str:
    """Returns the message and the detail of an error, in one line."""
    diag = error.diag
    return ": ".join(filter(None, (diag.message_primary or str(error), diag.message_detail)))
