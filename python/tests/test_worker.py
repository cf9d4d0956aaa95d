"""Tests of pgkid.worker with replies that the tests make up: no server is needed"""

from __future__ import annotations

import copy
import csv
import os
import pathlib
import pickle
import threading
import time
import unittest
from typing import Any, Callable, Dict, Iterator, List, Optional
from unittest import mock

import psycopg

from pgkid import worker
from pgkid.worker import (
    FlakeLayout,
    Kid53Layout,
    Kid64Layout,
    Lease,
    LeaseError,
    LeaseRefused,
    NoWindow,
    SnoLayout,
    Worker,
)

VECTORS = pathlib.Path(__file__).parents[2] / "test" / "vectors"
NOON = 1_795_867_200_000  # milliseconds: 2026-11-28 12:00 UTC


def vectors(name: str) -> Iterator[Dict[str, str]]:
    with open(VECTORS / f"{name}.tsv", newline="") as file:
        yield from csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")


def lease(
    type: str,
    number: int,
    since: int = NOON,
    until: int = NOON + 10_000,
    lanes: Optional[int] = None,
    epoch: Optional[int] = None,
) -> Lease:
    micros = None if epoch is None else epoch * 1000
    return Lease(number, f"token of {number}", since * 1000, until * 1000, type, lanes, micros)


class Layouts(unittest.TestCase):
    """IDs are those of the original libraries."""

    def test_flake(self) -> None:
        for row in vectors("flake"):
            number = int(row["datacenter"]) << 5 | int(row["worker"])
            if row["id"] != "0":
                number = int(row["id"])
            layout = FlakeLayout(lease("flake", number, epoch=int(row["epoch_ms"])))
            at = int(row["unix_ms"]) * 1000
            made = layout.make(layout.unit_at(at), int(row["counter"]))
            self.assertEqual(made, int(row["dec"]), row)
            self.assertEqual(layout.read(made), (at, number, int(row["counter"])))

    def test_sno(self) -> None:
        for row in vectors("sno"):
            if row["tick_tock"] == "1":
                continue  # a generator whose clock went back makes these
            layout = SnoLayout(lease("sno", int(row["partition"])), int(row["meta"]))
            at = int(row["unix_ns"]) // 1000
            made = layout.make(layout.unit_at(at), int(row["sequence"]))
            self.assertEqual(made, row["text"])
            self.assertEqual(layout.read(made), (at, int(row["partition"]), int(row["sequence"])))

    def test_kid64(self) -> None:
        for row in vectors("kid64"):
            at = (int(row["a_mega"]) * 10**6 + int(row["b_sec"])) * 10**6 + int(row["c_micro"])
            layout = Kid64Layout(lease("kid64", 0, lanes=2))
            sequence = int(row["seq"])
            made = layout.make(layout.unit_at(at), sequence)
            self.assertEqual(made, row["text64"])
            begin = at - int(row["c_micro"]) + int(row["decoded_c_micro"])
            self.assertEqual(layout.read(made), (begin, 0 if sequence < 8192 else -1, sequence))

    def test_kid53(self) -> None:
        for row in vectors("kid53"):
            layout = Kid53Layout(lease("kid53", 1, lanes=2))
            sequence = int(row["sequence"])
            made = layout.make(layout.unit_at(int(row["unix_ms"]) * 1000), sequence)
            self.assertEqual(made, int(row["id"]))
            self.assertEqual(layout.read(made), (int(row["unix_ms"]) * 1000, 1 if sequence >= 2048 else -1, sequence))

    def test_lanes(self) -> None:
        """The diagram in src/core/lane.hpp has this order."""
        for place, number in enumerate([0, 4, 2, 6, 1, 5, 3, 7]):
            self.assertEqual(Kid64Layout(lease("kid64", number, lanes=8)).first, place * 2048)
            self.assertEqual(Kid53Layout(lease("kid53", number, lanes=8)).last, place * 512 + 511)

    def test_end_of_second(self) -> None:
        """The last unit of a second of kid64 is shorter than the others."""
        layout = Kid64Layout(lease("kid64", 0, lanes=2))
        self.assertEqual(layout.begin(layout.next_unit(layout.unit_at(NOON * 1000 - 1))), NOON * 1000)

    def test_numbers_that_do_not_fit(self) -> None:
        makers: List[Callable[[], Any]] = [
            lambda: FlakeLayout(lease("flake", 1024, epoch=0)),
            lambda: FlakeLayout(lease("flake", -1, epoch=0)),
            lambda: SnoLayout(lease("sno", 65536)),
            lambda: Kid64Layout(lease("kid64", 8, lanes=8)),
            lambda: Kid64Layout(lease("kid64", 0)),
            lambda: Kid53Layout(lease("kid53", 0, lanes=6)),
            lambda: Kid53Layout(lease("kid53", 0, lanes=128)),
        ]
        for make in makers:
            with self.assertRaises(ValueError):
                make()

    def test_pools_of_other_types(self) -> None:
        """A number of another pool would be that of a server, or of a process with a number of the right pool."""
        layouts = {"flake": FlakeLayout, "sno": SnoLayout, "kid64": Kid64Layout, "kid53": Kid53Layout}
        for name, layout in layouts.items():
            for other in {*layouts, "kid96", "FLAKE"} - {name}:
                with self.assertRaisesRegex(ValueError, f"^the pool is for {other}, not for {name}$"):
                    layout(lease(other, 5, lanes=16, epoch=0))

    def test_metabyte_out_of_range(self) -> None:
        for metabyte in -1, 256:
            with self.assertRaisesRegex(ValueError, f"^metabyte {metabyte} is not 0 to 255$"):
                SnoLayout(lease("sno", 5), metabyte)


