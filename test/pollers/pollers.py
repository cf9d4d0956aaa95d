#!/usr/bin/env python3
"""Reads a table or a view in the order of its IDs, as a tool does: pollers.py TOOL RELATION TABLE.

TOOL is `kafka` (Kafka Connect's JDBC source in incrementing mode), `airbyte` (an incremental sync with a cursor) or
`dbt` (an incremental model). Says in the table `pollers` that it begins, goes on until the table `writers` says that
they have ended, and then reads once more. Prints how many rows of TABLE there are, how many of them were not read, and
how many were read more than once.
"""

import sys
import time
from collections import Counter

import psycopg

tool, relation, table = sys.argv[1:]
read: Counter[int] = Counter()
db = psycopg.connect(autocommit=True)
last = 0


def poll_as_kafka() -> None:
    """Reads all above the last ID, and remembers the ID of the last row."""
    global last
    for (row,) in db.execute(f"SELECT id FROM {relation} WHERE id > %s ORDER BY id ASC", [last]):
        read[row] += 1
        last = row


def poll_as_airbyte() -> None:
    """Asks for the greatest ID, reads up to it, and remembers it."""
    global last
    ((upto,),) = db.execute(f"SELECT max(id) FROM {relation}")
    if upto is None:
        return
    for (row,) in db.execute(f"SELECT id FROM {relation} WHERE id > %s AND id <= %s ORDER BY id", [last, upto]):
        read[row] += 1
    last = upto


def poll_as_dbt() -> None:
    """Inserts into the model what is above its greatest ID."""
    with db.transaction():
        db.execute(
            f"CREATE TEMPORARY TABLE new ON COMMIT DROP AS SELECT id FROM {relation} "
            f"WHERE id > (SELECT coalesce(max(id), 0) FROM model_of_{relation})"
        )
        db.execute(f"INSERT INTO model_of_{relation} SELECT id FROM new")


if tool == "dbt":
    db.execute(f"CREATE TABLE model_of_{relation} (id bigint)")
    db.execute(f"CREATE INDEX ON model_of_{relation} (id)")
poll = {"kafka": poll_as_kafka, "airbyte": poll_as_airbyte, "dbt": poll_as_dbt}[tool]
db.execute("INSERT INTO pollers VALUES (%s)", [relation])
ended = False
while not ended:
    ((ended,),) = db.execute("SELECT ended FROM writers")
    poll()
    time.sleep(0.05)
if tool == "dbt":
    read.update(row for (row,) in db.execute(f"SELECT id FROM model_of_{relation}"))
rows = [row for (row,) in db.execute(f"SELECT id FROM {table}")]
print(len(rows), sum(row not in read for row in rows), sum(times > 1 for times in read.values()))
