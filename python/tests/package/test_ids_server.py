"""pgkid.ids compared with the functions of the database, for random IDs and times. It needs PGHOST and its kin."""

from __future__ import annotations

import random
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
from pgkid.ids import Flake, Flax, Kid53, Kid64, Kid96, Sno, UuidV7

# Each class, the name of its type in SQL, and the functions that read its base32, find its bounds, and tell its time.
KINDS: list[tuple[Any, str, str, str, str]] = [
    (Kid64, "kid64", "kid64_decode", "kid64", "kid_timestamp"),
    (Kid96, "kid96", "kid96_decode", "kid96", "kid_timestamp"),
    (Sno, "sno", "sno_decode", "sno", "kid_timestamp"),
    (Flake, "flake", "flake_decode", "flake", "kid_timestamp"),
    (Flax, "flax", "flax_decode", "flax", "kid_timestamp"),
    (Kid53, "bigint", "kid53_decode", "kid53", "kid53_timestamp"),
    (UuidV7, "uuid", "kid_uuid_decode", "kid_uuidv7", "kid_timestamp"),
]
COUNT = 300


class Server(unittest.TestCase):
    """The database is the independent source."""

    def setUp(self) -> None:
        self.conn = psycopg.connect(autocommit=True, options="-c timezone=UTC")
        self.addCleanup(self.conn.close)

    def test_ids(self) -> None:
        some = random.Random(64)
        for kind, name, decode, _bounds, timestamp in KINDS:
            top = (datetime(9999, 1, 1, tzinfo=timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)).days
            numbers = [0, (1 << kind.bits) - 1] + [some.getrandbits(kind.bits) for _ in range(COUNT)]
            if kind is UuidV7:
                numbers = [number & ~(15 << 76 | 3 << 62) | 7 << 76 | 2 << 62 for number in numbers]
            ids = [kind.of_number(number) for number in numbers]
            micros = f"(extract(epoch FROM {timestamp}(id)) * 1000000)::bigint"
            encode = "kid53_encode" if kind is Kid53 else "kid_encode"
            rows = self.conn.execute(
                f"""SELECT n, id::text, {encode}(id, 'ord'), {decode}({encode}(id), '') = id,
                           CASE WHEN {timestamp}(id) < '9999-01-01' THEN {micros} END
                      FROM unnest(%s::text[]) WITH ORDINALITY AS given (text, n), CAST(text AS {name}) AS ids (id)
                     ORDER BY ids.id, n""",
                [[str(one) for one in ids]],
            ).fetchall()
            self.assertEqual([ids[row[0] - 1] for row in rows], sorted(ids))
            for row in rows:
                one = ids[row[0] - 1]
                self.assertEqual((str(one), one.base32("ord"), True), row[1:4])
                if row[4] is not None:
                    self.assertEqual(one.micros, row[4], one)
                else:
                    self.assertGreaterEqual(one.micros, top * 86_400_000_000)

    def test_bounds(self) -> None:
        some = random.Random(65)
        for kind, _name, _decode, bounds, _timestamp in KINDS:
            for _ in range(COUNT):
                time = datetime(1960, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=some.randint(0, 5 * 10**15))
                row = self.conn.execute(
                    f"SELECT {bounds}_floor(%s::timestamptz)::text, {bounds}_ceil(%s::timestamptz)::text", [time, time]
                ).fetchone()
                self.assertEqual((str(kind.floor(time)), str(kind.ceil(time))), row, (kind, time))


if __name__ == "__main__":
    unittest.main()
