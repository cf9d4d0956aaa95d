"""pgkid.ids compared with the vectors, which the original libraries printed, and with the documents of the layouts"""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
import unittest
from datetime import date, datetime, timedelta, timezone
from typing import Any, Callable
from uuid import UUID

import vectors
from pgkid.ids import Flake, Flax, Id, Kid53, Kid64, Kid96, Sno, UuidV7, base32

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The first second of the year 10000.
END = 253402300800
ALL: list[Any] = [Flake, Flax, Kid53, Kid64, Kid96, Sno, UuidV7]
TEXTS: list[Any] = [Flax, Kid64, Kid96, Sno]


def at(**since: int) -> datetime:
    """Returns the time that is so long after 1970."""
    return EPOCH + timedelta(**since)


class Vectors(unittest.TestCase):
    """Each vector is made of its components, and has its forms and its components."""

    def assert_forms(self, made: Any, text: Any, hexadecimal: str, time: datetime) -> None:
        """Compares an ID with its text, its bytes and its time, in all directions."""
        kind = type(made)
        self.assertEqual(made, text)
        self.assertEqual(str(made), str(text))
        self.assertEqual(made, kind(text))
        self.assertEqual(made.binary.hex(), hexadecimal)
        self.assertEqual(made.number, int(hexadecimal, 16))
        self.assertEqual(made, kind.of_binary(bytes.fromhex(hexadecimal)))
        self.assertEqual(made, kind.of_number(int(hexadecimal, 16)))
        self.assertEqual(made, kind.of_base32(made.base32("a_b"), "a_b"))
        self.assertEqual(made.timestamp, time)

    def test_kid64(self) -> None:
        for row in vectors.read("kid64.tsv"):
            seconds = int(row["a_mega"]) * 10**6 + int(row["b_sec"])
            one = Kid64(row["text64"])
            self.assertEqual(one.micros, seconds * 10**6 + int(row["decoded_c_micro"]))
            self.assertEqual(one.micros // 1000, int(row["t_ms"]))
            self.assertEqual(one.sequence, int(row["seq"]))
            self.assertEqual(one.number, int(row["hex"], 16))
            # Python has no times after the year 9999, which some vectors are of.
            if seconds < END:
                time = at(seconds=seconds, microseconds=int(row["c_micro"]))
                self.assert_forms(Kid64.make(time, int(row["seq"])), row["text64"], row["hex"], one.timestamp)
                self.assertEqual(Kid64.floor(time), Kid64.make(time, 0))
                self.assertEqual(Kid64.ceil(time), Kid64.make(time, 16383))

    def test_kid96(self) -> None:
        for row in vectors.read("kid96.tsv"):
            bits, node = int(row["drift_bits"]), int(row["node_hex"], 16)
            seconds = int(row["a_mega"]) * 10**6 + int(row["b_sec"])
            micros = seconds * 10**6 + int(row["c_micro"])
            local = Kid64.of_number(Kid64._lowest(micros) | int(row["seq"]))
            one = Kid96.of_binary(bytes.fromhex(row["hex"]))
            self.assertEqual((one.local(bits), one.node(bits)), (local, node))
            self.assertEqual(one.sequence, int(row["dec_seq"]))
            decoded = (int(row["dec_a"]) * 10**6 + int(row["dec_b"])) * 10**6 + int(row["dec_c"])
            self.assertEqual(one.local(bits).micros, decoded)
            self.assertEqual(one, row["text64"])
            self.assertEqual(one, Kid96(row["text64"]))
            if seconds < END:
                time = at(microseconds=micros)
                self.assertEqual(Kid96.make(time, node, int(row["seq"]), bits), one)
                self.assertEqual(one.timestamp_in(bits), at(microseconds=decoded))
                self.assertLessEqual(Kid96.floor(time, bits), one)
                self.assertGreaterEqual(Kid96.ceil(time, bits), one)
            if bits == 8:
                self.assertEqual(one.micros, decoded)

    def test_sno(self) -> None:
        for row in vectors.read("sno.tsv"):
            time = at(microseconds=int(row["unix_ns"]) // 1000)
            numbers = [int(row[name]) for name in ("meta", "partition", "sequence")]
            one = Sno.make(time, numbers[0], numbers[1], numbers[2], row["tick_tock"] == "1")
            self.assert_forms(one, row["text"], row["hex"], time)
            self.assertEqual([one.meta, one.partition_number, one.sequence], numbers)
            self.assertEqual(one.tick, row["tick_tock"] == "1")

    def test_sno_time(self) -> None:
        for row in vectors.read("sno_time.tsv"):
            time = at(microseconds=int(row["in_unix_ns"]) // 1000)
            one = Sno.make(time, int(row["meta_in"]), int(row["partition_in"]), int(row["sequence"]))
            self.assert_forms(one, row["text"], row["hex"], at(microseconds=int(row["unix_ns"]) // 1000))

    def test_flake(self) -> None:
        for row in vectors.read("flake.tsv"):
            time, epoch = at(milliseconds=int(row["unix_ms"])), at(milliseconds=int(row["epoch_ms"]))
            numbers = [int(row[name]) for name in ("datacenter", "worker", "counter")]
            one = Flake.make(time, numbers[0], numbers[1], numbers[2], epoch)
            self.assert_forms(one, int(row["dec"]), row["hex"], time - (epoch - EPOCH))
            self.assertEqual([one.datacenter, one.worker, one.sequence], numbers)
            self.assertEqual(one.generator, int(row["id"]))
            self.assertEqual(one.timestamp_since(epoch), time)
            self.assertEqual(Flake(row["dec"]), one)
            self.assertEqual(Flake("0x" + row["hex"]), one)
            self.assertEqual(Flake.floor(time, epoch), Flake.make(time, 0, 0, 0, epoch))
            self.assertEqual(Flake.ceil(time, epoch), Flake.make(time, 31, 31, 4095, epoch))

    def test_flax(self) -> None:
        for row in vectors.read("flax.tsv"):
            time, lower = at(milliseconds=int(row["unix_ms"])), bytes.fromhex(row["random56_hex"])
            one = Flax.make(time, lower)
            self.assert_forms(one, row["text16"], row["hex"], time)
            self.assertEqual(one.random, lower)

    def test_kid53(self) -> None:
        for row in vectors.read("kid53.tsv"):
            time = at(milliseconds=int(row["unix_ms"]))
            one = Kid53.make(time, int(row["sequence"]))
            self.assert_forms(one, int(row["id"]), f"{int(row['id']):016x}", time)
            self.assertEqual(one.sequence, int(row["sequence"]))
            self.assertEqual(one.base32(), row["base32"])
            self.assertEqual((Kid53(row["id"]), Kid53(float(row["id"]))), (one, one))
            self.assertIs(type(Kid53(row["id"])), Kid53)

    def test_uuidv7(self) -> None:
        for row in vectors.read("uuidv7.tsv"):
            one = UuidV7(row["text"])
            self.assertEqual(one, UUID(row["text"]))
            self.assertEqual(one.binary.hex(), row["hex"])
            self.assertEqual((UuidV7.of_uuid(UUID(row["text"])), type(UuidV7.of_uuid(one))), (one, UuidV7))
            self.assertEqual(one, UuidV7.of_binary(bytes.fromhex(row["hex"])))
            self.assertEqual(one.micros, int(row["unix_ms"]) * 1000)
            self.assertEqual(str(one), row["text"])

    def test_texts_sort_as_ids(self) -> None:
        for kind, name, column in (
            (Kid64, "kid64.tsv", "text64"),
            (Sno, "sno.tsv", "text"),
            (Flax, "flax.tsv", "text16"),
        ):
            rows = [(row["hex"], kind(row[column])) for row in vectors.read(name)]
            self.assertEqual([one for _hex, one in sorted(rows)], sorted(one for _hex, one in rows))

    def test_base32(self) -> None:
        for row in vectors.read("base32.tsv"):
            bits, number = int(row["bits"]), int(row["hex"], 16)
            self.assertEqual(base32.encode(number, bits), row["text"])
            self.assertEqual(base32.decode(row["text"], bits), number)
            self.assertEqual(base32.decode("a_b_" + row["text"].upper(), bits, "a_b"), number)

    def test_typeid(self) -> None:
        for row in vectors.read("typeid.tsv"):
            number = UUID(row["uuid"]).int
            self.assertEqual(base32.encode(number, 128, row["prefix"]), row["typeid"])
            self.assertEqual(base32.decode(row["typeid"], 128, row["prefix"]), number)

    def test_what_is_no_typeid(self) -> None:
        for row in vectors.read("typeid_invalid.tsv"):
            with self.assertRaises(ValueError, msg=row["what"]):
                base32.decode(row["typeid"], 128, row["typeid"].rpartition("_")[0])


class Limits(unittest.TestCase):
    """The least and the greatest of everything, and what is beyond"""

    def test_ends_of_the_ranges(self) -> None:
        """The instants are those in the heads of src/core/types."""
        ends: dict[Any, tuple[str, str]] = {
            Kid53: ("2020-01-01T00:00", "2089-09-06T15:47:35.551999"),
            Sno: ("2010-01-01T00:00", "2079-09-07T15:47:35.551999"),
            Flake: ("1970-01-01T00:00", "2109-05-15T07:35:11.103999"),
            Flax: ("2015-01-01T00:00", "2049-11-03T19:53:47.775999"),
        }
        micro = timedelta(microseconds=1)
        for kind, texts in ends.items():
            first, last = (datetime.fromisoformat(text + "+00:00") for text in texts)
            greatest = (1 << kind.bits) - 1
            self.assertEqual(kind.floor(first).number, 0)
            self.assertEqual(kind.ceil(first - micro).number, 0)
            self.assertNotEqual(kind.ceil(first).number, 0)
            self.assertEqual(kind.ceil(last).number, greatest)
            self.assertNotEqual(kind.floor(last).number, greatest)
            self.assertEqual(kind.floor(last + micro).number, greatest)
            self.assertEqual(kind.of_number(0).timestamp, first)
            self.assertLessEqual(last - kind.of_number(greatest).timestamp, timedelta(microseconds=3999))

    def test_no_time(self) -> None:
        """A time without a zone is ambiguous, and other values are no times."""
        wrong: Any
        for wrong, error in (datetime(2026, 11, 1), ValueError), (date(2026, 11, 1), TypeError), ("now", TypeError):
            with self.assertRaisesRegex(error, re.escape(repr(wrong))):
                Kid64.floor(wrong)

    def test_before_1970(self) -> None:
        before = EPOCH - timedelta(microseconds=1)
        self.assertEqual((Kid64.floor(before), Kid64.ceil(before)), ("." * 11, "." * 11))
        self.assertEqual((Kid96.floor(before), Kid96.ceil(before)), ("." * 16, "." * 16))
        lowest = UUID("00000000-0000-7000-8000-000000000000")
        self.assertEqual((UuidV7.floor(before), UuidV7.ceil(before)), (lowest, lowest))
        self.assertEqual(UuidV7.ceil(EPOCH), UUID("00000000-0000-7fff-bfff-ffffffffffff"))

    def test_what_python_has_no_time_for(self) -> None:
        last = Kid64.of_number(2**64 - 1)
        # Arbitrary bits can have more than a million seconds and more than 976 units.
        self.assertEqual(last.micros, ((1048575 * 10**6 + 0xFFFFF) * 10**6) + (1023 << 10))
        with self.assertRaises(OverflowError):
            _ = last.timestamp

    def test_random_bits(self) -> None:
        """Whatever its bits are, an ID has each form, and these sort as the numbers do."""
        some = random.Random(60)
        for kind in ALL:
            numbers = [0, 1, (1 << kind.bits) - 1, 1 << kind.bits - 1]
            numbers += [some.getrandbits(some.randint(1, kind.bits)) for _ in range(500)]
            if kind is UuidV7:
                numbers = [number & ~(15 << 76 | 3 << 62) | 7 << 76 | 2 << 62 for number in numbers]
            ids = [kind.of_number(number) for number in numbers]
            for number, one in zip(numbers, ids):
                self.assertEqual(one.number, number)
                self.assertEqual(kind.of_binary(one.binary), one)
                self.assertEqual(kind.of_base32(one.base32("ord"), "ord"), one)
                self.assertEqual(kind.of_base32("ord_" + one.base32().upper(), "ord"), one)
                self.assertIs(type(kind.of_base32(one.base32())), kind)
            in_order = [kind.of_number(number) for number in sorted(numbers)]
            self.assertEqual(sorted(ids), in_order)
            self.assertEqual(sorted(ids, key=lambda one: str(one.base32())), in_order)
            self.assertEqual(sorted(ids, key=lambda one: bytes(one.binary)), in_order)

    def test_random_times(self) -> None:
        """An ID is within the bounds of its time, and those of the neighboring microseconds tile time."""
        some = random.Random(61)
        for kind in ALL:
            last = min(kind.last_micros, END * 10**6 - 1)
            for _ in range(500):
                micros = some.randint(kind.first_micros, last - 1)
                time, after = at(microseconds=micros), at(microseconds=micros + 1)
                floor, ceil = kind.floor(time), kind.ceil(time)
                self.assertLess(floor, ceil)
                self.assertLessEqual(floor.timestamp, time)
                self.assertLess(time - floor.timestamp, timedelta(seconds=256))
                if kind.floor(after) != floor:
                    self.assertGreater(kind.floor(after), ceil)
                    self.assertEqual(kind.floor(after).timestamp, after)

    def test_what_is_no_text(self) -> None:
        for kind in TEXTS:
            good = str(kind.of_number((1 << kind.bits) - 1))
            wrong = ["", good[:-1], good + good[0], good + "\n", " " + good[1:], "é" + good[1:], "/" + good[1:]]
            wrong += ["\u0661" + good[1:], good[:3] + "=" + good[4:], good[:5] + "\0" + good[6:]]
            for text in wrong + (["." * 10 + "x"] if kind is Kid64 else []):
                with self.assertRaises(ValueError, msg=(kind, text)):
                    kind(text)
        for text in "not-a-uuid", "919108f7-52d1-4320-9bac-f847db4148a8", "01a20168-9de7-7651-03ac-60dca3b8f7f5":
            with self.assertRaises(ValueError):
                UuidV7(text)
        # The texts of test/unit/flake_test.cpp, and digits of other scripts.
        for text in ("", "-1", "+1", " 1", "1 ", "12a", "0x", "0x1g", "x1", "01", "00", "1_0", "\u0661", "1\n") + (
            "18446744073709551616",
            "99999999999999999999999",
            "0x10000000000000000",
        ):
            with self.assertRaises(ValueError, msg=text):
                Flake(text)
        self.assertEqual(Flake("0XfF"), 255)
        self.assertEqual(Flake("0"), 0)
        for text in (
            "",
            "abc",
            "-1",
            "+1",
            " 1",
            "1\n",
            "1.0",
            "0x1",
            "01",
            "1_0",
            "\u0661",
            "9007199254740992",
            "9" * 5000,
        ):
            with self.assertRaisesRegex(ValueError, "^" + re.escape(f"not a kid53: {text!r}") + "$"):
                Kid53(text)

    def test_what_is_no_number(self) -> None:
        """A float is a number only if it is whole, and so small that it has not been rounded."""
        for number in 1.5, -1.0, 2.0**53, float("nan"), float("inf"):
            for kind in Kid53, Flake:
                with self.assertRaisesRegex(ValueError, "^" + re.escape(f"not a {kind.type_name}: {number!r}") + "$"):
                    kind(number)
        self.assertEqual((Kid53(2.0**53 - 1), Flake(2.0**53 - 1)), (2**53 - 1, 2**53 - 1))
        wrong: Any
        for wrong in None, b"1", datetime(2026, 11, 1):
            with self.assertRaises(TypeError):
                Kid53(wrong)

    def test_what_is_no_base32(self) -> None:
        for text in (
            "usr_00w1knarhfg01",
            "ord_00w1knarhfg010",
            "ord_00w1knarhfg0u",
            "ord_g000000000000",
            "00w1knarhfg01",
        ):
            with self.assertRaises(ValueError, msg=text):
                Kid64.of_base32(text, "ord")
        for text in (
            "ord_00w1\u212anarhfg01",
            "ord_00w1_narhfg01",
            "ord_+0w1knarhfg01",
            "ord_ 0w1knarhfg01",
            "ORD_00w1knarhfg01",
        ):
            with self.assertRaises(ValueError, msg=text):
                Kid64.of_base32(text, "ord")
        with self.assertRaises(ValueError):
            Kid64.of_base32("ord_00w1knarhfg01")
        for prefix in "Ord", "_ord", "ord_", "or-d", "o" * 64, "ord\n", "ö":
            with self.assertRaises(ValueError, msg=prefix):
                Kid64.of_number(0).base32(prefix)
        self.assertEqual(Kid64.of_number(0).base32("o" * 63), "o" * 63 + "_" + "0" * 13)

    def test_what_is_out_of_range(self) -> None:
        now = at(days=20000)
        early = at(days=-1)
        calls: list[Callable[[], object]] = [
            lambda: Kid64.make(now, 16384),
            lambda: Kid64.make(now, -1),
            lambda: Kid64.make(early, 0),
            lambda: Kid53.make(now, 4096),
            lambda: Kid53.make(at(days=18261), 0),
            lambda: Kid53.make(at(days=44000), 0),
            lambda: Kid53(-1),
            lambda: Kid53(2**53),
            lambda: Kid53.of_binary(bytes(7)),
            lambda: Kid53.of_binary(b"\x00\x20" + bytes(6)),
            lambda: Kid96.make(now, 2**32, 0),
            lambda: Kid96.make(now, 0, 0, 11),
            lambda: Kid96.of_number(0).local(-1),
            lambda: Kid64.of_number(2**64),
            lambda: Kid64.of_number(-1),
            lambda: Kid64.of_binary(bytes(9)),
            lambda: Sno.make(now, 256, 0, 0),
            lambda: Sno.make(now, 0, 65536, 0),
            lambda: Sno.make(now, 0, 0, 65536),
            lambda: Flake.make(now, 32, 0, 0),
            lambda: Flake.make(now, 0, 32, 0),
            lambda: Flake.make(now, 0, 0, 4096),
            lambda: Flake.make(now, 0, 0, 0, epoch=at(days=20001)),
            lambda: Flake.make(now, 0, 0, 0, epoch=early),
            lambda: Flake.make(now, 0, 0, 0, epoch=at(microseconds=1)),
            lambda: Flax.make(now, bytes(6)),
            lambda: UuidV7.of_number(0),
            lambda: Kid64.floor(datetime(2026, 1, 1)),
        ]
        for number, call in enumerate(calls):
            with self.assertRaises(ValueError, msg=f"call {number}"):
                call()

    def test_no_layout(self) -> None:
        """The base class has no layout of its own."""
        one = Id()
        calls: list[Callable[[], object]] = [
            lambda: one.number,
            lambda: one.micros,
            lambda: Id.of_number(0),
            lambda: Id._lowest(0),
        ]
        for call in calls:
            with self.assertRaises(NotImplementedError):
                call()


class Values(unittest.TestCase):
    """IDs are values."""

    def test_copies(self) -> None:
        for kind in ALL:
            one = kind.ceil(at(days=20000))
            for again in pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one):
                self.assertEqual((again, type(again), hash(again)), (one, kind, hash(one)))
            self.assertEqual(eval(repr(one)), one)
            with self.assertRaises((AttributeError, TypeError)):
                one.number = 0

    def test_of_another_language(self) -> None:
        """JSON, texts and dictionaries take an ID for the text or the number that it is."""
        one = Kid64(".6.nef3Mk.3")
        self.assertEqual(json.dumps({"id": one}), '{"id": ".6.nef3Mk.3"}')
        self.assertEqual({".6.nef3Mk.3": "tea"}[one], "tea")
        self.assertEqual(f"{one} {Kid53(7)} {Flake(8)}", ".6.nef3Mk.3 7 8")
        self.assertEqual(json.dumps(Kid53(7)), "7")
        self.assertIs(type(str(one)), str)

    def test_type_of_a_table(self) -> None:
        class OrderId(Kid64):
            """IDs of orders"""

            __slots__ = ()

        self.assertIs(type(OrderId.floor(EPOCH)), OrderId)
        self.assertIs(type(OrderId.of_base32("0" * 13)), OrderId)


if __name__ == "__main__":
    unittest.main()
