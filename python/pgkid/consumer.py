"""A consumer: reads the rows of a table in the order of their IDs, and misses none, however late a transaction commits.

    from pgkid.consumer import Consumer

    consumer = Consumer("dbname=shop", "events", name="billing")
    consumer.create()

    def handle(connection, rows):
        for row in rows:
            connection.execute("INSERT INTO invoices (event, text) VALUES (%s, %s)", [row.id, row.payload])

    consumer.stop_on_signals()
    consumer.run_exactly_once(handle)

It reads up to the horizon, below which no row can still appear. A cursor in the database, the last ID that was handled,
says where it goes on. It needs psycopg 3: pip install 'pgkid[psycopg]'.
"""

from __future__ import annotations

import logging
import re
import select
import signal
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import finalize

from ._needs import needs
from .ids import Kid64

with needs(__name__, "psycopg"):
    import psycopg
    from psycopg import IsolationLevel, sql
    from psycopg.rows import namedtuple_row, tuple_row

    from .psycopg import register

Handle = Callable[[psycopg.Connection[Any], Sequence[Any]], None]
HandleOutside = Callable[[Sequence[Any]], None]

log = logging.getLogger("pgkid.consumer")

#: Functions that return the horizon of each generator.
HORIZONS = {
    "kid64": "kid_horizon",
    "kid53": "kid53_horizon",
    "flake": "flake_horizon",
    "uuid": "kid_uuidv7_horizon",
}
#: The IDs of a table that kid_track() knows have a horizon of their own.
TRACKED = "tracked"

#: IDs below all that a generator makes, by the types of columns.
LEAST = {
    "kid64": str(Kid64.of_number(0)),
    "flake": "0",
    "bigint": str(-(2**63)),
    "integer": str(-(2**31)),
    "uuid": "00000000-0000-0000-0000-000000000000",
}

#: SQLSTATEs, or their first two characters, of errors after which the same can succeed later: the connection is lost,
#: resources are short, somebody intervened, or the server stops or starts; another transaction was first, or a session
#: was too slow; an error of the operating system. The consumer for Node has the same list.
PASSING = re.compile("08|53|57(?!P04)|40001|40003|40P01|55P03|25P0[34]|58000|58030")

#: The server accepts no writes: it is a standby, or a setting says so.
READ_ONLY = "25006"

#: libpq does not tell the SQLSTATE with which a server rejects a connection. These messages are of mistakes.
REJECTED = re.compile(
    "FATAL: .*(?:authentication failed|no pg_hba.conf entry|does not exist|not permitted to log in|permission denied"
    "|invalid value for parameter|unrecognized configuration parameter)"
    "|no password supplied|certificate verify failed|server does not support SSL"
)

#: Seconds between two attempts after an error: the first pause, and the longest one. Each is twice the last one.
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        one.close()


@dataclass(frozen=True)
class _Batch:
    """Rows that can be handled, and the cursor before and after them"""

    last: Any
    rows: list[Any]
    upto: Any


