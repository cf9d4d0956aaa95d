"""Tests of what kidctl prints"""

from __future__ import annotations

import io
import unittest
from unittest import mock

from rich.console import Console

from pgkid.ctl import terminal
from pgkid.ctl.findings import Finding, Refused, Report
from pgkid.ctl.steps import Script, Step


class Terminal(unittest.TestCase):
    """Names of objects are whatever their owners like."""

    def printed(self, report: Report) -> str:
        """Returns what is printed of a report on a terminal."""
        out = io.StringIO()
        with mock.patch.object(
            terminal, "out", Console(file=out, force_terminal=True, soft_wrap=True, color_system=None)
        ):
            terminal.print_report(report, [])
        return out.getvalue()

    def test_control_characters(self) -> None:
        name = "view a\x1b[2J\r\n0 findings\x9b1m\u202e [red]b[/]"
        shown = r"view a\x1b[2J\r\n0 findings\x9b1m\u202e [red]b[/]"
        text = self.printed(
            Report([Finding("constants", name, f"is {name}", f"AS {name}", stops=True, accept_name=name)])
        )
        for character in "\x1b\r\x9b\u202e":
            self.assertNotIn(character, text.replace("\x1b[0m", "").replace("\x1b[1m", ""))
        self.assertIn(f"  {shown}: is {shown}", text)

    def test_findings_that_say_the_same(self) -> None:
        report = Report(
            [Finding("writers", f"UPDATE on {name}", "fails", stops=True, accept_name=name) for name in ("a", "b", "c")]
        )
        report.add("writers", "UPDATE on d", "fails in another way", stops=True, accept_name="d")
        lines = [
            line.strip() for line in self.printed(report).replace("\x1b[0m", "").replace("\x1b[1m", "").splitlines()
        ]
        self.assertEqual(
            [
                "UPDATE on a: fails  (stops)",
                "the same: UPDATE on b, UPDATE on c",
                "to go on all the same: --accept 'a' --accept 'b' --accept 'c'",
                "UPDATE on d: fails in another way  (stops)",
                "to go on all the same: --accept 'd'",
            ],
            lines[2:7],
        )

    def test_count(self) -> None:
        """Figures of what a move costs are no findings, but what has a hint is one."""
        report = Report([Finding("costs", "WAL", "82 kB"), Finding("costs", "rows", "4")])
        self.assertIn("0 findings, 0 of which stop the move.", self.printed(report))
        report.add("costs", "public.p", "never analyzed", hint="ANALYZE public.p;")
        self.assertIn("1 finding, 0 of which stop the move.", self.printed(report))
        report.add("clients", "SELECT *", "sees one more column")
        self.assertIn("2 findings, 0 of which stop the move.", self.printed(report))

    def test_script(self) -> None:
        out = io.StringIO()
        step = Step("swap", "giving names", lambda _runner: None)
        with mock.patch.object(terminal, "out", Console(file=out, soft_wrap=True)):
            terminal.print_script(Script([(step, ['DROP VIEW "a\x1b[2J\r[red]b[/]"\n\tAS it is'])]))
        self.assertIn('DROP VIEW "a\\x1b[2J\\r[red]b[/]"\n\tAS it is;', out.getvalue().replace("        AS", "\tAS"))
        self.assertNotIn("\x1b", out.getvalue())

    def test_titles_of_steps(self) -> None:
        out = io.StringIO()
        step = Step("change", 'giving core types to "a\n; DROP TABLE b; --\x1b[2J"', lambda _runner: None)
        with mock.patch.object(terminal, "out", Console(file=out, soft_wrap=True)):
            terminal.print_script(Script([(step, [])]))
        self.assertIn('\n-- change: giving core types to "a\\n; DROP TABLE b; --\\x1b[2J"\n', out.getvalue())

    def test_names_that_look_like_markup(self) -> None:
        for console, function in ((terminal.out, terminal.show), (terminal.err, terminal.say)):
            with console.capture() as captured:
                function('"a[/b]" ":id:" \x1b[2J')
            self.assertEqual('"a[/b]" ":id:" \\x1b[2J\n', captured.get())

    def test_names_that_end_with_a_backslash(self) -> None:
        for name in ("view a\\", "view a\\\\", "view [b]\\[/]", "view {0} %s"):
            text = self.printed(Report([Finding("changed", name, name, name, name, True, name)]))
            plain = text.replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[2m", "")
            self.assertEqual(
                [f"  {name}: {name}  (stops)", f"      {name}", f"    hint: {name}"], plain.splitlines()[2:5]
            )

    def test_errors(self) -> None:
        out = io.StringIO()
        with mock.patch.object(terminal, "err", Console(file=out, soft_wrap=True)):
            terminal.print_refused(Refused("first\nsecond \x1b[2J", "a \x07"))
        self.assertEqual("error: first\n    second \\x1b[2J\nhint: a \\x07\n", out.getvalue())


if __name__ == "__main__":
    unittest.main()
