"""Fills the columns beside the keys, block by block, each batch in a transaction of its own.

It can be stopped at any time and goes on where it was. Rows that writers have locked are left out, and are looked for
again until none is without a key.
"""
from __future__ import annotations

import time
from dataclasses import dataclass

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import path_of_users, scalar, take_path
from pgkid.ctl.kid import TARGETS
from pgkid.ctl.objects import of_table
from pgkid.ctl.rekey.plan import Plan
from pgkid.ctl.rekey.times import time_of
from pgkid.ctl.steps import Runner, Statement, statement
from pgkid.ctl.terminal import Bar, say
from pgkid.ctl.throttle import BLOCKS, Throttle


@dataclass
class Fill:
    """The fill of one move."""

    plan: Plan
    runner: Runner
    throttle: Throttle
    bar: Bar

    def run(self) -> None:
        """Fills all tables, the root first."""
        conn = self.plan.conn
        with conn.transaction():
            conn.execute(sql.SQL("DELETE FROM {}").format(self.plan.in_schema("filling")))
            conn.execute(sql.SQL("INSERT INTO {} SELECT pg_backend_pid()").format(self.plan.in_schema("filling")))
        if self.plan.options.triggers == "off":
            conn.execute("SET session_replication_role = replica")
        try:
            for table in self.tables():
                self.fill_table(table)
        finally:
            if not conn.closed and not conn.broken:
                if self.plan.options.triggers == "off":
                    conn.execute("SET session_replication_role = origin")
                conn.execute(sql.SQL("DELETE FROM {}").format(self.plan.in_schema("filling")))

    def tables(self) -> list[catalog.Table]:
        """Returns the tables that have rows of their own, the root first."""
        found = catalog.leaves(self.plan.conn, [table.oid for table in self.plan.top_tables()])
        return sorted(found, key=lambda t: (t.oid != self.plan.root.oid, t.label))

    def lacking(self, table: catalog.Table) -> sql.Composed:
        """Returns the condition on rows t that lack a key."""
        return sql.SQL(" OR ").join(
            sql.SQL("t.{} IS NOT NULL AND t.{} IS NULL").format(c.sql, self.beside(c))
            for c in self.plan.columns_of(table.oid)
        )

    def beside(self, column: catalog.KeyColumn) -> sql.Identifier:
        """Returns the column that is filled."""
        return sql.Identifier(self.plan.direction("new").beside(column.name))

    def fill_table(self, table: catalog.Table) -> None:
        """Fills a table, in as many passes as it takes."""
        count = sql.SQL("SELECT count(*) FROM ONLY {} AS t WHERE {}").format(table.sql, self.lacking(table))
        idle, last = 0, None
        while missing := scalar(self.plan.conn, count):
            if last is not None and missing >= last:
                if self.runner.rehearses:  # The error was reported.
                    return
                idle += 1
                if idle % 60 == 0:
                    say(f"{missing} rows of {table.label} cannot be filled: transactions may have them locked")
                self.throttle.slept(1)
            # A pass that was interrupted began after its rows had got their keys.
            is_begun = last is None and self.next_block(table) > 0
            last = missing
            if table.oid == self.plan.root.oid and not is_begun:
                self.bar.update(0, missing, f"giving {missing} rows of {table.label} keys in the order of time")
                self.runner.execute(assignment(self.plan))
            self.fill_pass(table)
        self.remember(table, 0)

    def fill_pass(self, table: catalog.Table) -> None:
        """Goes once through a table, from where the last pass was stopped."""
        conn = self.plan.conn
        # What is appended from now on has a key.
        size = catalog.blocks(conn, table.oid)
        path = path_of_users(conn)
        block = self.next_block(table)
        while block < size:
            began = time.monotonic()
            with conn.transaction():
                take_path(conn, path)
                self.runner.execute(self.batch(table, block))
                block += BLOCKS
                self.remember(table, block if block < size else 0)
            self.bar.update(min(block, size), size, f"filling {table.label}")
            self.throttle.rest(conn, time.monotonic() - began)

    def next_block(self, table: catalog.Table) -> int:
        """Returns the block at which to go on."""
        next_blocks = self.plan.in_schema("next_blocks")
        block = scalar(
            self.plan.conn, sql.SQL("SELECT block FROM {} WHERE relation = %s").format(next_blocks), (table.label,)
        )
        return int(block or 0)

    def remember(self, table: catalog.Table, block: int) -> None:
        """Notes the block at which to go on."""
        self.plan.conn.execute(
            sql.SQL(
                "INSERT INTO {} VALUES (%s, %s) ON CONFLICT (relation) DO UPDATE SET block = EXCLUDED.block"
            ).format(self.plan.in_schema("next_blocks")),
            (table.label, block),
        )

    def batch(self, table: catalog.Table, block: int) -> Statement:
        """Returns the statement that fills the rows of some blocks."""
        sets = sql.SQL(", ").join(
            sql.SQL("{0} = coalesce(t.{0}, {2}, {1}(t.{3}))").format(
                self.beside(c), self.plan.in_schema("to_new"), self.known(c), self.given(c)
            )
            for c in self.plan.columns_of(table.oid)
        )
        are_in_batch = sql.SQL("t.ctid >= {}::tid AND t.ctid < {}::tid").format(
            sql.Literal(f"({block},0)"), sql.Literal(f"({block + BLOCKS},0)")
        )
        return statement(
            """UPDATE ONLY {0} AS t SET {1}
 WHERE t.ctid = ANY (ARRAY(SELECT t.ctid FROM ONLY {0} AS t WHERE {2} AND ({3}) FOR NO KEY UPDATE SKIP LOCKED))""",
            table.sql,
            sets,
            are_in_batch,
            self.lacking(table),
            about=of_table(table, "fill of"),
        )

    def given(self, column: catalog.KeyColumn) -> sql.Composed:
        """Returns what follows t. for the value of a column as an old key."""
        return sql.SQL("{}::{}").format(column.sql, sql.SQL(self.plan.keys.old_type))

    def known(self, column: catalog.KeyColumn) -> sql.Composed:
        """Returns a query of the new key of a row t, which takes half as long as the function that finds every key."""
        return sql.SQL("(SELECT k.new FROM {} AS k WHERE k.old {} t.{})").format(
            self.plan.in_schema("keys" if column == self.plan.key else "known"),
            sql.SQL(self.plan.keys.old_equals),
            self.given(column),
        )