class Server:
    """What kid_lease_worker() replies: a list of replies and errors, which it gives in turn"""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: List[Any] = []
        self.now = NOON
        self.autocommit = True
        self.broken = self.closed = False
        self.gate = threading.Event()
        self.gate.set()
        self.connections = 0
        self.handler: Callable[[Any], None] = lambda said: None

    def connect(self) -> Any:
        self.connections += 1
        self.broken = False
        return self

    def add_notice_handler(self, handler: Callable[[Any], None]) -> None:
        self.handler = handler

    def cursor(self, **_: Any) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def execute(self, query: str, parameters: Any = None, *, prepare: bool) -> None:
        assert not prepare  # a pooler can change the server process
        if query.startswith("CALL"):
            self.asked.append(parameters)
            self.gate.wait(10)

    def fetchall(self) -> Any:
        return [dict(now=self.now * 1000)]

    def fetchone(self) -> Any:
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            self.broken = isinstance(reply, psycopg.errors.AdminShutdown)
            raise reply
        if isinstance(reply, str):
            self.handler(mock.Mock(sqlstate="01000", message_primary=reply))
            return self.fetchone()
        number, since, until, type, lanes = (*reply, "flake", None)[:5]
        token = f"token {len(self.asked)}"
        window = dict(number=number, token=token, since=since, until=until, now=self.now)
        return window | dict(type=type, lanes=lanes, epoch=0)

    def close(self) -> None:
        self.closed = True


class Clock:
    """A monotonic clock that tests move"""

    def __init__(self) -> None:
        self.milliseconds = 0

    def monotonic_ns(self) -> int:
        return self.milliseconds * 10**6


