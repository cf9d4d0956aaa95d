#!/usr/bin/python3
"""Moves the tables of a real schema to kid64 with kidctl, each in a copy of the database, and compares everything.

    schemas.py FOLDER FILE…

The files of SQL together make one schema: a dump of pg_dump, or what somebody wrote by hand, in the order in which psql
runs them. The extensions that they create must be installed on this machine. Each table gets a few invented rows. Then
each table whose primary key is one column is moved in a copy of this database. Every second move is taken back.

A table has one of these outcomes, which is printed as a line of TAP. The last two count as failures:

    moved                   after the swap and at the end, all rows of tables and views and the definitions are what
                            they were, except for the keys
    moved after accepting   the same, after findings were accepted by their names
    refused by name         kidctl named what is in the way, and had changed nothing
    failed later            kidctl failed after it had begun to change the tables
    changed silently        something else is different, and kidctl has not said so

FOLDER gets a file with a line of JSON for each outcome. A later run goes on after these tables; remove the file to
begin anew. Variables of the environment, beside those of libpq:

    TABLES      only these tables: names such as public.users, patterns such as audit.*, or a number of random tables
    JOBS        how many tables are moved at a time: as many as there are cores
    EDITION     plain for kid in plain SQL; otherwise the extension
"""
from __future__ import annotations

import fnmatch
import glob
import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Iterator

import psycopg

from comparison import GONE, Dump, Keys, Mask, Relation, contents, different_definitions, dump, plain
from invented_rows import Filler

FOLDER, FILES = sys.argv[1], sys.argv[2:]
PLAIN = os.environ.get("EDITION") == "plain"
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
BASE, OWNER = "schema", "app"
OUTCOMES = ("moved", "moved after accepting", "refused by name", "failed later", "changed silently")
FAILURES = OUTCOMES[3:]
# Tables whose key is one column, with that column, the columns that contain times, and the sequences of the key
TABLES = """
SELECT c.oid::regclass::text, quote_ident(k.attname),
       array(SELECT ARRAY[attname, format_type(atttypid, -1)] FROM pg_attribute
              WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
                    AND format_type(atttypid, -1) ~ '^(timestamp|date$)'
              ORDER BY attname ~ '^creat' DESC, attnotnull DESC, attnum),
       array(SELECT objid::regclass::text FROM pg_depend WHERE refobjid = c.oid AND refobjsubid = k.attnum
                AND refclassid = 'pg_class'::regclass AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i'))
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_index AS i ON i.indrelid = c.oid
       JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = i.indkey[0]
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND i.indisprimary AND i.indnkeyatts = 1
       AND n.nspname !~ '^pg_|^information_schema$|^kid' AND NOT EXISTS (
           SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY 1
"""
# The key of a table and the columns that refer to it, and so on
COLUMNS = """
WITH RECURSIVE pair AS (
    SELECT k.conrelid, k.confrelid, u.mine, u.theirs
      FROM pg_constraint AS k, unnest(k.conkey, k.confkey) AS u (mine, theirs) WHERE k.contype = 'f'),
moved (oid, number) AS (
    SELECT i.indrelid, i.indkey[0] FROM pg_index AS i WHERE i.indisprimary AND i.indrelid = %s::regclass
    UNION SELECT p.conrelid, p.mine FROM moved AS m JOIN pair AS p ON (p.confrelid, p.theirs) = (m.oid, m.number))
SELECT a.attrelid::regclass::text, quote_ident(a.attname)
  FROM moved AS m JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (m.oid, m.number)
"""


def connect(database: str) -> psycopg.Connection[Any]:
    """Opens a session of the superuser."""
    conn = psycopg.connect(dbname=database, autocommit=True)
    conn.execute("SET search_path = pg_catalog")
    return conn


