"""What every driver for Python does with orders. IDs are printed as check_orders.sql reads them."""

from datetime import datetime, timedelta, timezone
from unittest import TestCase

hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
raises = TestCase().assertRaises


def show(word, ids):
    for id in ids:
        print(word, id)
    return ids


def query_by(cursor):
    """Returns the function query() of a driver that has cursors, and whose parameters are %s."""

    def query(sql, *parameters):
        cursor.execute(sql.replace("?", "%s"), parameters)
        return [row[0] for row in cursor] if cursor.description else []

    return query


def run(query, find_list, load, error, code):
    """
    The arguments are what differs between drivers: query() returns the first column of a query, whose parameters are ?.
    If an ID is invalid it raises an error, of which code() returns the SQLSTATE.
    """
    (order,) = show("inserted", query("INSERT INTO orders (item) VALUES (?) RETURNING id", "tea"))
    batch = show("batch", query("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"))
    show("found", query("SELECT id FROM orders WHERE id = ?", order))
    show("listed", find_list(batch[5:8]))
    show("recent", query("SELECT id FROM orders WHERE id >= ?::timestamptz ORDER BY id LIMIT 10", hour_ago))
    ids = show("bulk", query("SELECT kid_next(1000)"))
    load(ids)
    query("INSERT INTO lines (order_id, note) VALUES (?, 'with milk')", order)
    show("nested", query("SELECT to_jsonb(l) ->> 'order_id' FROM lines l JOIN orders o ON l.order_id = o.id"))
    with raises(error) as wrong:
        query("SELECT id FROM orders WHERE id = ?", "12345")
    print("wrong", code(wrong.exception))
