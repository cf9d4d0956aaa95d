#!/usr/bin/python3
"""Cuts the power of a PostgreSQL with kid again and again, on disks that then lose what was not flushed. What clients
were told must hold: no acknowledged row is lost, no ID that a client received comes again, and no new ID is below an
earlier one. Then parts are made wrong, which has to be found. Prints TAP, and a table.

    cuts.py FOLDER LIBRARY [--cuts 200] [--seconds N] [--seed N] [--controls "fsync flush pages"]

FOLDER is made, and LIBRARY is the installed kid.so. The servers run as $KID_RUNNER. It takes root, and namespaces for
mounts, processes and IPC, with which all that this leaves behind ends.

Every four cuts there is a new cluster, on another file system, with another size of sectors, or another way to flush
WAL. Every third cluster has a synchronous standby, whose power fails at the same time, and which takes over after the
fourth cut. In a third of the cuts clients only ask for IDs and commit nothing, so that no commit flushes WAL for kid.
In a quarter, the power fails again soon after the start, mostly during recovery. At each start the clock of each server
is up to two hours off. A seed repeats all random choices, but not the timing.
"""

import argparse
import itertools
import os
import random
import shutil
import sys
import threading
import time

import psycopg

import machine
from machine import Disk, Machine, cut_power, lose_unflushed, run

SETTINGS = """
listen_addresses = ''
# Pages are evicted all the time, and reach the disk, but are not flushed.
shared_buffers = 512kB
backend_flush_after = 8kB
bgwriter_flush_after = 8kB
checkpoint_flush_after = 8kB
checkpoint_timeout = 30s
min_wal_size = 32MB
max_wal_size = 64MB
wal_keep_size = 64MB
# Only commits, checkpoints and kid flush WAL.
wal_writer_delay = 10s
# Whatever the server leaves behind goes with the namespace of this program.
dynamic_shared_memory_type = sysv
# PostgreSQL reads the clock in the signal handler of its timeouts, for which libfaketime is not safe.
autovacuum = off
deadlock_timeout = 1h
log_startup_progress_interval = 0
wal_sender_timeout = 0
wal_receiver_timeout = 0
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 100ms
"""
SCHEMA = """
CREATE EXTENSION kid;
CREATE TABLE rows (id kid64 PRIMARY KEY DEFAULT kid_next(), chance float DEFAULT random(), text text);
CREATE INDEX ON rows (chance);
"""
# Types with logical clocks of their own, and what makes an ID of each. New IDs are greater than all before.
TYPES = {
    "kid64": "kid64_next()::bigint",
    "kid53": "kid53_next()",
    "flake": "flake_next()::bigint",
    "uuid": "kid_uuidv7()",
}
INSERT = "INSERT INTO rows (text) VALUES (repeat('x', 1000)) RETURNING id::bigint"
UPDATE = """UPDATE rows SET text = repeat(md5(chance::text), 30) WHERE id = (
    SELECT id FROM rows WHERE chance >= (SELECT random()) ORDER BY chance LIMIT 1)"""
# Parts that are made wrong: what that is, which column of the table shows it, and after how many cuts at the latest.
CONTROLS = {
    "fsync": ("fsync=off", "lost", 5),
    "flush": ("kid does not flush WAL", "below", 5),
    "pages": ("full_page_writes=off", "unusable", 30),
}
COLUMNS = "cuts", "rows acknowledged", "lost", "IDs received", "repeated", "below", "unusable"
CUTS_OF_CLUSTER = 4
NUMBERS = itertools.count(1)  # of clusters

tests = failures = 0


def ok(good, name):
    global tests, failures
    tests += 1
    failures += not good
    print("ok" if good else "not ok", tests, "-", name, flush=True)


def make_id(connection, type):
    """Returns the type, and a new ID of it as an integer."""
    (id,) = connection.execute(f"SELECT {TYPES[type]}").fetchone()
    return type, id.int if type == "uuid" else id


class Ledger:
    """What clients of a cluster were told."""

    def __init__(self):
        self.acknowledged = set()
        self.received = {type: set() for type in TYPES}
        self.greatest = dict.fromkeys(TYPES)

    def add(self, news):
        """Adds IDs, pairs of type and ID, which were made after all that are here. Returns how many came again, and how
        many are below an earlier one."""
        repeated = below = 0
        before = dict(self.greatest)
        for type, id in news:
            repeated += id in self.received[type]
            below += before[type] is not None and id < before[type]
            self.received[type].add(id)
            if self.greatest[type] is None or id > self.greatest[type]:
                self.greatest[type] = id
        return repeated, below


