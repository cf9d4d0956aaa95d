"""Connections with settings under which names and definitions mean what they say."""
from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg import errors, pq, sql

from pgkid.ctl.findings import Refused

Connection = psycopg.Connection[tuple[Any, ...]]


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


# With this setting the server notices if kidctl was killed while a statement runs. Not every platform can do that.
CHECK_INTERVAL = "client_connection_check_interval"

# Nothing that a role or a database sets may change what kidctl reads or does, or end its session. The search_path is
# the catalog alone, so that PostgreSQL prints every other name with its schema. What decides only how fast a statement
# is stays as it was set, except for just-in-time compilation and how PostgreSQL plans, and so does what users write in
# times: TimeZone and timezone_abbreviations.
SETTINGS = {
    "exit_on_error": "off",  # kidctl expects some errors, also in what follows here
    "search_path": "pg_catalog, pg_temp",
    "application_name": "kidctl",
    "client_min_messages": "warning",
    # How values and definitions are written
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "lc_monetary": "C",
    "xmloption": "content",
    "xmlbinary": "base64",
    "quote_all_identifiers": "off",
    # What a text means
    "standard_conforming_strings": "on",
    "backslash_quote": "safe_encoding",
    "array_nulls": "on",
    "transform_null_equals": "off",
    "check_function_bodies": "off",
    # What a new object is
    "default_tablespace": "",
    "temp_tablespaces": "",
    "default_table_access_method": "heap",
    "default_toast_compression": "pglz",
    # What a statement sees and may do
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "default_transaction_deferrable": "off",
    "restrict_nonsystem_relation_kind": "",
    "row_security": "off",
    "gin_fuzzy_search_limit": "0",
    "synchronous_commit": "on",
    # How long something may take
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    CHECK_INTERVAL: "5s",
    "jit": "off",
}

# How PostgreSQL plans has its default. Otherwise queries of the catalog can take minutes, and the fill would read a
# table once for each range of blocks.
PLANNING = (
    "^(enable_|geqo)|_cost$|_collapse_limit$|^(cursor_tuple_fraction|plan_cache_mode|recursive_worktable_factor)$"
)


def connect(dsn: str, **parameters: Any) -> Connection:
    """Opens a session that commits each statement by itself, outside of `transaction()` blocks."""
    try:
        conn = Interruptible.connect(dsn, autocommit=True, client_encoding="UTF8", **parameters)
    except psycopg.Error as error:
        raise type(error)(without_secrets(str(error), dsn)) from None
    try:
        refuse_pooling(conn, dsn, parameters)
        conn.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        conn.prepare_threshold = None
        conn.execute("SET ROLE NONE")  # the role that the session is, even if ALTER ROLE … SET role says otherwise
        settle(conn)
    except BaseException:
        # The caller does not know this session yet, and could not end it.
        conn.close()
        raise
    return conn


def refuse_pooling(conn: Connection, dsn: str, parameters: dict[str, Any]) -> None:
    """Raises an error if a pooler gives each transaction another session of the server.

    Settings and roles would get lost, and reach other clients of the pooler. With a pooler, the session is not the one
    that the pooler told of. Then another connection gets the session between two transactions, or this one another.
    """
    query = "SELECT pg_catalog.pg_backend_pid()"
    pid = scalar(conn, query)
    if pid == conn.info.backend_pid:
        return
    with Interruptible.connect(dsn, **parameters) as other:  # It is in a transaction from its first query on.
        if scalar(other, query) == pid or scalar(conn, query) != pid:
            raise Refused(
                "a pooler gives each transaction another session of the server",
                "Connect to the server itself, or to a pooler that keeps a session for each client, as PgBouncer does"
                " with pool_mode = session.",
            )


def settle(conn: Connection) -> None:
    """Gives a session the settings of kidctl, as far as this version of PostgreSQL has them."""
    # Before a statement that takes longer, and before names without a schema are used
    for name in ("exit_on_error", "statement_timeout", "search_path"):
        conn.execute("SELECT pg_catalog.set_config(%s, %s, false)", (name, SETTINGS[name]))
    conn.execute(
        "SELECT set_config(g.name, s.value, false) FROM unnest(%s::text[], %s::text[]) AS s (name, value)"
        " JOIN pg_settings AS g ON lower(g.name) = s.name WHERE s.name <> %s",
        (list(SETTINGS), list(SETTINGS.values()), CHECK_INTERVAL),
    )
    conn.execute(
        "SELECT set_config(name, boot_val, false) FROM pg_settings"
        " WHERE context = 'user' AND name ~ %s AND setting IS DISTINCT FROM boot_val",
        (PLANNING,),
    )
    try:
        conn.execute("SELECT set_config(%s, %s, false)", (CHECK_INTERVAL, SETTINGS[CHECK_INTERVAL]))
    except errors.InvalidParameterValue:
        pass  # this platform cannot do it
    run_triggers(conn)


