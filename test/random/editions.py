#!/usr/bin/python3
"""Compares functions of the edition in plain SQL with those of the extension: random calls must return the same.

    editions.py SECONDS [SEED]

The database of libpq's variables has the extensions kid and kid_seal, and the database "plain" of the same server has
the edition in plain SQL. The calls read and write texts, base32, sealed IDs, components and bounds of time. Texts are
those of IDs, of which some characters are changed, so that most of them are nearly right. Both editions must return
the same value, or an error of the same SQLSTATE. In plain SQL a kid64 is a bigint that is not negative, so an ID
beyond that has to be refused there. The program prints TAP, and each call with different results.
"""

from __future__ import annotations

import os
import random
import sys
import time
from typing import Any

import psycopg

AT_ONCE = 200  # calls
KEY = "5a" * 32  # of sealed IDs
ATTEMPT = """
CREATE FUNCTION attempt(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT (' || call || ')::text' INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$"""
UID = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
STRANGE = "\t\n !\"$%&'*+-/:=?@[\\]^`{|}~ilouILOUZé€😀\u0301\ufeff"
PREFIXES = ["", "", "ord", "ord", "a_b", "a" * 63, "a" * 64, "_a", "a_", "Ord", "é", "a-b", "_"]
TIMES = [
    "-infinity", "0001-01-01 BC", "1960-01-01", "1969-12-31 23:59:59.999999", "1970-01-01",
    "2019-12-31 23:59:59.999999", "2020-01-01", "2089-09-06 15:47:35.551999", "2089-09-06 15:47:35.552",
    "18584-01-10 03:33:19.999999",
]  # fmt: skip
LATE_TIMES = ["infinity", "294276-12-31", "10889-08-02 05:31:50.655999", "10889-08-02 05:31:50.656"]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Maker:
    """Makes random calls."""

    def __init__(self, at_random: random.Random):
        self.random = at_random

    def number(self, least: int = 0) -> str:
        """Returns a bigint from `least` on, which is 0 or negative."""
        borders = [0, 1, 2**53 - 1, 2**53, 2**62, 2**63 - 1]
        value = self.random.choice([*borders, *(self.random.getrandbits(bits) for bits in (12, 24, 44, 53, 58, 63))])
        if least < 0 and self.random.random() < 0.3:
            value = -1 - value
        return f"({value}::bigint)"

    def instant(self, late: bool) -> str:
        """Returns a timestamptz. If it may be `late`, it can be after the last kid64 of plain SQL."""
        value = self.random.choice(TIMES + LATE_TIMES * late)
        if self.random.random() < 0.5:
            # 1950 to 2120
            return f"(timestamptz '1970-01-01' + {self.random.randrange(-63 * 10**13, 473 * 10**13)} * interval '1 us')"
        return f"timestamptz '{value}'"

    def limit(self, late: bool) -> str:
        return self.random.choice(["NULL::timestamptz", self.instant(late), self.instant(late)])

    def changed(self, text: str, alphabet: str) -> str:
        """Returns a text, mostly with a few characters changed, added or removed."""
        characters = list(text)
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 5])):
            place = self.random.randrange(len(characters) + 1)
            strange = self.random.choice(alphabet if self.random.random() < 0.5 else STRANGE)
            characters[place : place + self.random.randrange(2)] = [strange] * self.random.randrange(2)
        return "".join(characters)

    def base32(self, length: int) -> tuple[str, str]:
        """Returns a text in base32, and the prefix that is expected of it, both as SQL."""
        prefix = self.random.choice(PREFIXES)
        digits = "".join(self.random.choice(CROCKFORD) for _ in range(length))
        if self.random.random() < 0.7:
            digits = self.random.choice("01234567") + digits[1:]
        if self.random.random() < 0.2:
            digits = digits.upper()
        written = self.random.choice([prefix, prefix, prefix, self.random.choice(PREFIXES)])
        text = self.changed(written + ("_" if written else "") + digits, CROCKFORD)
        return quoted(text), quoted(prefix)

    def ord(self) -> str:
        return self.random.choice(["'ord'", "'ord'", "'ord'", "'other'", "'Ord'"])

    def sealed(self, seals: str) -> str:
        """Returns what `seals` an ID with the prefix ord; a character of its text may become another one."""
        digit, place = quoted(self.random.choice(CROCKFORD)), self.random.randrange(1, 31)
        return self.random.choice([seals, f"overlay({seals} PLACING {digit} FROM {place} FOR 1)", f"upper({seals})"])

    def uuid(self) -> str:
        value = f"{self.random.getrandbits(128):032x}"
        if self.random.random() < 0.7:
            value = value[:12] + "7" + value[13:16] + self.random.choice("89ab") + value[17:]
        return f"'{value}'::uuid"

    def call(self) -> str:
        """Returns a call, as SQL."""
        text = self.changed("".join(self.random.choice(UID) for _ in range(10)) + self.random.choice(".3FVl"), UID)
        prefix = quoted(self.random.choice(PREFIXES))
        id64, any64, id53 = self.number(), self.number(-1), self.number(-1)
        sealed64 = self.sealed(f"kid_seal({any64}::kid64, 'ord')")
        sealed53 = self.sealed(f"kid53_seal({id53}, 'ord')")
        uuid, missing_ok = self.uuid(), self.random.choice(["false", "true"])
        parts = "(SELECT string_agg(concat_ws('=', component, bits, value), ' ') FROM {})"
        forms = [
            f"kid64_from_text({quoted(text)})::bigint",
            f"kid64_to_text({any64}::kid64)",
            "kid64_decode({}, {})::bigint".format(*self.base32(13)),
            f"kid_encode({any64}::kid64, {prefix})",
            f"kid64_encode({any64}, {prefix})",
            "kid53_decode({}, {})".format(*self.base32(11)),
            f"kid53_encode({id53}, 'ord')",
            "kid_uuid_decode({}, {})".format(*self.base32(26)),
            f"kid_encode({uuid}, {prefix})",
            f"kid_timestamp({id64}::kid64)",
            f"kid53_timestamp({id53})",
            f"kid_timestamp({uuid})",
            f"kid_sequence({any64}::kid64)",
            f"kid64_sequence({any64})",
            f"kid53_sequence({id53})",
            parts.format(f"kid_inspect({id64}::kid64)"),
            parts.format(f"kid53_inspect({id53})"),
            parts.format(f"kid_inspect({uuid})"),
            f"kid64_floor({self.instant(False)})::bigint",
            f"kid64_ceil({self.instant(False)})::bigint",
            f"kid53_floor({self.instant(True)})",
            f"kid53_ceil({self.instant(True)})",
            f"kid_uuidv7_floor({self.instant(True)})",
            f"kid_uuidv7_ceil({self.instant(True)})",
            f"kid64_make({self.instant(False)}, {self.random.randrange(16384)})::bigint",
            f"kid64_make('2026-01-01', {self.random.randrange(-3, 2**15)})::bigint",
            f"kid53_make({self.instant(True)}, {self.random.randrange(4096)})",
            f"kid53_make('2026-01-01', {self.random.randrange(-3, 2**13)})",
            f"kid_within({id64}::kid64, {self.limit(False)}, {self.limit(False)})",
            f"kid64_within({id64}, {self.limit(False)}, {self.limit(False)})",
            f"kid53_within({id53}, {self.limit(True)}, {self.limit(True)})",
            f"kid_within({uuid}, {self.limit(True)}, {self.limit(True)})",
            f"kid_seal({any64}::kid64, {prefix})",
            f"kid53_seal({id53}, {prefix})",
            f"kid_seal_uuid({any64}::kid64, 'ord')",
            f"kid64_unseal({sealed64}, {self.ord()}, {missing_ok})::bigint",
            f"kid53_unseal({sealed53}, {self.ord()}, {missing_ok})",
            f"kid64_unseal_uuid(kid_seal_uuid({any64}::kid64, 'ord'), {self.ord()}, {missing_ok})::bigint",
        ]
        return self.random.choice(forms)


