"""The clients of the run: writers, which log each ID outside the servers, and consumers, which read each row once.

A writer has a file with a line for each ID that it was told, in this order:

    start state n id

start    when its statement began, in seconds of CLOCK_MONOTONIC
state    C: the commit of the row was acknowledged; U: the outcome of the commit is unknown; R: the row was rolled back
n        the number of the row, by which it is found: writers and their rows have numbers
"""

import collections
import io
import random
import threading
import time

import psycopg2

# What clients may be told while servers end, or while the clock is behind: connections that end (class 08), shutdowns
# (57), a server that has become a standby (25006), and a generator or horizon that waits for too long (53400).
EXPECTED = "08", "57", "25006", "53400"
errors = collections.Counter()  # by SQLSTATE
unexpected = collections.Counter()  # by message


def note_error(name, error):
    errors[error.pgcode or "connection"] += 1
    if error.pgcode is not None and not error.pgcode.startswith(EXPECTED):
        unexpected[f"{name}: {error.pgcode} {str(error).splitlines()[0]}"] += 1


class Client(threading.Thread):
    """Does one thing again and again, with one connection at a time, to whichever server takes writes."""

    def __init__(self, name, dsn, pause):
        super().__init__(daemon=True)
        self.name, self.dsn, self.pause = name, dsn, pause
        self.connection = None
        self.ended = threading.Event()
        self.chance = random.Random()

    def run(self):
        while not self.ended.wait(self.chance.uniform(0, 2 * self.pause)):
            try:
                if self.connection is None:
                    self.connection = psycopg2.connect(self.dsn)
                    self.connection.autocommit = True
                self.once(self.connection.cursor())
            except psycopg2.Error as error:
                note_error(self.name, error)
                self.recover()
                self.ended.wait(0.5)
            except Exception as error:  # otherwise this client would be missing, and nobody would know
                unexpected[f"{self.name}: {error!r}"] += 1
                self.recover()
        if self.connection is not None:
            self.connection.close()

    def recover(self):
        """Rolls back, or gives the connection up."""
        try:
            if self.connection is not None:
                self.connection.cursor().execute("ROLLBACK")
        except psycopg2.Error:
            self.connection.close()
            self.connection = None


class Writer(Client):
    def __init__(self, kind, number, dsn, folder):
        super().__init__(f"writer {number} of {kind.name}", dsn, pause=0.15)
        self.kind, self.number = kind, number
        self.n = 0
        self.given, self.state = [], "R"
        self.path = f"{folder}/{kind.name}.{number}"
        self.log = open(self.path, "w")

    def once(self, cursor):
        self.given, self.state = [], "R"
        try:
            self.chance.choice((self.single, self.several, self.copy, self.parts))(cursor)
        finally:
            for start, undone, n, id in self.given:
                print(f"{start:.6f}", "R" if undone else self.state, n, id, file=self.log)
            self.log.flush()

    def numbers(self, count):
        first = self.n + 1
        self.n += count
        return range(first, first + count)

    def insert(self, cursor, count, undone=False):
        rows = ", ".join(f"({self.number}, {n})" for n in self.numbers(count))
        start = time.monotonic()
        cursor.execute(f"INSERT INTO {self.kind.table} (writer, n) VALUES {rows} RETURNING n, {self.kind.read}")
        self.given += [(start, undone, *row) for row in cursor]

    def commit(self, cursor):
        self.state = "U"
        cursor.execute("COMMIT")
        self.state = "C"

    def single(self, cursor):
        self.insert(cursor, 1)
        self.state = "C"

    def several(self, cursor):
        self.insert(cursor, self.chance.randint(2, 20))
        self.state = "C"

    def copy(self, cursor):
        numbers = self.numbers(self.chance.randint(1, 20))
        cursor.execute("BEGIN")
        start = time.monotonic()
        lines = "".join(f"{self.number}\t{n}\n" for n in numbers)
        cursor.copy_expert(f"COPY {self.kind.table} (writer, n) FROM STDIN", io.BytesIO(lines.encode()))
        cursor.execute(
            f"SELECT n, {self.kind.read} FROM {self.kind.table} WHERE writer = %s AND n >= %s ORDER BY n",
            (self.number, numbers[0]),
        )
        self.given += [(start, False, *row) for row in cursor]
        self.commit(cursor)

    def parts(self, cursor):
        """A transaction that lasts for a while, with a savepoint to which it goes back."""
        cursor.execute("BEGIN")
        self.insert(cursor, 1)
        cursor.execute("SAVEPOINT part")
        self.insert(cursor, 2, undone=True)
        cursor.execute("ROLLBACK TO part")
        self.ended.wait(self.chance.uniform(0, 0.1))
        self.insert(cursor, 3)
        if self.chance.random() < 0.8:
            self.commit(cursor)
        else:
            cursor.execute("ROLLBACK")


class Consumer(Client):
    """Reads the rows of a kind up to the horizon: that of the kind, or of kid_track(), or none."""

    def __init__(self, kind, name, dsn, old_snapshot=False, horizon=True):
        super().__init__(name, dsn, pause=0.1)
        self.kind, self.old_snapshot, self.horizon = kind, old_snapshot, horizon
        self.last = None  # the cursor
        self.seen, self.twice = set(), 0
        self.told = []  # when it was told a horizon, and which

    def once(self, cursor):
        table, conditions, values = self.kind.table, ["true"], []
        if self.last is not None:
            conditions.append(f"id > {self.kind.write}")
            values.append(self.last)
        if self.horizon and self.kind.horizon:
            cursor.execute(f"SELECT {self.kind.read} FROM {self.kind.horizon} AS id")
            self.told.append((time.monotonic(), self.kind.order(cursor.fetchone()[0])))
            conditions.append(f"id < {self.kind.horizon}")
        elif self.horizon:
            cursor.execute(f"CALL kid_horizon('{self.kind.table}', NULL)")
            conditions.append("id < %s")
            values += cursor.fetchone()
        if self.old_snapshot:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT count(*) FROM pg_database")
            self.ended.wait(self.chance.uniform(0, 0.3))
        cursor.execute(
            f"SELECT {self.kind.read} FROM {table} WHERE {' AND '.join(conditions)} ORDER BY {table}.id LIMIT 2000",
            values,
        )
        ids = [id for (id,) in cursor]
        if self.old_snapshot:
            cursor.execute("COMMIT")
        self.twice += len(ids) - len(set(ids) - self.seen)
        self.seen.update(ids)
        if ids:
            self.last = ids[-1]
