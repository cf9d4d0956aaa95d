"""A consumer of events, by psycopg 3."""

from pgkid.consumer import Consumer


def handle(connection, rows):
    for row in rows:
        connection.execute(
            "INSERT INTO handled (id, payload) VALUES (%s, %s)",
            [row.id, row.payload],
        )


consumer = Consumer("", "events", name="billing")
consumer.create()
consumer.stop_on_signals()
consumer.run_exactly_once(handle)
