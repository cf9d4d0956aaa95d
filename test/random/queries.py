#!/usr/bin/python3
"""Compares random queries by time with the same queries in a form that kid's planner support cannot rewrite.

    queries.py SECONDS [SEED]

The database of libpq's variables must be one that objects.sql has filled. A query has random conditions on IDs: its
times are constants, parameters, columns, sub-selects and costly functions, its tables have B-trees, BRIN indexes,
partitions or a policy of row-level security, and the planner's settings are random, too. The other query calls the
functions of the operators under other names, which the planner does not know. Both run in one transaction, and must
return the same, or raise the same error. The program prints TAP, and for each difference both queries.
"""

from __future__ import annotations

import os
import random
import sys
import time
from typing import Any, NamedTuple

import psycopg

EARLY = "now() - interval '10 days'"


class Kind(NamedTuple):
    """A kind of IDs, and how SQL writes what concerns them."""

    name: str
    makes: str  # an ID of an instant `t` and a number `n`
    type: str = ""  # of columns, if it is not called as the kind
    functions: str = ""  # what names of functions begin with, if it is not the name of the kind
    classes: str = ""  # the same for operator classes
    is_early: str = f"id < {EARLY}"
    has_operators: bool = True  # that compare an ID with a time
    contains: bool = True  # has the operators <@ and @>

    @property
    def prefix(self) -> str:
        """What names of functions begin with."""
        return self.functions or self.name


KINDS = [
    Kind("kid64", "kid64_make(t, n % 16384)"),
    Kind("kid96", "kid96_make(t, n % 3, n % 16384)"),
    Kind("sno", "sno_make(t, 0, n % 3, n % 65536)"),
    Kind("flake", "flake_make(t, 0, n % 3, n % 4096)"),
    Kind("flax", "flax_make(t, decode(lpad(to_hex(n), 14, '0'), 'hex'))"),
    # Columns of core types have other values, too: uuids of another version, and numbers that are no kid53.
    Kind(
        "uuid",
        "CASE n % 9 WHEN 0 THEN md5(n::text)::uuid"
        " ELSE encode(set_byte(uuid_send(kid_uuidv7_floor(t)), 15, n % 256), 'hex')::uuid END",
        functions="kid_uuidv7",
        contains=False,
    ),
    Kind(
        "kid53",
        "CASE n % 9 WHEN 0 THEN -n WHEN 1 THEN 9007199254740992 + n ELSE kid53_make(t, n % 4096) END",
        type="bigint",
        classes="int8",
        is_early=f"kid53_within(id, NULL, {EARLY})",
        has_operators=False,
        contains=False,
    ),
]
OPERATORS = {"<": "lt", "<=": "le", ">=": "ge", ">": "gt"}
INSTANTS = "-infinity", "infinity", "2025-03-01 12:34:56.789", "1960-01-01", "2109-05-15 07:35:11.104", "35199-01-01"
MIRRORED = {"<": ">", "<=": ">=", ">=": "<=", ">": "<"}
SETTINGS = [
    "enable_seqscan", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_hashjoin",
    "enable_mergejoin", "enable_nestloop", "enable_material", "enable_memoize", "enable_partition_pruning",
    "enable_partitionwise_join", "jit",
]  # fmt: skip


class Twice(NamedTuple):
    """A piece of SQL as a user writes it, and in the form that is not rewritten."""

    written: str
    plain: str


def both(form: str, *parts: Twice | str) -> Twice:
    """Returns a piece of SQL that is made of others: `form`, in which each {} stands for one of them."""
    texts = [Twice(part, part) if isinstance(part, str) else part for part in parts]
    return Twice(form.format(*(text.written for text in texts)), form.format(*(text.plain for text in texts)))


