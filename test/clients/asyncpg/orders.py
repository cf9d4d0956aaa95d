"""Orders with kid64 keys, by asyncpg."""

import asyncio
from functools import partial

import asyncpg
from pgkid.asyncpg import register
from pgkid.ids import Kid64

from steps import raises, run

wait = asyncio.new_event_loop().run_until_complete
# asyncpg looks up unknown types in the catalog, with a query that takes
# seconds if JIT compiles it.
connect = partial(asyncpg.connect, server_settings={"jit": "off"})
connection = wait(connect())
wait(register(connection))


def query(sql, *parameters):
    return [row[0] for row in wait(connection.fetch(sql.replace("?", "$1"), *parameters))]


def find_list(some):
    return query("SELECT id FROM orders WHERE id = ANY (?)", some)


async def copy(ids):
    loader = await connect()
    await register(loader, binary=True)
    await loader.copy_records_to_table(
        "orders", columns=["id", "item"], records=[(id, "bulk") for id in ids]
    )
    assert await loader.fetchval("SELECT array_agg(id ORDER BY id) FROM orders WHERE item = 'bulk'") == ids
    with raises(asyncpg.DataError):
        await loader.fetchval("SELECT $1::kid64", "12345")


def load(ids):
    assert {type(id) for id in ids} == {Kid64}
    wait(copy(ids))


run(query, find_list, load, asyncpg.InvalidTextRepresentationError, lambda wrong: wrong.sqlstate)