class Workers(unittest.TestCase):
    """What a worker makes of the replies of the server."""

    def setUp(self) -> None:
        self.clock = Clock()
        patch = mock.patch.object(worker, "time", self.clock)
        self.clock.monotonic = time.monotonic  # type: ignore[attr-defined]
        patch.start()
        self.addCleanup(patch.stop)

    def times(self, ids: List[int]) -> List[int]:
        return [(made >> 22) - NOON for made in ids]

    def worker(self, server: Server, **options: Any) -> Worker[int]:
        return Worker(server.connect, "pods", FlakeLayout, **options)

    def wait(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.001)

    def test_time_of_the_database(self) -> None:
        server = Server([5, NOON, NOON + 10_000])
        server.now = NOON + 400
        ids = self.worker(server)
        made = [ids.next(), ids.next()]
        self.clock.milliseconds += 7
        made.append(ids.next())
        self.assertEqual(self.times(made), [400, 400, 407])
        self.assertEqual([(i >> 12 & 1023, i & 4095) for i in made], [(5, 0), (5, 1), (5, 0)])

    def test_half_of_a_round_trip(self) -> None:
        """The time of the database is that of the middle of a round trip, however late the reply of the lease is."""
        server = Server([5, NOON, NOON + 10_000])
        clock = self.clock

        def execute(query: str, parameters: Any = None, **_: Any) -> None:
            clock.milliseconds += 65 if query.startswith("CALL") else 2
            server.now = NOON + clock.milliseconds

        def fetchall() -> Any:
            clock.milliseconds += 2
            return [dict(now=server.now * 1000)]

        with mock.patch.multiple(server, execute=execute, fetchall=fetchall):
            self.assertEqual(self.times([self.worker(server).next()]), [69])
        self.assertEqual(clock.milliseconds, 69)

    def test_begin_of_megasecond(self) -> None:
        """A kid64 counts megaseconds and seconds: the first unit after a megasecond is not the last one plus one."""
        begin = 1_796_000_000_000
        server = Server([1, begin, begin + 10_000, "kid64", 2])
        server.now = begin - 5
        made = Worker(server.connect, "pods", Kid64Layout).next()
        self.assertEqual(Kid64Layout(lease("kid64", 1, lanes=2)).read(made), (begin * 1000, 1, 8192))

    def test_renews_at_half(self) -> None:
        server = Server([5, NOON, NOON + 10_000], [5, NOON + 10_000, NOON + 20_000])
        ids = self.worker(server)
        ids.next()
        self.clock.milliseconds = 4999
        ids.next()
        self.assertEqual(len(server.asked), 1)
        server.now = NOON + 5000
        self.clock.milliseconds = 5000
        ids.next()
        self.wait(lambda: len(ids._windows) == 2)
        self.assertEqual(server.asked[1], ["pods", 5, "token 1", 10, None])
        # The next window is used when the first one ends, not before.
        self.clock.milliseconds = 9999
        self.assertEqual(self.times([ids.next()]), [9999])
        self.clock.milliseconds = 10_000
        self.assertGreaterEqual(self.times([ids.next()])[0], 10_000)

    def test_leaves_a_window_that_has_ended(self) -> None:
        """A process that was paused asks again, and makes no ID before the reply."""
        server = Server([5, NOON, NOON + 10_000], [6, NOON + 60_000, NOON + 70_000])
        ids = self.worker(server)
        ids.next()
        self.clock.milliseconds = 60_000
        server.now = NOON + 60_000
        made = ids.next()
        self.assertEqual((self.times([made]), made >> 12 & 1023), ([60_000], 6))

    def test_no_window(self) -> None:
        """Without a window there is an error, and the next call asks again."""
        error = psycopg.errors.ConfigurationLimitExceeded("no worker number is free")
        server = Server(error, [5, NOON, NOON + 10_000])
        ids = self.worker(server)
        with self.assertRaises(NoWindow) as raised:
            ids.next()
        self.assertIs(raised.exception.__cause__, error)
        self.assertEqual(self.times([ids.next()]), [0])

    def test_errors_that_stay(self) -> None:
        """They are told from those that pass, and both have what the error of the server says."""
        stays = "0A000", "22003", "22004", "2D000", "42501", "42704", "42883"
        passes = "08006", "25006", "40001", "53300", "53400", "55000", "57014", "57P01", "XX000"
        for sqlstate in stays + passes:
            kind = type("Error", (psycopg.errors.lookup(sqlstate),), {"diag": None})
            error = kind("as the test says")
            error.diag = mock.Mock(message_primary="it says", message_detail="Why.", message_hint="Do it.")
            ids = self.worker(Server(error, [5, NOON, NOON + 10_000]))
            with self.assertRaises(LeaseRefused if sqlstate in stays else NoWindow) as raised:
                ids.next()
            self.assertEqual(self.said(raised.exception), ("no worker number: it says", sqlstate, "Why.", "Do it."))
            self.assertEqual(ids.next() >> 12 & 1023, 5)
        # A failure that is not the server's has none of them.
        with self.assertRaises(NoWindow) as other:
            self.worker(Server(OSError("no network"))).next()
        self.assertEqual(self.said(other.exception), ("no worker number: no network", None, None, None))

    def said(self, error: LeaseError) -> Any:
        return str(error), error.sqlstate, error.detail, error.hint

    def test_renewal_fails(self) -> None:
        """A window is used to its end if it cannot be renewed, and no longer."""
        server = Server([5, NOON, NOON + 10_000], *[psycopg.OperationalError("the server is gone")] * 2)
        ids = self.worker(server)
        ids.next()
        self.clock.milliseconds = 9999
        self.assertEqual(self.times([ids.next()]), [9999])
        self.wait(lambda: not ids._asking)
        self.clock.milliseconds = 10_000
        with self.assertRaises(NoWindow):
            ids.next()

    def test_connection_broke(self) -> None:
        """After a restart of the server, a call that fails on the old connection is made again on a new one."""
        ended = psycopg.errors.AdminShutdown("terminating connection")
        server = Server([5, NOON, NOON + 10_000], ended, [6, NOON + 20_000, NOON + 30_000], ended, ended)
        ids = self.worker(server)
        ids.next()
        self.clock.milliseconds = 20_000
        server.now = NOON + 20_000
        made = ids.next()
        self.assertEqual((self.times([made]), made >> 12 & 1023, server.connections), ([20_000], 6, 2))
        # If the new connection breaks, too, there is no window.
        self.clock.milliseconds = 40_000
        with self.assertRaises(NoWindow):
            ids.next()
        self.assertEqual((server.connections, server.replies), (3, []))

    def test_renewal_is_refused(self) -> None:
        """After a step back of the database's clock, a renewal is refused, and another number is to be had."""
        refused = psycopg.errors.ObjectNotInPrerequisiteState("it is too early to renew worker number 5")
        server = Server([5, NOON, NOON + 10_000], refused, [6, NOON - 60_000, NOON - 50_000])
        ids = self.worker(server)
        ids.next()
        server.now = NOON - 60_000
        self.clock.milliseconds = 10_000
        made = ids.next()
        self.assertEqual((self.times([made]), made >> 12 & 1023), ([-60_000], 6))
        self.assertEqual([asked[1] for asked in server.asked], [None, 5, None])

    def test_warning(self) -> None:
        """The reply after a canceled wait for a standby is no lease."""
        server = Server(
            "canceling wait for synchronous replication", [5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000]
        )
        ids = self.worker(server)
        with self.assertRaises(NoWindow):
            ids.next()
        self.assertEqual(ids.next() >> 12 & 1023, 6)

    def test_sequence_is_used_up(self) -> None:
        """The worker waits for the next time unit."""
        ids = self.worker(Server([5, NOON, NOON + 10_000]))
        made = [ids.next() for _ in range(4096)]
        self.assertEqual(self.times(made[::4095]), [0, 0])
        more: List[int] = []
        thread = threading.Thread(target=lambda: more.append(ids.next()))
        thread.start()
        thread.join(0.05)
        self.assertEqual(more, [])
        self.clock.milliseconds = 1
        thread.join(10)
        self.assertEqual(self.times(more), [1])

    def test_number_that_does_not_fit(self) -> None:
        """A worker takes no more numbers while it has one that it cannot use."""
        server = Server([1024, NOON, NOON + 10_000], [5, NOON, NOON + 10_000])
        ids = self.worker(server)
        for _ in range(3):
            with self.assertRaises(ValueError):
                ids.next()
        self.assertEqual(len(server.asked), 1)
        with mock.patch.object(self.clock, "monotonic", lambda: time.monotonic() + 10):
            self.assertEqual(self.times([ids.next()]), [0])

    def test_window_beyond_the_type(self) -> None:
        """Before the epoch, an ID would be negative."""
        first = 1_577_836_800_000  # of kid53
        end = first + (1 << 41)  # between two seconds
        for since, until in (first - 1000, first + 1000), (end - 552, end + 448):
            with self.assertRaisesRegex(ValueError, "no ID of kid53"):
                Worker(Server([0, since, until, "kid53", 1]).connect, "pods", Kid53Layout).next()
        server = Server([0, first, first + 1000, "kid53", 1])
        server.now = first
        self.assertEqual(Worker(server.connect, "pods", Kid53Layout).next(), 0)

    def test_not_in_autocommit_mode(self) -> None:
        server = Server([5, NOON, NOON + 10_000])
        server.autocommit = False
        with self.assertRaises(ValueError):
            self.worker(server).next()
        self.assertEqual(server.asked, [])

    def test_no_reply(self) -> None:
        """A server that does not reply is given up, and its late reply counts for nothing."""
        server = Server([5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000])
        server.gate.clear()
        ids = self.worker(server, timeout=0.01)
        with self.assertRaises(NoWindow):
            ids.next()
        server.gate.set()
        self.wait(lambda: len(server.replies) == 1)
        self.assertEqual(ids.next() >> 12 & 1023, 6)
        self.assertEqual(server.connections, 2)

    def test_forget(self) -> None:
        server = Server([5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000])
        ids = self.worker(server)
        ids.next()
        ids.forget()
        self.assertTrue(server.closed)
        self.assertEqual(ids.next() >> 12 & 1023, 6)
        self.assertEqual(server.asked[1][1:3], [None, None])

    def test_forget_while_a_thread_waits(self) -> None:
        """All threads have one lock before and after, and the one that waited asks anew."""
        server = Server([5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000])
        server.gate.clear()
        ids = self.worker(server)
        lock = ids._changed
        made: List[int] = []
        thread = threading.Thread(target=lambda: made.append(ids.next()))
        thread.start()
        self.wait(lambda: len(server.asked) == 1)
        ids.forget()
        self.wait(lambda: len(server.asked) == 2)
        server.gate.set()
        thread.join(10)
        self.assertEqual(len(made), 1)
        self.assertEqual(server.asked[1][1:3], [None, None])
        self.assertIs(ids._changed, lock)

    def test_copy(self) -> None:
        ids = self.worker(Server([5, NOON, NOON + 10_000]))
        makers: List[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, pickle.dumps]
        for make in makers:
            with self.assertRaisesRegex(TypeError, "cannot be copied"):
                make(ids)

    def test_fork(self) -> None:
        """A child leases its own number, on its own connection, though a thread of its parent held the lock."""
        server = Server([5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000])
        ids = self.worker(server)
        ids.next()
        # In a container of its own the child can have the same process ID.
        with ids._changed, mock.patch.object(os, "getpid", return_value=os.getpid()):
            pid = os.fork()
            if pid == 0:
                right = ids.next() >> 12 & 1023 == 6 and server.asked[1][1] is None and server.connections == 2
                os._exit(0 if right and not server.closed else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(ids.next() >> 12 & 1023, 5)

    def test_fork_by_a_library(self) -> None:
        """Python does not notice such a fork, but the worker does."""
        ids = self.worker(Server([5, NOON, NOON + 10_000], [6, NOON, NOON + 10_000]))
        ids.next()
        with mock.patch.object(os, "getpid", return_value=os.getpid() + 1):
            self.assertEqual(ids.next() >> 12 & 1023, 6)

    def test_threads(self) -> None:
        """Threads never get the same ID."""
        ids = self.worker(Server([5, NOON, NOON + 10_000]))
        made: List[int] = []

        def make() -> None:
            for _ in range(1000):
                made.append(ids.next())

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(made)), 4000)


if __name__ == "__main__":
    unittest.main()
