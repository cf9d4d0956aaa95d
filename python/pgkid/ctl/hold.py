"""The lock that a command has on its move, so that no other kidctl works on that move at the same time.

It is a lock of a table in the schema of the move, to which nobody but the owner has rights: anybody could take an
advisory lock. A second session has it, in a transaction without a snapshot and without an ID, so VACUUM and CREATE
INDEX CONCURRENTLY do not wait for it. PostgreSQL releases it as soon as kidctl ends, however it ends.

A move of rekey or partition is of one table. All tables of a role leave in one move: its last step does what any
earlier run has left.
"""
from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import Iterator, Optional

import psycopg
from psycopg import errors, pq

from pgkid.ctl import state
from pgkid.ctl.catalog import identifier
from pgkid.ctl.connection import Connection, connect, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.interruption import deferred

# What can be raised if another kidctl creates or drops the schema at the same time
MEANWHILE = (errors.UniqueViolation, errors.DuplicateObject, errors.UndefinedTable, errors.InvalidSchemaName)


class Hold:
    """The lock of one move. `session` is the one that has it."""

    def __init__(self, conn: Connection, session: Connection, schema: str) -> None:
        self.conn, self.session, self.schema = conn, session, schema

    def take(self) -> None:
        """Takes the lock, or raises an error that says who has it. The schema of the move is created before."""
        for _attempt in range(10):
            with suppress(*MEANWHILE), self.conn.transaction():
                state.create_schema(self.conn, self.schema)
            # ACCESS EXCLUSIVE would give the transaction an ID, and with it keep VACUUM from removing rows.
            with suppress(*MEANWHILE):
                try:
                    self.lock(self.session)
                    return
                except errors.LockNotAvailable as error:
                    raise refused(self.conn, self.schema) from error
                finally:
                    if self.session.info.transaction_status == pq.TransactionStatus.INERROR:
                        self.session.execute("ROLLBACK")
        raise refused(self.conn, self.schema)

    def lock(self, session: Connection) -> None:
        """Begins the transaction that has the lock."""
        session.execute("BEGIN")
        session.execute(identifier("LOCK TABLE {}.running IN EXCLUSIVE MODE NOWAIT", self.schema))

    def check(self) -> None:
        """Raises an error if the session that has the lock was ended. The step before can have dropped the schema."""
        if not self.session.closed:
            self.session.execute("SELECT")

    def release(self) -> None:
        """Releases the lock, so that the schema can be dropped."""
        if not self.session.closed:
            self.session.execute("ROLLBACK")

    def end(self) -> None:
        """Ends the session, and drops the schema before if the move has not begun and no other kidctl works on it."""
        with suppress(psycopg.Error):
            self.drop_unused(self.conn if self.session.closed else self.session)
        self.session.close()

    def drop_unused(self, session: Connection) -> None:
        """Drops the schema if the move has not begun, in a session that has the lock or takes it now."""
        if session.info.transaction_status == pq.TransactionStatus.INERROR:
            # A signal came while check() asked, and the lock is gone.
            session.execute("ROLLBACK")
        if session.info.transaction_status == pq.TransactionStatus.IDLE:
            # The signal came between the creation of the schema and the lock. Or the lock was released to drop the
            # schema, which is still there if that failed. Or an administrator has ended the session with the lock.
            if scalar(session, "SELECT to_regclass(format('%%I.running', %s::text)) IS NULL", (self.schema,)):
                return
            self.lock(session)
        if scalar(session, "SELECT to_regclass(format('%%I.state', %s::text)) IS NULL", (self.schema,)):
            # Somebody may be reading the tables of the database, as pg_dump does. An empty schema harms nobody.
            session.execute("SET LOCAL lock_timeout = '3s'")
            session.execute(identifier("DROP TABLE {}.running", self.schema))
            session.execute(identifier("DROP SCHEMA {}", self.schema))
            session.execute("COMMIT")


@contextmanager
def held(conn: Connection, dsn: str, schema: str) -> Iterator[Hold]:
    """Has the lock of a move while its block runs. `dsn` says how to connect as the session does."""
    with connect(dsn) as session:
        session.execute(identifier("SET ROLE {}", scalar(conn, "SELECT current_user")))
        hold = Hold(conn, session, schema)
        try:
            hold.take()
            yield hold
        finally:
            with deferred():
                hold.end()


def holder(conn: Connection, schema: str) -> Optional[str]:
    """Returns who works on a move, or None. Roles do not see all of the sessions of others."""
    found: Optional[str] = scalar(
        conn,
        """
        SELECT concat_ws(', ', format('process %%s', l.pid), 'application ' || nullif(a.application_name, ''),
                         'role ' || a.usename, 'since ' || date_trunc('second', a.xact_start))
          FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid)
         WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'ExclusiveLock'
               AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
               AND l.relation = to_regclass(format('%%I.running', %s::text))::oid
        """,
        (schema,),
    )
    return found


def refused(conn: Connection, schema: str) -> Refused:
    """Returns the error for a move on which another kidctl works."""
    return Refused(
        f"another kidctl works on this move: {holder(conn, schema) or 'it has just ended'}",
        "Wait until it has ended, and run this command again. pg_terminate_backend() ends that process.",
    )


def refuse_running(conn: Connection, schema: str) -> None:
    """Raises an error if another kidctl works on a move."""
    if holder(conn, schema):
        raise refused(conn, schema)
