"""IDs that this process makes itself, with a worker number that PostgreSQL leases.

    import psycopg
    from pgkid.worker import FlakeLayout, Worker

    ids = Worker(lambda: psycopg.connect("dbname=shop", autocommit=True), "orders", FlakeLayout)
    ids.next()      # an ID such as 7532893424771923968; no other process makes it

kid_lease_worker() gives a process a number and a window, which is a range of times in IDs: from `since` on, and before
`until`. The windows of one number never overlap. So an ID is unique if its time is in a window of its number, no matter
when it is made, and what the clock of this machine says. `Worker.next()` checks both in each ID.

Worker numbers belong to a pool, which kid_add_workers() fills, and which is for one type of ID. Its layout is
`FlakeLayout`, `SnoLayout`, `Kid64Layout` or `Kid53Layout`. Times are microseconds since 1970, UTC.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Generic, List, NamedTuple, NoReturn, Optional, Tuple, TypeVar

from ._needs import needs

with needs(__name__, "psycopg"):
    import psycopg
    from psycopg.rows import dict_row

ID = TypeVar("ID", int, str)
Connect = Callable[[], "psycopg.Connection[Any]"]

#: Threads of a forked process wait for each other with this, so that a worker begins anew once.
_begins = threading.Lock()


#: Errors that stay the same until somebody changes the program or the database: 0A000, a feature that is missing; 22, a
#: wrong argument, such as a `ttl` above that of the pool; 2D000, a call within a transaction; 42, a missing right, pool
#: or extension.
_PERMANENT = "0A", "22", "2D", "42"


class LeaseError(Exception):
    """There is no lease. `__cause__` is what failed: an error of the server or of the connection, or the time limit."""

    @property
    def sqlstate(self) -> Optional[str]:
        """The SQLSTATE of the server's error, or None."""
        return getattr(self.__cause__, "sqlstate", None)

    @property
    def detail(self) -> Optional[str]:
        """The DETAIL of the server's error, or None."""
        return getattr(getattr(self.__cause__, "diag", None), "message_detail", None)

    @property
    def hint(self) -> Optional[str]:
        """The HINT of the server's error, which says what to do, or None."""
        return getattr(getattr(self.__cause__, "diag", None), "message_hint", None)


class NoWindow(LeaseError):
    """This process has no window, and could not get one. Try again later."""


class LeaseRefused(LeaseError):
    """The server refuses to lease a number, and would refuse again: the program, or the database, has to be changed."""


@dataclass(frozen=True)
class Lease:
    """What kid_lease_worker() replied: a number, and the window in which this process may use it."""

    number: int
    token: str
    since: int
    until: int
    type: str  #: the type of the IDs that the pool is for, such as flake
    lanes: Optional[int]  #: the number of lanes, if the type has lanes
    epoch: Optional[int]  #: the epoch of the IDs, if the type is flake


class Reading(NamedTuple):
    """What an ID contains."""

    time: int  #: the beginning of its time unit
    number: int
    sequence: int


class Layout(ABC, Generic[ID]):
    """How IDs of one type are laid out, for the number of one lease. Raises ValueError if the lease is of a pool for
    another type, or if the number does not fit."""

    type: str
    top: int  #: the greatest number
    time_bits: int  #: how many bits an ID has for its time unit
    first = 0  #: the least sequence of this number
    last: int  #: the greatest sequence of this number

    def __init__(self, lease: Lease) -> None:
        if lease.type != self.type:
            # A server may make IDs of this type with the same number.
            raise ValueError(f"the pool is for {lease.type}, not for {self.type}")
        self.number = lease.number
        if not 0 <= lease.number <= self.top:
            # A generator that masked the number would take that of another process.
            raise ValueError(f"worker number {lease.number} does not fit: {self.type} has 0 to {self.top}")

    def check(self, lease: Lease) -> None:
        """Raises ValueError if the window of a lease has times that no ID of the type has."""
        if not 0 <= self.unit_at(lease.since) <= self.unit_at(lease.until) < 1 << self.time_bits:
            raise ValueError(f"the window has times that no ID of {self.type} has")

    @abstractmethod
    def unit_at(self, at: int) -> int:
        """Returns the time unit that contains a time, as a number that rises with time."""

    @abstractmethod
    def begin(self, unit: int) -> int:
        """Returns the time at which a unit begins."""

    def next_unit(self, unit: int) -> int:
        """Returns the time unit after this one."""
        return unit + 1

    @abstractmethod
    def make(self, unit: int, sequence: int) -> ID:
        """Returns an ID, as a driver sends it to a column of the type."""

    @abstractmethod
    def read(self, made: ID) -> Reading:
        """Returns what an ID contains."""


