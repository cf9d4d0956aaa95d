"""Orders with kid64 keys, by ODBC."""

import os

import pyodbc

from steps import run

connection = pyodbc.connect(
    "Driver={PostgreSQL Unicode};Server=%(PGHOST)s;Port=%(PGPORT)s;Database=%(PGDATABASE)s;Uid=%(PGUSER)s" % os.environ,
    autocommit=True,
)
cursor = connection.cursor()


def query(sql, *parameters):
    # Of a datetime the driver would drop the zone.
    cursor.execute(sql, *map(str, parameters))
    return [row[0] for row in cursor.fetchall()] if cursor.description else []


def find_list(some):
    return query("SELECT id FROM orders WHERE id = ANY (?)", "{" + ",".join(some) + "}")


def load(ids):
    cursor.executemany("INSERT INTO orders (id, item) VALUES (?, ?)", [(id, "bulk") for id in ids])


run(query, find_list, load, pyodbc.Error, lambda wrong: wrong.args[0])
