"""Clients log every ID they are given, outside the database. Then wrong IDs are counted.

The log has a line for each ID, or for each statement that failed:

    start end era state type client n ID            start end era E type client n SQLSTATE message

start, end   of the statement, in seconds of CLOCK_MONOTONIC, which all processes of the machine share
era          timeline and port of the server: one leader, from its promotion to the next one, crashes included
state        C: the commit was acknowledged; U: the commit was sent, and its outcome is unknown; H: the ID is in no row,
             or in a transaction that was rolled back
client, n    the client and the number of its statement: the primary key of the row, by which it is found in the end

Counted for each type and each step. A step is the time from one fault to the next:

    made       IDs given to clients
    repeated   IDs given for the second time, by the kind of the first
    below      IDs of ORDERED types that are not above an earlier one, whose statement had ended before theirs began, by
               the kind of the earlier one
    refused    inserts that a unique key rejected
    lost       acknowledged commits whose rows are gone
    pause      the longest time between one ID and the next, in seconds; silent: that between the last one and the end

The kind of the earlier ID is the first of these that applies:

    kept       its row is there in the end, its commit acknowledged or not
    same       the same leader gave it
    arrived    another leader gave it, and the WAL that this leader had written by then has arrived at its successor
    lost       its commit was acknowledged, and its row is gone, as the last WAL of its leader is
    handed     no commit was acknowledged, and the last WAL of its leader may not have arrived
"""

import collections
import os
import signal
import sys
import threading
import time

import psycopg2

GENERATORS = {
    "kid64": "kid64_next()",
    "kid96": "kid96_next()",
    "flake": "flake_next()",
    "sno": "sno_next()",
    "uuid": "kid_uuidv7()",
}
ORDERED = ("kid64", "flake", "uuid")
CLIENTS = 4  # of each type. One of them makes no rows, so that it never waits for the commit on a standby
LONGEST = 600  # seconds of load, even if the process that started it is gone


def create_tables(cursor):
    cursor.execute("CREATE EXTENSION kid")
    for name in GENERATORS:
        cursor.execute(
            f"CREATE TABLE {name}_ids (client bigint, n int, PRIMARY KEY (client, n),"
            f" id {name} UNIQUE DEFAULT {GENERATORS[name]})"
        )


def read_rows(cursor):
    """What a server has: {type: {(client, n): ID}}."""
    rows = {}
    for name in GENERATORS:
        cursor.execute(f"SELECT client, n, id::text FROM {name}_ids")
        rows[name] = {(client, n): given for client, n, given in cursor}
    return rows


# -- The clients ------------------------------------------------------------------------------------------------------


