"""kid's types for asyncpg: columns arrive as IDs of pgkid.ids, in arrays, too.

    import asyncpg
    from pgkid.asyncpg import register

    connection = await asyncpg.connect()
    await register(connection)

Register the types after CREATE EXTENSION kid, once for each connection, as the option `init` of a pool does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._types import CLASSES, QUERY


async def register(connection: Any, *, binary: bool = False) -> None:
    """Registers those types that the database of a connection has.

    With `binary`, copy_records_to_table() works with IDs, and a text that is not an ID is a DataError.
    Without it, a text that is not an ID is an InvalidTextRepresentationError of the server.
    """
    for name, _oid, _array_oid, schema in await connection.fetch(QUERY):
        await connection.set_type_codec(
            name,
            schema=schema,
            format="binary" if binary else "text",
            encoder=_encoder(CLASSES[name]) if binary else str,
            decoder=CLASSES[name].of_binary if binary else CLASSES[name],
        )


def _encoder(of_text: Callable[[str], Any]) -> Callable[[Any], bytes]:
    """Returns a function that returns the binary form of an ID, or of what str() turns into the text of one."""

    def encode(value: Any) -> bytes:
        return of_text(str(value)).binary  # type: ignore[no-any-return]

    return encode
