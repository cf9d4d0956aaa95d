"""Orders with kid64 keys, by psycopg 3."""

from datetime import datetime, timedelta, timezone

import psycopg
from psycopg import errors
from psycopg.types import TypeInfo

connection = psycopg.connect(autocommit=True)
connection.execute("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)")
connection.execute("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)")

(order_id,) = connection.execute("INSERT INTO orders (item) VALUES (%s) RETURNING id", ["tea"]).fetchone()
print("inserted", order_id)

with connection.cursor() as cursor:
    cursor.executemany("INSERT INTO orders (item) VALUES (%s) RETURNING id", [["batch"]] * 1000, returning=True)
    batch = [cursor.fetchone()[0]]
    while cursor.nextset():
        batch.append(cursor.fetchone()[0])
for id in batch:
    print("batch", id)

for (id,) in connection.execute("SELECT id FROM orders WHERE id = %s", [order_id]):
    print("found", id)

# Arrays of IDs become lists of str, instead of a single str.
TypeInfo.fetch(connection, "kid64").register(connection)
(listed,) = connection.execute("SELECT array_agg(id) FROM orders WHERE id = ANY (%s)", [batch[5:8]]).fetchone()
for id in listed:
    print("listed", id)

since = datetime.now(timezone.utc) - timedelta(hours=1)
recent = connection.execute(
    "SELECT id, item FROM orders WHERE id >= %s::timestamptz ORDER BY id LIMIT 10", [since]
).fetchall()
for id, item in recent:
    print("recent", id)

last = recent[-1][0]
page = connection.execute("SELECT id, item FROM orders WHERE id > %s ORDER BY id LIMIT 10", [last])
for id, item in page:
    print("page", id)

ids = [id for (id,) in connection.execute("SELECT kid_next(500)")]
with connection.cursor() as cursor, cursor.copy("COPY orders (id, item) FROM STDIN") as copy:
    for id in ids:
        copy.write_row([id, "bulk"])
for id in ids:
    print("bulk", id)

# The same in binary form, in which the ID is a number.
numbers = [id for (id,) in connection.execute("SELECT kid_next(500)::bigint")]
with connection.cursor() as cursor, cursor.copy("COPY orders (id, item) FROM STDIN (FORMAT binary)") as copy:
    copy.set_types(["int8", "text"])
    for id in numbers:
        copy.write_row([id, "bulk"])
for (id,) in connection.execute("SELECT unnest(%s::bigint[])::kid64", [numbers]):
    print("bulk", id)

connection.execute("INSERT INTO lines (order_id, note) VALUES (%s, 'with milk')", [order_id])
(nested,) = connection.execute("SELECT to_jsonb(l) FROM lines l JOIN orders o ON l.order_id = o.id").fetchone()
print("nested", nested["order_id"])

# Functions that several types have need a cast of their parameter.
(made,) = connection.execute("SELECT kid_timestamp(%s::kid64)", [order_id]).fetchone()
assert abs(made - datetime.now(timezone.utc)) < timedelta(minutes=5)
try:
    connection.execute("SELECT kid_timestamp(%s)", [order_id])
    raise AssertionError("kid_timestamp() needs no cast")
except errors.AmbiguousFunction:
    pass

# uuid, version 7: psycopg has this type.
connection.execute("CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders)")
payments = connection.execute("INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id")
for (id,) in payments:
    print("uuid", id)
dated = connection.execute("SELECT id FROM payments WHERE id >= %s::timestamptz ORDER BY id LIMIT 10", [since])
for (id,) in dated:
    print("dated", id)

try:
    connection.execute("SELECT id FROM orders WHERE id = %s", ["12345"])
except errors.InvalidTextRepresentation as error:
    print("wrong", error.sqlstate)