class FlakeLayout(Layout[int]):
    """flake, the ID of flake-idgen: milliseconds since the epoch, a number of 10 bits, a sequence of 12. An int."""

    type = "flake"
    top = 1023
    time_bits = 42
    last = 4095

    def __init__(self, lease: Lease) -> None:
        super().__init__(lease)
        if lease.epoch is None:
            raise ValueError("the lease has no epoch")
        self.epoch = lease.epoch // 1000

    def unit_at(self, at: int) -> int:
        return at // 1000 - self.epoch

    def begin(self, unit: int) -> int:
        return (unit + self.epoch) * 1000

    def make(self, unit: int, sequence: int) -> int:
        return unit << 22 | self.number << 12 | sequence

    def read(self, made: int) -> Reading:
        return Reading(self.begin(made >> 22), made >> 12 & 1023, made & 4095)


class SnoLayout(Layout[str]):
    """sno, the ID of the Go library of that name, with the tick 0: units of 4 ms since 2010, a metabyte, a partition of
    16 bits, a sequence of 16. Its text, of 16 characters."""

    type = "sno"
    top = 65535
    time_bits = 39
    last = 65535
    characters = "23456789abcdefghijklmnopqrstuvwx"
    epoch = 1_262_304_000_000_000

    def __init__(self, lease: Lease, metabyte: int = 0) -> None:
        super().__init__(lease)
        if not 0 <= metabyte <= 255:
            raise ValueError(f"metabyte {metabyte} is not 0 to 255")
        self.metabyte = metabyte

    def unit_at(self, at: int) -> int:
        return (at - self.epoch) // 4000

    def begin(self, unit: int) -> int:
        return self.epoch + unit * 4000

    def make(self, unit: int, sequence: int) -> str:
        bits = unit << 41 | self.metabyte << 32 | self.number << 16 | sequence
        return "".join(self.characters[bits >> place & 31] for place in range(75, -5, -5))

    def read(self, made: str) -> Reading:
        bits = 0
        for character in made:
            bits = bits << 5 | self.characters.index(character)
        return Reading(self.begin(bits >> 41), bits >> 16 & 65535, bits & 65535)


class InLanes(Layout[ID]):
    """A layout whose numbers divide the sequence among them, as servers with different `kid.node` do."""

    sequences: int

    def __init__(self, lease: Lease) -> None:
        super().__init__(lease)
        lanes = lease.lanes
        if not lanes or lanes & (lanes - 1) or lanes > self.top + 1:
            raise ValueError(f"{self.type} cannot have {lanes} lanes")
        if lease.number >= lanes:
            raise ValueError(f"worker number {lease.number} is not a lane of {lanes}")
        # The place of a lane has the bits of its number in reverse order, so that other lanes can be added.
        bits = lanes.bit_length() - 1
        place = int(f"{lease.number:0{bits}b}"[::-1], 2)
        width = self.sequences // lanes
        self.first, self.last = place * width, place * width + width - 1

    def number_of(self, sequence: int) -> int:
        """Returns the number whose lane has a sequence: this number, or -1 for another one."""
        return self.number if self.first <= sequence <= self.last else -1


class Kid64Layout(InLanes[str]):
    """kid64: units of 1.024 ms, a sequence of 14 bits, of which a number has a lane. Its text, of 11 characters."""

    type = "kid64"
    top = 1023
    time_bits = 50
    sequences = 1 << 14
    characters = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

    def unit_at(self, at: int) -> int:
        seconds, micros = divmod(at, 10**6)
        return seconds // 10**6 << 30 | seconds % 10**6 << 10 | micros >> 10

    def begin(self, unit: int) -> int:
        return ((unit >> 30) * 10**6 + (unit >> 10 & 0xFFFFF)) * 10**6 + ((unit & 1023) << 10)

    def next_unit(self, unit: int) -> int:
        # The last unit of a second is shorter, and unit_at() rounds the excess away.
        return self.unit_at(self.begin(unit) + 1024)

    def make(self, unit: int, sequence: int) -> str:
        bits = (unit << 14 | sequence) << 2
        return "".join(self.characters[bits >> place & 63] for place in range(60, -6, -6))

    def read(self, made: str) -> Reading:
        bits = 0
        for character in made:
            bits = bits << 6 | self.characters.index(character)
        sequence = bits >> 2 & 16383
        return Reading(self.begin(bits >> 16), self.number_of(sequence), sequence)


