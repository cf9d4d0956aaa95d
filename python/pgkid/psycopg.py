"""kid's types for psycopg 3: columns arrive as IDs of pgkid.ids, in arrays, in binary and by COPY, too.

    import psycopg
    from pgkid.psycopg import register

    connection = psycopg.connect()
    register(connection)

Register the types after CREATE EXTENSION kid, once for each connection, as the option `configure` of a pool does.
"""

from __future__ import annotations

from typing import Any

from ._needs import needs
from ._types import CLASSES, QUERY
from .ids import Id

with needs(__name__, "psycopg"):
    from psycopg import AsyncConnection, Connection
    from psycopg.adapt import Buffer, Dumper, Loader
    from psycopg.pq import Format
    from psycopg.rows import tuple_row
    from psycopg.types import TypeInfo


def register(connection: Connection[Any]) -> None:
    """Registers those types that the database of a connection has."""
    with connection.cursor(row_factory=tuple_row) as cursor:
        rows = cursor.execute(QUERY).fetchall()
    _register(connection, rows)


async def register_async(connection: AsyncConnection[Any]) -> None:
    """Registers those types that the database of a connection has."""
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(QUERY)
        rows = await cursor.fetchall()
    _register(connection, rows)


def _register(connection: Connection[Any] | AsyncConnection[Any], rows: list[tuple[Any, ...]]) -> None:
    for name, oid, array_oid, _schema in rows:
        TypeInfo(name, oid, array_oid).register(connection)
        adapters = connection.adapters
        kind = CLASSES[name]
        text_loader, binary_loader, text_dumper, binary_dumper = _adapters(name, oid)
        adapters.register_loader(oid, text_loader)
        adapters.register_loader(oid, binary_loader)
        # psycopg prefers what was registered last: the text, in which a server of any edition takes an ID.
        adapters.register_dumper(kind, binary_dumper)
        adapters.register_dumper(kind, text_dumper)


def _adapters(name: str, type_oid: int) -> tuple[type[Loader], type[Loader], type[Dumper], type[Dumper]]:
    """Returns the classes that psycopg wants for a type, for reading and writing it as text and in binary."""
    kind = CLASSES[name]

    class TextLoader(Loader):
        def load(self, data: Buffer) -> Id:
            return kind(bytes(data).decode())  # type: ignore[no-any-return]

    class BinaryLoader(Loader):
        format = Format.BINARY

        def load(self, data: Buffer) -> Id:
            return kind.of_binary(bytes(data))  # type: ignore[no-any-return]

    class TextDumper(Dumper):
        oid = type_oid

        def dump(self, obj: Id) -> Buffer:
            return str(obj).encode()

    class BinaryDumper(Dumper):
        format = Format.BINARY
        oid = type_oid

        def dump(self, obj: Id) -> Buffer:
            return obj.binary

    return TextLoader, BinaryLoader, TextDumper, BinaryDumper
