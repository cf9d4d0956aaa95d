"""Orders with kid64 keys, by psycopg2."""

import io

import psycopg2
from pgkid.ids import Kid64
from pgkid.psycopg2 import register
from psycopg2 import errors

from steps import query_by, run

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
register(connection)
query = query_by(cursor)


def find_list(some):
    return query("SELECT array_agg(id) FROM orders WHERE id = ANY (?)", some)[0]


def load(ids):
    cursor.copy_expert("COPY orders (id, item) FROM STDIN", io.StringIO("".join(f"{id}\tbulk\n" for id in ids)))


run(query, find_list, load, errors.InvalidTextRepresentation, lambda wrong: wrong.pgcode)

(newest,) = query("SELECT max(id) FROM orders")
assert type(newest) is Kid64 and query("SELECT kid_timestamp(?::kid64)", newest) == [newest.timestamp]
# A number is the ID with these bits. psycopg writes it into the query.
for number in 1, 2**40:
    assert query("SELECT id FROM orders WHERE id = ?", number) == []
