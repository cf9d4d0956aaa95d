"""Reads the vectors that the tests of the core read: test/vectors of kid's tree, or the folder KID_VECTORS."""

from __future__ import annotations

import csv
import os
from pathlib import Path

FOLDER = Path(os.environ.get("KID_VECTORS", Path(__file__).resolve().parents[3] / "test" / "vectors"))


def read(name: str) -> list[dict[str, str]]:
    """Returns the rows of a file, by the names of its columns."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows, name
    return rows
