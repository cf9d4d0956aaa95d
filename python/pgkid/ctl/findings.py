"""What a check has found, and what stops a move."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Collection, Iterable, Literal


class Refused(Exception):
    """An error that tells the user what is wrong and, in `hint`, what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


FindingKind = Literal[
    "refused",
    "rights",
    "times",
    "fails",
    "changed",
    "way back",
    "writers",
    "constants",
    "needs kid",
    "remains",
    "casts",
    "references",
    "functions",
    "clients",
    "costs",
    "not copied",
    "no rows",
    "not tried",
    "note",
]

# The kinds of findings, in the order in which they are printed, and what each means.
KINDS: dict[FindingKind, str] = {
    "refused": "kidctl cannot move this table as it is",
    "rights": "the role that kidctl connects as cannot do this",
    "times": "rows whose time cannot be used",
    "fails": "PostgreSQL refuses this in the rehearsal; rewrite these first, or drop them until the move is finished",
    "changed": "this would be different afterwards",
    "way back": "this would be different after the way back",
    "writers": "this worked before a step and fails after it",
    "constants": "each constant keeps its value, and means another row after the swap, or none; rewrite these, or"
    " accept them by name",
    "needs kid": "nothing takes the place of what these use of kid",
    "remains": "these would still depend on kid, and DROP EXTENSION would fail",
    "casts": "definitions that cast the key to another type",
    "references": "columns that seem to contain the key, but have no foreign key",
    "functions": "functions that use these tables; look whether the new keys suit them",
    "clients": "what clients and subscribers must know",
    "costs": "disk, WAL, duration and locks",
    "not copied": "not part of the rehearsal's copy",
    "no rows": "tables of the copy that have no rows",
    "not tried": "not tried in the rehearsal",
    "note": "notes",
}


@dataclass(frozen=True)
class Finding:
    """One thing that somebody must know.

    If `stops` is true, the move does not run until the finding is accepted by `accept_name`. Without an
    `accept_name` it cannot be accepted.
    """

    kind: FindingKind
    object: str
    message: str
    definition: str = ""
    hint: str = ""
    stops: bool = False
    accept_name: str = ""
    sqlstate: str = ""  # of PostgreSQL's error

    def __post_init__(self) -> None:
        assert self.kind in KINDS, self.kind  # otherwise it would not be printed

    @property
    def is_impossible(self) -> bool:
        """Whether a finding that stops the move also keeps it from being rehearsed. Of others it says nothing.

        Something must be changed first then, or code of a stranger would run. Times that are no use can be replaced in
        a rehearsal.
        """
        return self.kind in ("refused", "rights") or not (self.accept_name or self.kind == "times")

    @property
    def is_figure(self) -> bool:
        """Whether a finding only says what the move costs, so that nobody has to do anything about it."""
        return self.kind == "costs" and not self.hint

    def stops_unless(self, accepted: Collection[str]) -> bool:
        """Returns whether the finding stops a move for which these names were accepted."""
        return self.stops and not (self.accept_name and self.accept_name in accepted)


@dataclass
class Report:
    """The findings of one check."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, kind: FindingKind, object: str, message: str, **more: object) -> None:
        """Adds a finding, unless the same one is there already."""
        self.extend([Finding(kind, object, message, **more)])  # type: ignore[arg-type]

    def extend(self, findings: Iterable[Finding]) -> None:
        """Adds those findings that are not there already."""
        for finding in findings:
            if finding not in self.findings:
                self.findings.append(finding)

    def stopping(self, accepted: Collection[str]) -> list[Finding]:
        """Returns the findings that stop a move for which these names were accepted."""
        return [f for f in self.findings if f.stops_unless(accepted)]
