"""The time of each row: that of the column of --time, or one in the range of --during.

The column can also contain IDs, whose time is that of the row then: the order_id of a line without a time of its own.
"""
from __future__ import annotations

from typing import Optional

from psycopg import sql

from pgkid.ctl.connection import scalar
from pgkid.ctl.kid import CORE
from pgkid.ctl.rekey.plan import Plan


# The types of times, as PostgreSQL prints them, and whether they have a time zone
TIMES = {"timestamp with time zone": True, "timestamp without time zone": False, "date": False}


def time_of(plan: Plan) -> sql.Composed:
    """Returns the time of a row t of the root, or NULL if it has none, as a uuid of another version than 7."""
    o = plan.options
    if not o.time:
        return sql.SQL(
            "{since}::timestamptz + ({until}::timestamptz - {since}::timestamptz)"
            " * ((row_number() OVER (ORDER BY t.{key}) - 1)::float8 / count(*) OVER ())"
        ).format(since=sql.Literal(o.since), until=sql.Literal(o.until), key=plan.key.sql)
    column, type = sql.Identifier(o.time), time_type(plan)
    if type is not None and type not in TIMES:
        return sql.SQL("{}.kid_timestamp(t.{}::{})").format(sql.SQL(plan.keys.home), column, sql.SQL(type))
    if type is None or TIMES[type]:
        return sql.SQL("t.{}::timestamptz").format(column)
    return sql.SQL("(t.{}::timestamp AT TIME ZONE {})").format(column, sql.Literal(o.time_zone or "UTC"))


def time_type(plan: Plan) -> Optional[str]:
    """Returns the type of the column that tells when a row was made, without domains over it, or None.

    It is one of TIMES, or a type of IDs that contain a time. A bigint is neither, because nothing says which IDs
    it contains. In plain SQL kid64 is itself a domain.
    """
    home = plan.keys.home
    name: Optional[str] = scalar(
        plan.conn,
        """
        WITH RECURSIVE type (depth, oid) AS (
            SELECT 1, atttypid FROM pg_attribute WHERE attrelid = %s AND attname = %s AND attnum > 0
            UNION ALL
            SELECT depth + 1, d.typbasetype FROM type JOIN pg_type AS d ON d.oid = type.oid AND d.typtype = 'd')
        SELECT t.name FROM type JOIN unnest(%s::text[]) AS t (name) ON type.oid = to_regtype(t.name)
         WHERE t.name = ANY (%s) OR EXISTS (
             SELECT FROM pg_proc AS p WHERE p.proname = 'kid_timestamp' AND p.pronamespace = to_regnamespace(%s)
                                            AND p.pronargs = 1 AND p.proargtypes[0] = type.oid)
         ORDER BY depth LIMIT 1
        """,
        (
            plan.root.oid,
            plan.options.time,
            [*TIMES, "pg_catalog.uuid", *(f"{home}.{name}" for name in CORE)],
            list(TIMES),
            home,
        ),
    )
    return name
