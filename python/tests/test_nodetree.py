"""Tests of the parser of pg_node_tree, and of what a walk does with a tree that it does not know"""

from __future__ import annotations

import unittest

from pgkid.ctl.beside.facts import Facts, Operator
from pgkid.ctl.beside.holds import Scope
from pgkid.ctl.beside.nodetree import Datum, Node, TreeError, parse
from pgkid.ctl.beside.walk import Kind, Walk, pieces_of


class Parser(unittest.TestCase):
    """The rules of PostgreSQL's pg_strtok()"""

    def test_fields(self) -> None:
        node = parse(r'{ALIAS :aliasname a\ \{b\} :colnames ("id" "a\ b" "" "x\"y" "\\") :empty <> :numbers (i 1 -2)}')
        assert isinstance(node, Node)
        self.assertEqual("ALIAS", node.name)
        self.assertEqual("a {b}", node.text("aliasname"))
        self.assertEqual(["id", "a b", "", 'x"y', "\\"], node.items("colnames"))
        self.assertIsNone(node.child("empty"))
        self.assertEqual(["1", "-2"], node.items("numbers"))

    def test_escaped_null_is_a_word(self) -> None:
        node = parse(r"{RTE :aliasname \<> :ctename :x}")
        assert isinstance(node, Node)
        self.assertEqual(("RANGETBLENTRY", "<>", ":x"), (node.name, node.text("aliasname"), node.text("ctename")))

    def test_bytes(self) -> None:
        node = parse("{CONST :constvalue 4 [ -1 0 127 -128 ] :location -1}")
        assert isinstance(node, Node)
        self.assertEqual(Datum(b"\xff\x00\x7f\x80"), node.fields["constvalue"])
        self.assertEqual(-1, node.number("location"))

    def test_names_of_15(self) -> None:
        for old, new in (("CASE", "CASEEXPR"), ("COALESCE", "COALESCEEXPR"), ("ROW", "ROWEXPR")):
            node = parse(f"{{{old} :args <>}}")
            assert isinstance(node, Node)
            self.assertEqual(new, node.name)

    def test_errors(self) -> None:
        for text in (
            "",
            "{",
            "{VAR",
            "{VAR :varno",
            "{VAR :varno 1",
            "{VAR varno 1}",
            "{VAR :varno 1 2}",
            "{VAR :varno 1 :varno 2}",
            "{var :varno 1}",
            "(1",
            ")",
            "{VAR :varno 1} x",
            "{CONST :constvalue 4 [ 1 x ]}",
            "x\\",
            "(" * 100000,
        ):
            with self.subTest(text[:40]), self.assertRaises(TreeError):
                parse(text)


KEY = "{VAR :varno 1 :varattno 1 :varlevelsup 0}"
OTHER = "{VAR :varno 1 :varattno 2 :varlevelsup 0}"
ONE = "{CONST :consttype 20 :constisnull false :constvalue 8 [ 1 0 0 0 0 0 0 0 ]}"


class Unknown(unittest.TestCase):
    """A part that a walk does not know is reported if a key is in the definition."""

    def walk(self, text: str) -> list[tuple[Kind, str]]:
        facts = Facts({}, {410: Operator("=", 467, 16, False)}, {20: "bigint"}, {}, {7: ["id", "n"]}, "little")
        names = Node("ALIAS", {"aliasname": None, "colnames": ["id", "n"]})
        scope = Scope((Node("QUERY", {"rtable": [Node("RANGETBLENTRY", {"relid": "7", "eref": names})]}),))
        walk = Walk(facts, frozenset([(7, 1)]))
        walk.walk(parse(text), scope)
        return [(piece.kind, piece.text) for piece in pieces_of(walk)]

    def test_known(self) -> None:
        self.assertEqual([(Kind.CONSTANT, "id = 1")], self.walk(f"{{OPEXPR :opno 410 :args ({KEY} {ONE})}}"))
        self.assertEqual([], self.walk(f"{{OPEXPR :opno 410 :args ({OTHER} {ONE})}}"))

    def test_unknown_node(self) -> None:
        self.assertEqual([(Kind.UNKNOWN, "node NEWEXPR")], self.walk(f"{{NEWEXPR :args ({KEY} {ONE})}}"))
        self.assertEqual([], self.walk(f"{{NEWEXPR :args ({OTHER} {ONE})}}"))

    def test_unknown_node_beside_a_key(self) -> None:
        found = self.walk(f"{{OPEXPR :opno 410 :args ({KEY} {{NEWEXPR :arg {ONE}}})}}")
        self.assertIn((Kind.UNKNOWN, "node NEWEXPR"), found)

    def test_unknown_operator(self) -> None:
        found = self.walk(f"{{OPEXPR :opno 99999 :args ({KEY} {ONE})}}")
        self.assertEqual([(Kind.UNKNOWN, "there is no operator 99999")], found)

    def test_column_out_of_reach(self) -> None:
        """A column that cannot be resolved may be a key."""
        for text in (KEY.replace("varlevelsup 0", "varlevelsup 3"), KEY.replace("varno 1", "varno 9")):
            found = self.walk(f"{{OPEXPR :opno 410 :args ({text} {ONE})}}")
            self.assertEqual([Kind.UNKNOWN], list(dict.fromkeys(kind for kind, _ in found)))


if __name__ == "__main__":
    unittest.main()
