"""Orders with kid64 keys, by psycopg2."""

import io

import psycopg2
import psycopg2.extensions
from psycopg2 import errors

from steps import run

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()

# Arrays of IDs become lists of str, instead of a single str.
cursor.execute("SELECT typarray FROM pg_type WHERE oid = 'kid64'::regtype")
psycopg2.extensions.register_type(
    psycopg2.extensions.new_array_type(cursor.fetchone(), "kid64[]", psycopg2.STRING), connection
)


def query(sql, *parameters):
    cursor.execute(sql.replace("?", "%s"), parameters)
    return [row[0] for row in cursor] if cursor.description else []


def find_list(some):
    return query("SELECT array_agg(id) FROM orders WHERE id = ANY (?)", some)[0]


def load(ids):
    cursor.copy_expert("COPY orders (id, item) FROM STDIN", io.StringIO("".join(f"{id}\tbulk\n" for id in ids)))


run(query, find_list, load, errors.InvalidTextRepresentation, lambda wrong: wrong.pgcode)

# A number is the ID with these bits. psycopg writes it into the query.
for number in 1, 2**40:
    assert query("SELECT id FROM orders WHERE id = ?", number) == []
