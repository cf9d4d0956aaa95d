"""Samples of what a server uses, and what grows without bound.

The samples of a measure are cut into four quarters of time. The measure grows if the median of the last quarter is
greater than one and a half times that of the second quarter, plus an allowance. The first quarter does not count,
because a server fills its caches then.
"""

import dataclasses
import os
import statistics
import time

from servers import children, with_cursor


@dataclasses.dataclass(frozen=True)
class Measure:
    name: str
    allowance: float
    # Whether it begins anew when a server or session starts. Then only the time in which they live on counts.
    of_sessions: bool = True


MEASURES = [
    Measure("memory of the largest session, kB", 4096),
    Measure("memory of the postmaster, kB", 2048),
    Measure("memory of all processes of the leader, kB", 32768),
    Measure("shared memory of kid, bytes", 0),
    Measure("time of 1000 calls of kid_horizon(), ms", 20),
    Measure("transactions that hold a horizon back", 16),
    Measure("locks", 100),
    Measure("data directory without WAL, kB", 65536, of_sessions=False),
    Measure("files of the data directory", 200, of_sessions=False),
]
SHARED = "SELECT sum(allocated_size) FROM pg_shmem_allocations WHERE name LIKE 'kid%'"
HOLDERS = "SELECT count(DISTINCT held_by) FROM kid_stats()"
TRACK_HOLDERS = "SELECT count(*) FROM kid_track_holders('serial_rows')"
LOCKS = "SELECT count(*) FROM pg_locks"


def private_memory(pid):
    """Returns how many kB a process has for itself, 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("RssAnon:")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def size_of(folder):
    """Returns the size of a data directory without WAL, in kB, and the number of its files."""
    size = files = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "pg_wal"]
        for name in names:
            try:
                size += os.stat(f"{place}/{name}").st_blocks // 2
                files += 1
            except FileNotFoundError:
                pass
    return size, files


def postmaster(node):
    """Returns the process ID of a server."""
    with open(f"{node.data}/postmaster.pid") as file:
        return int(file.readline())


def take_sample(node):
    """Returns the figures of the leader, in the order of MEASURES."""
    server = postmaster(node)

    def ask(cursor):
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
        sessions = [pid for (pid,) in cursor]
        figures = []
        for query in SHARED, HOLDERS, TRACK_HOLDERS, LOCKS:
            cursor.execute(query)
            figures.append(float(cursor.fetchone()[0] or 0))
        start = time.monotonic()
        cursor.execute("SELECT count(kid_horizon()) FROM generate_series(1, 1000)")
        return sessions, figures, 1000 * (time.monotonic() - start)

    sessions, (shared, holders, track_holders, locks), milliseconds = with_cursor(node.dsn, ask)
    return (
        max(map(private_memory, sessions)),
        private_memory(server),
        sum(map(private_memory, [server, *children(server)])),
        shared,
        milliseconds,
        holders + track_holders,
        locks,
        *size_of(node.data),
    )


def judge(values, allowance):
    """Returns the medians of the second and the last quarter of at least four samples, and whether the figure grows."""
    quarter = len(values) // 4
    second = statistics.median(values[quarter : 2 * quarter])
    last = statistics.median(values[-quarter:])
    return second, last, last > 1.5 * second + allowance
