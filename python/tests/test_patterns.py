"""Tests the patterns by which `kidctl leave` finds kid in definitions: one test for each part of a pattern."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

from pgkid.ctl.leave.defaults import is_generator
from pgkid.ctl.leave.expected import pattern_of_kid
from pgkid.ctl.leave.partitions import converted
from pgkid.ctl.leave.rewriter import Rewriter
from pgkid.ctl.leave.uses import Kid


class Marked(Rewriter):
    """Marks constants that PostgreSQL would convert."""

    def converted(self, value: str, kind: str, array: str) -> str:
        """Returns a constant between angle brackets, with its type."""
        return f"<{value} {kind}{array}>"


def rewriter(home: str) -> Marked:
    """Returns a rewriter for kid in a schema, which needs no server."""
    types = {f"{home}.kid64": "bigint", f"{home}.kid96": "text", f"{home}.flake": "bigint"}
    classes = {f"{home}.kid64_ops": "int8_ops", f"{home}.kid96_ops": "text_ops"}
    connection: Any = None
    return Marked(connection, Kid(home, True, types, classes))


class Definitions(unittest.TestCase):
    """Tests what is rewritten in a definition. PostgreSQL has printed these, from version 15 to 18."""

    def check(self, before: str, after: str) -> None:
        """Checks a definition, also if the schema of kid has a name that needs quotation marks."""
        for home in "public", '"our # ids"', '"it\'s (kid)"':
            with self.subTest(home=home):
                self.assertEqual(rewriter(home).rewrite(before.replace("KID", home)), after.replace("KID", home))

    def test_constants(self) -> None:
        self.check("(id > '.6.nef3Mk.3'::KID.kid64)", "(id > <'.6.nef3Mk.3' KID.kid64>)")
        self.check("'{.6.nef3Mk.3}'::KID.kid64[]", "<'{.6.nef3Mk.3}' KID.kid64[]>")
        self.check("E'a\\'b'::KID.kid96", "<E'a\\'b' KID.kid96>")

    def test_other_strings(self) -> None:
        """A string of another type, and what looks like a constant within one, stay as they are."""
        for text in ("'x'::text", "'''1''::KID.kid64'::text", "E'\\\\''::KID.kid64'::text", "'::KID.kid64'"):
            self.check(text, text)

    def test_casts(self) -> None:
        self.check("(item)::KID.kid96", "(item)::text")
        self.check("(items)::KID.kid64[]", "(items)::bigint[]")

    def test_classes(self) -> None:
        self.check("btree (id KID.kid64_ops DESC)", "btree (id int8_ops DESC)")

    def test_comparisons(self) -> None:
        for operator in ("<", "<=", "=", "<>", ">=", ">"):
            self.check(f"(id OPERATOR(KID.{operator}) other)", f"(id {operator} other)")

    def test_other_operators(self) -> None:
        for operator in ("@>", "<@", "<<", "->"):
            self.check(f"(id OPERATOR(KID.{operator}) other)", f"(id OPERATOR(KID.{operator}) other)")

    def test_aggregates(self) -> None:
        self.check("KID.min(id), KID.max(id)", "min(id), max(id)")
        self.check("KID.maximum(id), KID.min", "KID.maximum(id), KID.min")

    def test_longer_names(self) -> None:
        """A name that begins or ends as one of kid does is another one."""
        for text in ("(x)::KID.kid64s", "(x)::KID.kid64$", "id KID.kid64_ops2", "id a.KID.kid64_ops"):
            self.check(text, text)

    def test_names_in_quotation_marks(self) -> None:
        for text in ('"::public.kid64"', '"a""::public.kid64"', '"x public.kid64_ops "'):
            self.assertEqual(rewriter("public").rewrite(text), text)


class Declarations(unittest.TestCase):
    """Tests what is rewritten in a line that declares a column."""

    def check(self, before: str, after: str) -> None:
        self.assertEqual(rewriter("public").retyped(before), after)

    def test_types(self) -> None:
        self.check("id public.kid64 NOT NULL,", "id bigint NOT NULL,")
        self.check("ids public.kid64[],", "ids bigint[],")
        self.check('id public.kid96 COLLATE pg_catalog."C",', "id text,")
        self.check(
            '"it\'s" public.kid64 CONSTRAINT "it\'s_not_null" NOT NULL,',
            '"it\'s" bigint CONSTRAINT "it\'s_not_null" NOT NULL,',
        )

    def test_no_types(self) -> None:
        """A string, a cast, the call of a function, and longer names are no types of columns."""
        for text in ("x DEFAULT 'a public.kid64 '", "x DEFAULT y::public.kid64", "public.kid64(x)", "public.kid64s"):
            self.check(text, text)

    def test_names_in_quotation_marks(self) -> None:
        for text in ('"a public.kid64 " integer', '"a COLLATE pg_catalog.""C""" text'):
            self.check(text, text)