class Kid53Layout(InLanes[int]):
    """kid53: milliseconds since 2020, a sequence of 12 bits, of which a number has a lane. An int."""

    type = "kid53"
    top = 63
    time_bits = 41
    sequences = 1 << 12
    epoch = 1_577_836_800_000

    def unit_at(self, at: int) -> int:
        return at // 1000 - self.epoch

    def begin(self, unit: int) -> int:
        return (unit + self.epoch) * 1000

    def make(self, unit: int, sequence: int) -> int:
        return unit << 12 | sequence

    def read(self, made: int) -> Reading:
        sequence = made & 4095
        return Reading(self.begin(made >> 12), self.number_of(sequence), sequence)


class Reply(NamedTuple):
    """A lease, and the time of the database when time.monotonic_ns() was `measured`, in microseconds."""

    lease: Lease
    now: int
    measured: int


class Lessor:
    """The connection on which leases are made. One thread at a time uses it."""

    def __init__(self, connect: Connect, pool: str, ttl: int, holder: Optional[str]) -> None:
        self.connect = connect
        self.pool = pool
        self.ttl = ttl
        self.holder = holder
        self.connection: Optional[psycopg.Connection[Any]] = None
        self.warnings: List[str] = []

    def lease(self, last: Optional[Lease]) -> Reply:
        """Renews the last lease, or makes a new one."""
        was_open = self.connection is not None
        try:
            return self.call(last)
        except psycopg.errors.ObjectNotInPrerequisiteState:
            # The window of that number ends too late, because the clock of the database went back.
            if last is None:
                raise
            return self.call(None)
        except psycopg.OperationalError:
            # The connection broke since the last call, as it does when the server restarts. A new one may work.
            if not was_open or self.connection is not None:
                raise
            return self.lease(last)

    def call(self, last: Optional[Lease]) -> Reply:
        """Calls kid_lease_worker(). A reply counts only if no warning came with it: a warning means that a wait for a
        synchronous standby was canceled, and so that the lease can be lost with this server."""
        connection = self.opened()
        self.warnings.clear()
        try:
            with connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute(
                    "CALL kid_lease_worker(%s::text, %s::bigint, %s::uuid, NULL, NULL, NULL, NULL, NULL, NULL,"
                    " ttl => %s::int, holder => %s::text)",
                    [self.pool, last and last.number, last and last.token, self.ttl, self.holder],
                    # A connection pooler can send the next call to a server process that did not prepare this one.
                    prepare=False,
                )
                row = cursor.fetchone()
                if row is None or self.warnings:
                    raise NoWindow("the reply does not count: " + "; ".join(self.warnings))
                now, measured = read_clock(cursor)
        except psycopg.Error:
            if connection.broken:
                self.connection = None
            raise
        since, until = (int(row[name]) * 1000 for name in ("since", "until"))
        epoch = None if row["epoch"] is None else int(row["epoch"]) * 1000
        lease = Lease(row["number"], str(row["token"]), since, until, row["type"], row["lanes"], epoch)
        return Reply(lease, now, measured)

    def opened(self) -> psycopg.Connection[Any]:
        if self.connection is None or self.connection.closed:
            connection = self.connect()
            if not connection.autocommit:
                connection.close()
                raise ValueError("the connection of a worker has to be in autocommit mode")
            connection.add_notice_handler(self.note)
            self.connection = connection
        return self.connection

    def note(self, said: psycopg.errors.Diagnostic) -> None:
        # Notices have the code of success, warnings have others.
        if said.sqlstate != "00000":
            self.warnings.append(said.message_primary or "a warning")

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


