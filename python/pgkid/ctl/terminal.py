"""What kidctl prints."""
from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Collection, Iterable, Iterator, Union

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pgkid.ctl.findings import KINDS, Finding, Refused, Report
from pgkid.ctl.steps import Script


Part = Union[str, tuple[str, str]]  # with a style

out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def visible(text: str, kept: str = "") -> str:
    """Returns a text in which escape sequences stand for control characters, except for those that are kept.

    Names can contain such characters, with which their owner could change what the terminal shows.
    """
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)


def line(*parts: Part) -> Text:
    """Returns a line of texts, some of which have a style. Nothing in them is read as markup."""
    made = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        made.append(visible(text), style)
    return made


def say(text: str) -> None:
    """Prints a line for the person who watches. Standard output is for what was asked for."""
    err.print(line(text))


def show(text: str) -> None:
    """Prints a line of what was asked for."""
    out.print(line(text))


def print_refused(refused: Refused) -> None:
    """Prints an error as psql prints one of PostgreSQL's.

    A message can contain names and messages of others. None of its further lines looks like one that kidctl begins.
    """
    first, *more = str(refused).splitlines() or [""]
    err.print(line(("error:", "bold red"), f" {first}"))
    for text in more:
        err.print(line(f"    {text}"))
    if refused.hint:
        err.print(line(("hint:", "bold"), f" {refused.hint}"))


def print_report(report: Report, accepted: Collection[str], end: str = "") -> None:
    """Prints the findings by kind, and then how many of them are to be read and stop the move, or another last line.

    What the move costs is printed, too, but does not count.
    """
    for kind, meaning in KINDS.items():
        findings = [f for f in report.findings if f.kind == kind]
        if not findings:
            continue
        out.print()
        out.print(line((kind, "bold"), f": {meaning}"))
        for group in alike(findings, accepted):
            print_findings(group, accepted)
    stopping = report.stopping(accepted)
    out.print()
    count = sum(not finding.is_figure for finding in report.findings)
    end = end or f"{count} finding{'s' * (count != 1)}, {len(stopping)} of which stop the move."
    out.print(line((end, "bold")))


def print_findings(findings: list[Finding], accepted: Collection[str]) -> None:
    """Prints findings that say the same of different objects."""
    finding, *others = findings
    about: list[Part] = [(finding.object, "cyan"), ": "] if finding.object else []
    mark = ("stops", "red") if finding.stops_unless(accepted) else ("accepted", "green")
    marked: list[Part] = ["  (", mark, ")"] if finding.stops else []
    out.print(line("  ", *about, finding.message, *marked))
    for text in finding.definition.splitlines():
        out.print(line(("      " + text, "dim")))
    if others:
        out.print(line(f"    the same: {', '.join(f.object for f in others)}"))
    if finding.hint:
        out.print(line(f"    hint: {finding.hint}"))
    if finding.stops_unless(accepted) and finding.accept_name:
        names = " ".join(f"--accept {quoted(f.accept_name)}" for f in findings)
        out.print(line(f"    to go on all the same: {names}"))


def alike(findings: Iterable[Finding], accepted: Collection[str]) -> list[list[Finding]]:
    """Returns findings in groups that say the same of different objects."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        same = (f.message, f.definition, f.hint, f.stops_unless(accepted), bool(f.object), bool(f.accept_name))
        groups.setdefault(same, []).append(f)
    return list(groups.values())


def quoted(word: str) -> str:
    """Returns a word as one argument for a shell."""
    return "'" + word.replace("'", "'\\''") + "'"


class Rate(ProgressColumn):
    """Shows the units done per second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        """Returns the rate, or only the unit if it is not known yet."""
        return Text(f"{task.speed:,.0f} {self.unit}/s" if task.speed else self.unit)


class Bar:
    """The progress of one step, with its rate and the time left. Prints lines if nobody watches a terminal."""

    def __init__(self, progress: Progress, task: TaskID, title: str) -> None:
        self.progress, self.task, self.title = progress, task, title
        self.told = time.monotonic()

    def update(self, done: int, total: int, what: str) -> None:
        """Shows that so much is done."""
        self.progress.update(self.task, completed=done, total=total, description=visible(what))
        if not err.is_terminal and time.monotonic() > self.told + 10:
            self.told = time.monotonic()
            left = self.progress.tasks[0].time_remaining
            say(f"{what}: {done} of {total}" + (f", {left:.0f} s left" if left is not None else ""))


@contextmanager
def progress(title: str, unit: str) -> Iterator[Bar]:
    """Shows a progress bar while its block runs."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(unit),
        TimeRemainingColumn(),
    )
    shown = Progress(*columns, console=err, transient=True)
    bar = Bar(shown, shown.add_task(visible(title), total=None), title)
    if err.is_terminal:
        shown.start()
    try:
        yield bar
    finally:
        if err.is_terminal:
            shown.stop()


@contextmanager
def waiting(title: str) -> Iterator[None]:
    """Shows that something is being done, and then how long it took."""
    began = time.monotonic()
    say(title)
    yield
    say(f"  done in {time.monotonic() - began:.1f} s")


def print_script(script: Script) -> None:
    """Prints the statements of a rehearsal as a script to read."""
    out.print(
        "-- What kidctl does, as it did in a rehearsal. To read, not to run: kidctl locks, waits and looks in between."
    )
    for step, statements in script.steps:
        out.print()
        out.print(line(f"-- {step.name}: {step.title}"))
        for text in statements:
            out.print(Text(visible(text, "\n\t") + ";"))
