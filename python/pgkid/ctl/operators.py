"""Where PostgreSQL looks for the operators of new keys when it reads a definition."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from psycopg import sql

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.steps import Runner, statement


@contextmanager
def operators_of_kid(runner: Runner, home: str) -> Iterator[None]:
    """Lets PostgreSQL find the operators of new keys in definitions, while its block runs."""
    path = trusted_path(runner.conn, home)
    runner.execute(statement("SET search_path = {}", sql.SQL(path)))
    # There is no `finally`: in a transaction that an error has ended, SET would fail, and the rollback takes back the
    # first one. CREATE INDEX CONCURRENTLY runs outside a transaction; its error ends the command, and so the session.
    yield
    runner.execute(statement("SET search_path = pg_catalog, pg_temp"))
    if trusted_path(runner.conn, home) != path:
        raise Refused("somebody created objects in the schema of kid meanwhile", "Run this step again.")


def trusted_path(conn: Connection, home: str) -> str:
    """Returns the search_path for definitions that are made again.

    Old keys are compared by operators of pg_catalog, new keys by operators of kid. JOIN USING, CASE, NULLIF and
    DISTINCT FROM never name the schema of an operator. So the path includes the schema of kid, unless another role has
    created functions or operators there that could fit better than those of pg_catalog. The owner of the database
    counts as another role, except where kid is the edition in plain SQL, which this owner may have installed.
    """
    trusted = scalar(
        conn,
        """
        SELECT bool_and(r.rolsuper OR r.rolname = current_user
                        OR r.oid = d.datdba AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid'))
          FROM (SELECT p.proowner FROM pg_proc AS p JOIN pg_proc AS c USING (proname)
                 WHERE p.pronamespace = %(home)s::regnamespace AND c.pronamespace = 'pg_catalog'::regnamespace
                UNION
                SELECT o.oprowner FROM pg_operator AS o JOIN pg_operator AS c USING (oprname)
                 WHERE o.oprnamespace = %(home)s::regnamespace AND c.oprnamespace = 'pg_catalog'::regnamespace)
               AS o (role)
               JOIN pg_roles AS r ON r.oid = o.role JOIN pg_database AS d ON d.datname = current_database()
        """,
        {"home": home},
    )
    return f"pg_catalog, {home}, pg_temp" if trusted is not False else "pg_catalog, pg_temp"
