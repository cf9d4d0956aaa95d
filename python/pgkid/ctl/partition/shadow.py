"""The tables into which the rows of a partition are copied: the partitions of a table in the schema of the move.

A trigger makes there the changes that writers make meanwhile. What it cannot make it notes: a change of a row that is
not copied yet, or whose copy the writer's snapshot does not see. Noted rows are copied once more.
"""
from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import qualified, scalar
from pgkid.ctl.details import of_new_table
from pgkid.ctl.findings import Refused
from pgkid.ctl.objects import of_table
from pgkid.ctl.partition.plan import Plan
from pgkid.ctl.steps import Runner, Statement, body, statement


TRIGGER = "~kidctl"  # the last one by its name
EMPTIED = "~kidctl_truncate"
BOUNDS = "kid_bounds"  # the constraint by which ATTACH need not look at rows
REST = "rest"  # the partition for rows that no other takes


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
        self.own_key = sql.SQL("s.{}").format(plan.key.sql)

    def in_schema(self, name: str) -> sql.Identifier:
        """Returns the name of an object in the schema of the move."""
        return sql.Identifier(self.plan.schema, name)

    def equal(self, left: sql.Composable, right: sql.Composable) -> sql.Composed:
        """Returns the condition that two keys are equal."""
        return sql.SQL("{} OPERATOR({}.=) {}").format(left, sql.Identifier(self.plan.operators), right)

    def create(self) -> None:
        """Creates the tables and the trigger. The partition is locked against writers."""
        plan, run = self.plan, self.runner.execute
        kept = (
            "DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING INDEXES"
            " INCLUDING STORAGE INCLUDING COMPRESSION"
        )
        run(
            statement(
                "CREATE TABLE {} (LIKE {} INCLUDING {}) PARTITION BY RANGE ({})",
                self.table,
                plan.root.sql,
                sql.SQL(kept),
                plan.key.sql,
                about=of_table(plan.root, "copy of"),
            )
        )
        for key in catalog.constraints(plan.conn, [plan.root.oid]):
            if key.kind == "f" and key.ref_table != plan.root.oid and not key.parent:
                run(statement("ALTER TABLE {} ADD CONSTRAINT {} {}", self.table, key.sql, sql.SQL(key.definition)))
        self.give_options()
        self.create_partitions()
        run(statement("CREATE TABLE {} PARTITION OF {} DEFAULT", self.in_schema(REST), self.table))
        run(
            statement(
                "CREATE TABLE {} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id {} NOT NULL)",
                self.in_schema("noted"),
                sql.SQL(plan.key.type),
            )
        )
        self.create_trigger()

    def give_options(self) -> None:
        """Gives the table what its partitions take from it: row-level security and replica identity."""
        root, run = self.plan.root, self.runner.execute
        self.runner.all(of_new_table(root, self.table))
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
        plan, conn = self.plan, self.plan.conn
        for number, (bound,) in enumerate(
            conn.execute(
                "SELECT pg_get_expr(c.relpartbound, c.oid)"
                " FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
                " WHERE i.inhparent = %s AND c.oid <> %s AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'",
                (plan.root.oid, self.source.oid),
            ).fetchall()
        ):
            name = self.in_schema(f"other_{number}")
            self.runner.execute(statement("CREATE TABLE {} PARTITION OF {} {}", name, self.table, sql.SQL(bound)))
        times = self.times()
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

    def times(self) -> Times:
        """Returns the times for which partitions are created: for the rows, and for a period after the last one.

        If now is later than the last row, the period begins now, so that new rows have a partition, too.
        """
        query = (
            "SELECT (SELECT ({0})::text FROM {2} ORDER BY {1} LIMIT 1),"
            " (greatest((SELECT {0} FROM {2} ORDER BY {1} DESC LIMIT 1), now()) + {3}::interval)::text"
        )
        row = self.plan.conn.execute(
            sql.SQL(query).format(
                self.plan.ids.time(self.plan.home, self.plan.key.sql),
                self.plan.key.sql,
                self.source.sql,
                sql.Literal(self.plan.options.width),
            )
        ).fetchall()[0]
        if row[0] is None:
            raise Refused(f"{self.source.label} has no rows")
        return Times(since=row[0], until=row[1])

    def partitions(self) -> list[ShadowPartition]:
        """Returns the partitions into which rows are copied."""
        return catalog.read(
            self.plan.conn,
            ShadowPartition,
            """
            SELECT c.oid::regclass::text AS label, pg_get_expr(c.relpartbound, c.oid) AS bound,
                   pg_get_partition_constraintdef(c.oid) AS condition
              FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
             WHERE i.inhparent = to_regclass(%s)::oid AND c.relname !~ '^(other_[0-9]+|rest)$' ORDER BY c.relname
            """,
            (self.label,),
        )

    def create_trigger(self) -> None:
        """Creates the triggers."""
        self.create_function()
        source, function = self.source.sql, self.in_schema("follow")
        for name, event in ((TRIGGER, "INSERT OR UPDATE OR DELETE ON {} FOR EACH ROW"), (EMPTIED, "TRUNCATE ON {}")):
            on = sql.SQL(event).format(source)
            trigger = sql.Identifier(name)
            self.runner.execute(statement("CREATE TRIGGER {} AFTER {} EXECUTE FUNCTION {}()", trigger, on, function))
            self.runner.execute(statement("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}", source, trigger))

    def create_function(self) -> None:
        """Creates the function of the triggers. It runs with the rights of the owner, whichever role writes."""
        news = sql.SQL(", ").join(sql.SQL("NEW.{}").format(name) for name in self.columns)
        key = self.plan.key.sql
        old, new = (sql.SQL("{}.{}").format(sql.SQL(word), key) for word in ("OLD", "NEW"))
        parts = {
            "clear": sql.SQL("DELETE FROM {};").format(self.table),
            "delete": sql.SQL("DELETE FROM {} AS s WHERE {};").format(self.table, self.equal(self.own_key, old)),
            "insert": sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({}) ON CONFLICT DO NOTHING;").format(
                self.table, self.names, news
            ),
            "note_old": sql.SQL("INSERT INTO {} (id) VALUES ({});").format(self.in_schema("noted"), old),
            "note_new": sql.SQL("INSERT INTO {} (id) VALUES ({});").format(self.in_schema("noted"), new),
        }
        code = sql.SQL(
            """
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        {clear}
        RETURN NULL;
    ELSIF TG_OP <> 'INSERT' THEN
        {delete}
        IF NOT FOUND THEN
            {note_old}
            IF TG_OP = 'UPDATE' THEN
                {note_new}
            END IF;
            RETURN NULL;
        END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        {insert}
        IF NOT FOUND THEN
            {note_new}
        END IF;
    END IF;
    RETURN NULL;
END"""
        ).format(**parts)
        self.runner.execute(
            statement(
                "CREATE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
                " SET search_path = pg_catalog, pg_temp SET row_security = off AS {}",
                self.in_schema("follow"),
                body(code, self.plan.conn),
            )
        )

    def copy(self, block: int, blocks: int) -> Statement:
        """Returns the statement that copies the rows of some blocks, and holds them until the transaction ends."""
        return statement(
            """INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE
SELECT {} FROM ONLY {} WHERE ctid >= {}::tid AND ctid < {}::tid FOR SHARE ON CONFLICT DO NOTHING""",
            self.table,
            self.names,
            self.names,
            self.source.sql,
            f"({block},0)",
            f"({block + blocks},0)",
            about=of_table(self.source, "rows of"),
        )

    def copy_noted(self) -> int:
        """Copies rows once more that the trigger has noted, and returns how many notes there were."""
        noted = self.in_schema("noted")
        last = scalar(self.plan.conn, sql.SQL("SELECT max(n) FROM {}").format(noted))
        if last is None:
            return 0
        mine = sql.SQL("EXISTS (SELECT FROM {} AS n WHERE n.n <= {} AND {})").format(
            noted, sql.Literal(last), self.equal(sql.SQL("n.id"), self.own_key)
        )
        with self.plan.conn.transaction():
            self.runner.execute(statement("SELECT FROM ONLY {} AS s WHERE {} FOR SHARE", self.source.sql, mine))
            self.runner.execute(statement("DELETE FROM {} AS s WHERE {}", self.table, mine))
            self.runner.execute(
                statement(
                    "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM ONLY {} AS s WHERE {}",
                    self.table,
                    self.names,
                    self.names,
                    self.source.sql,
                    mine,
                )
            )
            return self.runner.execute(statement("DELETE FROM {} WHERE n <= {}", noted, last)) or 0

    def rows_left(self) -> bool:
        """Returns whether a row has come that no partition takes."""
        return bool(scalar(self.plan.conn, sql.SQL("SELECT EXISTS (SELECT FROM {})").format(self.in_schema(REST))))

    def drop_triggers(self) -> None:
        """Drops the triggers."""
        for name in (TRIGGER, EMPTIED):
            self.runner.execute(statement("DROP TRIGGER IF EXISTS {} ON {}", sql.Identifier(name), self.source.sql))