def read_clock(cursor: "psycopg.Cursor[Any]") -> Tuple[int, int]:
    """Returns the time of the database, and time.monotonic_ns() then, in microseconds. The database has read its clock
    at some time between the question and the reply, so in the middle the error is at most half of the round trip.
    `now` of a lease would be as late as its reply was."""
    asked = time.monotonic_ns() // 1000
    cursor.execute("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now", prepare=False)
    (row,) = cursor.fetchall()
    return int(row["now"]), (asked + time.monotonic_ns() // 1000) // 2


class Worker(Generic[ID]):
    """Makes IDs of one type, in all threads of this process.

    `connect` returns a new psycopg connection in autocommit mode, which the worker alone uses. It is called for the
    first ID, after a connection broke, and in a process that was forked. `layout` is that of the pool's type.

    The worker leases a number of `pool` for `ttl` seconds at a time. When half of the window is left and an ID is made,
    a thread renews the lease. An idle worker renews nothing. kid_workers() shows `holder`.

    IDs have the time of the database: what it was after the last lease, and what this process has measured since. It is
    exact to half of a round trip to the server. So two IDs of different processes are in the order in which they were
    made if more than a round trip and a time unit lie between them. The IDs of a worker rise as long as its number
    stays the same.

    A process that was forked forgets the lease of its parent, and makes one of its own. If the memory of the process
    will be copied in another way, as by a snapshot of a virtual machine, call `forget()` before.
    """

    #: Time unit and sequence of the last ID.
    _unit: int
    _sequence: int

    def __init__(
        self,
        connect: Connect,
        pool: str,
        layout: Callable[[Lease], Layout[ID]],
        *,
        ttl: int = 10,
        holder: Optional[str] = None,
        timeout: float = 30,
    ) -> None:
        self._new_lessor: Callable[[], Lessor] = lambda: Lessor(connect, pool, ttl, holder)
        self._layout: Callable[[Lease], Layout[ID]] = layout
        self._ttl = ttl
        self._timeout = timeout
        self._begin()
        # The child of a fork can inherit a lock that no thread of its own will release.
        this = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: _begin_in_child(this))

    def next(self) -> ID:
        """Returns a new ID. Waits if the sequence of a time unit is used up, and if there is no window.

        Raises NoWindow if the server gives none, or does not reply within `timeout` seconds. Raises LeaseRefused if it
        gives none and a further attempt would not help, as without the right to lease. Their `detail` and `hint` are
        those of the server's error. The next call asks the server again. Raises ValueError if the pool is for another
        type, or if the number does not fit the IDs. This takes a number, so the server is asked again after `ttl`
        seconds.
        """
        if self._process != os.getpid():
            # A library has forked the process, without the function that Python calls then.
            with _begins:
                if self._process != os.getpid():
                    self._begin()
        with self._changed:
            while True:
                if not self._windows:
                    self._wait_for_window()
                    continue
                lease, layout = self._windows[0]
                if len(self._windows) == 1 and 2 * (lease.until - self._now()) <= lease.until - lease.since:
                    self._ask()
                unit, sequence = self._step(layout)
                if sequence > layout.last:
                    self._changed.wait(0.0005)
                    continue
                made = layout.make(unit, sequence)
                if is_in(lease, layout.read(made)):
                    self._unit, self._sequence = unit, sequence
                    return made
                self._leave_window()

    def __reduce__(self) -> NoReturn:
        # Both would make the same IDs.
        raise TypeError("a worker cannot be copied")

    def forget(self) -> None:
        """Forgets the number and its windows, as if this worker were new. What it has made stays unique."""
        with self._changed:
            self._lessor.close()
            self._forget()
            self._changed.notify_all()

    # -- The caller of what follows holds the lock `_changed` ----------------------------------------------------------

    def _begin(self) -> None:
        """Begins anew, in a new process. It has a lock of its own, because a thread of the parent can hold the one that
        was there. Leaves the connection open, as it can be that of the parent."""
        self._changed: threading.Condition = threading.Condition()
        self._forget()
        # Last, because another thread of this process goes on when it reads this.
        self._process: int = os.getpid()

    def _forget(self) -> None:
        self._lessor: Lessor = self._new_lessor()
        #: The window in use, and the next one if it is here already.
        self._windows: Deque[Tuple[Lease, Layout[ID]]] = deque()
        self._last: Optional[Lease] = None
        self._asking: bool = False
        self._failure: Optional[Exception] = None
        self._may_ask_at: float = 0
        #: While a window lasts that could not be used, as for IDs of another type. Others would take more numbers.
        self._refused_until: float = 0
        self._read: Tuple[int, int] = (0, 0)
        self._unit = -1
        self._sequence = -1

    def _now(self) -> int:
        """Returns the time of the database. The order of IDs depends on it, not their uniqueness."""
        now, measured = self._read
        return now + time.monotonic_ns() // 1000 - measured

    def _step(self, layout: Layout[ID]) -> Tuple[int, int]:
        """Returns time unit and sequence of an ID that is greater than the last one. If those of the present unit are
        used up, the sequence is too great."""
        now = layout.unit_at(self._now())
        unit = max(now, self._unit)
        sequence = self._sequence + 1 if unit == self._unit else layout.first
        if sequence > layout.last and unit > now:
            # The clock of the database went back, and IDs are ahead of it anyway.
            return layout.next_unit(unit), layout.first
        return unit, sequence

    def _enter_window(self) -> None:
        """Lets the next ID be in the window `_windows[0]`, and if possible be greater than the last one."""
        lease, layout = self._windows[0]
        before = layout.unit_at(lease.since - 1)
        self._unit = self._unit if before < self._unit < layout.unit_at(lease.until) else before
        # The sequence of the last ID may belong to another number.
        self._sequence = layout.last

    def _leave_window(self) -> None:
        self._windows.popleft()
        if self._windows:
            self._enter_window()

    def _wait_for_window(self) -> None:
        if not self._asking and time.monotonic() >= self._refused_until:
            self._may_ask_at = 0
            self._failure = None
            self._ask()
        lessor = self._lessor
        if not self._changed.wait_for(lambda: self._windows or not self._asking, self._timeout):
            # The thread may wait for ever for a server that is gone. The next one gets a connection of its own.
            self._failure = TimeoutError(f"the server does not reply within {self._timeout} s")
            if lessor is self._lessor:
                self._lessor, self._asking = self._new_lessor(), False
        if isinstance(self._failure, ValueError):
            raise self._failure
        # Without a failure another thread has called forget(), and next() asks anew.
        if not self._windows and self._failure:
            refused = (getattr(self._failure, "sqlstate", None) or "").startswith(_PERMANENT)
            # The text of an error of psycopg contains the detail, the hint and the functions that were called, too.
            diag = getattr(self._failure, "diag", None)
            message = f"no worker number: {getattr(diag, 'message_primary', None) or self._failure}"
            raise (LeaseRefused if refused else NoWindow)(message) from self._failure

    def _ask(self) -> None:
        """Lets a thread ask for a window, unless one is doing so, or has failed just now."""
        if not self._asking and time.monotonic() >= self._may_ask_at:
            self._asking = True
            arguments = self._changed, self._lessor, self._last
            threading.Thread(target=self._append_window, args=arguments, daemon=True).start()

    def _append_window(self, changed: threading.Condition, lessor: Lessor, last: Optional[Lease]) -> None:
        """Gets a window, or notes why there is none. The caller does not hold the lock, which is `changed`."""
        reply: Optional[Reply] = None
        failure: Optional[Exception] = None
        try:
            reply = lessor.lease(last)
            window = reply.lease, self._layout(reply.lease)
            window[1].check(reply.lease)
        except Exception as error:  # next() raises it
            failure = error
        with changed:
            if lessor is not self._lessor:
                return  # this worker has begun anew, and the reply is for what it was before
            self._asking = False
            self._failure = failure
            if reply is None or failure:
                self._may_ask_at = time.monotonic() + self._ttl / 10
                if reply:
                    self._may_ask_at = self._refused_until = time.monotonic() + self._ttl
            else:
                self._last, self._read = reply.lease, (reply.now, reply.measured)
                self._windows.append(window)
                if len(self._windows) == 1:
                    self._enter_window()
            changed.notify_all()


def is_in(lease: Lease, made: Reading) -> bool:
    """Returns whether an ID has the number of a lease, and a time in its window."""
    return made.number == lease.number and lease.since <= made.time < lease.until


def _begin_in_child(worker: Callable[[], Optional[Worker[Any]]]) -> None:
    inherited = worker()
    if inherited is not None:
        inherited._begin()
