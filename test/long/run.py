#!/usr/bin/python3
"""A long run of two servers, with all that happens to servers: run.py FOLDER [--seconds 7200] [--seed N]

Patroni manages a leader and a synchronous standby. Two writers of each kind of ID (kinds.py) insert rows, and log each
ID that they are told, while consumers read the rows up to the horizon (clients.py). Meanwhile, in a random order
(deeds.py):

    in the whole run     the clocks of the servers step by days, a setting of kid changes, a base backup is started and
                         compared, kid is updated, and kid_workers is dropped and created
    in the first half    a session is killed, servers are stopped at once or killed, and the leader changes

Every minute partitions are created and dropped, old rows are deleted, a new sealing key takes over and an old one is
forgotten, and a sample is taken of what the leader uses (growth.py). In the second half sessions live on, so that what
they leak adds up.

In the end the logs are compared with the rows: those that are there, and those that were written to an archive before
they were deleted. Prints TAP, and tables. A seed repeats the random choices of what happens, but not the timing.
"""

import argparse
import bisect
import glob
import itertools
import os
import random
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../ha"))

import clients
import growth
from clients import Consumer, Writer
from deeds import SETTINGS, Deeds, in_turn
from kinds import KIND, KINDS, schema
from nodes import Pair, start_etcd
from servers import SETTINGS as SERVER_SETTINGS
from servers import GaveUp, main, note, ok, sql, wait_for, with_cursor

WRITERS = 2  # of each kind
PARAMETERS = {
    **SERVER_SETTINGS,
    "max_connections": "100",
    "max_locks_per_transaction": "256",
    "max_wal_size": "256MB",
    "wal_keep_size": "512MB",
    "restart_after_crash": "on",
    # A step of the clock must not end replication.
    "wal_sender_timeout": "0",
    "wal_receiver_timeout": "0",
    "wal_receiver_status_interval": "1s",
}
COLUMNS = {
    "told": "IDs told",
    "acknowledged": "rows acknowledged",
    "lost": "lost",
    "changed": "with another ID",
    "undone": "rolled back, but there",
    "repeated": "IDs repeated",
    "falling": "not rising",
    "below": "below a horizon",
}
WRONG = ("lost", "changed", "undone", "repeated", "falling", "below")


