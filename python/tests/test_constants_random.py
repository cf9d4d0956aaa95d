"""Random views tell what kidctl overlooks: if all keys change alike, only a view with a constant beside a key changes.

KID_SEED repeats a run. KID_ROUNDS is the number of views.
"""

from __future__ import annotations

import os
import random
import unittest
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable

import psycopg

from support import Database

from pgkid.ctl import catalog
from pgkid.ctl.beside import search
from pgkid.ctl.beside.walk import Kind


SCHEMA = """
CREATE TYPE pair AS (n int, k bigint);
CREATE TABLE users (id bigint PRIMARY KEY, parent bigint REFERENCES users ON UPDATE CASCADE, n int);
CREATE TABLE posts (user_id bigint REFERENCES users ON UPDATE CASCADE, n int, m int);
CREATE FUNCTION everybody() RETURNS SETOF users LANGUAGE sql STABLE AS 'SELECT * FROM public.users';
INSERT INTO users SELECT n, CASE WHEN n > 1 THEN n / 2 END, n % 4 FROM generate_series(1, 6) AS n;
INSERT INTO posts SELECT CASE WHEN n % 5 <> 0 THEN n % 6 + 1 END, n % 3, n % 2 FROM generate_series(1, 12) AS n;
"""

CONSTANTS = ("1", "2", "3", "0", "'2'::bigint", "(SELECT 2)", "abs(-3)", "length('ab')", "nullif(4, 5)", "(VALUES (2))")


@dataclass(frozen=True)
class Source:
    """A table in FROM, with the columns that hold keys and those that hold numbers"""

    keys: list[str]
    numbers: list[str]


Scope = list[Source]


class Generator:
    """Makes one query"""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.chance = self.random.choice((0, 0, 0.1, 0.3))  # that a constant takes the place of a key
        self.has_constant = False
        self.names = 0

    def one_of(self, *choices: Callable[[], str]) -> str:
        return self.random.choice(choices)()

    def key(self, scope: Scope, depth: int) -> str:
        """Returns an expression that holds a key."""
        key, other = partial(self.key, scope, depth - 1), partial(self.other, scope, depth - 1)
        column = self.random.choice([column for source in scope for column in source.keys])
        if depth <= 0 or self.random.random() < 0.4:
            return column
        return self.one_of(
            lambda: f"coalesce({key()}, {other()})",
            lambda: f"greatest({key()}, {other()})",
            lambda: f"nullif({key()}, {other()})",
            lambda: f"CASE WHEN {self.condition(scope, depth - 1)} THEN {key()} ELSE {other()} END",
            lambda: f"CASE {key()} WHEN {other()} THEN {key()} END",
            lambda: f"(ARRAY[{key()}, {other()}])[{self.random.randint(1, 2)}]",
            lambda: f"(SELECT max(k) FROM ({self.query(scope, depth - 1)}) AS z)",
            lambda: f"({key()}::text)::bigint",
            lambda: f"(ROW({self.number(scope, 0)}, {key()})::pair).k",
        )

    def other(self, scope: Scope, depth: int) -> str:
        """Returns what stands beside a key: another one, or a constant."""
        if self.random.random() >= self.chance:
            return self.key(scope, depth)
        self.has_constant = True
        return self.random.choice(CONSTANTS)

    def number(self, scope: Scope, depth: int) -> str:
        """Returns an expression that holds no key. Numbers may stand beside it."""
        column = self.random.choice([column for source in scope for column in source.numbers])
        if depth <= 0 or self.random.random() < 0.5:
            return self.random.choice((column, str(self.random.randint(0, 5))))
        return self.one_of(
            lambda: f"coalesce({self.number(scope, depth - 1)}, 1)",
            lambda: f"CASE WHEN {self.condition(scope, depth - 1)} THEN {column} ELSE 7 END",
            lambda: f"(SELECT count(*)::int FROM ({self.query(scope, depth - 1)}) AS z)",
            lambda: f"({self.number(scope, depth - 1)} + {self.number(scope, depth - 1)})",
        )

    def condition(self, scope: Scope, depth: int) -> str:
        """Returns a condition on keys and numbers."""
        key, other = partial(self.key, scope, depth - 1), partial(self.other, scope, depth - 1)
        number, query = partial(self.number, scope, depth - 1), partial(self.query, scope, depth - 1)
        simple = (
            lambda: f"{number()} {self.random.choice(('=', '<', '<>'))} {number()}",
            lambda: f"{key()} {self.random.choice(('=', '<', '>=', '<>', 'IS DISTINCT FROM'))} {other()}",
            lambda: f"{other()} = {key()}",
            lambda: f"{key()} IN ({other()}, {other()})",
            lambda: f"({number()}, {key()}) {self.random.choice(('=', '<'))} ({number()}, {other()})",
            lambda: f"{key()} IS NULL",
            lambda: f"{key()}::text = {key()}::text",
        )
        if depth <= 0:
            return self.one_of(*simple)
        return self.one_of(
            *simple,
            lambda: f"{key()} {self.random.choice(('IN', 'NOT IN'))} (SELECT k FROM ({query()}) AS z)",
            lambda: f"({number()}, {key()}) IN (SELECT n, k FROM ({query()}) AS z)",
            lambda: f"EXISTS ({query()})",
            lambda: f"NOT ({self.condition(scope, depth - 1)})",
            lambda: f"({self.condition(scope, depth - 1)} OR {self.condition(scope, depth - 1)})",
        )

    def source(self, depth: int) -> tuple[str, Source]:
        """Returns a table for FROM."""
        self.names += 1
        name = f"t{self.names}"
        users = Source([f"{name}.id", f"{name}.parent"], [f"{name}.n"])
        made = Source([f"{name}.k"], [f"{name}.n"])
        row = [Source(["u.id", "u.parent"], ["u.n"])]
        kind = self.random.choice(
            ("users", "posts", "everybody()", "values", "query", "query") if depth > 0 else ("users",)
        )
        if kind == "query":
            return f"({self.query([], depth - 1)}) AS {name}", made
        if kind == "values":
            rows = f"(u.id, 0), ({self.other(row, 1)}, 1)"
            return f"(SELECT v.k, v.n FROM users AS u, LATERAL (VALUES {rows}) AS v (k, n)) AS {name}", made
        return (
            f"{kind} AS {name}",
            Source([f"{name}.user_id"], [f"{name}.n", f"{name}.m"]) if kind == "posts" else users,
        )

    def query(self, outer: Scope, depth: int) -> str:
        """Returns a query with a column k that holds a key, and a column n that holds none."""
        tables, first = self.source(depth)
        scope = [first]
        if self.random.random() < 0.4:
            table, second = self.source(depth - 1)
            scope.append(second)
            tables += f" {self.random.choice(('JOIN', 'LEFT JOIN'))} {table} ON {self.condition(scope, depth - 1)}"
        where = self.condition(scope + outer, depth - 1)
        key = self.key(scope, depth - 1)
        rest = f"FROM {tables} WHERE {where}"

        def plain() -> str:
            return f"SELECT {key} AS k, {self.number(scope + outer, depth - 1)} AS n {rest}"

        def grouped() -> str:
            having = f"max({key}) >= min({self.other(scope, 0)})"
            return f"SELECT {key} AS k, count(*)::int AS n {rest} GROUP BY {key} HAVING {having}"

        return self.one_of(
            plain,
            plain,
            grouped if key in first.keys else plain,
            lambda: f"{plain()} {self.random.choice(('UNION', 'UNION ALL', 'EXCEPT'))} {self.second(depth)}",
            lambda: f"WITH c AS ({plain()}) SELECT c.k, c.n FROM c",
        )

    def second(self, depth: int) -> str:
        """Returns the second query of a set operation."""
        row = [Source(["u.id", "u.parent"], ["u.n"])]
        return (
            f"SELECT {self.other(row, depth - 1)}::bigint, u.n FROM users AS u WHERE {self.condition(row, depth - 1)}"
        )


