"""Dumps are split at the headers of pg_dump, and at nothing that somebody wrote to look like one."""
from __future__ import annotations

import unittest

from pgkid.ctl.findings import Report
from pgkid.ctl.partition.expected import ExpectedOfRows
from pgkid.ctl.rehearsal import dumps


def entry(name: str, kind: str, text: str) -> str:
    """Returns an entry as pg_dump prints it."""
    return f"--\n-- Name: {name}; Type: {kind}; Schema: public; Owner: shop\n--\n\n{text}\n\n\n"


FAKED = "-- Name: events_old; Type: TABLE; Schema: public; Owner: shop"
# Where a tenant can write lines. The first part of each is what the entry begins with, and the last one what changes.
PLACES = {
    "string": ("CREATE VIEW public.v AS\n SELECT 'it''s ", "'::text AS a, {} AS b;"),
    "string with escapes": ("CREATE VIEW public.v AS\n SELECT E'\\\\it\\'s ", "'::text AS a, {} AS b;"),
    "string that ends with a backslash": (
        "CREATE VIEW public.v AS\n SELECT '\\'::text AS c, '",
        "'::text AS a, {} AS b;",
    ),
    "name": ('CREATE VIEW public.v AS\n SELECT 1 AS "say ""it\'s ', '", {} AS b;'),
    "body": ("CREATE FUNCTION public.f() RETURNS void\n    LANGUAGE sql\n    AS $_$SELECT $$it's$$", "$_$ COST {};"),
    "comment": ("COMMENT ON VIEW public.v IS 'it''s $$ ", "\"'; -- {}\nSELECT {};"),
}


class Dumps(unittest.TestCase):
    """Tests how dumps are split and compared."""

    def test_faked_header(self) -> None:
        """A change behind a line that looks like a header belongs to the object that has the line."""
        for place, (begin, end) in PLACES.items():
            with self.subTest(place):
                before, after = (
                    dumps.entries(
                        entry("v", "VIEW", f"{begin}\n{FAKED}\n--\nSET x\n{end.replace('{}', number)}")
                        + entry("it's", "TABLE", 'CREATE TABLE public."it\'s" (\n    id integer\n);')
                    )
                    for number in ("1", "2")
                )
                self.assertEqual([("VIEW", "public", "v"), ("TABLE", "public", "it's")], list(before))
                report = Report()
                # What the move does to this table is as expected.
                dumps.compare(before, after, lambda e, line: None if e[2] == "events_old" else line, "changed", report)
                self.assertEqual(["view public.v"], [found.object for found in report.findings])

    def test_names(self) -> None:
        """A view or another table is not taken for the partition that is dropped, whatever its name and schema are."""
        expected = ExpectedOfRows.__new__(ExpectedOfRows)
        expected.before, expected.schema, expected.gone = set(), "public", "events_old"
        expected.parts = {"events_old", 'i "', 'i ""'}
        for kind, schema, name, kept in (
            ("VIEW", "public", "of events_old", True),
            ("FUNCTION", "public", "f(public.events_old)", True),
            ("POLICY", "theirs", "events_old p", True),
            ("POLICY", "public", "events_old p", False),
            ("TABLE", "public", "events_old", False),
            ("COMMENT", "public", 'INDEX "i """', False),
        ):
            self.assertEqual("x" if kept else None, expected.line(dumps.Entry(kind, schema, name), "x"), name)
        older = dumps.Entry("TABLE", "public", "events_older")
        expected.before = {older}
        self.assertEqual("x", expected.line(older, "x"))

    def test_lines(self) -> None:
        """Lines of a string that look as if pg_dump had written them count; those of pg_dump do not."""
        text = "SET default_tablespace = '';\n\nCREATE VIEW public.v AS\n SELECT '\n-- a\nSET b' AS c;\n"
        found = dumps.entries(entry("v", "VIEW", text))[dumps.Entry("VIEW", "public", "v")]
        self.assertEqual(
            ["CREATE VIEW public.v AS", "SELECT '\n-- a\nSET b' AS c;"], [x.replace("\0", "\n") for x in found]
        )


if __name__ == "__main__":
    unittest.main()
