"""pgkid.seal compared with the vectors, which Node's crypto and a library for TypeID made"""

from __future__ import annotations

import unittest
from hashlib import sha256
from typing import Any
from uuid import UUID

import vectors
from pgkid.ids import Flake, Flax, Kid53, Kid64, Kid96, Sno, UuidV7
from pgkid.seal import Keys

KEY = sha256(b"kid_seal").digest()
OTHER = bytes(range(32))
ALL: list[Any] = [Flake, Flax, Kid53, Kid64, Kid96, Sno]
KINDS: dict[str, Any] = {kind.type_name: kind for kind in ALL}


class Seal(unittest.TestCase):
    """Every vector is sealed and opened, by one key or by several."""

    keys = Keys([(1, KEY, True)])
    changed = Keys.of_file([f"1\t{KEY.hex()}\tf\n", f"2\t{OTHER.hex()}\tt\n"])

    def test_vectors(self) -> None:
        for row in vectors.read("seal.tsv"):
            binary, prefix = bytes.fromhex(row["hex"]), row["prefix"]
            if row["type"] == "kid64-uuid":
                one = Kid64.of_binary(binary)
                self.assertEqual(self.keys.seal_uuid(one, prefix), UUID(row["sealed"]))
                for keys in self.keys, self.changed:
                    self.assertEqual(keys.unseal_uuid(UUID(row["sealed"]), prefix), one)
                    with self.assertRaises(ValueError):
                        keys.unseal_uuid(UUID(int=UUID(row["sealed"]).int ^ 1), prefix)
                continue
            kind = KINDS[row["type"]]
            id = kind.of_binary(binary)
            self.assertEqual(self.keys.seal(id, prefix), row["sealed"])
            for keys in self.keys, self.changed:
                self.assertEqual(keys.unseal(kind, row["sealed"], prefix), id)
                self.assertIs(type(keys.unseal(kind, row["sealed"], prefix)), kind)
            for wrong in self.wrong(row["sealed"], prefix):
                with self.assertRaises(ValueError, msg=wrong):
                    self.keys.unseal(kind, wrong, prefix)
            for other in KINDS.values():
                if other is not kind:
                    with self.assertRaises(ValueError):
                        self.keys.unseal(other, row["sealed"], prefix)

    @staticmethod
    def wrong(text: str, prefix: str) -> list[str]:
        """Returns texts that are nearly the sealed one."""
        begin, digits = text[: len(text) - 26], text[-26:]
        last = "1" if digits[-1] == "0" else "0"
        return [
            digits[:-1] + last,
            begin + digits[:-1] + last,
            begin + digits.upper(),
            text + "0",
            text[:-1],
            "x_" + text,
        ]

    def test_other_keys(self) -> None:
        one = Kid64(".6.nef3Mk.3")
        text = self.changed.seal(one, "ord")
        self.assertEqual(self.changed.unseal(Kid64, text, "ord"), one)
        with self.assertRaises(ValueError):
            self.keys.unseal(Kid64, text, "ord")
        with self.assertRaises(ValueError):
            self.keys.unseal_uuid(self.changed.seal_uuid(one, "ord"), "ord")
        self.assertEqual(self.changed.unseal(Kid64, self.changed.seal(one)), one)

    def test_what_cannot_be(self) -> None:
        wrong: list[list[Any]] = [[(1, KEY[:31], True)], [(1, KEY, True), (2, OTHER, True)], [(1, "xy", True)]]
        for rows in wrong:
            with self.assertRaises(ValueError):
                Keys(rows)
        for seal in Keys([(1, KEY, False)]).seal, self.keys.seal:
            with self.assertRaises(ValueError):
                seal(UuidV7("01a20168-9de7-7651-83ac-60dca3b8f7f5"), "ord")
        with self.assertRaises(ValueError):
            self.keys.seal(Kid64(".6.nef3Mk.3"), "Ord")


if __name__ == "__main__":
    unittest.main()