def assignment(plan: Plan) -> Statement:
    """Returns the statement that gives each row of the root its new key, in the order of time.

    No more rows may get a time within a time unit than the type has IDs in it. kid53 and flake have the fewest, 4096 in
    a millisecond, so a bin is a millisecond and has 4096 places. That is enough for the other types, too: kid64 and
    kid96 have 16384 IDs in 1.024 ms without kid.lanes, sno has 65536 in 4 ms, and flax and uuid draw random bits.

    `n` numbers the rows in the order of time, and rows of the same time in that of their old keys. `place` is the first
    one that is free in a row's own bin or, if that is full, after it: rows before it fill up to n - 1 places without
    gaps from the bin of one of them on, so it is the maximum over these of bin * 4096 + (n - their n). A row that had
    to leave its bin gets the time of the bin of its place.

    Functions such as kid64_at() make keys whose order within a time unit is another one: their sequences wrap around,
    or they draw random bits. So the rows of a unit take the keys that were made for them in the order of these.
    """
    return statement(
        """INSERT INTO {} (old, new)
SELECT r.key, nth_value(r.new, r.rank::integer) OVER (
           PARTITION BY r.unit ORDER BY r.new ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  FROM (SELECT m.key, m.new, m.unit, row_number() OVER (PARTITION BY m.unit ORDER BY m.n) AS rank
          FROM (SELECT i.*, {} AS unit
                  FROM (SELECT o.n, o.key, {} AS new FROM (
    SELECT p.n, p.key, CASE WHEN p.bin >= p.place / 4096 THEN p.time
                            ELSE 'epoch'::timestamptz + p.place / 4096 * interval '1 ms' END AS time
      FROM (SELECT b.*, b.n + max(b.bin * 4096 - b.n) OVER (ORDER BY b.time, b.key) AS place
              FROM (SELECT t.*, row_number() OVER (ORDER BY t.time, t.key) AS n,
                           floor(extract(epoch FROM t.time) * 1000)::bigint AS bin
                      FROM ({}) AS t) AS b) AS p ORDER BY p.time, p.key) AS o) AS i) AS m) AS r
    ON CONFLICT (old) DO NOTHING""",
        plan.in_schema("keys"),
        TARGETS[plan.options.to].time_in(plan.keys.home, sql.SQL("i.new")),
        plan.keys.key_at(sql.SQL("o.time")),
        sql.SQL(
            "SELECT t.{0} AS key, {1} AS time FROM ONLY {2} AS t WHERE t.{3} IS NULL"
            " AND NOT EXISTS (SELECT FROM {4} AS k WHERE k.old {5} t.{0})"
        ).format(
            plan.key.sql,
            time_of(plan),
            plan.root.sql,
            sql.Identifier(plan.direction("new").beside(plan.key.name)),
            plan.in_schema("keys"),
            sql.SQL(plan.keys.old_equals),
        ),
        about=of_table(plan.root, "times of"),
    )
