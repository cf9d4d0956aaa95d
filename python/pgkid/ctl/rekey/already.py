"""Finds rows whose keys are of the new kind already, such as those that came after a move of new rows only.

The move computes the keys of all rows from their times, so these rows get other keys, too. Both keys are of the same
kind, so the new key of one row can be the old key of another one: a link that somebody has stored then leads to another
row, without an error.
"""
from __future__ import annotations

import re
from typing import Iterator, Optional

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import scalar
from pgkid.ctl.findings import Finding
from pgkid.ctl.kid import NUMBERS, TARGETS
from pgkid.ctl.rekey.plan import Plan
from pgkid.ctl.rekey.times import time_of


# Kinds of new keys that are no old keys if these are of a kind, or numbers of a sequence
OTHERS = {"kid53": "--to kid64 or --to bigint", "bigint": "--to kid53 or --to uuid"}


def look(plan: Plan) -> Iterator[Finding]:
    """Yields the keys of the table if some are of the new kind. Reads the whole table.

    Numbers of a sequence are keys of the first day that such a key can have, so keys of that day do not count. If the
    default makes keys of the new kind, all later keys count; otherwise those whose time is within an hour of the row's.
    """
    function = time_function(plan)
    makes = is_default(plan)
    if function is None or not (makes or plan.options.time):
        return
    row_time = sql.SQL("NULL::pg_catalog.timestamptz") if makes else time_of(plan)
    already, rows = plan.conn.execute(
        sql.SQL(
            "SELECT pg_catalog.count(*) FILTER (WHERE k.key_time >= {first}::pg_catalog.timestamptz"
            " AND k.key_time < pg_catalog.clock_timestamp() + interval '1 hour' AND ({makes}"
            " OR k.key_time BETWEEN k.row_time - interval '1 hour' AND k.row_time + interval '1 hour')),"
            " pg_catalog.count(*)"
            " FROM (SELECT {row_time} AS row_time, {function}(t.{key}::{type}) AS key_time FROM {root} AS t) AS k"
        ).format(
            first=sql.Literal("2020-01-02 UTC" if plan.options.to == "kid53" else "1970-01-02 UTC"),
            makes=sql.Literal(makes),
            row_time=row_time,
            function=sql.SQL(function),
            key=plan.key.sql,
            type=sql.SQL(plan.keys.new_type),
            root=plan.root.sql,
        )
    ).fetchall()[0]
    if not already:
        return
    about, other = f"keys of {plan.root.label}", OTHERS.get(plan.options.to, "--to uuid")
    message = f"{already} of {rows} are of the new kind already ({plan.options.to}): these rows get other keys, too"
    if plan.keys.new_type != "uuid":
        message += ", and the new key of one row can be the old key of another, so that a stored link leads to that row"
    hint = f"Pass {other}, whose keys are no old ones" if plan.keys.new_type != "uuid" else "Accept it"
    hint += ", or give new keys to the other rows alone: see After path 1 in docs/guides/moving-in.md."
    yield Finding("changed", about, message, hint=hint, stops=True, accept_name=about)


def time_function(plan: Plan) -> Optional[str]:
    """Returns the function that reads the time of a new key, if the present keys are of its type; otherwise None."""
    is_same = scalar(
        plan.conn,
        """
        WITH RECURSIVE type (oid) AS (
            SELECT atttypid FROM pg_attribute WHERE attrelid = %s AND attnum = %s
            UNION
            SELECT d.typbasetype FROM type JOIN pg_type AS d ON d.oid = type.oid AND d.typtype = 'd')
        SELECT EXISTS (SELECT FROM type WHERE oid = %s::regtype)
        """,
        (plan.root.oid, plan.key.number, plan.keys.new_type),
    )
    if not is_same:
        return None
    prefix = next((prefix for prefix, to in NUMBERS.items() if to == plan.options.to), "kid")
    function = f"{plan.keys.home}.{prefix if plan.keys.new_type == 'bigint' else 'kid'}_timestamp"
    found: Optional[str] = scalar(
        plan.conn,
        "SELECT %(function)s WHERE to_regprocedure(%(function)s || '(' || %(type)s || ')') IS NOT NULL",
        {"function": function, "type": plan.keys.new_type},
    )
    return found


def is_default(plan: Plan) -> bool:
    """Returns whether the default of the key makes keys of the new kind."""
    default = next(c.default for c in catalog.columns(plan.conn, plan.root.oid) if c.number == plan.key.number)
    names = {TARGETS[plan.options.to].next.split("(")[0]}
    if "kid_next" in names:
        names.add("kid64_next")
    return re.search(rf"\b({'|'.join(names)})\(", default or "") is not None
