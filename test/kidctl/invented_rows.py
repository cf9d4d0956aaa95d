"""Invented rows for the tables of a schema that nobody here has data of: as many constraints hold as can be guessed."""
from __future__ import annotations

import itertools
import random
import re
from dataclasses import dataclass, field
from typing import Any, Optional

import psycopg


@dataclass
class Column:
    """What a value of a column must be."""

    name: str  # quoted
    type: str
    base: str  # the type below a domain
    category: str
    size: int
    must: bool  # be not null
    makes: bool  # has a default,
    counts: bool  # from a sequence
    labels: list[str]  # of an enumeration
    rules: list[str]  # its CHECKs

    def literals(self) -> list[str]:
        """Returns the values that its CHECKs name, and for numbers those beside them."""
        found = [text for rule in self.rules for text in re.findall(r"'((?:[^']|'')*)'", rule)]
        if self.category == "N":
            found += [str(int(n) + d) for rule in self.rules for n in re.findall(r"\b\d+\b", rule) for d in (-1, 0, 1)]
        return found


@dataclass
class Table:
    """A table that gets rows."""

    name: str
    columns: list[Column]
    keys: list[tuple[list[str], str, list[str]]] = field(default_factory=list)  # columns, parent, its columns


COLUMNS = """
SELECT quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), format_type(b.oid, -1), b.typcategory,
       a.atttypmod - 4, a.attnotnull OR t.typnotnull, a.atthasdef,
       coalesce((SELECT pg_get_expr(adbin, adrelid) ~ '^nextval' FROM pg_attrdef
                  WHERE (adrelid, adnum) = (a.attrelid, a.attnum)), false),
       array(SELECT enumlabel FROM pg_enum WHERE enumtypid = b.oid),
       array(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint AS k
              WHERE k.contype = 'c' AND (k.conrelid = a.attrelid AND a.attnum = ANY (k.conkey) OR k.contypid = t.oid))
  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
       JOIN pg_type AS b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
 WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
 ORDER BY a.attnum
"""
KEYS = """
SELECT array(SELECT quote_ident(attname) FROM unnest(k.conkey) WITH ORDINALITY AS u (n, i) JOIN pg_attribute
                 ON attrelid = k.conrelid AND attnum = n ORDER BY i), k.confrelid::regclass::text,
       array(SELECT quote_ident(attname) FROM unnest(k.confkey) WITH ORDINALITY AS u (n, i) JOIN pg_attribute
                 ON attrelid = k.confrelid AND attnum = n ORDER BY i)
  FROM pg_constraint AS k WHERE k.conrelid = %s AND k.contype = 'f' AND k.conparentid = 0
"""
# Relations that are no part of an extension, of kid in plain SQL, or of PostgreSQL
RELATIONS = """
SELECT c.oid, c.oid::regclass::text, c.relkind::text, c.relispartition FROM pg_class AS c
       JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname !~ '^pg_|^information_schema$|^kid' AND c.relpersistence <> 't' AND NOT EXISTS (
           SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY 2
"""


