"""Orders with kid64 keys, by ODBC."""

import os
from datetime import datetime, timedelta, timezone

import pyodbc

connection = pyodbc.connect(
    "Driver={PostgreSQL Unicode};Server=%(PGHOST)s;Port=%(PGPORT)s;Database=%(PGDATABASE)s;Uid=%(PGUSER)s" % os.environ,
    autocommit=True,
)
cursor = connection.cursor()
cursor.execute("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)")
cursor.execute("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)")

order_id = cursor.execute("INSERT INTO orders (item) VALUES (?) RETURNING id", "tea").fetchval()
print("inserted", order_id)

batch = cursor.execute("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id").fetchall()
for (id,) in batch:
    print("batch", id)

print("found", cursor.execute("SELECT id FROM orders WHERE id = ?", order_id).fetchval())

some = [id for (id,) in batch[5:8]]
listed = cursor.execute("SELECT id FROM orders WHERE id = ANY (?)", "{" + ",".join(some) + "}")
for (id,) in listed:
    print("listed", id)

since = datetime.now(timezone.utc) - timedelta(hours=1)
recent = cursor.execute(
    "SELECT id, item FROM orders WHERE id >= ?::timestamptz ORDER BY id LIMIT 10", since.isoformat()
).fetchall()
for id, item in recent:
    print("recent", id)

last = recent[-1].id
page = cursor.execute("SELECT id, item FROM orders WHERE id > ? ORDER BY id LIMIT 10", last)
for id, item in page:
    print("page", id)

ids = [id for (id,) in cursor.execute("SELECT kid_next(1000)")]
cursor.executemany("INSERT INTO orders (id, item) VALUES (?, ?)", [(id, "bulk") for id in ids])
for id in ids:
    print("bulk", id)

cursor.execute("INSERT INTO lines (order_id, note) VALUES (?, 'with milk')", order_id)
print("nested", cursor.execute("SELECT order_id FROM lines JOIN orders ON order_id = orders.id").fetchval())

try:
    cursor.execute("SELECT id FROM orders WHERE id = ?", "12345").fetchall()
except pyodbc.Error as error:
    print("wrong", error.args[0])
