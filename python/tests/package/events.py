"""The processes of test/t/consumer_packages.pl: one that writes events, and those that consume them.

    events.py write DSN                        writes until it gets SIGTERM, and outlives lost connections
    events.py exactly-once DSN TABLE IDS       handles each event in the table `handled_TABLE`
    events.py at-least-once DSN TABLE IDS FILE appends the ID of each event to a file
"""

from __future__ import annotations

import logging
import random
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

import psycopg
from pgkid.consumer import Consumer


def write(dsn: str) -> None:
    """Writes events to both tables, in transactions that take some time, of which one in ten rolls back."""
    some = random.Random()
    running = [True]
    signal.signal(signal.SIGTERM, lambda _number, _frame: running.clear())
    insert = "INSERT INTO {} (payload) SELECT 'tea' FROM generate_series(1, %s)"
    while running:
        try:
            with psycopg.connect(dsn) as conn:
                while running:
                    for table in "events", "tracked":
                        conn.execute(insert.format(table), [some.randint(1, 100)])
                        time.sleep(some.random() * 0.02)
                    conn.execute(insert.format("events"), [1])
                    conn.rollback() if some.random() < 0.1 else conn.commit()
        except psycopg.OperationalError:
            time.sleep(0.1)


def consume(how: str, dsn: str, table: str, ids: str, file: str = "") -> None:
    """Consumes events in one of two ways, until it gets SIGTERM."""
    consumer = Consumer(dsn, table, f"{how} {file or table}", ids=ids, poll=0.05, cursors=f"consumers_{table}")
    consumer.stop_on_signals()

    def handle(connection: psycopg.Connection[Any], rows: Sequence[Any]) -> None:
        query = f"INSERT INTO handled_{table} (id) SELECT unnest(%s::text[])::{'bigint' if ids == 'tracked' else ids}"
        connection.execute(query, [[str(row.id) for row in rows]])

    def send(rows: Sequence[Any]) -> None:
        with open(file, "a", encoding="ascii") as sent:
            # If the process is killed while it writes, its last line is short, and ends here.
            sent.write("\n" + "".join(f"{row.id}\n" for row in rows))

    if how == "exactly-once":
        consumer.run_exactly_once(handle)
    else:
        consumer.run_at_least_once(send)


if __name__ == "__main__":
    logging.disable()
    write(sys.argv[2]) if sys.argv[1] == "write" else consume(*sys.argv[1:])