class Filler:
    """Puts a few rows into every table, those of parents first."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self.conn, self.random, self.count = conn, random.Random(1), itertools.count(1)

    def fill(self) -> None:
        """Tries as long as some table gets a row; first with triggers and foreign keys, and then without."""
        # No two columns have the same keys, so that a key is recognized wherever it is.
        for place, (sequence,) in enumerate(self.conn.execute("SELECT seqrelid::regclass::text FROM pg_sequence"), 1):
            try:
                self.conn.execute("SELECT setval(%s::regclass, %s)", (sequence, place * 100000))
            except psycopg.Error:
                pass
        self.conn.execute("SET search_path = public; SELECT setseed(0)")
        tables = [
            Table(
                name,
                [Column(*column) for column in self.conn.execute(COLUMNS, (oid,))],
                self.conn.execute(KEYS, (oid,)).fetchall(),
            )
            for oid, name, kind, is_partition in self.conn.execute(RELATIONS).fetchall()
            if kind in "rp" and not is_partition
        ]
        errors: dict[str, str] = {}
        for role in ("origin", "replica"):
            self.conn.execute(f"SET session_replication_role = {role}")
            todo, before = tables, -1
            while todo and len(todo) != before:
                before = len(todo)
                todo = [table for table in todo if not self.has_rows(table, errors)]
        for (view,) in self.conn.execute("SELECT oid::regclass FROM pg_class WHERE relkind = 'm' AND relispopulated"):
            self.conn.execute(f"REFRESH MATERIALIZED VIEW {view}")
        self.conn.execute("ANALYZE")
        print(f"# {len(tables) - len(todo)} of {len(tables)} tables have rows. The others:")
        print(*(f"#   {table.name}: {errors[table.name]}\n" for table in todo), sep="", end="")

    def has_rows(self, table: Table, errors: dict[str, str]) -> bool:
        """Inserts three rows, and returns whether the table has one."""
        for _row in range(3):
            for attempt in range(60):
                try:
                    self.insert(table, attempt)
                    break
                except LookupError as error:
                    errors[table.name] = str(error)
                    break
                except psycopg.Error as error:
                    errors[table.name] = str(error).splitlines()[0]
        return bool(self.conn.execute(f"SELECT FROM {table.name} LIMIT 1").fetchall())

    def insert(self, table: Table, attempt: int) -> None:
        """Inserts a row. Later attempts set fewer columns."""
        values: dict[str, Optional[str]] = {}
        must = {column.name for column in table.columns if column.must}
        for mine, parent, theirs in self.random.sample(table.keys, len(table.keys)):
            if not must & set(mine) and self.random.random() < min(0.2 + attempt / 40, 0.9):
                values.update((name, None) for name in mine if name not in values)
                continue
            columns = ", ".join(f"{name}::text" for name in theirs)
            found = self.conn.execute(f"SELECT {columns} FROM {parent} ORDER BY random() LIMIT 1").fetchone()
            if not found and must & set(mine):
                raise LookupError(f"{parent} has no row")
            values.update((name, value) for name, value in zip(mine, found or [None] * len(mine)) if name not in values)
        for column in table.columns:
            is_made = column.counts or column.makes and self.random.random() < 0.5 + attempt / 100
            if column.name not in values and not is_made:
                values[column.name] = self.value(column)
        used = [column for column in table.columns if column.name in values]
        names, places = ", ".join(c.name for c in used), ", ".join(f"%s::{c.type}" for c in used)
        row = f"({names}) VALUES ({places})" if used else "DEFAULT VALUES"
        self.conn.execute(f"INSERT INTO {table.name} {row}", [values[column.name] for column in used])

    def value(self, column: Column) -> Optional[str]:
        """Returns a value as text, mostly one that no other row has."""
        pick, n = self.random.choice, next(self.count)
        literals = column.literals()
        if not column.must and self.random.random() < 0.3:
            return None
        if literals and self.random.random() < 0.6:
            return pick(literals)
        if column.category == "A":
            one = Column(column.name, "", column.base[:-2], "S", 20, True, False, False, [], [])
            return pick(["{}", "{%s}" % self.value(one)])
        hour = f"2024-{n % 12 + 1:02}-{n % 28 + 1:02} {n % 24:02}:{n % 60:02}:{n // 60 % 60:02}.{n % 1000:03}"
        known = {
            "uuid": str(n).zfill(8) + "-0000-4000-8000-" + f"{self.random.getrandbits(48):012x}",
            "boolean": pick(["true", "false"]),
            "json": pick(["{}", "[]", '{"a": "b"}']),
            "jsonb": pick(["{}", "[]", '{"a": "b"}']),
            "bytea": f"\\x{n:08x}",
            "date": hour[:10],
            "timestamp without time zone": hour,
            "timestamp with time zone": hour + " UTC",
            "interval": f"{n % 100} minutes",
            "inet": f"10.0.{n // 256 % 256}.{n % 256}",
            "cidr": f"10.{n // 256 % 256}.{n % 256}.0/24",
            "macaddr": f"08:00:2b:00:{n // 256 % 256:02x}:{n % 256:02x}",
            "point": f"({n},1)",
            "xml": "<a/>",
            "tsvector": "word",
            "hstore": "a=>b",
        }
        texts = [
            f"text {n}",
            f"word{n}",
            f"t{n}@example.org",
            f"https://example.org/{n}",
            f"{n:040x}",
            f"{n:064x}",
            "A",
        ]
        if column.base in known:
            return known[column.base]
        if column.category == "N":
            return str(n % 9000)
        if column.category == "E":
            return pick(column.labels)
        if column.category == "R":
            return "empty"
        if column.category == "V":
            return "0" * max(1, column.size + 4)
        text = pick(texts)
        return text[-column.size :] if column.size > 0 else text
