"""What kidctl prints."""
from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Collection, Iterable, Iterator

from rich import markup
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


out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def escape(text: str) -> str:
    """Returns markup that shows a text as it is.

    Names can contain control characters, with which their owner could change what the terminal shows.
    """
    return markup.escape(visible(text))


def visible(text: str, kept: str = "") -> str:
    """Returns a text in which escape sequences stand for control characters, except for those that are kept."""
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)


def say(text: str) -> None:
    """Prints a line for the person who watches. Standard output is for what was asked for."""
    err.print(escape(text))


def show(text: str) -> None:
    """Prints a line of what was asked for."""
    out.print(escape(text))


def print_refused(refused: Refused) -> None:
    """Prints an error as psql prints one of PostgreSQL's.

    A message can contain names and messages of others. None of its further lines looks like one that kidctl begins.
    """
    err.print("[bold red]error:[/] " + "\n    ".join(escape(line) for line in str(refused).splitlines()))
    if refused.hint:
        err.print(f"[bold]hint:[/] {escape(refused.hint)}")


def print_report(report: Report, accepted: Collection[str]) -> None:
    """Prints the findings by kind, and then how many of them stop the move."""
    for kind, meaning in KINDS.items():
        findings = [f for f in report.findings if f.kind == kind]
        if not findings:
            continue
        out.print(f"\n[bold]{kind}[/]: {meaning}")
        for finding, *others in alike(findings, accepted):
            mark = "[red]stops[/]" if finding.stops_unless(accepted) else "[green]accepted[/]" if finding.stops else ""
            about = f"[cyan]{escape(finding.object)}[/]: " if finding.object else ""
            out.print(f"  {about}{escape(finding.message)}" + (f"  ({mark})" if mark else ""))
            for line in finding.definition.splitlines():
                out.print(f"      {escape(line)}", style="dim")
            if others:
                out.print(f"    the same: {escape(', '.join(f.object for f in others))}")
            if finding.hint:
                out.print(f"    hint: {escape(finding.hint)}")
            if finding.stops_unless(accepted) and finding.accept_name:
                names = " ".join(f"--accept {quoted(f.accept_name)}" for f in (finding, *others))
                out.print(f"    to go on all the same: {escape(names)}")
    stopping = report.stopping(accepted)
    out.print(f"\n[bold]{len(report.findings)} findings, {len(stopping)} of which stop the move.[/]")


def alike(findings: Iterable[Finding], accepted: Collection[str]) -> list[list[Finding]]:
    """Returns findings in groups that say the same of different objects."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        place = (f.message, f.definition, f.hint, f.stops_unless(accepted), bool(f.object), bool(f.accept_name))
        groups.setdefault(place, []).append(f)
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
        self.progress.update(self.task, completed=done, total=total, description=escape(what))
        if not err.is_terminal and time.monotonic() > self.told + 10:
            self.told = time.monotonic()
            left = self.progress.tasks[0].time_remaining
            say(f"{what}: {done} of {total}" + (f", {left:.0f} s left" if left is not None else ""))


@contextmanager
def progress(title: str, unit: str) -> Iterator[Bar]:
    """Shows a progress bar while its block runs."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(unit),
        TimeRemainingColumn(),
    )
    shown = Progress(*columns, console=err, transient=True)
    bar = Bar(shown, shown.add_task(escape(title), total=None), title)
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
        out.print(f"\n-- {step.name}: {visible(step.title)}", markup=False)
        for text in statements:
            out.print(visible(text, "\n\t") + ";", markup=False)
