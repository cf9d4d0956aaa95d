"""How a move of many rows holds back, so that others and the standbys keep up."""
from __future__ import annotations

import argparse
import re
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Callable, Optional

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.terminal import say

BLOCKS = 256  # of a batch
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Reader:
    """A standby, a subscriber or a slot, and how far it is."""

    name: str
    position: Optional[str]  # in WAL; None if this role cannot see it


# The position in WAL up to which each standby has replayed, and each subscriber has applied. Of pg_receivewal it is
# what is on disk there. A slot that nobody reads belongs to one that is gone and will come back. Backups are no
# standbys.
READERS = """
    SELECT coalesce(nullif(application_name, ''), 'process ' || pid) AS name,
           coalesce(replay_lsn, flush_lsn)::text AS position
      FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'
    UNION ALL
    SELECT 'slot ' || slot_name, coalesce(confirmed_flush_lsn, restart_lsn)::text FROM pg_replication_slots
     WHERE NOT active AND NOT temporary AND wal_status IS DISTINCT FROM 'lost' AND restart_lsn IS NOT NULL
"""


def add_throttle(parser: argparse.ArgumentParser, action: str = "") -> None:
    """Adds the arguments that a Throttle takes. If only one action reads them, their help names it."""
    condition = f"in `{action}`, " if action else ""
    parser.add_argument(
        "--pause",
        type=share,
        metavar="SHARE",
        default=0.2,
        help=f"{condition}the share of time in which kidctl sleeps instead of writing; default 0.2",
    )
    parser.add_argument(
        "--max-lag",
        metavar="TIME",
        type=duration,
        help=f"{condition}wait while a standby or a logical subscriber of this server is behind by more than this, such"
        " as 10s: also for one that is not connected, if it has a slot, but not for standbys of a standby",
    )


def share(text: str) -> float:
    """Reads a share of time."""
    value = float(text)
    if not 0 <= value <= 0.95:
        raise argparse.ArgumentTypeError("must be from 0 to 0.95")
    return value


def duration(text: str) -> float:
    """Reads a duration, and returns seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ms|s|min|h)", text)
    if not found or not float(found[1]):
        raise argparse.ArgumentTypeError("must be a number and ms, s, min or h, such as 10s")
    return float(found[1]) * UNITS[found[2]]


@dataclass
class Throttle:
    """How much a move holds back: the share of time that it sleeps, and by how many seconds standbys may be behind."""

    pause: float = 0.2
    max_lag: Optional[float] = None
    slept: Callable[[float], None] = time.sleep
    written: deque[tuple[float, str]] = field(default_factory=deque)  # positions in WAL, and when they were reached
    seen: Counter[str] = field(default_factory=Counter)  # names of standbys, subscribers and slots of the last look

    @classmethod
    def none(cls) -> Throttle:
        """Returns the throttle of a rehearsal, which never sleeps."""
        return cls(0, None, lambda _seconds: None)

    def check(self, conn: Connection) -> None:
        """Raises an error if this role cannot see how far standbys are, and says so if there is none."""
        if self.max_lag and not self.readers(conn):
            say("--max-lag: no standby is connected, and no slot waits for one, so there is nothing to wait for")

    def rest(self, conn: Connection, spent: float) -> None:
        """Sleeps after a batch that took some seconds, and as long as standbys lag behind."""
        self.slept(min(spent * self.pause / (1 - self.pause), 10))
        if not self.max_lag:
            return
        self.written.append((time.monotonic(), scalar(conn, "SELECT pg_current_wal_lsn()::text")))
        told = time.monotonic() - 50
        while late := self.late(conn, self.max_lag):
            if time.monotonic() > told + 60:
                told = time.monotonic()
                say(f"waiting, because {', '.join(late)} is further behind than {self.max_lag:g} s")
            self.slept(min(1, self.max_lag))

    def late(self, conn: Connection, max_lag: float) -> list[str]:
        """Returns who has not replayed what was written longer ago than is allowed.

        PostgreSQL's own replay_lag says nothing of those who are gone.
        """
        readers = self.readers(conn)
        limit = None
        for when, position in self.written:
            if when <= time.monotonic() - max_lag:
                limit = position
        if limit is None:
            return []
        while self.written[0][1] != limit:
            self.written.popleft()
        query = (
            "SELECT DISTINCT name FROM unnest(%s::text[], %s::pg_lsn[]) AS r (name, lsn)"
            " WHERE lsn < %s::pg_lsn ORDER BY name"
        )
        names, reached = [reader.name for reader in readers], [reader.position for reader in readers]
        return [row[0] for row in conn.execute(query, (names, reached, limit)).fetchall()]

    def readers(self, conn: Connection) -> list[Reader]:
        """Returns how far each standby, subscriber and unused slot is, and says who has gone without a slot.

        Several can have the same name: standbys with neither application_name nor cluster_name are all called
        walreceiver.
        """
        found = [Reader(*row) for row in conn.execute(READERS).fetchall()]
        is_hidden = any(reader.position is None for reader in found)
        if is_hidden and not scalar(conn, "SELECT pg_has_role('pg_read_all_stats', 'USAGE')"):
            user = scalar(conn, "SELECT quote_ident(current_user)")
            raise Refused(
                "--max-lag: this role cannot see the standbys", f"As a superuser run GRANT pg_monitor TO {user}."
            )
        names = Counter(reader.name for reader in found)
        for name in sorted((self.seen - names).elements()):
            say(f"--max-lag: {name} is not connected any more, so nothing waits for it")
        self.seen = names
        return [reader for reader in found if reader.position is not None]
