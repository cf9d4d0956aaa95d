#!/usr/bin/python3
"""Processes lease worker numbers and make IDs, while they are stopped, killed, forked and replaced, and while servers
fail over. No ID may be made twice. Other processes break the rules for clients, and must be found to make IDs twice.
Prints TAP.

    play.py FOLDER [--seconds 8] [--processes 12] [--story] [...]

The clocks of processes are up to an hour off, and step; process.py says what kinds of processes there are. They log
each ID to a file. A process is stopped for up to three leases. The clock of the server steps, too.

With --story, these happen in turn, while processes go on: an asynchronous failover that loses leases, a synchronous one
during which waits for the standby are canceled, and the loss of a database, of which an older dump is restored.

With --mutant NAME a part of the server that is right is replaced by one that is not. Then IDs must be made twice.
"""

import argparse
import ctypes
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import psycopg

import process
from servers import FAKETIME, GaveUp, Server, send

PR_SET_CHILD_SUBREAPER = 36
HERE = os.path.dirname(os.path.abspath(__file__))

# Name of a mutant: the function, what is replaced in it, and by what.
MUTANTS = {
    # A renewal tells the window again that it extends.
    "extends": (
        "grant_window",
        "SET since = starts,",
        "SET since = CASE WHEN ended > kid_workers.this_second() THEN n.since ELSE starts END,",
    ),
    # A window begins with the present second, whether or not the last one has ended.
    "clock": (
        "grant_window",
        "starts := greatest(ended, kid_workers.this_second())",
        "starts := kid_workers.this_second()",
    ),
    # A promotion is not noticed, so that numbers are granted at once. It needs --story.
    "failover": ("history", "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)", "'00000001'"),
}
# The pools.
TYPES = {
    "flake": dict(first=1, last=1023, epoch=1_700_000_000_000),
    "sno": dict(first=1, last=400),
    "kid64": dict(first=1, last=255, lanes=256),
    "kid53": dict(first=1, last=63, lanes=64),
}
# Kinds of processes, each with its share of all processes, and the types of its IDs.
KINDS = {
    "worker": (0.4, ["flake", "sno", "kid64", "kid53"]),
    "wrong": (0.15, ["flake", "sno"]),
    "kept": (0.15, ["flake", "kid64"]),
    "node": (0.05, ["flake"]),
    "naive": (0.15, ["flake"]),
    "unchecked": (0.1, ["flake"]),
}
CONTROLS = "naive", "unchecked"

tests = failures = 0


def note(*words):
    print("#", *words, flush=True)


def ok(good, name):
    global tests, failures
    tests += 1
    failures += not good
    print("ok" if good else "not ok", tests, "-", name, flush=True)


class Play:
    """What all processes of the play know."""

    def __init__(self, options):
        self.folder, self.driver = options.folder, os.getpid()
        self.ttl, self.margin, self.burst = options.ttl, options.margin, options.burst
        self.period = options.burst / options.rate

    @staticmethod
    def pool_of(kind, type):
        return kind if kind in CONTROLS else type

    @property
    def quarantine(self):
        return 2 * self.ttl + self.margin


