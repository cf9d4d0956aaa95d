"""Orders with kid64 keys, by asyncpg."""

import asyncio
from functools import partial

import asyncpg

from steps import run

wait = asyncio.new_event_loop().run_until_complete
# asyncpg looks up unknown types in the catalog, with a query that takes seconds if JIT compiles it.
connect = partial(asyncpg.connect, server_settings={"jit": "off"})
connection = wait(connect())


def query(sql, *parameters):
    return [row[0] for row in wait(connection.fetch(sql.replace("?", "$1"), *parameters))]


def find_list(some):
    return query("SELECT id FROM orders WHERE id = ANY (?)", some)


async def copy(numbers):
    """COPY is binary. It has its own connection, on which IDs are int."""
    loader = await connect()
    await loader.set_builtin_type_codec("kid64", codec_name="int8")
    await loader.copy_records_to_table("orders", columns=["id", "item"], records=[(id, "bulk") for id in numbers])


def load(ids):
    wait(copy(query("SELECT unnest(?::kid64[])::bigint", ids)))


run(query, find_list, load, asyncpg.InvalidTextRepresentationError, lambda wrong: wrong.sqlstate)
