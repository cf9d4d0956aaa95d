"""Orders with kid64 keys, by psycopg 3."""

import psycopg
from pgkid.psycopg import register
from psycopg import errors

from steps import hour_ago, query_by, raises, run, show

connection = psycopg.connect(autocommit=True)
register(connection)
query = query_by(connection.cursor())


def find_list(some):
    return query("SELECT array_agg(id) FROM orders WHERE id = ANY (?)", some)[0]


def load(ids):
    with connection.cursor().copy("COPY orders (id, item) FROM STDIN") as copy:
        for id in ids:
            copy.write_row([id, "bulk"])


run(query, find_list, load, errors.InvalidTextRepresentation, lambda wrong: wrong.sqlstate)

# A number is the ID with these bits. psycopg sends it as the smallest type that holds it.
for number in 1, 2**20, 2**40:
    assert query("SELECT id FROM orders WHERE id = ?", number) == []

# Functions that several types have need a cast of their parameter if it is a str.
with raises(errors.AmbiguousFunction):
    query("SELECT kid_timestamp(?)", "...........")

# uuid, version 7: psycopg has this type.
show("uuid", query("INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id"))
show("dated", query("SELECT id FROM payments WHERE id >= ?::timestamptz ORDER BY id LIMIT 10", hour_ago))