def answers(session: psycopg.Connection[Any], calls: list[str]) -> list[str | None]:
    query = "SELECT attempt(call) FROM unnest(%s::text[]) WITH ORDINALITY AS _(call, n) ORDER BY n"
    return [row[0] for row in session.execute(query, [calls])]


def expected(call: str, answer: str | None) -> str | None:
    """Returns what plain SQL must return where the extension returns `answer`."""
    is_read = call.startswith(("kid64_from_text", "kid64_decode"))
    return "error 22P02" if is_read and answer is not None and answer.startswith("-") else answer


def main() -> int:
    seconds = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(4), "big")
    print(f"# KID_SEED={seed}")
    maker = Maker(random.Random(seed))
    compared = errors = 0
    differences: list[str] = []
    with psycopg.connect(autocommit=True) as session, psycopg.connect(dbname="plain", autocommit=True) as plain:
        for database in session, plain:
            database.execute(ATTEMPT)
            database.execute("SELECT kid_seal_use_key(kid_seal_import_key(1, %s))", [KEY])
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and len(differences) < 5:
            calls = [maker.call() for _ in range(AT_ONCE)]
            for call, answer, of_plain in zip(calls, answers(session, calls), answers(plain, calls)):
                compared += 1
                errors += answer is not None and answer.startswith("error")
                if of_plain != expected(call, answer):
                    differences.append(f"{call}\nthe extension: {answer}\nplain SQL: {of_plain}")
    for difference in differences:
        print("#", difference.replace("\n", "\n# "))
    print(f"# {compared} calls compared, of which {errors} raised an error")
    print("not ok" if differences else "ok", "1 - random calls return the same in the extension and in plain SQL")
    print("ok" if compared / 10 < errors < compared / 2 else "not ok", "2 - a tenth to a half of them raised an error")
    print("1..2")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