class Consumer:
    """Reads the rows of one table. Several processes may run a consumer of one name exactly once; one of them gets each
    batch."""

    def __init__(
        self,
        connection: str | Callable[[], psycopg.Connection[Any]],
        table: str,
        name: str,
        *,
        ids: str | None = None,
        id: str = "id",
        columns: Iterable[str] | None = None,
        cursors: str = "consumers",
        horizons: str | None = None,
        batch: int = 1000,
        poll: float = 0.2,
        channel: str | None = None,
    ) -> None:
        """Takes what to read, and under which name.

        connection  what psycopg.connect() takes, or a function that returns a new connection
        ids         what makes the IDs: kid64, kid53, flake or uuid, or `tracked` for a table that kid_track() knows.
                    You can omit it if the type of the column says so
        id          the column of the IDs, or of positions
        columns     those that rows have beside it, all by default
        cursors     the table of cursors. IDs of another type need another table
        horizons    a table with the horizons of all servers whose rows logical replication brings into the table. The
                    consumer reads up to the lowest `id` of this table instead of up to the horizon of its own server
        batch       how many rows are handled at once, at most
        poll        how many seconds pass between looking for rows, if there were none
        channel     a channel of NOTIFY that wakes the consumer, which then looks at once
        """
        self._connect = connection
        self._table = table
        self._name = name
        self._ids = ids
        self._id = id
        self._columns = None if columns is None else list(columns)
        self._cursors = cursors
        self._horizons = horizons
        self._batch_size = batch
        self._poll = poll
        self._channel = channel
        self._stopping = False
        # A signal, or another thread, writes to one end. Waiting for rows ends when the other can be read.
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        finalize(self, _close, self._waker, self._woken)
        self._notified = False
        self._db: psycopg.Connection[Any] | None = None
        self._query: sql.Composed | None = None
        self._procedure: str | None = None
        # The type of the column of IDs: its name when it was first looked at, and its OID in the server at hand.
        self._type: str | None = None
        self._type_oid: int | None = None

    def close(self) -> None:
        """Closes the connection. The next run opens another one."""
        if self._db is not None:
            # A connection that is lost cannot be closed in order.
            with suppress(psycopg.Error):
                self._db.close()
        self._db = self._query = None

    def stop(self) -> None:
        """Makes a run end after its batch. It may be called by another thread, a signal, or a handler."""
        self._stopping = True
        self.wake()

    def wake(self) -> None:
        """Makes a run look for rows at once. It may be called by another thread or a signal."""
        # If the socket is full, it has been woken already.
        with suppress(BlockingIOError):
            self._waker.send(b"\0")

    def stop_on_signals(self, *signals: int) -> None:
        """Makes a run end after its batch when the process gets one of these signals, SIGTERM or SIGINT by default."""
        for number in signals or (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self.stop())

    def create(self, *, from_now: bool = False) -> None:
        """Creates the cursor of this consumer, and its table, unless they exist.

        It begins before all rows, or with `from_now` after those that are below the horizon.
        """
        try:
            self._create(self._connected(), from_now)
        finally:
            self.close()

    def _create(self, db: psycopg.Connection[Any], from_now: bool) -> None:
        kind = self._column_type(db)
        if kind not in LEAST:
            raise ValueError(f"create the cursor yourself: the least value of type {kind} is unknown")
        self._check_horizon(db)
        cursors = self._cursor_table()
        # A role that may not create tables can use one that exists.
        found = db.execute("SELECT to_regclass(%s)", [cursors.as_string(db)]).fetchone()
        if found == (None,):
            table = sql.SQL("CREATE TABLE IF NOT EXISTS {} (name text PRIMARY KEY, last {} NOT NULL)")
            self._create_table(db, table.format(cursors, sql.SQL(kind)))
        row = "INSERT INTO {} (name, last) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        try:
            db.execute(sql.SQL(row).format(cursors), [self._name, LEAST[kind]])
        except psycopg.errors.InvalidTextRepresentation as error:
            raise ValueError(
                f"the table {self._cursors} has cursors of another type than {kind}: name another table as `cursors`"
            ) from error
        if from_now:
            self._skip(db, LEAST[kind])

    @staticmethod
    def _create_table(db: psycopg.Connection[Any], statement: sql.Composed) -> None:
        """Runs a CREATE TABLE IF NOT EXISTS, again if another session has created the table at the same time."""
        try:
            db.execute(statement)
        except (
            # Of the table, or of its row type, which PostgreSQL creates first.
            psycopg.errors.DuplicateTable,
            psycopg.errors.DuplicateObject,
            psycopg.errors.UniqueViolation,
        ):
            db.execute(statement)

    def _skip(self, db: psycopg.Connection[Any], least: str) -> None:
        """Moves a cursor that has not moved yet behind the rows that are below the horizon."""
        before = self._tracked_horizon(db)
        query = sql.SQL(
            """
            UPDATE {cursors} SET last = newest
              FROM (SELECT {id} AS newest FROM {table} WHERE {id} < {horizon} ORDER BY 1 DESC LIMIT 1) AS found
             WHERE name = %s AND last = %s"""
        ).format(
            cursors=self._cursor_table(),
            id=sql.Identifier(self._id),
            table=self._rows_of(db),
            horizon=self._horizon_expression(db),
        )
        db.execute(query, [*before, self._name, least])

    def run_exactly_once(self, handle: Handle) -> None:
        """Handles rows until stop() is called. What the handler does with its connection is done exactly once.

        The handler gets a connection within a transaction, and rows. The cursor moves in the same transaction. The run
        goes on after a lost connection, a restart of the server, and errors that only delay it. After another error,
        also of the handler, the transaction is rolled back, and the run ends with this error.
        """
        self._run(lambda db: self._handle_inside(db, handle))

    def run_at_least_once(self, handle: HandleOutside) -> None:
        """Handles rows until stop() is called, for work outside of this database. The cursor moves afterwards.

        No transaction is open while the handler works. After a crash it gets its last rows again, so the receiver has
        to ignore IDs that are not above its last one. The run ends when the handler raises an error, unless this is an
        error of psycopg that can pass.
        """
        self._run(lambda db: self._handle_outside(db, handle))

    def _run(self, handle_batch: Callable[[psycopg.Connection[Any]], bool]) -> None:
        """Handles batch after batch. Waits if there was none, and longer after each error in a row."""
        pause = 0.0
        try:
            while not self._stopping:
                try:
                    found = handle_batch(self._connected())
                except psycopg.Error as error:
                    if not self._can_pass(error):
                        raise
                    log.warning("%s tries again: %s", self._name, str(error).strip())
                    self.close()
                    pause = min(max(2 * pause, FIRST_PAUSE), LONGEST_PAUSE)
                    self._wait(pause)
                    continue
                if pause > 0:
                    # A warning, so that a log that has the errors also has their end.
                    log.warning("%s is connected again", self._name)
                pause = 0.0
                if not found:
                    self._wait(self._poll)
        finally:
            self._stopping = False
            self.close()

    def _can_pass(self, error: psycopg.Error) -> bool:
        """Returns whether the same can succeed later."""
        if error.sqlstate is None:
            # The client itself has found the error, or could not connect.
            is_lost = self._db is not None and self._db.closed
            return is_lost or (isinstance(error, psycopg.OperationalError) and not REJECTED.search(str(error)))
        if error.sqlstate == READ_ONLY:
            return not self._is_read_only_by_setting()
        return PASSING.match(error.sqlstate) is not None

    def _is_read_only_by_setting(self) -> bool:
        """Returns whether a setting forbids to write, while a standby becomes writable when it is promoted."""
        query = "SELECT current_setting('transaction_read_only') = 'on' AND NOT pg_is_in_recovery()"
        try:
            return self._connected().execute(query).fetchone() == (True,)
        except psycopg.Error:
            return False

    def _handle_inside(self, db: psycopg.Connection[Any], handle: Handle) -> bool:
        """Handles a batch in one transaction with its cursor. Returns whether there may be more."""
        before = self._tracked_horizon(db)
        with db.transaction():
            batch = self._read(db, before)
            # Looking for rows locks and writes nothing. A consumer that has found rows locks the cursor, and compares:
            # another one may have handled these rows meanwhile.
            if batch.rows and self._cursor(db, lock=True) == batch.last:
                handle(db, batch.rows)
                self._move(db, batch)
        return bool(batch.rows)

    def _handle_outside(self, db: psycopg.Connection[Any], handle: HandleOutside) -> bool:
        """Handles a batch, and then moves the cursor. Returns whether there may be more."""
        batch = self._read(db, self._tracked_horizon(db))
        if batch.rows:
            handle(batch.rows)
            self._move(self._connected(), batch)
        return bool(batch.rows)

    def _read(self, db: psycopg.Connection[Any], before: list[Any]) -> _Batch:
        """Reads the rows between the cursor and the horizon."""
        if self._query is None:
            self._query = self._reading(db)
        last = self._cursor(db)
        with db.cursor(row_factory=namedtuple_row) as cursor:
            rows = cursor.execute(self._query, [last, *before, self._batch_size]).fetchall()
            columns = cursor.description or []
        if any(column.name == self._id and column.type_code != self._type_oid for column in columns):
            self._column_type(db)
        return _Batch(last, rows, getattr(rows[-1], self._id) if rows else last)

    def _reading(self, db: psycopg.Connection[Any]) -> sql.Composed:
        """Returns the query for rows between the cursor and the horizon. Each execution asks for the horizon anew."""
        self._column_type(db)
        self._check_horizon(db)
        if self._columns is None:
            columns: sql.Composable = sql.SQL("*")
        else:
            names = [self._id, *(name for name in self._columns if name != self._id)]
            columns = sql.SQL(", ").join(map(sql.Identifier, names))
        return sql.SQL(
            "SELECT {columns} FROM {table} WHERE {id} > %s AND {id} < {horizon} ORDER BY {id} LIMIT %s"
        ).format(
            columns=columns, table=self._rows_of(db), id=sql.Identifier(self._id), horizon=self._horizon_expression(db)
        )

    def _cursor(self, db: psycopg.Connection[Any], lock: bool = False) -> Any:
        """Returns the last ID that was handled. With `lock`, no other consumer of this name handles rows meanwhile."""
        query = sql.SQL("SELECT last FROM {} WHERE name = %s" + (" FOR UPDATE" if lock else ""))
        row = db.execute(query.format(self._cursor_table()), [self._name]).fetchone()
        if row is None:
            raise LookupError(f"{self._cursors} has no row for {self._name}: call create()")
        return row[0]

    def _move(self, db: psycopg.Connection[Any], batch: _Batch) -> None:
        """Moves the cursor behind a batch, unless another consumer has moved it meanwhile."""
        query = sql.SQL("UPDATE {} SET last = %s WHERE name = %s AND last = %s").format(self._cursor_table())
        db.execute(query, [batch.upto, self._name, batch.last])

    def _horizon_expression(self, db: psycopg.Connection[Any]) -> sql.Composable:
        """Returns what stands for the horizon in a query: a subquery, a call of a STABLE function, or a parameter."""
        if self._horizons is not None:
            return sql.SQL("(SELECT min(id) FROM {})").format(sql.Identifier(*self._horizons.split(".")))
        ids = self._kind(db)
        return sql.SQL("%s") if ids == TRACKED else sql.SQL(f"{HORIZONS[ids]}()")

    def _check_horizon(self, db: psycopg.Connection[Any]) -> None:
        """Raises an error that says what to do if the horizon of this server does not cover the rows, or if the
        function that returns it does not exist."""
        if self._horizons is not None:
            return
        if self._is_replicated_into(db):
            raise LookupError(
                f"the horizon of this server does not cover rows that logical replication brings into {self._table}:"
                " name a table with the horizons of all servers as `horizons`, or read on the publisher"
            )
        ids = self._kind(db)
        if ids == TRACKED:
            return
        function = f"{HORIZONS[ids]}()"
        if db.execute("SELECT to_regprocedure(%s)", [function]).fetchone() == (None,):
            raise LookupError(
                f"{function} was not found: with kid in plain SQL, call kid_track('{self._table}') and pass"
                f" ids={TRACKED!r}; with the extension, add the schema of kid to the search_path"
            )

    def _is_replicated_into(self, db: psycopg.Connection[Any]) -> bool:
        """Returns whether logical replication brings rows with their IDs. A position, which the subscriber itself
        makes, is in no primary key."""
        query = """
            SELECT FROM pg_subscription_rel
             WHERE (srrelid = %(table)s::regclass
                    OR srrelid IN (SELECT relid FROM pg_partition_tree(%(table)s::regclass)))
               AND EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
                            WHERE indrelid = %(table)s::regclass AND indisprimary AND attname = %(id)s)"""
        return db.execute(query, {"table": self._table, "id": self._id}).fetchone() is not None

    def _tracked_horizon(self, db: psycopg.Connection[Any]) -> list[Any]:
        """Returns the horizon of a tracked table in a list, which is empty for other tables.

        It holds for later statements only.
        """
        if self._horizons is not None or self._kind(db) != TRACKED:
            return []
        if self._procedure is None:
            # In plain SQL a table whose IDs kid_uuidv7() makes can be tracked, too.
            self._procedure = "kid_uuidv7_horizon" if self._column_type(db) == "uuid" else "kid_horizon"
        try:
            row = db.execute(sql.SQL(f"CALL {self._procedure}(%s::regclass, NULL)"), [self._table]).fetchone()
        except psycopg.errors.UndefinedFunction as error:
            raise LookupError(
                f"{self._procedure}(table) was not found: add the schema of kid to the search_path"
            ) from error
        assert row
        return [row[0]]

    def _kind(self, db: psycopg.Connection[Any]) -> str:
        """Returns what makes the IDs."""
        if self._ids is None:
            kind = self._column_type(db)
            if kind not in ("kid64", "flake", "uuid"):
                raise ValueError(
                    f"say what makes the IDs, by the argument ids: a {kind} can be of several kinds. With kid in plain"
                    f" SQL it is {TRACKED!r}"
                )
            self._ids = kind
        if self._ids not in HORIZONS and self._ids != TRACKED:
            raise ValueError(f"ids is one of {', '.join([*HORIZONS, TRACKED])}, not {self._ids!r}")
        return self._ids

    def _column_type(self, db: psycopg.Connection[Any]) -> str:
        """Returns the type of the column of IDs, and of a domain the type below it.

        Raises an error if it was another one before: the IDs may then come from elsewhere, as after `kidctl leave`.
        """
        query = """
            SELECT b.oid, format_type(b.oid, NULL)
              FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
                   JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
             WHERE attrelid = %s::regclass AND attname = %s AND NOT attisdropped"""
        row = db.execute(query, [self._table, self._id]).fetchone()
        if row is None:
            raise LookupError(f"{self._table} has no column {self._id}")
        kind = str(row[1]).rpartition(".")[2]
        if self._type not in (None, kind):
            raise ValueError(
                f"the type of {self._table}.{self._id} has changed from {self._type} to {kind}, so the horizon may not"
                " cover new IDs any more: make another Consumer, and say what makes the IDs, by the argument ids; or"
                " read without kid"
            )
        self._type, self._type_oid = kind, row[0]
        return kind

    def _rows_of(self, db: psycopg.Connection[Any]) -> sql.Composable:
        """Returns the name of the table, which may have been given in any way that a regclass can."""
        query = """
            SELECT nspname, relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
             WHERE c.oid = %s::regclass"""
        row = db.execute(query, [self._table]).fetchone()
        assert row
        return sql.Identifier(*row)

    def _cursor_table(self) -> sql.Composable:
        return sql.Identifier(*self._cursors.split("."))

    def _connected(self) -> psycopg.Connection[Any]:
        """Returns the connection, which is a new one if there was none or it was lost."""
        if self._db is not None and self._db.closed:
            self.close()
        if self._db is None:
            db = psycopg.connect(self._connect) if isinstance(self._connect, str) else self._connect()
            self._db = db
            db.autocommit = True
            db.row_factory = tuple_row
            # The horizon is that of a statement, and a transaction of another level would keep its first snapshot.
            db.isolation_level = IsolationLevel.READ_COMMITTED
            # Poolers that share sessions do not keep prepared statements.
            db.prepare_threshold = None
            register(db)
            if self._channel is not None:
                db.add_notify_handler(self._note)
                db.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
        return self._db

    def _note(self, _notification: psycopg.Notify) -> None:
        self._notified = True

    def _wait(self, seconds: float) -> None:
        """Waits until that time is over, a notification arrives, or wake() or stop() is called."""
        if self._notified:
            self._notified = False
            return
        sockets: list[Any] = [self._woken]
        listening = self._db if self._channel is not None and self._db is not None and not self._db.closed else None
        if listening is not None:
            sockets.append(listening)
        select.select(sockets, [], [], 0 if self._stopping else seconds)
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        if listening is not None:
            # A connection that was lost shows in the next query.
            with suppress(psycopg.OperationalError):
                listening.pgconn.consume_input()
                while listening.pgconn.notifies():
                    pass
