"""Orders with kid64 keys, by psycopg2."""

import io
from datetime import datetime, timedelta, timezone

import psycopg2
import psycopg2.extensions
from psycopg2 import errors
from psycopg2.extras import execute_values

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()

# Arrays of IDs become lists of str, instead of a single str.
cursor.execute("SELECT typarray FROM pg_type WHERE oid = 'kid64'::regtype")
psycopg2.extensions.register_type(
    psycopg2.extensions.new_array_type(cursor.fetchone(), "kid64[]", psycopg2.STRING), connection
)

cursor.execute("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)")
cursor.execute("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)")

cursor.execute("INSERT INTO orders (item) VALUES (%s) RETURNING id", ["tea"])
(order_id,) = cursor.fetchone()
print("inserted", order_id)

batch = execute_values(cursor, "INSERT INTO orders (item) VALUES %s RETURNING id", [["batch"]] * 1000, fetch=True)
for (id,) in batch:
    print("batch", id)

cursor.execute("SELECT id FROM orders WHERE id = %s", [order_id])
print("found", cursor.fetchone()[0])

some = [id for (id,) in batch[5:8]]
cursor.execute("SELECT array_agg(id) FROM orders WHERE id = ANY (%s)", [some])
for id in cursor.fetchone()[0]:
    print("listed", id)

since = datetime.now(timezone.utc) - timedelta(hours=1)
cursor.execute("SELECT id, item FROM orders WHERE id >= %s ORDER BY id LIMIT 10", [since])
recent = cursor.fetchall()
for id, item in recent:
    print("recent", id)

last = recent[-1][0]
cursor.execute("SELECT id, item FROM orders WHERE id > %s ORDER BY id LIMIT 10", [last])
for id, item in cursor:
    print("page", id)

cursor.execute("SELECT kid_next(1000)")
ids = [id for (id,) in cursor]
cursor.copy_expert("COPY orders (id, item) FROM STDIN", io.StringIO("".join(f"{id}\tbulk\n" for id in ids)))
for id in ids:
    print("bulk", id)

cursor.execute("INSERT INTO lines (order_id, note) VALUES (%s, 'with milk')", [order_id])
cursor.execute("SELECT to_jsonb(l) FROM lines l JOIN orders o ON l.order_id = o.id")
print("nested", cursor.fetchone()[0]["order_id"])

try:
    cursor.execute("SELECT id FROM orders WHERE id = %s", ["12345"])
except errors.InvalidTextRepresentation as error:
    print("wrong", error.pgcode)