class Bounds(unittest.TestCase):
    """Tests the bounds of partitions, in a key of which some columns change."""

    def check(self, kinds: list[str], before: str, after: str) -> None:
        plan: Any = SimpleNamespace(rewriter=rewriter("public"))
        self.assertEqual(converted(plan, before, kinds), after)

    def test_range(self) -> None:
        self.check(
            ["", "public.kid64"],
            "FOR VALUES FROM ('a,(b', '.6.nef3Mk.3') TO (MINVALUE, '.6.nef3Mk.4')",
            "FOR VALUES FROM ('a,(b', <'.6.nef3Mk.3' public.kid64>) TO (MINVALUE, <'.6.nef3Mk.4' public.kid64>)",
        )

    def test_list(self) -> None:
        self.check(
            ["public.kid64"],
            "FOR VALUES IN ('.6.nef3Mk.3', '.6.nef3Mk.4', NULL)",
            "FOR VALUES IN (<'.6.nef3Mk.3' public.kid64>, <'.6.nef3Mk.4' public.kid64>, NULL)",
        )

    def test_others(self) -> None:
        for text in ("DEFAULT", "FOR VALUES WITH (modulus 4, remainder 1)"):
            self.check([""], text, text)


class LinesOfKid(unittest.TestCase):
    """Tests which lines of a dump are about what goes with kid."""

    def test_lines(self) -> None:
        pattern = pattern_of_kid("public")
        on = "BEFORE INSERT OR UPDATE OF id ON public.t FOR EACH STATEMENT"
        time = "CHECK ((public.kid_timestamp(id) >= '2026-01-01 00:00:00+00'::timestamp with time zone))"
        for line in (
            f"CREATE TRIGGER kid_track {on} EXECUTE FUNCTION public.kid_track_enter('1', '2');",
            "ALTER TABLE public.t ENABLE ALWAYS TRIGGER zz_kid_track;",
            "ALTER TABLE public.t ENABLE REPLICA TRIGGER kid_track;",
            f"ALTER TABLE ONLY public.t ADD CONSTRAINT kid_time {time};",
            f"CONSTRAINT kid_time_1 {time}",
        ):
            with self.subTest(line):
                self.assertTrue(pattern.match(line))
        for line in (
            f"CREATE TRIGGER kid_track {on} EXECUTE FUNCTION app.kid_track_enter();",
            "ALTER TABLE public.t ENABLE ALWAYS TRIGGER track;",
            f"CONSTRAINT mine {time}",
            "CONSTRAINT kid_time CHECK ((id > 0))",
        ):
            with self.subTest(line):
                self.assertFalse(pattern.match(line))


class Generators(unittest.TestCase):
    """Tests which defaults are nothing but a call of a generator."""

    def test_calls(self) -> None:
        for home in "public", '"our # ids"':
            plan: Any = SimpleNamespace(kid=SimpleNamespace(home=home))
            for call in ("KID.kid_next()", "(KID.kid_next())::bigint", "KID.sno_next(0)", '(KID.kid_next())::s."a d"'):
                with self.subTest(call, home=home):
                    self.assertTrue(is_generator(plan, call.replace("KID", home)))
            for call in ("KID.kid_next() + 1", "KID.kid_nexts()", "other.kid_next()", "f(KID.kid_next())", "1"):
                with self.subTest(call, home=home):
                    self.assertFalse(is_generator(plan, call.replace("KID", home)))


if __name__ == "__main__":
    unittest.main()
