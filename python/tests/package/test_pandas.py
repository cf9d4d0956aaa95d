"""pgkid.pandas compared with the vectors"""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pandas as pd
import vectors
from pgkid.ids import Flake, Flax, Kid53, Kid64, Kid96, Sno, UuidV7
from pgkid.pandas import numbers, times

# pandas before version 2 has no times after that.
LAST = datetime(2262, 1, 1, tzinfo=timezone.utc)


def micros(series: Any) -> list[int]:
    """Returns times as microseconds since 1970."""
    return [round((time - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(microseconds=1)) for time in series]


class OrderId(Kid64):
    """A type of a table"""


class Vectors(unittest.TestCase):
    """Each kind of column has the numbers and the times of the vectors."""

    def test_kid64(self) -> None:
        rows = vectors.read("kid64.tsv")
        texts = [row["text64"] for row in rows]
        expected = [int.from_bytes(bytes.fromhex(row["hex"]), "big", signed=True) for row in rows]
        self.assertEqual(numbers(texts).tolist(), expected)
        rows = [row for row in rows if Kid64(row["text64"]).micros < LAST.timestamp() * 10**6]
        self.assertGreater(len(rows), 50)
        texts = [row["text64"] for row in rows]
        expected = [int(row["hex"], 16) for row in rows]
        self.assertEqual([Kid64.of_number(number) for number in numbers(texts)], texts)
        at = [
            (int(row["a_mega"]) * 10**6 + int(row["b_sec"])) * 10**6 + int(row["decoded_c_micro"]) for row in rows
        ]
        for ids in (
            texts,
            [Kid64(text) for text in texts],
            pd.Series(expected, dtype="int64"),
            pd.Series(expected, dtype="uint64"),
            pd.Series(expected, dtype="Int64"),
            pd.Series(expected, dtype="UInt64"),
            pd.Series(texts, dtype="string"),
        ):
            for kind in Kid64, OrderId:
                self.assertEqual(numbers(ids, kind).tolist(), expected)
                self.assertEqual(micros(times(ids, kind)), at)

    def test_signed(self) -> None:
        """A bigint is negative from the year 18584 on."""
        for ids in [-1, 5], ["zzzzzzzzzzw", Kid64.of_number(5)]:
            self.assertEqual(numbers(ids).tolist(), [-1, 5])
        self.assertEqual(numbers([str(2**64 - 1)], Flake).tolist(), [-1])

    def test_beside_bigint(self) -> None:
        """Beside a bigint column the numbers stay integers."""
        both = pd.concat([numbers([".6.nef3Mk.3"]), pd.Series([31582005600174083])])
        self.assertEqual((str(both.dtype), both.tolist()), ("Int64", [31582005600174081, 31582005600174083]))

    def test_kid53(self) -> None:
        rows = vectors.read("kid53.tsv")
        ids = pd.Series([int(row["id"]) for row in rows])
        for column in ids, ids.astype(str), ids.astype(float), ids.astype(float).astype("Float64"), ids.astype(object):
            self.assertEqual(numbers(column, Kid53).tolist(), ids.tolist())
            self.assertEqual(micros(times(column, Kid53)), [int(row["unix_ms"]) * 1000 for row in rows])
        for wrong in -1, 2**53, -1.0, 1.5, 2.0**53, float("inf"):
            with self.assertRaisesRegex(ValueError, f"^not a kid53: {wrong}$"):
                times(pd.Series([wrong]), Kid53)
        with self.assertRaisesRegex(ValueError, "floats"):
            times(pd.Series([1.0], dtype="float32"), Kid53)

    def test_uuidv7(self) -> None:
        rows = [row for row in vectors.read("uuidv7.tsv") if int(row["unix_ms"]) < LAST.timestamp() * 1000]
        self.assertGreater(len(rows), 50)
        expected = [int(row["unix_ms"]) * 1000 for row in rows]
        texts = [row["text"] for row in rows]
        for column in texts, [text.upper() for text in texts], [UUID(text) for text in texts]:
            self.assertEqual(micros(times(column, UuidV7)), expected)
        others = ["919108f7-52d1-4320-9bac-f847db4148a8", "01a20168-9de7-7651-03ac-60dca3b8f7f5"]
        self.assertTrue(times(others, UuidV7).isna().all())
        for wrong in "short", "x" * 36, "é" * 36:
            with self.assertRaises(ValueError):
                times([wrong], UuidV7)

    def test_others(self) -> None:
        rows = vectors.read("sno.tsv")
        self.assertEqual(
            micros(times([row["text"] for row in rows], Sno)), [int(row["unix_ns"]) // 1000 for row in rows]
        )
        rows = vectors.read("flax.tsv")
        expected = [int(row["unix_ms"]) * 1000 for row in rows]
        self.assertEqual(micros(times([row["text16"] for row in rows], Flax)), expected)
        rows = [row for row in vectors.read("flake.tsv") if row["epoch_ms"] == "0"]
        self.assertEqual(
            micros(times([row["dec"] for row in rows], Flake)), [int(row["unix_ms"]) * 1000 for row in rows]
        )
        self.assertEqual(micros(times([Kid96("." * 16)], Kid96)), [0])
        with self.assertRaises(ValueError):
            numbers(["." * 16], Kid96)


class Columns(unittest.TestCase):
    """What is missing stays missing, and what is wrong is an error."""

    def test_missing(self) -> None:
        for column in (
            pd.Series([None, ".6.nef3Mk.3", float("nan")], [7, 8, 9], name="id"),
            pd.Series([None, 31582005600174081, None], [7, 8, 9], name="id", dtype="Int64"),
        ):
            found, at = numbers(column), times(column)
            self.assertEqual((found.isna().tolist(), at.isna().tolist()), ([True, False, True],) * 2)
            self.assertEqual((found[8], at[8]), (31582005600174081, Kid64(".6.nef3Mk.3").timestamp))
            self.assertEqual((found.name, at.name), ("id", "id"))
        self.assertTrue(times([None, "01a20168-9de7-7651-83ac-60dca3b8f7f5"], UuidV7).isna()[0])
        for ids in pd.Series([None, 893323896418363]), pd.Series([None, 893323896418363.0], dtype="Float64"):
            self.assertEqual(ids.dtype.kind, "f")
            self.assertEqual(times(ids, Kid53).isna().tolist(), [True, False])
            self.assertEqual((numbers(ids, Kid53)[1], times(ids, Kid53)[1]), (893323896418363, Kid53(ids[1]).timestamp))

    def test_empty(self) -> None:
        self.assertEqual(str(numbers([]).dtype), "Int64")
        for kind in Kid64, UuidV7, Sno:
            self.assertTrue(str(times(pd.Series([], dtype=object), kind).dtype).startswith("datetime64["))

    def test_wrong(self) -> None:
        columns: list[list[str | None]] = [
            ["short"],
            ["*6*nef3Mk.."],
            [".6.nef3Mk..", ".6.nef3Mk"],
            [None, ".6.nef3Mk..x"],
            [".6.RlAzu..z"],
            [".6.nef3Mk..", "é6.nef3Mk.3"],
        ]
        for wrong in columns:
            with self.assertRaisesRegex(ValueError, "^" + re.escape(f"not a kid64: {wrong[-1]!r}") + "$"):
                numbers(wrong)
        for floats in [1.0, None], [1.5, 2.0]:
            for kind in Kid64, Flake:
                with self.assertRaisesRegex(ValueError, "floats"):
                    numbers(floats, kind)
        for column in pd.Series([5, 2**53]), ["5", str(2**53)], ["5", "x"]:
            with self.assertRaisesRegex(ValueError, "^not a kid53: '?(9007199254740992|x)'?$"):
                numbers(column, Kid53)

    def test_index(self) -> None:
        """The numbers and times of an index belong to its rows."""
        frame = pd.DataFrame({"item": ["tea"]}, index=pd.Index([".6.nef3Mk.3"], name="id"))
        frame = frame.assign(at=times(frame.index), number=numbers(frame.index))
        self.assertEqual(frame["number"].tolist(), [31582005600174081])
        self.assertEqual(frame["at"].iloc[0], Kid64(".6.nef3Mk.3").timestamp)

    def test_equal_labels(self) -> None:
        """After concat() two rows have the same label."""
        column = pd.concat([pd.Series([".6.nef3Mk.3", None])] * 2)
        self.assertEqual(column.index.tolist(), [0, 1, 0, 1])
        for found in numbers(column), times(column):
            self.assertEqual(found.isna().tolist(), [False, True] * 2)
            self.assertEqual(found.index.tolist(), [0, 1, 0, 1])

    def test_merge(self) -> None:
        """Times of IDs merge with times of another column."""
        rows = [Kid64.make(datetime(2026, 11, 1, 0, minute, tzinfo=timezone.utc), 5) for minute in range(3)]
        frame = pd.DataFrame({"id": rows}).assign(at=lambda frame: times(frame["id"]))
        made = pd.DataFrame({"at": pd.to_datetime([row.timestamp for row in rows], utc=True)})
        made = made.astype({"at": frame["at"].dtype})
        merged = pd.merge_asof(made, frame, on="at", direction="nearest", tolerance=pd.Timedelta("2ms"))
        self.assertEqual(merged["id"].tolist(), rows)

    def test_file(self) -> None:
        """A file with a missing number is read as text, as docs/guides/exchanging-data.md says."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "orders.csv")
            with open(path, "w", encoding="ascii") as file:
                file.write("id,item\n,none\n31582005600174081,tea\n")
            frame = pd.read_csv(path, dtype={"id": str}).dropna(subset="id").astype({"id": "int64"})
            self.assertEqual(numbers(frame["id"]).tolist(), [31582005600174081])
            # Numbers of kid53 are exact in any case.
            rows = vectors.read("kid53.tsv")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(["id,item\n,none\n", *(f"{row['id']},tea\n" for row in rows)])
            column = pd.read_csv(path)["id"]
            self.assertEqual(column.dtype.kind, "f")
            self.assertEqual(numbers(column, Kid53)[1:].tolist(), [int(row["id"]) for row in rows])


if __name__ == "__main__":
    unittest.main()
