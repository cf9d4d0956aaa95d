"""A process of the play: makes IDs and logs them, with a clock that is wrong and steps, and forks when it is told to.

These kinds obey the rules for clients, except where the next lines say that they do not:

    worker      a Worker of pgkid.worker
    wrong       a Worker whose IDs have the time of this machine, as far as the window permits, not that of the database
    kept        a Worker that begins with number and token of the process that it replaces, against the rules. Its clock
                may be behind that of the other

These do not, and repeat IDs:

    naive       uses its number as long as it believes that it holds the lease, which it renews in time unless it is
                stopped. Its clock is right
    unchecked   a Worker that does not compare its IDs with the window
"""

import os
import pickle
import random
import signal
import sys
import time

import psycopg

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python"))
from pgkid import worker
from pgkid.worker import FlakeLayout, Kid53Layout, Kid64Layout, NoWindow, SnoLayout, Worker

LAYOUTS = {"flake": FlakeLayout, "sno": SnoLayout, "kid64": Kid64Layout, "kid53": Kid53Layout}


class Clock:
    """The clock of a machine, up to an hour off. It steps."""

    def __init__(self):
        self.step()

    def step(self):
        self.ahead = random.choice([0, random.uniform(-3, 3), random.uniform(-3600, 3600)])

    def micros(self):
        return int((time.clock_gettime(time.CLOCK_REALTIME) + self.ahead) * 10**6)

    def tick(self):
        if random.random() < 0.02:
            self.step()
        elif random.random() < 0.05:
            self.ahead += random.uniform(-5, 5)


class CoarseWorker(Worker):
    """Its clock advances by a period at a time. So the IDs of two processes that have the same number at the same time
    are the same, not only in the same millisecond."""

    def _now(self):
        return (super()._now() - self.lag) // self.period * self.period


class WrongWorker(Worker):
    def _now(self):
        lease, layout = self._windows[0]
        now = min(max(self.clock.micros() // self.period * self.period, lease.since), lease.until - 1)
        # If the window ends for this clock and the sequence is used up, nothing is left of the window.
        used_up = layout.unit_at(now) == self._unit and self._sequence >= layout.last
        return lease.until if used_up else now


class Naive:
    """Renews in time, unless it is stopped when it should, and does not look at the window."""

    def __init__(self, connect, pool, layout, ttl):
        self.lessor = worker.Lessor(connect, pool, ttl, None)
        self.layout_of, self.ttl = layout, ttl
        self.lease = self.layout = None
        self.until = 0
        self.unit = self.sequence = -1

    def renew(self):
        before = time.monotonic()
        if before < self.until - self.ttl / 2:
            return
        try:
            reply = self.lessor.lease(self.lease)
        except (psycopg.Error, NoWindow):
            self.lease = None
            return
        if self.lease is None or reply.lease.number != self.lease.number:
            self.unit = -1
        self.lease, self.layout, self.until = reply.lease, self.layout_of(reply.lease), before + self.ttl

    def next(self):
        if self.lease is None:
            raise NoWindow
        now = self.layout.unit_at(int(time.clock_gettime(time.CLOCK_REALTIME) * 10**6) // self.period * self.period)
        self.sequence = self.sequence + 1 if now <= self.unit else self.layout.first
        self.unit = max(now, self.unit)
        return self.layout.make(self.unit, self.sequence)


class Process:
    def __init__(self, play, kind, type, slot):
        self.play, self.kind, self.type = play, kind, type
        random.seed()
        self.clock = Clock()
        # Nothing may depend on this clock.
        time.time = lambda: self.clock.micros() / 10**6
        self.kept = f"{play.folder}/kept.{slot}"
        self.open_log()
        self.fork_soon = False
        signal.signal(signal.SIGUSR1, self.note_fork)
        arguments = self.connect, play.pool_of(kind, type), LAYOUTS[type]
        if kind == "naive":
            self.ids = Naive(*arguments, play.ttl)
        else:
            kind_of_worker = WrongWorker if kind == "wrong" else CoarseWorker
            self.ids = kind_of_worker(*arguments, ttl=play.ttl, holder=f"{kind} {os.getpid()}", timeout=5)
        self.ids.clock = self.clock
        self.ids.period = int(play.period * 10**6)
        # By less than half of a lease, so that renewals are in time.
        self.ids.lag = int(random.uniform(0, 0.45) * play.ttl * 10**6) if kind == "kept" else 0
        if kind == "unchecked":
            worker.is_in = lambda lease, made: True
        if kind == "kept" and os.path.exists(self.kept):
            with open(self.kept, "rb") as file:
                self.ids._last = pickle.load(file)

    def connect(self):
        with open(f"{self.play.folder}/primary") as file:
            return psycopg.connect(file.read(), autocommit=True, connect_timeout=3)

    def note_fork(self, *_):
        self.fork_soon = True

    def open_log(self):
        name = f"{self.play.pool_of(self.kind, self.type)}.{self.kind}.{os.getpid()}"
        self.log = os.open(f"{self.play.folder}/ids/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def run(self):
        """Makes a few IDs in each period, as long as the driver lives. All processes have the same periods."""
        period = self.play.period
        while os.path.exists(f"/proc/{self.play.driver}"):
            made = []
            self.clock.tick()
            try:
                for _ in range(self.play.burst):
                    made.append(self.ids.next())
            except NoWindow:
                time.sleep(random.uniform(0.2, 1))
            if made:
                os.write(self.log, "".join(f"{id}\n" for id in made).encode())
            if self.kind == "kept" and self.ids._last:
                with open(f"{self.kept}.{os.getpid()}", "wb") as file:
                    pickle.dump(self.ids._last, file)
                os.rename(file.name, self.kept)
            if self.kind == "naive":
                self.ids.renew()
            if self.fork_soon:
                self.fork()
            time.sleep(period - time.clock_gettime(time.CLOCK_REALTIME) % period)

    def fork(self):
        """From here on there are two of this process. What it has in memory is in both."""
        self.fork_soon = False
        pid = os.fork()
        if pid:
            with open(f"{self.play.folder}/forked", "a") as file:
                file.write(f"{pid} {self.kind} {self.type}\n")
            return
        random.seed()
        self.clock.step()
        self.open_log()


def run(*arguments):
    """Runs a process in a child of this one. Returns its process ID."""
    pid = os.fork()
    if pid:
        return pid
    try:
        for number in signal.SIGTERM, signal.SIGINT:
            signal.signal(number, signal.SIG_DFL)
        Process(*arguments).run()
    except BaseException as error:
        print(f"# {arguments[1:]} broke off: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(0)
