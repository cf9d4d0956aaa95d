"""Tests what `kidctl leave` says of objects that call functions of kid"""

from __future__ import annotations

import unittest
from collections import defaultdict

from support import Database

from pgkid.ctl.findings import FindingKind
from pgkid.ctl.leave.checks import Look, look
from pgkid.ctl.leave.plan import read_plan


class Needs(unittest.TestCase):
    """Each test makes a schema in a database of its own, with all three extensions, one of them in another schema."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run(
            "CREATE EXTENSION kid; CREATE EXTENSION pgcrypto; CREATE SCHEMA seals;"
            " CREATE EXTENSION kid_seal SCHEMA seals; CREATE EXTENSION kid_workers"
        )

    def look(self, statements: str) -> Look:
        """Makes a schema, and looks at all tables that leave."""
        self.database.run(statements)
        return look(read_plan(self.database.conn, None))

    def found(self, statements: str) -> dict[FindingKind, dict[str, str]]:
        """Returns the findings of a schema by kind: the message about each object."""
        found: dict[FindingKind, dict[str, str]] = defaultdict(dict)
        for finding in self.look(statements).findings:
            self.assertNotIn(finding.object, found[finding.kind])
            found[finding.kind][finding.object] = finding.message
        return found

    def test_texts_of_functions(self) -> None:
        """PostgreSQL does not know what a function uses whose body is a string. The names have any case."""
        found = self.found(
            """
            CREATE FUNCTION makes() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN public.kid_next(); END';
            CREATE FUNCTION upper_case() RETURNS text LANGUAGE sql AS 'SELECT KID53_Next()::text || kid_version()';
            CREATE FUNCTION sealed(x kid64) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN seals.kid_seal(x); END';
            CREATE PROCEDURE leased() LANGUAGE plpgsql AS 'BEGIN CALL kid_lease_worker($$p$$); END';
            CREATE FUNCTION declares() RETURNS void LANGUAGE plpgsql AS 'DECLARE x "sno"; BEGIN END';
            CREATE FUNCTION follows() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN NEW.id := kid_observe(NEW.id); RETURN NEW; END';
            CREATE FUNCTION others() RETURNS text LANGUAGE sql AS 'SELECT $$kid_of kidnext kid_next_ kid_$$';
            CREATE FUNCTION parsed() RETURNS bigint BEGIN ATOMIC SELECT kid53_next(); END;
            CREATE SCHEMA kid; CREATE FUNCTION kid.of_user() RETURNS text LANGUAGE sql AS 'SELECT $$kid_next$$'
            """
        )
        self.assertEqual(
            found["functions"],
            {
                "kid.of_user()": "names kid_next",
                "public.makes()": "names kid_next",
                "public.upper_case()": "names kid53_next, kid_version",
                "public.sealed(public.kid64)": "names kid_seal",
                "public.leased()": "names kid_lease_worker",
                "public.declares()": "names sno",
                "public.follows()": "names kid_observe",
            },
        )
        # These two are known: by its body, and by its argument.
        self.assertEqual(
            found["remains"],
            {
                "function public.parsed()": "uses function public.kid53_next()",
                "function public.sealed(public.kid64)": "uses type public.kid64",
            },
        )

    def test_numbers(self) -> None:
        """A table with a bigint has no column whose type changes, so all that calls kid stays, or is asked for."""
        found = self.found(
            """
            CREATE TABLE events (id bigint PRIMARY KEY DEFAULT kid53_next(), other bigint DEFAULT kid53_next() + 1,
                made timestamptz GENERATED ALWAYS AS (kid53_timestamp(id)) STORED,
                CONSTRAINT of_kid CHECK (kid53_timestamp(id) IS NOT NULL));
            CREATE INDEX by_time ON events (kid53_timestamp(id));
            CREATE STATISTICS of_time ON (kid53_timestamp(id)) FROM events;
            CREATE POLICY late ON events USING (kid53_timestamp(id) > now());
            CREATE VIEW times AS SELECT kid53_timestamp(id) FROM events;
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER told BEFORE INSERT ON events FOR EACH ROW WHEN (kid53_timestamp(NEW.id) > '2026-01-01')
                EXECUTE FUNCTION f()
            """
        )
        of_kid53 = "uses function public.kid53_timestamp(bigint)"
        self.assertEqual(
            found["needs kid"],
            {
                "constraint of_kid on public.events": of_kid53 + "; it is dropped",
                "index public.by_time": of_kid53 + "; it is dropped",
                "column made of public.events": "is generated; it would be an ordinary column, with its values, and new"
                " rows would get none",
            },
        )
        self.assertEqual(
            found["refused"],
            {"column other of public.events": "has a default that kidctl cannot replace:" " (public.kid53_next() + 1)"},
        )
        self.assertEqual(
            found["remains"],
            {
                "policy late on table public.events": of_kid53,
                "view public.times": of_kid53,
                "statistics object public.of_time": of_kid53,
                "trigger told on table public.events": of_kid53,
            },
        )
        self.assertEqual(found["functions"], {})

    def test_types(self) -> None:
        """What hangs on a column whose type changes would be made again, which it cannot be if it calls kid."""
        found = self.found(
            """
            CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
            CREATE TABLE part PARTITION OF events DEFAULT; CREATE INDEX of_part ON part (kid_timestamp(id));
            CREATE INDEX by_time ON events (kid_timestamp(id));  -- of which the other one is a part
            CREATE STATISTICS of_time ON (kid_timestamp(id)) FROM events;
            CREATE POLICY late ON events USING (id > now());
            CREATE VIEW times AS SELECT kid_timestamp(id), id FROM events;
            ALTER VIEW times ALTER id SET DEFAULT kid_next();
            CREATE MATERIALIZED VIEW kept AS SELECT id FROM events; CREATE INDEX of_kept ON kept (kid_timestamp(id));
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER told BEFORE INSERT ON events FOR EACH ROW WHEN (kid_timestamp(NEW.id) > '2026-01-01')
                EXECUTE FUNCTION f();
            CREATE TRIGGER compares BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.id > '...........')
                EXECUTE FUNCTION f();
            CREATE TABLE counted (id bigserial PRIMARY KEY, n int) PARTITION BY RANGE (id);
            CREATE TABLE counted_part PARTITION OF counted DEFAULT; SELECT kid_track('counted');
            CREATE TRIGGER of_parts BEFORE INSERT ON counted FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger();
            CREATE TABLE log (at timestamptz, last text);
            CREATE RULE logged AS ON DELETE TO log DO ALSO SELECT kid_timestamp(id) FROM events
            """
        )
        of_kid64 = "uses function public.kid_timestamp(public.kid64)"
        self.assertEqual(
            found["needs kid"],
            {
                "index public.by_time": of_kid64 + "; it is dropped",
                "statistics public.of_time": of_kid64 + "; it is dropped",
                "policy late on public.events": "uses operator public.>(public.kid64,timestamp with time zone)",
                "view public.times": of_kid64,
                "default of column id of view public.times": "uses function public.kid_next()",
                "index public.of_kept of public.kept": of_kid64,
                "trigger told on public.events": of_kid64,
                "rule logged on public.log": of_kid64,
            },
        )
        self.assertEqual(found["remains"], {})

    def test_given_up(self) -> None:
        """What can be given up is dropped with its parts. A view cannot: its readers would miss it."""
        found = self.look(
            """
            CREATE TABLE events (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
            CREATE TABLE part PARTITION OF events DEFAULT; CREATE INDEX of_part ON part (kid_timestamp(id));
            CREATE INDEX by_time ON events (kid_timestamp(id));  -- of which the other one is a part
            CREATE VIEW times AS SELECT kid_timestamp(id) FROM events
            """
        )
        self.assertEqual({f"{one.kind} {one.name}" for one in found.given_up}, {"index by_time", "index of_part"})


if __name__ == "__main__":
    unittest.main()
