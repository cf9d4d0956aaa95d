"""A consumer of events, by psycopg 3."""

import time

import psycopg


def handle(connection, id, payload):
    connection.execute("INSERT INTO handled (id, payload) VALUES (%s, %s)", [id, payload])


def handle_batch(connection, name):
    with connection.transaction():
        (last,) = connection.execute("SELECT last FROM consumers WHERE name = %s FOR UPDATE", [name]).fetchone()
        batch = connection.execute(
            "SELECT id, payload FROM events WHERE id > %s AND id < kid_horizon() ORDER BY id LIMIT 1000", [last]
        ).fetchall()
        for id, payload in batch:
            handle(connection, id, payload)
        if batch:
            connection.execute("UPDATE consumers SET last = %s WHERE name = %s", [batch[-1][0], name])
    return len(batch)


connection = psycopg.connect(autocommit=True)

while True:
    while handle_batch(connection, "billing"):
        pass
    time.sleep(0.2)
