"""Orders whose IDs this process makes itself, with a worker number that PostgreSQL leases."""

import logging
import os
import time
from socket import gethostname

import psycopg

from pgkid.worker import FlakeLayout, NoWindow, Worker


# A connection for the leases alone, not one of a pool.
def connect():
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


ids = Worker(connect, "orders", FlakeLayout, ttl=2, holder=gethostname())


# Tries 30 times, with a second between. Only NoWindow is worth a retry.
def next_id():
    for attempt in range(1, 31):
        try:
            return ids.next()
        except NoWindow as error:
            logging.warning("%s %s %s", error, error.detail, error.hint)
            if attempt == 30:
                raise
            time.sleep(1)


def order(connection, items):
    id = next_id()
    lines = [(next_id(), id, item) for item in items]
    # The rows refer to each other, and no statement has to return an ID.
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO orders (id) VALUES (%s)", [id])
        cursor.executemany("INSERT INTO lines (id, order_id, item) VALUES (%s, %s, %s)", lines)


until = time.monotonic() + 5
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    while time.monotonic() < until:
        order(connection, ["tea", "milk", "sugar"])
        time.sleep(0.01)