class Maker:
    """Makes random queries of one kind of IDs."""

    def __init__(self, kind: Kind, at_random: random.Random):
        self.kind, self.random = kind, at_random

    def instant(self, depth: int) -> str:
        """Returns an expression of type timestamptz."""
        days = self.random.randrange(-400, 900)
        forms = [
            f"now() - interval '{days} days'",
            f"timestamptz '{self.random.choice(INSTANTS)}'",
            f"(current_date - {days})::timestamptz",
            "o.t",
            "$1",
        ]
        if depth > 0:
            inner = self.instant(depth - 1)
            forms += [
                "NULL::timestamptz",
                f"(SELECT max(i.t) FROM times AS i WHERE i.n < {self.random.randrange(60)})",
                "(SELECT i.t FROM times AS i WHERE i.n = a.n % 50)",
                f"costly({inner})",
                f"coalesce(o.t, {inner})",
                f"CASE WHEN a.n > {self.random.randrange(1000)} THEN {inner} ELSE o.t END",
                f"greatest({inner}, {self.instant(0)})",
                "clock_timestamp() + interval '10 years'",
            ]
        return self.random.choice(forms)

    def span(self) -> str:
        """Returns an expression of type tstzrange."""
        ends = self.instant(1), self.instant(1)
        kind = self.random.choice(["[)", "[]", "(]", "()"])
        return self.random.choice(
            [
                f"tstzrange(least({ends[0]}, {ends[1]}), greatest({ends[0]}, {ends[1]}), '{kind}')",
                "o.r",
                f"tstzrange({ends[0]}, NULL, '{kind}')",
                f"tstzrange(NULL, {ends[0]}, '{kind}')",
                f"(SELECT i.r FROM times AS i WHERE i.n = {self.random.randrange(1, 60)})",
                "(SELECT i.r FROM times AS i WHERE i.n = a.n % 50)",
                "tstzrange '[2024-12-01,2025-06-01]'",
                "tstzrange 'empty'",
                "NULL::tstzrange",
                "costly(o.r)",
            ]
        )

    def comparison(self) -> Twice:
        """Returns a comparison of an ID with a time or a range of times."""
        if not self.kind.has_operators:
            limits = f"a.id, {self.instant(2)}, {self.instant(2)}"
            return Twice(f"{self.kind.prefix}_within({limits})", f"plain_within({limits})")
        if self.random.random() < 0.35:
            span = self.span()
            forms = [f"(a.id <@ {span})", f"({span} @> a.id)"] if self.kind.contains else [f"kid_within(a.id, {span})"]
            return Twice(self.random.choice(forms), f"plain(a.id, {span})")
        operator, instant = self.random.choice(list(OPERATORS)), self.instant(2)
        written = self.random.choice([f"(a.id {operator} {instant})", f"({instant} {MIRRORED[operator]} a.id)"])
        return Twice(written, f"plain_{OPERATORS[operator]}(a.id, {instant})")

    def condition(self, depth: int) -> Twice:
        """Returns a condition on a.id."""
        if depth == 0 or self.random.random() < 0.2:
            return self.comparison()
        form = self.random.choice(
            [
                "({} AND {})",
                "({} AND {})",
                "({} OR {})",
                "(NOT {})",
                "({} IS NOT TRUE)",
                "({} IS NULL)",
                "(CASE WHEN {} THEN {} ELSE {} END)",
                "({} = {})",
                "coalesce({}, {})",
                "({} AND a.n % 2 = 0)",
                "EXISTS (SELECT FROM times AS e WHERE e.n = a.n % 40 AND {})",
                "(a.n IN (SELECT e.n * 10 FROM times AS e WHERE {}))",
            ]
        )
        return both(form, *(self.condition(depth - 1) for _ in range(form.count("{}"))))

    def query(self) -> Twice:
        """Returns a query, whose rows have an order."""
        table = self.kind.name + self.random.choice(["_rows", "_rows", "_block_ranges", "_parts", "_parts"])
        inner = f"{table} AS a CROSS JOIN (SELECT * FROM times WHERE n % 9 = {self.random.randrange(9)}) AS o"
        sums = "count(*), sum(hashtext(a.id::text)), sum(o.n)"
        form = self.random.choice(
            [
                "SELECT " + sums + " FROM " + inner + " WHERE {}",
                "SELECT " + sums + " FROM " + inner + " WHERE {}",
                "SELECT " + sums + f" FROM {table} AS a LEFT JOIN times AS o ON o.n = a.n % 60 AND {{}}",
                "SELECT " + sums + f" FROM times AS o LEFT JOIN {table} AS a ON {{}}",
                "SELECT count(*) FILTER (WHERE {}), count(*) FILTER (WHERE {}) FROM " + inner,
                f"SELECT o.n, a.id, a.n FROM times AS o, LATERAL (SELECT * FROM {table} AS a WHERE {{}} "
                "ORDER BY a.id, a.n LIMIT 3) AS a ORDER BY o.n, a.id, a.n",
                "SELECT {} AS c, count(*) FROM " + inner + " GROUP BY c ORDER BY c",
                "WITH w AS MATERIALIZED (SELECT a.id, a.n, o.t, o.r FROM " + inner + " WHERE {}) "
                "SELECT count(*), sum(a.n) FROM w AS a, (SELECT t, r FROM times WHERE n = 33) AS o WHERE {}",
            ]
        )
        return both(form, *(self.condition(2) for _ in range(form.count("{}"))))


