"""Orders with kid64 keys, by psycopg 3."""

from datetime import datetime, timedelta, timezone

import psycopg
from psycopg import errors
from psycopg.types import TypeInfo

from steps import hour_ago, raises, run, show

connection = psycopg.connect(autocommit=True)
# Arrays of IDs become lists of str, instead of a single str.
TypeInfo.fetch(connection, "kid64").register(connection)


def query(sql, *parameters):
    cursor = connection.execute(sql.replace("?", "%s"), parameters)
    return [row[0] for row in cursor] if cursor.description else []


def insert_many(items):
    with connection.cursor() as cursor:
        insert = "INSERT INTO orders (item) VALUES (%s) RETURNING id"
        cursor.executemany(insert, [[item] for item in items], returning=True)
        ids = [cursor.fetchone()[0]]
        while cursor.nextset():
            ids.append(cursor.fetchone()[0])
        return ids


def find_list(some):
    (listed,) = connection.execute("SELECT array_agg(id) FROM orders WHERE id = ANY (%s)", [some]).fetchone()
    return listed


def since(time):
    return query("SELECT id, item FROM orders WHERE id >= %s::timestamptz ORDER BY id LIMIT 10", time)


def load(ids):
    """The first half as text, the other in binary form, in which an ID is a number."""
    with connection.cursor() as cursor, cursor.copy("COPY orders (id, item) FROM STDIN") as copy:
        for id in ids[:500]:
            copy.write_row([id, "bulk"])
    numbers = query("SELECT unnest(?::kid64[])::bigint", ids[500:])
    with connection.cursor() as cursor, cursor.copy("COPY orders (id, item) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["int8", "text"])
        for id in numbers:
            copy.write_row([id, "bulk"])


error = errors.InvalidTextRepresentation
order_id = run(query, find_list, since, load, error, lambda wrong: wrong.sqlstate, insert_many)
(nested,) = query("SELECT to_jsonb(lines) FROM lines")
assert nested["order_id"] == order_id

# Functions that several types have need a cast of their parameter.
(made,) = query("SELECT kid_timestamp(?::kid64)", order_id)
assert abs(made - datetime.now(timezone.utc)) < timedelta(minutes=5)
with raises(errors.AmbiguousFunction):
    query("SELECT kid_timestamp(?)", order_id)

# uuid, version 7: psycopg has this type.
query("CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders)")
show("uuid", query("INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id"))
show("dated", query("SELECT id FROM payments WHERE id >= ?::timestamptz ORDER BY id LIMIT 10", hour_ago))