def run(*words: str) -> tuple[int, str]:
    """Runs a program, and returns its exit status and what it has printed."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def load() -> None:
    """Makes the database: the schema belongs to an ordinary role, extensions and kid to the superuser."""
    with connect("postgres") as conn:
        conn.execute(f"CREATE ROLE {OWNER} LOGIN SUPERUSER CREATEDB BYPASSRLS")
        conn.execute(f"CREATE DATABASE {BASE} OWNER {OWNER} TEMPLATE template0")
        conn.execute(f"GRANT SET ON PARAMETER session_replication_role TO {OWNER}")
    with connect(BASE) as conn:
        conn.execute(f"SET search_path = public; ALTER SCHEMA public OWNER TO {OWNER}")
        for path in FILES:
            with open(path, encoding="utf-8") as file:
                for statement in re.findall(r"^\s*(CREATE\s+(?:SCHEMA|EXTENSION)\b[^;]*;)", file.read(), re.M | re.I):
                    try:
                        conn.execute(statement)
                    except psycopg.Error as error:
                        print(f"# {statement} {error}")
        for (schema,) in conn.execute(
            "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'"
        ).fetchall():
            conn.execute(f"ALTER SCHEMA {schema} OWNER TO {OWNER}")
    for path in FILES:
        printed = run("psql", "-Xq", "-d", f"dbname={BASE} user={OWNER}", "-f", path)[1]
        errors = [line for line in printed.splitlines() if "ERROR" in line and "already exists" not in line]
        print(f"# {path}: {len(errors)} errors", *errors[:20], sep="\n#   ")
    with connect(BASE) as conn:
        conn.execute(f"ALTER ROLE {OWNER} NOSUPERUSER")
        if not PLAIN:
            conn.execute("CREATE EXTENSION kid SCHEMA public")
    if PLAIN:
        run("psql", "-Xq", "-d", f"dbname={BASE} user={OWNER}", "-f", glob.glob("released/kid-all--*.sql")[0])


@dataclass
class Before:
    """The database before a move."""

    relations: dict[str, Relation]
    dump: Dump


@dataclass
class Move:
    """The move of one table in its own copy of the database."""

    place: int
    table: str
    key: str
    times: list[tuple[str, str]]  # columns with times, and their types
    sequences: set[str]  # of the key
    columns: set[tuple[str, str]]  # the key and the columns that refer to it
    before: Before
    accepted: list[tuple[str, str]] = field(default_factory=list)  # findings, as pairs of kind and name
    pairs: dict[str, str] = field(default_factory=dict)  # the new key of each old one

    @property
    def database(self) -> str:
        """The name of the copy."""
        return f"move_{self.place}"

    def kidctl(self, action: str, *options: str) -> tuple[int, str]:
        """Runs kidctl as the owner of the tables."""
        dsn = f"dbname={self.database} user={OWNER}"
        return run(sys.executable, "python/kidctl", "rekey", action, self.table, *options, "-d", dsn)

    def outcome(self) -> tuple[str, list[str]]:
        """Moves the table, and returns the outcome with what explains it."""
        status, found, output = self.run()
        if status:
            if dump(self.database) != self.before.dump:
                return "failed later", output
            return "refused by name", found or output[-4:]
        end = "back" if self.place % 2 else "finish"
        different = []
        for action in ("swap", end):
            status, printed = self.kidctl(action)
            if status:
                return "failed later", printed.splitlines()
            different += [f"after {action}: {text}" for text in self.different(action)]
        if different:
            return "changed silently", different
        return "moved after accepting" if self.accepted else "moved", [end, *map(": ".join, self.accepted)]

    def run(self) -> tuple[int, list[str], list[str]]:
        """Runs kidctl up to the swap, and accepts findings. Returns its status, what stops it, and all that it printed.

        `kidctl rekey run` begins with what `check` does.
        """
        while True:
            accepts = [word for _kind, name in self.accepted for word in ("--accept", name)]
            status, output = self.kidctl("run", *self.time(), *accepts)
            found, acceptable = stopping(output)
            more = [one for one in acceptable if one not in self.accepted]
            if status == 1 and self.times and any(text.startswith("times: ") for text in found):
                self.times = []
            elif status == 1 and more:
                self.accepted += more
            else:
                return status, found, output.splitlines()

    def time(self) -> list[str]:
        """Returns the options that tell when rows were made."""
        if not self.times:
            return ["--during", "[2024-01-01, 2025-01-01)"]
        column, kind = self.times[0]
        zone = [] if kind == "timestamp with time zone" else ["--time-zone", "UTC"]
        return ["--time", column, *zone]

    def different(self, action: str) -> Iterator[str]:
        """Yields what is different after an action, unless it was accepted. `back` must leave everything as before."""
        with connect(self.database) as conn:
            if action == "swap":
                yield from self.read_pairs(conn)
            after = contents(conn)
        told = [plain(name) for kind, name in self.accepted if action != "back" or kind == "way back"]
        keys = Keys(self.columns, {} if action == "back" else self.pairs)
        for name, text in keys.different_rows(self.before.relations, after):
            accepted = re.compile(rf"((materialized )?view |constraint .* on ){re.escape(plain(name))}")
            if not any(accepted.fullmatch(one) for one in told):
                yield f"{name}: {text[:2000]}"
        if action == "swap":
            return
        before, now = self.before.dump, dump(self.database)
        if action == "finish":
            types = {side[table].types[c] for table, c in self.columns for side in (self.before.relations, after)}
            mask = Mask(self.table, self.key, self.columns, self.sequences, types | {"bigint"})
            before, now = mask.kept(before), mask.kept(now)
        for name, text in different_definitions(before, now):
            # The names of a table and of what belongs to it stand in another order in some findings.
            if text == GONE or not any(all(word in one for word in plain(name).split()) for one in told):
                yield f"{name}: {text[:2000]}"

    def read_pairs(self, conn: psycopg.Connection[Any]) -> Iterator[str]:
        """Reads the new key of each old one, and yields what is wrong with them."""
        old = quoted("kid_old_" + plain(self.key))
        self.pairs = dict(conn.execute(f"SELECT {old}::text, {self.key}::text FROM {self.table}").fetchall())
        if not len(self.pairs) == len(set(self.pairs.values())) == len(self.before.relations[self.table].rows):
            yield f"{self.table}: keys are not one to one"
        home = "kid" if PLAIN else "public"
        if self.times:
            column, kind = self.times[0]
            zone = "" if kind == "timestamp with time zone" else " AT TIME ZONE 'UTC'"
            wrong = f"abs(extract(epoch FROM {home}.kid_timestamp({self.key}) - {quoted(column)}{zone})) > 0.1"
        else:
            wrong = f"{home}.kid_timestamp({self.key}) NOT BETWEEN '2024-01-01' AND '2025-01-01'"
        for row in conn.execute(f"SELECT {old}, {self.key} FROM {self.table} WHERE {wrong}").fetchall():
            yield f"{self.table}: the new key of {row[0]} has another time: {row[1]}"


def stopping(output: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns what stops a move, by what kidctl has printed, and if all of it can be accepted, the kinds and names."""
    found, names, kind, acceptable = [], [], "", 0
    for line in output.splitlines():
        if match := re.match(r"([a-z][a-z ]*): ", line):
            kind = match[1]
        elif line.startswith("  ") and line.endswith("(stops)"):
            found.append(f"{kind}: {line.strip()[:-9]}")
        elif line.startswith("    to go on all the same: "):
            names += [(kind, word) for word in shlex.split(line.partition(": ")[2]) if word != "--accept"]
            acceptable += 1
    return found, names if acceptable == len(found) else []