class Client:
    """One connection at a time, to whichever of the servers in the DSN takes writes."""

    def __init__(self, dsn, log, number, name, rows):
        self.dsn, self.log, self.number, self.type, self.rows = dsn, log, number, name, rows
        self.n = 0
        self.era = "-"
        self.connection = None

    def connect(self):
        self.connection = psycopg2.connect(self.dsn)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8), current_setting('port')")
        self.era = ":".join(self.cursor.fetchone())

    def disconnect(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def write(self, start, end, state, *what):
        self.log(f"{start:.6f} {end:.6f} {self.era} {state} {self.type} {self.number} {self.n}", *what)

    def call(self):
        """Asks for an ID, and logs it. A client without rows only calls the generator. A client with rows takes turns:
        it calls the generator; inserts a row that is committed at once; or inserts a row in a transaction, and commits
        or rolls it back when it has the ID."""
        way = self.n % 5 if self.rows else 0
        if way == 3:
            self.cursor.execute("BEGIN")
        start = time.monotonic()
        if way == 0:
            self.cursor.execute(f"SELECT {GENERATORS[self.type]}::text")
        else:
            self.cursor.execute(
                f"INSERT INTO {self.type}_ids VALUES (%s, %s) RETURNING id::text", (self.number, self.n)
            )
        end = time.monotonic()
        given = self.cursor.fetchone()[0]
        state = "H" if way == 0 else "C"
        if way == 3:
            try:
                state = "U"
                commit = self.n % 2
                self.cursor.execute("COMMIT" if commit else "ROLLBACK")
                state = "C" if commit else "H"
            finally:
                self.write(start, end, state, given)
        else:
            self.write(start, end, state, given)

    def run(self, stop):
        while not stop.is_set():
            self.n += 1
            start = time.monotonic()
            try:
                if self.connection is None:
                    self.connect()
                self.call()
                stop.wait(0.01)
            except psycopg2.Error as error:
                self.write(start, time.monotonic(), "E", error.pgcode or "-", " | ".join(str(error).split("\n"))[:200])
                # Any error but a rejection of this one statement may mean that the server has ended, or is no
                # leader any more.
                if error.pgcode not in ("23505", "53400") or self.connection.info.transaction_status:
                    self.disconnect()
                stop.wait(0.05)
        self.disconnect()


def load(dsn, path):
    """Runs clients until it gets SIGTERM."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    names = list(GENERATORS)
    # Clients of different loads have different numbers.
    first = int(time.monotonic()) * 100
    with open(path, "a") as file:
        lock = threading.Lock()

        def log(*words):
            with lock:
                print(*words, file=file)

        clients = [
            Client(dsn, log, first + i, names[i % len(names)], i >= len(names)) for i in range(CLIENTS * len(names))
        ]
        threads = [threading.Thread(target=client.run, args=(stop,), daemon=True) for client in clients]
        for thread in threads:
            thread.start()
        stop.wait(LONGEST)
        stop.set()
        for thread in threads:
            thread.join(10)
        with lock:
            file.flush()
            os._exit(0)  # a client that still waits for a lost server must not hold up the others


# -- The count --------------------------------------------------------------------------------------------------------


class Given(collections.namedtuple("Given", "start end era state type token id kept")):
    __slots__ = ()

    def __str__(self):
        return f"{self.type} {self.id} {self.state} at {self.end:.3f} from {self.era}"


def read_logs(paths, rows):
    given, refused, seen = [], [], set()
    for path in paths:
        with open(path) as file:
            for line in file:
                start, end, era, state, name, client, n, word = line.split(maxsplit=8)[:8]
                token = int(client), int(n)
                row = rows[name].get(token)
                if state == "E":
                    if word == "23505":
                        refused.append((float(start), name))
                    # The client got an error, but the ID is in a row. Skip it if the client has a line with
                    # that ID already.
                    if row is None or token in seen:
                        continue
                    word = row
                seen.add(token)
                if row not in (None, word):
                    raise ValueError(f"the row of {line.strip()} has {row}")
                given.append(Given(float(start), float(end), era, state, name, token, word, row is not None))
    return given, refused


def order(given):
    return int(given.id) if given.type == "flake" else given.id


def known(earlier, this, broken):
    if earlier.kept:
        return "kept"
    if earlier.era == this.era:
        return "same"
    if earlier.era not in broken or earlier.end < broken[earlier.era]:
        return "arrived"
    return "lost" if earlier.state == "C" else "handed"


KINDS = "kept", "same", "arrived", "lost", "handed"


def repeated(given, broken):
    """Yields (kind, first, second) for IDs that come again."""
    seen = {}
    for this in sorted(given):
        before = seen.setdefault(this.id, [])
        if before:
            yield min(((known(x, this, broken), x, this) for x in before), key=lambda of: KINDS.index(of[0]))
        before.append(this)


def below(given, broken):
    """Yields (kind, greater, this) for IDs that are not above all whose statements had ended."""
    ended = sorted(given, key=lambda x: x.end)
    highest = {}  # for each combination of properties that decides the kind
    i = 0
    for this in sorted(given):
        while ended[i].end < this.start:
            key = ended[i].era, ended[i].kept, ended[i].state, ended[i].end < broken.get(ended[i].era, 0)
            if key not in highest or order(ended[i]) > order(highest[key]):
                highest[key] = ended[i]
            i += 1
        above = [(known(x, this, broken), x, this) for x in highest.values() if order(this) <= order(x)]
        if above:
            yield min(above, key=lambda of: KINDS.index(of[0]))


def check(paths, rows, steps, breaks, end):
    """Returns the figures {(step, type): Counter} and some examples {step: [line]}. `steps` is [(start, name)], and the
    last step ends at `end`. In some steps a leader ends before all of its WAL has arrived at its successor. For these
    steps `breaks` says up to which moment the WAL has arrived: {name: moment}."""
    given, refused = read_logs(paths, rows)
    figures = collections.defaultdict(collections.Counter)
    examples = collections.defaultdict(list)

    def step_of(moment):
        return [name for start, name in steps if start <= moment][-1]

    broken = {}
    for start, name in steps:
        if name in breaks:
            last = max((x for x in given if x.end < start), key=lambda x: x.end)
            broken[last.era] = breaks[name]
    for start, name in refused:
        figures[step_of(start), name]["refused"] += 1
    for name in rows:
        of_type = [x for x in given if x.type == name]
        for this in of_type:
            figures[step_of(this.start), name]["made"] += 1
            figures[step_of(this.start), name]["lost"] += this.state == "C" and not this.kept
        wrong = [("repeated", x) for x in repeated(of_type, broken)]
        if name in ORDERED:
            wrong += [("below", x) for x in below(of_type, broken)]
        for what, (kind, first, this) in wrong:
            step = step_of(this.start)
            figures[step, name][f"{what}[{kind}]"] += 1
            if sum(f"{what}[{kind}]" in line for line in examples[step]) < 3:
                examples[step].append(f"{what}[{kind}]: {first}, then {this}")
        for (start, step), (until, _) in zip(steps, steps[1:] + [(end, "")]):
            moments = [start] + sorted(x.end for x in of_type if start <= x.end < until) + [until]
            figures[step, name]["pause"] = max(b - a for a, b in zip(moments, moments[1:]))
            figures[step, name]["silent"] = moments[-1] - moments[-2]
    return figures, examples


if __name__ == "__main__":
    load(*sys.argv[1:])