class Random(unittest.TestCase):
    """Compares what is found with what changes"""

    def test_views(self) -> None:
        seed = os.environ.get("KID_SEED") or str(random.randrange(10**6))
        rounds = int(os.environ.get("KID_ROUNDS") or 200)
        with self.subTest(KID_SEED=seed):
            self.compare(seed, rounds)

    def compare(self, seed: str, rounds: int) -> None:
        """Makes views, looks at them, and changes the keys."""
        database = Database()
        self.addCleanup(database.close)
        database.run(SCHEMA + "SET statement_timeout = '5s'")
        queries: dict[str, tuple[str, bool]] = {}
        for n in range(rounds):
            generator = Generator(f"{seed} {n}")
            query = generator.query([], generator.random.randint(1, 3))
            database.run(f"CREATE VIEW v{n} AS {query}")
            queries[f"v{n}"] = (query, generator.has_constant)
        users = catalog.table(database.conn, "public.users").oid
        found = search.search(database.conn, [(c.table, c.number) for c in catalog.related(database.conn, users)])
        has_constant = {one.object.split(".")[1] for one in found if one.kind is Kind.CONSTANT}
        self.assertEqual([], [one for one in found if one.kind in (Kind.UNKNOWN, Kind.COLUMN)])
        before = {view: rows(database, view) for view in queries}
        database.run("UPDATE users SET id = id + 1000")
        for view, (query, expected) in queries.items():
            with self.subTest(query):
                self.assertEqual(expected, view in has_constant)
                if view not in has_constant:
                    self.assertEqual(before[view], rows(database, view))


def rows(database: Database, view: str) -> Any:
    """Returns what a view shows, apart from the values of keys, or None if it takes too long."""
    try:
        return database.conn.execute(
            f"SELECT k IS NULL, n, count(*) FROM public.{view} GROUP BY 1, 2 ORDER BY 1, 2"
        ).fetchall()
    except psycopg.errors.QueryCanceled:
        return None


if __name__ == "__main__":
    unittest.main()