def quoted(name: str) -> str:
    """Returns a name as part of a statement."""
    return '"' + name.replace('"', '""') + '"'


def moves() -> list[Move]:
    """Returns the moves of the tables that the environment names, or of all."""
    wanted = os.environ.get("TABLES", "*").split()
    with connect(BASE) as conn:
        before = Before(contents(conn), dump(BASE))
        tables = conn.execute(TABLES).fetchall()
        print(f"# {len(tables)} tables have a primary key of one column")
        if wanted[0].isdigit():
            tables = sorted(random.Random(1).sample(tables, min(int(wanted[0]), len(tables))))
        else:
            tables = [table for table in tables if any(fnmatch.fnmatch(table[0], one) for one in wanted)]
        return [
            Move(place, table, key, times, set(sequences), set(conn.execute(COLUMNS, (table,)).fetchall()), before)
            for place, (table, key, times, sequences) in enumerate(tables)
        ]


def moved(move: Move) -> dict[str, Any]:
    """Moves a table in a copy of the database, and returns what is told of it."""
    began = time.monotonic()
    with connect("postgres") as conn:
        conn.execute(f"CREATE DATABASE {move.database} OWNER {OWNER} TEMPLATE {BASE}")
        try:
            outcome, details = move.outcome()
        except Exception as error:  # pylint: disable=broad-except
            outcome, details = "failed later", [f"{type(error).__name__}: {error}"]
        conn.execute(f"DROP DATABASE {move.database} WITH (FORCE)")
    return {"table": move.table, "outcome": outcome, "details": details, "seconds": round(time.monotonic() - began)}


def main() -> int:
    """Moves all tables that the file with results does not have, prints all outcomes, and returns the exit status."""
    load()
    with connect(BASE) as conn:
        Filler(conn).fill()
    edition = ".plain" if PLAIN else ""
    path = os.path.join(FOLDER, os.path.basename(FILES[-1]).rpartition(".")[0] + edition + ".results")
    todo = moves()
    done: dict[str, dict[str, Any]] = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            done = {one["table"]: one for one in map(json.loads, file)}
    known = [done[move.table] for move in todo if move.table in done]
    print(f"# {path} has {len(known)} of {len(todo)} tables already", flush=True)
    with open(path, "a", encoding="utf-8") as file, ThreadPoolExecutor(JOBS) as pool:
        outcomes: Counter[str] = Counter()
        running = [pool.submit(moved, move) for move in todo if move.table not in done]
        for number, one in enumerate(chain(known, (ended.result() for ended in as_completed(running))), 1):
            if number > len(known):
                print(json.dumps(one), file=file, flush=True)
            word = "not ok" if one["outcome"] in FAILURES else "ok"
            print(f"{word} {number} - {one['table']}: {one['outcome']}, {one['seconds']} s", flush=True)
            for text in one["details"]:
                print(f"#   {text}")
            outcomes[one["outcome"]] += 1
    print(f"# {len(todo)} tables:", ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in OUTCOMES))
    return int(any(outcomes[outcome] for outcome in FAILURES))


if __name__ == "__main__":
    sys.exit(main())