class Clients:
    """Sessions that write, or only ask for IDs, until the server is gone."""

    def __init__(self, server, only_ids):
        self.server = server
        self.acknowledged, self.received, self.errors = [], [], []
        self.end = threading.Event()
        work = self.ask if only_ids else self.write
        works = [(work, type) for type in TYPES] + [(self.checkpoint,)] * (not only_ids)
        self.threads = [threading.Thread(target=self.repeat, args=work) for work in works]
        self.all_connected = threading.Barrier(len(works) + 1, timeout=60)
        for thread in self.threads:
            thread.start()
        self.all_connected.wait()

    def repeat(self, work, *arguments):
        try:
            with self.server.connect() as connection:
                self.all_connected.wait()
                while True:
                    work(connection, *arguments)
        except psycopg.Error as error:
            if not self.end.is_set():
                self.errors.append(str(error))

    def ask(self, connection, type):
        self.received.append(make_id(connection, type))

    def write(self, connection, type):
        (id,) = connection.execute(INSERT).fetchone()
        self.acknowledged.append(id)
        self.received.append(("kid64", id))
        self.ask(connection, type)
        connection.execute(UPDATE)

    def checkpoint(self, connection):
        connection.execute("CHECKPOINT")
        self.end.wait(random.uniform(0, 2))

    def join(self):
        for thread in self.threads:
            thread.join()


class Cluster:
    """A new server, and a standby of it if wanted, on disks of one kind."""

    def __init__(self, options, chance, kind, settings=(), standby=False):
        self.chance, self.ledger = chance, Ledger()
        self.file_system, self.sector, method = kind
        self.name = f"{self.file_system}, sectors of {self.sector}, {method}{', standby' if standby else ''}"
        self.folder = f"{options.folder}/cluster"
        os.mkdir(self.folder)
        log = f"{options.folder}/cluster.{next(NUMBERS)}.log"
        settings = [f"wal_sync_method={method}", *options.settings, *settings]
        names = ["main"] + ["standby"] * standby
        self.machines = [
            Machine(f"{self.folder}/{name}", f"{options.folder}/template", self.file_system, self.sector, settings, log)
            for name in names
        ]
        self.switch_on()
        if standby:
            with open(f"{self.machines[1].data}/standby.signal", "w"):
                pass

    def switch_on(self):
        for each in self.machines:
            each.switch_on()

    def start(self, clock=None):
        """Starts the servers, and waits for nothing. The clock of each is up to two hours off."""
        for each in self.machines:
            settings = []
            if len(self.machines) == 2:
                settings = ["synchronous_standby_names=*"]
                if each is not self.machines[0]:
                    settings = [f"primary_conninfo=host={self.machines[0].folder} user=postgres"]
            each.start(self.chance.randint(-7200, 7200) if clock is None else clock, *settings)

    def wait_for_start(self):
        self.machines[0].wait_for_start()
        if len(self.machines) == 2:
            machine.wait_for("a synchronous standby", self.is_synchronous)

    def is_synchronous(self):
        return self.machines[0].sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'") == [(1,)]

    def fail_over(self):
        """Discards the first server, after a cut. The standby has to be promoted."""
        first = self.machines.pop(0)
        first.close()
        shutil.rmtree(first.folder)

    def remove(self):
        cut_power(self.machines)
        for each in self.machines:
            for disk in each.disks:
                disk.clean_up()
            each.close()
        shutil.rmtree(self.folder)

    def play(self, only_ids=False, twice=False, failover=False, clock=None):
        """Lets clients work until the power fails, and then compares what they were told with what is there. Returns
        the figures of this cut, by COLUMNS, and what else went wrong."""
        clients = Clients(self.machines[0], only_ids)
        time.sleep(self.chance.uniform(0, 2))
        clients.end.set()
        cut_power(self.machines)
        clients.join()
        lose_unflushed(self.machines, self.chance)
        if twice:
            self.switch_on()
            self.start()
            time.sleep(self.chance.uniform(0, 0.4))
            cut_power(self.machines)
            lose_unflushed(self.machines, self.chance)
        if failover:
            self.fail_over()
        figures = dict.fromkeys(COLUMNS, 0)
        figures.update({"cuts": 1, "rows acknowledged": len(clients.acknowledged)})
        try:
            self.switch_on()
            self.start(clock)
            self.compare(clients, failover, figures)
        except (psycopg.Error, RuntimeError) as error:
            figures["unusable"] = 1
            clients.errors.append(str(error))
        return figures, clients.errors

    def compare(self, clients, failover, figures):
        """Adds what a cut has changed to the figures."""
        self.wait_for_start()
        server = self.machines[0]
        if failover:
            server.sql("SELECT pg_promote()")
        self.ledger.acknowledged.update(clients.acknowledged)
        rows = {id for (id,) in server.sql("SELECT id::bigint FROM rows")}
        figures["lost"] = len(self.ledger.acknowledged - rows)
        with server.connect() as connection:
            then = [make_id(connection, type) for type in TYPES]
        for news in clients.received, then:
            repeated, below = self.ledger.add(news)
            figures["repeated"] += repeated
            figures["below"] += below
            figures["IDs received"] += len(news)


def add_up(sums, figures):
    for column in COLUMNS:
        sums[column] += figures[column]


def went_wrong(figures):
    return any(figures[column] for column in ("lost", "repeated", "below", "unusable"))


def words_of(figures):
    return ", ".join(f"{column} {figures[column]}" for column in COLUMNS[1:])


