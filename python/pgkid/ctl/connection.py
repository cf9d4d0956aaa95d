"""Connections with settings under which names and definitions mean what they say."""
from __future__ import annotations

from typing import Any, Tuple

import psycopg
from psycopg import errors, pq, sql

Connection = psycopg.Connection[Tuple[Any, ...]]


class Interruptible(Connection):
    """A connection on which an interruption also ends the statement that runs on the server.

    Otherwise the server goes on, with its locks, and the connection cannot be used to clean up.
    """

    def wait(self, *arguments: Any, **named: Any) -> Any:
        """Waits for the server."""
        try:
            return super().wait(*arguments, **named)
        except KeyboardInterrupt:
            if self.pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
                self.cancel()
                self.drain()
            raise

    def drain(self) -> None:
        """Reads what is left of a canceled statement."""
        while result := self.pgconn.get_result():
            if result.status in (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT):
                self.pgconn.finish()
                return


# Nothing that a role or a database sets may change what kidctl reads or does. The search_path is the catalog alone, so
# that PostgreSQL prints every other name with its schema.
SETTINGS = {
    "search_path": "pg_catalog, pg_temp",
    "application_name": "kidctl",
    "client_min_messages": "warning",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "quote_all_identifiers": "off",
    "standard_conforming_strings": "on",
    "check_function_bodies": "off",
    "default_tablespace": "",
    "default_table_access_method": "heap",
    "default_toast_compression": "pglz",
    "default_transaction_read_only": "off",
    "default_transaction_deferrable": "off",
    "session_replication_role": None,
    "row_security": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    # The server notices if kidctl was killed while a statement runs. Not every platform can do that.
    "client_connection_check_interval": "5s",
    "synchronous_commit": "on",
    "jit": "off",
    "xmloption": "content",
    "temp_tablespaces": "",
}


def connect(dsn: str, **parameters: Any) -> Connection:
    """Opens a session that commits each statement by itself, outside of `transaction()` blocks."""
    conn = Interruptible.connect(dsn, autocommit=True, client_encoding="UTF8", **parameters)
    try:
        conn.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        conn.prepare_threshold = None
        conn.execute("SET ROLE NONE")  # the role that the session is, even if ALTER ROLE … SET role says otherwise
        settle(conn)
    except BaseException:
        # The caller does not know this session yet, and could not end it.
        conn.close()
        raise
    return conn


def settle(conn: Connection) -> None:
    """Gives a session the settings of kidctl."""
    for name, value in SETTINGS.items():
        if value is not None:
            try:
                conn.execute("SELECT pg_catalog.set_config(%s, %s, false)", (name, value))
            except errors.InvalidParameterValue:
                if name != "client_connection_check_interval":
                    raise


def path_of_users(conn: Connection) -> str:
    """Returns the search_path of ordinary sessions of this role, after the catalog.

    Triggers and CHECKs may need it to find what they name without a schema. Operators are those of the catalog.
    """
    return str(
        one(
            conn,
            "SELECT concat_ws(', ', 'pg_catalog', nullif(reset_val, '')) FROM pg_settings WHERE name = 'search_path'",
        )
    )


def take_path(conn: Connection, path: str) -> None:
    """Gives the session a search_path until its transaction ends."""
    conn.execute("SELECT pg_catalog.set_config('search_path', %s, true)", (path,))


def in_statement(conn: Connection, name: str) -> str:
    """Returns a name as part of a statement, with quotes if it needs them."""
    return str(one(conn, "SELECT pg_catalog.quote_ident(%s)", (name,)))


def one(conn: Connection, query: sql.Composable | str, parameters: Any = None) -> Any:
    """Returns the first column of the first row of a query, or None if it has no row."""
    row = conn.execute(query, parameters).fetchone()  # type: ignore[arg-type]
    return row[0] if row else None