class Driver:
    def __init__(self, options):
        self.options, self.play = options, Play(options)
        self.running = {}  # process ID: kind, type, slot
        self.stopped = {}  # process ID: when it goes on
        self.doomed = {}  # process ID: when it is killed, since another one replaces it
        self.counts = dict.fromkeys(["started", "stopped", "killed", "forked", "replaced"], 0)
        self.servers = []
        self.primary = None
        self.clock = 0
        self.read_forked = 0
        self.slots = 0

    # -- The server ----------------------------------------------------------------------------------------------------

    def new_server(self, name):
        server = Server(self.play.folder, name, 2 * self.options.processes + 60)
        server.set_clock(self.clock)
        self.servers.append(server)
        return server

    def use(self, server):
        """Lets processes that connect from now on find this server."""
        with open(f"{self.play.folder}/primary.new", "w") as file:
            file.write(server.conninfo)
        os.rename(file.name, f"{self.play.folder}/primary")
        self.primary = server

    def start_server(self):
        server = self.new_server("first")
        server.create()
        server.start()
        words = ["-f", self.options.script] if self.options.script else ["-c", "CREATE EXTENSION kid_workers CASCADE"]
        server.program("psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-d", server.conninfo, *words)
        processes = self.options.processes
        for type, about in TYPES.items():
            # So few that a number soon comes to another process.
            last = min(about["last"], about["first"] + 4 + processes * 2 // 3)
            self.add(server, type, type, {**about, "last": last})
        for kind in CONTROLS:
            # Fewer numbers than processes, so that one is always waiting for the number of another.
            self.add(server, kind, "flake", {**TYPES["flake"], "last": self.number_of(kind) * 3 // 4})
        if self.options.mutant:
            function, old, new = MUTANTS[self.options.mutant]
            ((definition,),) = server.sql(
                "SELECT pg_get_functiondef(oid) FROM pg_proc"
                " WHERE pronamespace = 'kid_workers'::regnamespace AND proname = %s",
                function,
            )
            if definition.count(old) != 1:
                raise GaveUp(f"{function}() does not contain once: {old}")
            server.sql(definition.replace(old, new))
        self.use(server)

    def add(self, server, pool, type, about):
        about = {"type": type, "max_ttl": self.play.ttl, "margin": self.play.margin, "per_role": 65536, **about}
        words = ", ".join(f"{name} => {value!r}" for name, value in about.items() if name not in ("first", "last"))
        # Every 64th lane is the server's own.
        for first in range(about["first"], about["last"] + 1, 64):
            last = min(first + 62 if "lanes" in about else first + 63, about["last"])
            server.sql(f"SELECT kid_add_workers('{pool}', {first}, {last}, {words}, fresh => true)")

    # -- Processes -----------------------------------------------------------------------------------------------------

    def start(self, kind, type, slot=None):
        if slot is None:
            self.slots += 1
            slot = self.slots
        if kind == "node":
            with open(f"{self.play.folder}/node.log", "a") as log:
                pid = subprocess.Popen(
                    [
                        "node",
                        f"{HERE}/process.mjs",
                        self.play.folder,
                        str(self.play.ttl),
                        str(self.play.burst),
                        str(self.play.period),
                        str(self.play.driver),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                ).pid
        else:
            pid = process.run(self.play, kind, type, slot)
        self.running[pid] = kind, type, slot
        self.counts["started"] += 1
        return pid

    def start_all(self):
        for kind, (_, types) in KINDS.items():
            if kind in CONTROLS and not self.options.controls:
                continue
            if kind == "node" and not self.options.node:
                kind = "worker"
            for i in range(self.number_of(kind)):
                self.start(kind, types[i % len(types)])

    def number_of(self, kind):
        """Returns how many processes of a kind there are, even if there are few in all."""
        least = {"naive": 20, "unchecked": 6}.get(kind, 4)
        return max(round(KINDS[kind][0] * self.options.processes), least)

    def bury(self):
        """Notices processes that have ended, and those that were forked, which become children of this one when their
        parents end."""
        if os.path.exists(f"{self.play.folder}/forked"):
            with open(f"{self.play.folder}/forked") as file:
                file.seek(self.read_forked)
                for line in file.read().splitlines():
                    pid, kind, type = line.split()
                    self.running[int(pid)] = kind, type, None
                    self.counts["forked"] += 1
                self.read_forked = file.tell()
        for pid in list(self.running):
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
            if not os.path.exists(f"/proc/{pid}"):
                self.running.pop(pid)
                self.stopped.pop(pid, None)
                self.doomed.pop(pid, None)

    def kill(self, pid):
        send(signal.SIGKILL, pid)
        self.counts["killed"] += 1

    def disturb(self):
        """Does something to one of the processes."""
        # The controls are few, and have to repeat IDs.
        control = random.choice([None, None, None, "naive", "naive", "unchecked"])
        kinds = [control] if control else set(KINDS) - set(CONTROLS)
        pids = [pid for pid, (kind, _, _) in self.running.items() if kind in kinds and pid not in self.stopped]
        if not pids:
            return
        pid = random.choice(pids)
        kind, type, slot = self.running[pid]
        if pid in self.doomed:
            return
        deed = random.random()
        if deed < (0.65 if control else 0.4):
            send(signal.SIGSTOP, pid)
            self.stopped[pid] = time.monotonic() + random.uniform(0.1, 3) * self.play.ttl
            self.counts["stopped"] += 1
        elif deed < 0.7 or slot is None:
            self.kill(pid)
            if slot is not None:
                self.start(kind, type, slot)
        elif deed < 0.8:
            # Another one starts before this one ends, as when a new version is rolled out.
            self.start(kind, type, slot)
            self.doomed[pid] = time.monotonic() + random.uniform(0, 2) * self.play.ttl
            self.counts["replaced"] += 1
        elif kind in ("worker", "wrong"):  # the controls would repeat IDs for this reason alone
            send(signal.SIGUSR1, pid)

    def resume(self):
        now = time.monotonic()
        for pid in [pid for pid, at in self.stopped.items() if at < now]:
            self.stopped.pop(pid)
            send(signal.SIGCONT, pid)
        for pid in [pid for pid, at in self.doomed.items() if at < now]:
            self.doomed.pop(pid)
            self.kill(pid)

    # -- What happens to servers: generators, which yield how many seconds are to pass ---------------------------------

    def step_clock(self, seconds):
        self.clock += seconds
        self.primary.set_clock(self.clock)
        self.counts["steps of the server's clock"] = self.counts.get("steps of the server's clock", 0) + 1

    def steps(self, seconds, pause):
        """The clock of the server steps forward, and by as much back."""
        for step in seconds:
            self.step_clock(step)
            yield pause

    def is_making(self):
        """Yields until processes have windows again."""
        start = time.monotonic()
        before = self.bytes_logged()
        while self.bytes_logged() < before + 1000 * self.play.burst:
            if time.monotonic() > start + 4 * self.play.quarantine + 20:
                raise GaveUp("no more IDs are made")
            yield 0.5

    def bytes_logged(self):
        return sum(os.path.getsize(name) for name in glob.glob(f"{self.play.folder}/ids/*.worker.*"))

    def failover_asynchronous(self):
        standby = self.new_server("asynchronous")
        standby.set_clock(self.clock - self.play.margin / 2)
        standby.copy(self.primary)
        standby.start()
        yield 3
        # From now on nothing reaches the standby.
        send(signal.SIGSTOP, *self.primary.walsenders())
        yield 1.5 * self.play.ttl
        ((lost,),) = self.primary.sql(
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), %s::pg_lsn)",
            standby.sql("SELECT pg_last_wal_receive_lsn()::text")[0][0],
        )
        self.primary.kill()
        standby.promote()
        self.use(standby)
        ok(lost > 0, f"an asynchronous failover lost {lost} bytes of WAL, with leases")
        yield from self.is_making()

    def failover_synchronous(self):
        former, standby = self.primary, self.new_server("synchronous")
        standby.copy(former)
        standby.start()
        former.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        former.sql("SELECT pg_reload_conf()")
        yield 2 * self.play.ttl
        waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        send(signal.SIGSTOP, *former.walsenders())
        canceled = 0
        for _ in range(int(self.play.ttl / 0.25)):
            yield 0.25
            canceled += len(former.sql(f"SELECT pg_cancel_backend(pid) {waiting}"))
        standby.promote()
        self.use(standby)
        # The former primary lives on for a while.
        for _ in range(int(self.play.ttl / 0.25)):
            yield 0.25
            canceled += len(former.sql(f"SELECT pg_cancel_backend(pid) {waiting}"))
        former.kill()
        ok(canceled > 0, f"a synchronous failover, before which {canceled} waits for the standby were canceled")
        yield from self.is_making()

    def restored_dump(self):
        former, restored = self.primary, self.new_server("restored")
        dump = f"{self.play.folder}/dump.sql"
        restored.create()
        restored.start()
        former.program("pg_dump", "-d", former.conninfo, "-f", dump)
        yield 1.5 * self.play.ttl
        former.kill()
        restored.program("psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-d", restored.conninfo, "-f", dump)
        self.use(restored)
        yield 2
        try:
            restored.sql("CALL kid_lease_worker('flake')")
            ok(False, "a restored database leases nothing until its owner has adopted the pools")
        except Exception as error:
            ok(
                "comes from another database" in str(error),
                "a restored database leases nothing until its owner has adopted the pools",
            )
        restored.sql("SELECT kid_adopt_workers(pool) FROM (SELECT DISTINCT pool FROM kid_workers()) AS pools")
        yield from self.is_making()

    def story(self):
        calm = self.options.seconds / 12
        margin, ttl = self.play.margin, self.play.ttl
        if not self.options.story:
            if FAKETIME:
                # After a step back few numbers are free, which keeps the controls from repeating IDs.
                yield self.options.seconds * 0.65
                yield from self.steps([3 * ttl, -3 * ttl, -ttl, ttl], self.options.seconds / 12)
            return
        yield calm
        if FAKETIME:
            yield from self.steps([2 * ttl, -ttl / 2, -3 * ttl, ttl], calm / 3)
        yield calm
        yield from self.failover_asynchronous()
        yield calm
        yield from self.failover_synchronous()
        yield calm
        yield from self.restored_dump()
        if FAKETIME:
            yield from self.steps([margin, -margin, -ttl, 3 * ttl], calm / 3)
            # Numbers that are leased meanwhile are out of use for two hours. So this comes last.
            yield from self.steps([7200, -7200], ttl)
            yield calm

    # -- The play ------------------------------------------------------------------------------------------------------

    def run(self):
        self.start_server()
        begin = time.monotonic()
        end = begin + self.options.seconds
        self.start_all()
        story, next_event = self.story(), begin
        next_deed = begin + 1
        while time.monotonic() < end or story:
            time.sleep(0.02)
            self.resume()
            if time.monotonic() > next_deed:
                self.bury()
                for _ in range(1 + self.options.processes // 100):
                    self.disturb()
                next_deed += self.options.every * (1 + self.options.processes // 100) / self.options.processes
            if story and time.monotonic() > next_event:
                try:
                    next_event = time.monotonic() + next(story)
                except StopIteration:
                    story = None
        self.stop()

    def stop(self):
        for _ in range(50):
            self.bury()
            if not self.running:
                break
            send(signal.SIGKILL, *self.running)
            time.sleep(0.1)

    # -- The count -----------------------------------------------------------------------------------------------------

    def count(self, pattern):
        """Returns how many IDs the logs of some processes have, and how many of them are there already."""
        names = glob.glob(f"{self.play.folder}/ids/{pattern}")
        if not names:
            return 0, 0
        count = (
            "LC_ALL=C sort -S 512M | uniq -c | awk '{ all += $1; twice += $1 - 1 } END { print all + 0, twice + 0 }'"
        )
        output = subprocess.run(
            ["sh", "-c", f'cat "$@" | grep -hx "[-._0-9A-Za-z]*" | {count}', "count", *names],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": self.play.folder},
        ).stdout
        return tuple(int(word) for word in output.split())

    def lines(self, pattern):
        count = 0
        for name in glob.glob(f"{self.play.folder}/ids/{pattern}"):
            with open(name, "rb") as file:
                count += file.read().count(b"\n")
        return count

    def judge(self):
        note(", ".join(f"{number} {name}" for name, number in self.counts.items()))
        made = {pool: self.count(f"{pool}.*") for pool in [*TYPES, *CONTROLS]}
        if self.options.mutant:
            twice = sum(made[pool][1] for pool in TYPES)
            ok(twice > 0, f"the mutant {self.options.mutant} is found: {twice} IDs were made twice")
            return
        for pool in TYPES:
            all, twice = made[pool]
            ok(all > 0 and twice == 0, f"{all} IDs of type {pool} were made, {twice} of them twice")
        for kind in KINDS:
            if kind not in CONTROLS and (kind != "node" or self.options.node):
                all = self.lines(f"*.{kind}.*")
                ok(all > 0, f"{all} of them by processes of kind {kind}")
        for kind in CONTROLS if self.options.controls else []:
            all, twice = made[kind]
            ok(twice > 0, f"of {all} IDs of the control {kind}, {twice} were made twice")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--rate", type=float, default=100, help="IDs of a process in a second")
    parser.add_argument("--burst", type=int, default=10, help="IDs that a process makes at once")
    parser.add_argument("--ttl", type=int, default=1, help="seconds of a lease")
    parser.add_argument("--margin", type=int, default=1, help="seconds by which clocks of servers may differ")
    parser.add_argument("--every", type=float, default=1, help="seconds from one event of a process to the next")
    parser.add_argument("--node", action="store_true", help="some processes are Node's")
    parser.add_argument("--story", action="store_true", help="servers fail over, and a dump is restored")
    parser.add_argument("--script", help="the file that creates kid_lease_worker(), if that is not kid_workers")
    parser.add_argument("--mutant", choices=MUTANTS)
    parser.add_argument("--no-controls", dest="controls", action="store_false")
    options = parser.parse_args()
    options.controls &= not options.mutant
    os.makedirs(f"{options.folder}/ids")
    # Processes ignore the signal until they have a handler for it.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Processes that were forked become children of this one when their parents end.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    driver = Driver(options)
    try:
        driver.run()
        driver.judge()
    except (GaveUp, OSError, subprocess.CalledProcessError, psycopg.Error) as error:
        ok(False, f"went on to the end: {type(error).__name__}: {error}")
    finally:
        driver.stop()
        for server in driver.servers:
            server.kill()
    print(f"1..{tests}")
    if not failures:
        shutil.rmtree(options.folder)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