def cut_kid(options, chance):
    """Cuts the power of kid as it is, at least once. Returns the sums."""
    sums = dict.fromkeys(COLUMNS, 0)
    kinds = list(itertools.product(("ext4", "xfs"), (512, 4096), ("fdatasync", "open_datasync")))
    chance.shuffle(kinds)
    until = time.monotonic() + options.seconds
    number = 0

    def is_over():
        return sums["cuts"] >= options.cuts or (sums["cuts"] > 0 and time.monotonic() > until)

    while not is_over():
        standby = number % 3 == 1
        cluster = Cluster(options, chance, kinds[number % len(kinds)], standby=standby)
        number += 1
        cluster.start(0)
        cluster.wait_for_start()
        for of_cluster in range(CUTS_OF_CLUSTER):
            if is_over():
                break
            only_ids, twice = chance.random() < 1 / 3, chance.random() < 1 / 4
            failover = standby and of_cluster == CUTS_OF_CLUSTER - 1
            figures, errors = cluster.play(only_ids, twice, failover)
            add_up(sums, figures)
            is_wrong = went_wrong(figures) or errors
            remarks = ["only IDs"] * only_ids + ["twice"] * twice + ["failover"] * failover
            ok(not is_wrong, f"cut {sums['cuts']}, {'; '.join([cluster.name, *remarks])}: {words_of(figures)}")
            for error in errors:
                print("#", error)
            if is_wrong:
                break
        cluster.remove()
    return sums


def cut_control(options, chance, name):
    """Cuts the power of what is made wrong until that is found. Returns the sums."""
    what, column, attempts = CONTROLS[name]
    sums = dict.fromkeys(COLUMNS, 0)
    while sums["cuts"] < attempts and not sums[column]:
        kind = chance.choice(("ext4", "xfs")), chance.choice((512, 4096)), "fdatasync"
        cluster = Cluster(options, chance, kind, [] if name == "flush" else [what])
        cluster.start(0)
        cluster.wait_for_start()
        # A clock that was set back does not hide that the bound is lost.
        figures, _ = cluster.play(only_ids=name == "flush", clock=-7200)
        add_up(sums, figures)
        cluster.remove()
    ok(sums[column], f"{what} is found by cut {sums['cuts']}: {words_of(sums)}")
    return sums


def make_template(folder):
    """Makes a cluster with kid. Its WAL is in a folder beside the data directory."""
    data = f"{folder}/template/data/pg"
    os.makedirs(f"{folder}/template/wal")
    os.mkdir(os.path.dirname(data))
    for place in f"{folder}/template/data", f"{folder}/template/wal", f"{folder}/template":
        os.chown(place, machine.RUNNER.pw_uid, machine.RUNNER.pw_gid)
    runner = machine.AS_RUNNER
    options = "-U postgres --data-checksums --auth=trust --no-locale --encoding=UTF8 --no-sync"
    run("initdb", "-D", data, *options.split(), **runner)
    os.rename(f"{data}/pg_wal", f"{folder}/template/wal/pg_wal")
    os.symlink("../../wal/pg_wal", f"{data}/pg_wal")
    with open(f"{data}/postgresql.conf", "a") as file:
        file.write(SETTINGS)
    log = f"{folder}/template/log"
    run("pg_ctl", "-D", data, "-w", "-l", log, "-o", f"-k {folder}/template", "start", **runner)
    run("psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", f"{folder}/template", "-U", "postgres", "-c", SCHEMA, "postgres")
    run("pg_ctl", "-D", data, "-w", "-m", "fast", "stop", **runner)


def without_flush(library, folder):
    """Returns a copy of kid whose calls of XLogFlush() go to getpid() instead, which does nothing to WAL."""
    with open(library, "rb") as file:
        code = file.read()
    name = b"\0XLogFlush\0"
    assert name in code
    with open(f"{folder}/without_flush.so", "wb") as file:
        file.write(code.replace(name, b"\0getpid\0".ljust(len(name), b"\0")))
    return file.name


def print_table(rows):
    table = [("", *COLUMNS)] + [(name, *(f"{sums[column]:,}" for column in COLUMNS)) for name, sums in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("#", row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:])), sep="  ")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("library")
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--controls", default=" ".join(CONTROLS))
    options = parser.parse_args()
    print(f"# KID_SEED={options.seed}")
    chance = random.Random(options.seed)
    version = int(run("postgres", "--version").split()[2].split(".")[0])
    options.settings = ["io_method=io_uring"] if version >= 18 else []
    os.mkdir(options.folder)
    os.chown(options.folder, machine.RUNNER.pw_uid, machine.RUNNER.pw_gid)
    make_template(options.folder)
    began = time.monotonic()
    rows = [("kid", cut_kid(options, chance))]
    seconds = (time.monotonic() - began) / rows[0][1]["cuts"]
    for name in options.controls.split():
        if name == "flush":
            run("mount", "--bind", without_flush(options.library, options.folder), options.library)
        rows.append((CONTROLS[name][0], cut_control(options, chance, name)))
        if name == "flush":
            run("umount", options.library)
    print(
        f"# {seconds:.1f} seconds for each cut. The disks lost {Disk.lost:,} of the {Disk.unflushed:,} blocks that"
        " were not flushed."
    )
    print_table(rows)
    print(f"1..{tests}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
