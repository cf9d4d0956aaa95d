"""Orders with kid64 keys, by asyncpg."""

import asyncio
import json
import os

import asyncpg

from steps import hour_ago, show


async def main():
    # asyncpg looks up unknown types in the catalog, with a query that takes seconds if JIT compiles it.
    connection = await asyncpg.connect(os.environ["DATABASE_URL"], server_settings={"jit": "off"})

    order_id = await connection.fetchval("INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea")
    print("inserted", order_id)

    batch = await connection.fetch("INSERT INTO orders (item) SELECT unnest($1::text[]) RETURNING id", ["batch"] * 1000)
    show("batch", [row["id"] for row in batch])

    print("found", await connection.fetchval("SELECT id FROM orders WHERE id = $1", order_id))

    some = [row["id"] for row in batch[5:8]]
    listed = await connection.fetch("SELECT id FROM orders WHERE id = ANY ($1)", some)
    show("listed", [row["id"] for row in listed])

    recent = await connection.fetch(
        "SELECT id, item FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", hour_ago
    )
    show("recent", [row["id"] for row in recent])

    last = recent[-1]["id"]
    page = await connection.fetch("SELECT id, item FROM orders WHERE id > $1 ORDER BY id LIMIT 10", last)
    show("page", [row["id"] for row in page])

    await connection.execute("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", order_id)
    nested = await connection.fetchval("SELECT to_jsonb(l) FROM lines l JOIN orders o ON l.order_id = o.id")
    print("nested", json.loads(nested)["order_id"])

    try:
        await connection.fetch("SELECT id FROM orders WHERE id = $1", "12345")
    except asyncpg.InvalidTextRepresentationError as error:
        print("wrong", error.sqlstate)

    # COPY is binary. It has its own connection, on which IDs are int.
    loader = await asyncpg.connect(os.environ["DATABASE_URL"], server_settings={"jit": "off"})
    await loader.set_builtin_type_codec("kid64", codec_name="int8")
    ids = [row[0] for row in await loader.fetch("SELECT kid_next(1000)")]
    await loader.copy_records_to_table("orders", columns=["id", "item"], records=[(id, "bulk") for id in ids])
    show("bulk", [row[0] for row in await connection.fetch("SELECT unnest($1::bigint[])::kid64", ids)])


asyncio.run(main())