def prepare(session: psycopg.Connection[Any]) -> None:
    """Creates the tables of each kind, and the functions that the planner does not know."""
    session.execute("CREATE ROLE reader")
    session.execute("GRANT SELECT ON times TO reader")
    for argument in "timestamptz", "tstzrange":
        session.execute(
            f"CREATE FUNCTION costly({argument}) RETURNS {argument} STABLE COST 10000 PARALLEL SAFE LANGUAGE plpgsql "
            "AS 'BEGIN RETURN $1; END'"
        )
    for kind in KINDS:
        type_name = kind.type or kind.name
        session.execute(
            "CALL make_tables(%s, %s, %s, %s, %s, %s)",
            [kind.name, type_name, kind.prefix, kind.classes or kind.name, kind.makes, kind.is_early],
        )
        if not kind.has_operators:
            # PostgreSQL does not inline PL/pgSQL.
            session.execute(
                f"CREATE FUNCTION plain_within({type_name}, timestamptz, timestamptz) RETURNS boolean LANGUAGE plpgsql "
                f"STABLE PARALLEL SAFE AS 'BEGIN RETURN {kind.prefix}_within($1, $2, $3); END'"
            )
            continue
        functions = {"plain": ("tstzrange", f"{kind.prefix}_within")}
        functions |= {f"plain_{name}": ("timestamptz", f"{kind.prefix}_{name}_time") for name in OPERATORS.values()}
        for name, (argument, symbol) in functions.items():
            session.execute(
                f"CREATE FUNCTION {name}({type_name}, {argument}) RETURNS boolean LANGUAGE c STRICT STABLE "
                f"PARALLEL SAFE AS '$libdir/kid', '{symbol}'"
            )
    session.execute("ANALYZE")


def answer(session: psycopg.Connection[Any], query: str, instant: str) -> object:
    """Returns the rows of a query, or the class of its error."""
    try:
        with session.transaction():
            session.execute(f"PREPARE q (timestamptz) AS {query}")
            return session.execute(f"EXECUTE q ({instant})").fetchall()
    except psycopg.errors.QueryCanceled:
        return None
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        session.execute("DEALLOCATE ALL")


def compare(session: psycopg.Connection[Any], maker: Maker) -> str | None:
    """Runs one query in both forms. Returns what is wrong, "" if nothing is, or None if one took too long."""
    query = maker.query()
    instant = maker.random.choice(["'2025-01-01'", "NULL", "now() - interval '100 days'", "'infinity'"])
    with session.transaction(force_rollback=True):
        session.execute("SET LOCAL statement_timeout = '5s'")
        for setting in SETTINGS:
            session.execute(f"SET LOCAL {setting} = {maker.random.choice(['on', 'on', 'on', 'off'])}")
        session.execute(f"SET LOCAL plan_cache_mode = {maker.random.choice(['auto', 'force_generic_plan'])}")
        if maker.random.random() < 0.3:
            session.execute("SET LOCAL parallel_setup_cost = 0; SET LOCAL min_parallel_table_scan_size = 0")
        session.execute(f"SET LOCAL ROLE {maker.random.choice(['postgres', 'reader'])}")
        written, plain = answer(session, query.written, instant), answer(session, query.plain, instant)
    if written is None or plain is None:
        return None
    return "" if written == plain else f"{query.written}\n{written}\n{query.plain}\n{plain}\n$1 = {instant}"


def main() -> int:
    seconds = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(4), "big")
    print(f"# KID_SEED={seed}")
    compared = slow = 0
    differences: list[str] = []
    at_random = random.Random(seed)
    with psycopg.connect(autocommit=True) as session:
        prepare(session)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and len(differences) < 5:
            wrong = compare(session, Maker(at_random.choice(KINDS), at_random))
            compared += wrong is not None
            slow += wrong is None
            if wrong:
                differences.append(wrong)
    for difference in differences:
        print("#", difference.replace("\n", "\n# "))
    print(f"# {compared} queries compared, {slow} took too long")
    print(
        "not ok" if differences else "ok", "1 - random queries by time return what they return without planner support"
    )
    print("ok" if compared > slow else "not ok", "2 - most queries were compared, and did not take too long")
    print("1..2")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
