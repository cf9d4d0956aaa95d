"""The tables into which the rows of a partition are copied: the partitions of a table in the schema of the move."""
from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import qualified, scalar
from pgkid.ctl.details import of_new_table
from pgkid.ctl.findings import Refused
from pgkid.ctl.objects import of_table
from pgkid.ctl.partition.plan import Plan, tablespace_of
from pgkid.ctl.steps import Runner, statement


BOUNDS = "kid_bounds"  # the constraint by which ATTACH need not look at rows
REST = "rest"  # the partition for rows that no other takes
WITHOUT_TIME = "Move such rows to another table, or give them IDs of kid."


@dataclass(frozen=True)
class ShadowPartition:
    """A partition into which rows are copied."""

    label: str  # its name as part of a statement
    bound: str
    condition: str  # that its rows meet


@dataclass(frozen=True)
class Times:
    """The times for which partitions are created, as PostgreSQL prints them."""

    since: str
    until: str


class Shadow:
    """The tables of one move."""

    def __init__(self, plan: Plan, runner: Runner) -> None:
        self.plan, self.runner = plan, runner
        self.table = sql.Identifier(plan.schema, plan.root.name)
        self.label = qualified(plan.conn, plan.schema, plan.root.name)
        self.source = catalog.table(plan.conn, plan.old_label)
        columns = [c for c in catalog.columns(plan.conn, plan.root.oid) if not c.generated]
        self.columns = [c.sql for c in columns]
        self.names = sql.SQL(", ").join(self.columns)
        self.noted = self.in_schema("noted")

    def in_schema(self, name: str) -> sql.Identifier:
        """Returns the name of an object in the schema of the move."""
        return sql.Identifier(self.plan.schema, name)

    def create(self) -> None:
        """Creates the tables. The partition is locked against writers."""
        self.create_table()
        self.give_options()
        self.create_partitions()
        self.runner.execute(statement("CREATE TABLE {} PARTITION OF {} DEFAULT", self.in_schema(REST), self.table))
        self.create_notes()

    def create_table(self) -> None:
        """Creates the partitioned table, with the foreign keys of the real one."""
        plan, run = self.plan, self.runner.execute
        kept = (
            "DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING INDEXES"
            " INCLUDING STORAGE INCLUDING COMPRESSION"
        )
        run(
            statement(
                "CREATE TABLE {} (LIKE {} INCLUDING {}) PARTITION BY RANGE ({}){}",
                self.table,
                plan.root.sql,
                sql.SQL(kept),
                plan.key.sql,
                tablespace_of(plan.root),
                about=of_table(plan.root, "copy of"),
            )
        )
        for key in plan.own_constraints():
            if key.kind == "f" and key.ref_table != plan.root.oid:
                run(statement("ALTER TABLE {} ADD CONSTRAINT {} {}", self.table, key.sql, sql.SQL(key.definition)))

    def create_notes(self) -> None:
        """Creates the table of notes. `is_taken` is for copies.py."""
        self.runner.execute(
            statement(
                "CREATE TABLE {} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id {} NOT NULL,"
                " is_taken boolean NOT NULL DEFAULT false)",
                self.noted,
                sql.SQL(self.plan.key.type),
            )
        )

    def give_options(self) -> None:
        """Gives the table what its partitions take: row-level security, replica identity, and options of columns."""
        root, run = self.plan.root, self.runner.execute
        self.runner.all(of_new_table(root, self.table))
        for head, statistics, options in self.plan.conn.execute(
            """
            SELECT format('ALTER %%I SET ', a.attname), a.attstattarget, (
                       SELECT string_agg(o, ', ') FROM unnest(a.attoptions) AS o WHERE o NOT LIKE 'pg\\_%%')
              FROM pg_attribute AS a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
            """,
            (root.oid,),
        ).fetchall():
            if statistics is not None and statistics >= 0:
                run(statement("ALTER TABLE {} {}STATISTICS {}", self.table, sql.SQL(head), statistics))
            if options:
                run(statement("ALTER TABLE {} {}({})", self.table, sql.SQL(head), sql.SQL(options)))
        wanted = [
            self.columns_of(index) for index in catalog.indexes(self.plan.conn, [root.oid]) if index.is_replica_identity
        ]
        copied = scalar(self.plan.conn, "SELECT to_regclass(%s)::oid", (self.label,))
        for index in catalog.indexes(self.plan.conn, [copied] if wanted and copied else []):
            if index.is_unique and self.columns_of(index) == wanted[0]:
                run(statement("ALTER TABLE {} REPLICA IDENTITY USING INDEX {}", self.table, sql.Identifier(index.name)))
                return

    def columns_of(self, index: catalog.Index) -> list[str]:
        """Returns the names of the columns of an index."""
        names = {c.number: c.name for c in catalog.columns(self.plan.conn, index.table)}
        return [names.get(number, "") for number in index.keys]

    def create_partitions(self) -> None:
        """Creates partitions for the rows, none of them where the table has another one."""
        self.create_others()
        plan, times = self.plan, self.times()
        self.runner.execute(
            statement(
                "SELECT {}.kid_create_partitions({}::regclass, {}::interval, {}::timestamptz, {}::timestamptz,"
                " NULL::integer, false, {}::text)",
                sql.SQL(plan.home),
                self.label,
                plan.options.width,
                times.until,
                times.since,
                plan.ids.name,
                about=of_table(plan.root, "partitions of"),
            )
        )
        for partition in self.partitions():
            table, bounds, condition = sql.SQL(partition.label), sql.Identifier(BOUNDS), sql.SQL(partition.condition)
            self.runner.execute(statement("ALTER TABLE {} ADD CONSTRAINT {} CHECK ({})", table, bounds, condition))
            if self.source.options:
                options = sql.SQL(", ".join(self.source.options))
                self.runner.execute(statement("ALTER TABLE {} SET ({})", table, options))

    def create_others(self) -> None:
        """Creates a partition, which stays empty, for each other one of the table."""
        for number, bound in enumerate(self.bounds_of_others()):
            name = self.in_schema(f"other_{number}")
            self.runner.execute(statement("CREATE TABLE {} PARTITION OF {} {}", name, self.table, sql.SQL(bound)))

    def bounds_of_others(self) -> list[str]:
        """Returns the bounds of the other partitions of the table, without those of a default partition."""
        rows = self.plan.conn.execute(
            "SELECT pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = %s AND c.oid <> %s AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'",
            (self.plan.root.oid, self.source.oid),
        ).fetchall()
        return [row[0] for row in rows]

    def times(self) -> Times:
        """Returns the times for which partitions are created: for the rows, and for a period after the last one.

        If now is later than the last row, the period begins now, so that new rows have a partition, too.
        """
        query = (
            "SELECT l.id, ({0})::text, (greatest((SELECT {1} FROM {3} ORDER BY {2} DESC LIMIT 1), now())"
            " + {4}::interval)::text FROM (SELECT {2} AS id FROM {3} ORDER BY 1 LIMIT 1) AS l"
        )
        rows = self.plan.conn.execute(
            sql.SQL(query).format(
                self.plan.ids.time(self.plan.home, sql.SQL("l.id")),
                self.plan.ids.time(self.plan.home, self.plan.key.sql),
                self.plan.key.sql,
                self.source.sql,
                sql.Literal(self.plan.options.width),
            )
        ).fetchall()
        if not rows:
            raise Refused(f"{self.source.label} has no rows")
        least, since, until = rows[0]
        if since is None:
            raise Refused(f"{self.source.label} has a key that contains no time, {least}", WITHOUT_TIME)
        return Times(since, until)

    def partitions(self) -> list[ShadowPartition]:
        """Returns the partitions into which rows are copied."""
        return self.read_partitions("!~")

    def read_partitions(self, operator: str) -> list[ShadowPartition]:
        """Returns the partitions whose names match those of what is not attached, or do not."""
        return catalog.read(
            self.plan.conn,
            ShadowPartition,
            f"""
            SELECT c.oid::regclass::text AS label, pg_get_expr(c.relpartbound, c.oid) AS bound,
                   pg_get_partition_constraintdef(c.oid) AS condition
              FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
             WHERE i.inhparent = to_regclass(%s)::oid AND c.relname {operator} '^(other_[0-9]+|{REST})$'
             ORDER BY c.relname
            """,
            (self.label,),
        )

    def rows_left(self) -> bool:
        """Returns whether a row has come that no new partition takes: also one that another partition took before."""
        return any(self.has_rows(other.label) for other in self.read_partitions("~"))

    def has_rows(self, label: str) -> bool:
        """Returns whether a table of copies has rows."""
        return bool(scalar(self.plan.conn, sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.SQL(label))))
