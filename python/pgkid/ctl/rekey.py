"""kidctl rekey."""
from __future__ import annotations

import argparse

from pgkid.ctl.findings import Refused


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.add_argument("table")


def main(args: argparse.Namespace) -> int:
    """Runs this command."""
    raise Refused("kidctl rekey is not made yet")