def run_triggers(conn: Connection) -> None:
    """Makes a session fire triggers and check foreign keys, as those of writers do."""
    if scalar(conn, "SELECT current_setting('session_replication_role') <> 'origin'"):
        try:
            conn.execute("SELECT pg_catalog.set_config('session_replication_role', 'origin', false)")
        except errors.InsufficientPrivilege as error:
            user = scalar(conn, "SELECT quote_ident(session_user)")
            raise Refused(
                f"triggers and foreign keys do not work in sessions of {user}, which may not change that",
                f"As a superuser run ALTER ROLE {user} RESET session_replication_role, or the same for the database.",
            ) from error


def settings_of(conn: Connection) -> str:
    """Returns the options with which the session of another program gets the same settings."""
    found = conn.execute("SELECT name, setting FROM pg_settings WHERE lower(name) = ANY (%s)", (list(SETTINGS),))
    options = [f"{name}={value}" for name, value in found.fetchall()]
    return " ".join("-c " + re.sub(r"([\\\s])", r"\\\1", option) for option in options)


# What libpq keeps to itself of how it connects, in a string with parameters or in a URI
SECRET = r"(?:password|sslpassword|oauth_client_secret)"
SECRETS = re.compile(rf"://[^:@]*:(.*)@|[?&]{SECRET}=([^&]*)|\b{SECRET}\s*=\s*('(?:[^'\\]|\\.)*'?|[^\s&]+)", re.S)


def secrets_in(conn: Connection) -> dict[str, str]:
    """Returns the passwords with which a session has connected. Its DSN contains some of them."""
    given = ((i.keyword.decode(), i.val) for i in conn.pgconn.info if i.val)
    return {name: value.decode() for name, value in given if re.fullmatch(SECRET, name)}


def without_secrets(message: str, dsn: str) -> str:
    """Returns what libpq says of a string that it cannot use, without the parts of it that can be of a password."""
    found = [text for match in SECRETS.finditer(dsn) for text in match.groups() if text]

    def masked(quoted: re.Match[str]) -> str:
        text = quoted[1]
        return '"***"' if text and any(text in secret or secret in text for secret in found) else quoted[0]

    # psycopg writes this before the message, and can cut off the beginning of the message within its first word in
    # quotes.
    message = message.removeprefix("connection is bad: ")
    return re.sub('"([^"]*)"', masked, '"' * (message.count('"') % 2) + message) if found else message


def path_of_users(conn: Connection) -> str:
    """Returns the search_path of ordinary sessions of this role, after the catalog.

    Triggers and CHECKs may need it to find what they name without a schema. Operators are those of the catalog.
    """
    return str(
        scalar(
            conn,
            "SELECT concat_ws(', ', 'pg_catalog', nullif(reset_val, '')) FROM pg_settings WHERE name = 'search_path'",
        )
    )


def take_path(conn: Connection, path: str) -> None:
    """Gives the session a search_path until its transaction ends."""
    conn.execute("SELECT pg_catalog.set_config('search_path', %s, true)", (path,))


def in_statement(conn: Connection, name: str) -> str:
    """Returns a name as part of a statement, with quotes if it needs them."""
    return str(scalar(conn, "SELECT pg_catalog.quote_ident(%s)", (name,)))


def qualified(conn: Connection, schema: str, name: str) -> str:
    """Returns a name with that of its schema as part of a statement, as PostgreSQL prints it."""
    return str(scalar(conn, "SELECT pg_catalog.format('%%I.%%I', %s::text, %s::text)", (schema, name)))


def scalar(conn: Connection, query: sql.Composable | str, parameters: Any = None) -> Any:
    """Returns the first column of the first row of a query, or None if it has no row."""
    row = conn.execute(query, parameters).fetchone()  # type: ignore[arg-type]
    return row[0] if row else None


def message_of(error: psycopg.Error) -> str:
    """Returns the message and the detail of an error, in one line."""
    diag = error.diag
    return ": ".join(filter(None, (diag.message_primary or str(error).strip(), diag.message_detail)))
