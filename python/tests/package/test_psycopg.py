"""pgkid.psycopg with a server that PGHOST and its kin name"""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import psycopg
from pgkid._types import CLASSES
from pgkid.ids import Kid53, Kid64, UuidV7
from pgkid.psycopg import register, register_async

NEXT = {"kid64": "kid_next", "kid96": "kid96_next", "sno": "sno_next", "flake": "flake_next", "flax": "flax_next"}


class Psycopg(unittest.TestCase):
    """IDs of each type go to the server and come back as such."""

    def setUp(self) -> None:
        self.conn = psycopg.connect(autocommit=True)
        self.addCleanup(self.conn.close)
        register(self.conn)

    def value(self, query: str, parameters: list[Any], binary: bool = False) -> Any:
        row = self.conn.execute(query, parameters, binary=binary).fetchone()
        assert row
        return row[0]

    def test_each_type(self) -> None:
        for name, kind in CLASSES.items():
            made = self.value(f"SELECT {NEXT[name]}()", [])
            self.assertIs(type(made), kind)
            for binary in False, True:
                for mark in "%s", "%t", "%b":
                    found = self.value(f"SELECT {mark}", [made], binary)
                    self.assertEqual((found, type(found)), (made, kind))
                    found = self.value(f"SELECT {mark}::{name}[]", [[made, None, made]], binary)
                    self.assertEqual((found, type(found[0])), ([made, None, made], kind))
                # A function of several types needs no cast of an ID.
                self.assertEqual(self.value("SELECT kid_timestamp(%s)", [made], binary), made.timestamp)
            self.assertEqual(self.value(f"SELECT %s::{name}::text", [str(made)]), str(made))
            self.assertIsNone(self.value(f"SELECT NULL::{name}", []))

    def test_greatest(self) -> None:
        for kind in CLASSES.values():
            for one in kind.of_number(0), kind.of_number((1 << kind.bits) - 1):
                self.assertEqual(self.value("SELECT %s", [one]), one)

    def test_numbers_and_uuids(self) -> None:
        """psycopg takes the other IDs for the int and the UUID that they are."""
        for made in (
            Kid53(self.value("SELECT kid53_next()", [])),
            UuidV7.of_uuid(self.value("SELECT kid_uuidv7()", [])),
        ):
            for mark in "%s", "%t", "%b":
                self.assertEqual(self.value(f"SELECT {mark}", [made]), made)
            self.assertEqual(self.value("SELECT %s", [[made, made]]), [made, made])

    def test_copy(self) -> None:
        ids = [row[0] for row in self.conn.execute("SELECT kid_next(100)")]
        self.conn.execute("CREATE TEMPORARY TABLE orders (id kid64, item text)")
        for options in "", "(FORMAT binary)":
            with self.conn.cursor() as cursor:
                with cursor.copy(f"COPY orders FROM STDIN {options}") as copy:
                    if options:
                        copy.set_types(["kid64", "text"])
                    for id in ids:
                        copy.write_row([id, "tea"])
                with cursor.copy(f"COPY orders TO STDOUT {options}") as copy:
                    copy.set_types(["kid64", "text"])
                    self.assertEqual([row[0] for row in copy.rows()], ids)
            self.conn.execute("TRUNCATE orders")

    def test_invalid(self) -> None:
        with self.assertRaises(psycopg.errors.InvalidTextRepresentation):
            self.value("SELECT %s::kid64", ["12345"])

    def test_without_kid(self) -> None:
        """A database without kid has nothing to register."""
        self.conn.execute("DROP DATABASE IF EXISTS without_kid")
        self.conn.execute("CREATE DATABASE without_kid TEMPLATE template0")
        with psycopg.connect(dbname="without_kid") as conn:
            register(conn)
        self.conn.execute("DROP DATABASE without_kid")

    def test_async(self) -> None:
        async def query() -> Any:
            async with await psycopg.AsyncConnection.connect() as conn:
                await register_async(conn)
                return await (await conn.execute("SELECT array_agg(id) FROM kid_next(2) AS id")).fetchone()

        row = asyncio.run(query())
        self.assertEqual([type(id) for id in row[0]], [Kid64, Kid64])


if __name__ == "__main__":
    unittest.main()