def print_table(head, rows):
    table = [head, *([f"{cell:,.0f}" if isinstance(cell, (int, float)) else cell for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    for name, *cells in table:
        note("  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:]))]))


class Run:
    def __init__(self, options):
        self.options = options
        self.chance = random.Random(options.seed)

    def play(self, folder):
        preloaded = self.chance.random() < 0.5
        parameters = {**PARAMETERS, **({"shared_preload_libraries": "kid"} if preloaded else {})}
        self.folder = folder
        self.cluster = Pair(folder, start_etcd(folder), "long", synchronous=True, settings=parameters)
        self.cluster.a.start()
        wait_for("the first leader", lambda: self.cluster.leader() is self.cluster.a)
        with_cursor(self.cluster.a.dsn, lambda cursor: [cursor.execute(statement) for statement in schema()])
        note(f"KID_SEED={self.options.seed}, kid {'preloaded' if preloaded else 'not preloaded'}")
        note(sql(self.cluster.a.dsn, "SELECT version()")[0])
        self.check_settings()
        self.cluster.b.start()

        os.mkdir(f"{folder}/ids")
        dsn = self.cluster.leader_dsn
        numbers = itertools.count()
        self.writers = [Writer(kind, next(numbers), dsn, f"{folder}/ids") for kind in KINDS for _ in range(WRITERS)]
        self.consumers = [
            Consumer(KIND["kid64"], "kid64, new snapshots", dsn),
            Consumer(KIND["kid64"], "kid64, old snapshots", dsn, old_snapshot=True),
            Consumer(KIND["kid53"], "kid53", dsn),
            Consumer(KIND["uuid"], "uuid", dsn),
            Consumer(KIND["serial"], "serial, kid_track()", dsn),
            Consumer(KIND["kid64"], "kid64, no horizon", dsn, horizon=False),
        ]
        self.deeds = Deeds(self.cluster, self.chance, folder, self.writers, self.consumers)
        self.deeds.do(self.deeds.keep_partitions)
        for client in *self.writers, *self.consumers:
            client.start()
        try:
            self.live()
        except (GaveUp, OSError, subprocess.CalledProcessError) as error:
            ok(False, f"the servers go on: {error}")
        finally:
            self.deeds.clean_up()
        self.end()
        self.judge()
        self.cluster.stop()

    def check_settings(self):
        def names(cursor):
            cursor.execute("LOAD 'kid'")
            cursor.execute(r"SELECT name FROM pg_settings WHERE name LIKE 'kid.%'")
            return {name for (name,) in cursor}

        missing = with_cursor(self.cluster.a.dsn, names) - {name for group in SETTINGS for name in group}
        ok(not missing, "the run can change each setting of kid", sorted(missing))

    def live(self):
        deeds = self.deeds
        going_on = [deeds.step_clocks] * 3 + [deeds.change_setting] * 3
        going_on += [deeds.restore_backup, deeds.update_extension, deeds.replace_module]
        ending = [deeds.kill_a_session, deeds.stop_at_once, deeds.stop_standby, deeds.kill_server, deeds.switch_over]
        stormy, calm = in_turn(self.chance, going_on + ending), in_turn(self.chance, going_on)
        began = time.monotonic()
        self.calm_since = began + self.options.seconds / 2
        minute = max(min(60, self.options.seconds / 20), 10)
        next_minute = began + minute
        while time.monotonic() < began + self.options.seconds:
            time.sleep(self.chance.uniform(0, minute / 6))
            deeds.do(next(stormy if time.monotonic() < self.calm_since else calm))
            if time.monotonic() > next_minute:
                deeds.do(deeds.keep_house)
                deeds.do(deeds.sample)
                next_minute = time.monotonic() + minute

    def end(self):
        """Ends the writers, and then the consumers, once they have read all rows."""
        for writer in self.writers:
            writer.ended.set()
        for writer in self.writers:
            writer.join(60)
            if writer.is_alive():
                ok(False, f"{writer.name} ends")
            writer.log.close()
        leader = self.deeds.settle()

        def has_read_all(consumer):
            query = f"SELECT {consumer.kind.read} FROM {consumer.kind.table} AS t ORDER BY t.id DESC LIMIT 1"
            return (sql(leader.dsn, query) or (consumer.last,))[0] == consumer.last

        try:
            wait_for("the end of all consumers", lambda: all(map(has_read_all, self.consumers)))
        except GaveUp as error:
            ok(False, str(error))
        for consumer in self.consumers:
            consumer.ended.set()
            consumer.join(60)
        self.leader = leader

    # -- The judgement -------------------------------------------------------------------------------------------------

    def judge(self):
        kinds, consumers = [], []
        for kind in KINDS:
            rows = self.rows_of(kind)
            figures = self.judge_writers(kind, rows)
            kinds.append([kind.name, *(figures[name] for name in COLUMNS)])
            wrong = ", ".join(f"{figures[name]} {COLUMNS[name]}" for name in WRONG if figures[name])
            good = figures["acknowledged"] and not wrong
            ok(
                good,
                f"{kind.name}: {figures['acknowledged']} rows acknowledged, {wrong or 'no ID and no row is wrong'}",
            )
            for consumer in self.consumers:
                if consumer.kind is kind:
                    missed = len(set(rows.values()) - consumer.seen)
                    consumers.append([consumer.name, len(consumer.seen), missed, consumer.twice, len(consumer.told)])
                    good = not missed if consumer.horizon else missed
                    ok(good and not consumer.twice, f"the consumer of {consumer.name} missed {missed} rows")
        counts = self.deeds.counts
        good = counts["texts unsealed"] and not counts["texts unsealed wrongly"]
        ok(good, "sealed IDs are unsealed with the keys that are there, and not with those that are forgotten")
        grown = self.judge_growth()
        unexpected = [f"{count} times {message}" for message, count in clients.unexpected.most_common(20)]
        ok(not unexpected, "no client got an error that nothing explains", unexpected)
        lines = self.bad_lines()
        ok(not lines, "no server logged a crash of its own", lines[:20])
        note("What happened:", ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        note("Errors that clients got:", ", ".join(f"{name} {count}" for name, count in clients.errors.most_common()))
        print_table(["kind", *COLUMNS.values()], kinds)
        print_table(["consumer", "rows seen", "missed", "twice", "horizons told"], consumers)
        print_table(["growth", "second quarter", "last quarter", "greatest", "samples"], grown)

    def rows_of(self, kind):
        """Returns the IDs of all rows that are or were there, by writer and number."""
        rows = {}
        path = f"{self.folder}/archive/{kind.name}"
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    writer, n, id = line.split()
                    rows[int(writer), int(n)] = id

        def read(cursor):
            cursor.execute(f"SELECT writer, n, {kind.read} FROM {kind.table}")
            rows.update({(writer, n): id for writer, n, id in cursor})

        with_cursor(self.leader.dsn, read)
        return rows

    def judge_writers(self, kind, rows):
        """Compares the logs of writers, whose lines clients.py describes, with the rows. Returns figures of COLUMNS."""
        figures = dict.fromkeys(COLUMNS, 0)
        told = sorted(each for consumer in self.consumers if consumer.kind is kind for each in consumer.told)
        times = [time for time, _ in told]
        horizons = list(itertools.accumulate((horizon for _, horizon in told), max))
        seen, logged = set(), set()
        for writer in self.writers:
            if writer.kind is not kind:
                continue
            last = None
            with open(writer.path) as file:
                for line in file:
                    start, state, n, id = line.split()
                    row = writer.number, int(n)
                    figures["told"] += 1
                    if state == "R":
                        figures["undone"] += row in rows
                    elif state == "C":
                        figures["acknowledged"] += 1
                        figures["lost"] += row not in rows
                    if state != "R":
                        figures["changed"] += rows.get(row, id) != id
                        logged.add(row)
                    if kind.only_committed and state != "C":
                        continue
                    figures["repeated"] += id in seen
                    seen.add(id)
                    if kind.order:
                        order = kind.order(id)
                        figures["falling"] += last is not None and order <= last
                        last = order
                        earlier = bisect.bisect_left(times, float(start))
                        figures["below"] += earlier > 0 and order < horizons[earlier - 1]
        for row, id in rows.items():
            # The others are rows of which no client was told.
            if row not in logged:
                figures["repeated"] += id in seen
                seen.add(id)
        return figures

    def judge_growth(self):
        rows = []
        for number, measure in enumerate(growth.MEASURES):
            since = self.calm_since if measure.of_sessions else 0
            values = [figures[number] for time, figures in self.deeds.samples if time >= since]
            if len(values) < 4:
                ok(False, f"there are four samples or more of: {measure.name}")
                continue
            second, last, grows = growth.judge(values, measure.allowance)
            rows.append([measure.name, second, last, max(values), len(values)])
            ok(not grows, f"does not grow: {measure.name}")
        return rows

    def bad_lines(self):
        """Returns what servers say of crashes.

        Sessions of Patroni have a statement_timeout, whose signal handler reads the clock. There libfaketime allocates
        memory, which can damage the heap. So crashes of these sessions, which never call kid, do not count.
        """
        bad = re.compile(r"PANIC|TRAP|was terminated by signal (?!9)")
        of_patroni = re.compile(r"Failed process was running: SELECT CASE WHEN pg_catalog.pg_is_in_recovery\(\)")
        lines = []
        paths = glob.glob(f"{self.folder}/long/*/*.log")
        if not paths:
            lines.append("no server has a log")
        for path in paths:
            with open(path, errors="replace") as file:
                said = file.readlines()
            for line, detail in zip(said, said[1:] + [""]):
                if bad.search(line) and not of_patroni.search(detail):
                    lines.append(line.strip())
        return lines


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=int, default=7200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


if __name__ == "__main__":
    run = Run(parse())
    main(run.play, run.options.seconds + 900)
