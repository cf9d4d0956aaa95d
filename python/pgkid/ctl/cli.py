"""The command line of kidctl."""
from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from typing import Optional, Sequence

import psycopg

from pgkid import __version__
from pgkid.ctl import interruption, terminal
from pgkid.ctl.findings import Refused
from pgkid.ctl.connection import message_of
from pgkid.ctl.leave.session import LeaveSession
from pgkid.ctl.partition.session import PartitionSession
from pgkid.ctl.rekey.session import RekeySession
from pgkid.ctl.session import Session
from pgkid.ctl.steps import Failed

COMMANDS: Sequence[tuple[str, type[Session], str]] = (
    ("rekey", RekeySession, "give the rows of a table, and the rows that refer to them, new keys"),
    ("partition", PartitionSession, "make a table the first partition of a new one"),
    ("leave", LeaveSession, "make tables independent of kid"),
)

# What psycopg tells of a connection that is lost, but not of one that could not be made
LOST = "consuming input failed|sending query failed|flushing failed|the connection is (lost|closed)"


def parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="kidctl",
        description="Changes tables that you already have: gives them keys that sort by time, or partitions, or makes "
        "them independent of kid. The actions check, plan, run and move first rehearse on a copy of the schema.",
        epilog="Without -d, kidctl connects by PGHOST, PGPORT, PGUSER and PGDATABASE, as psql does. The exit status is "
        "0 if the command did everything, 1 if a finding stops the move, 2 after an error, and 128 plus its number "
        "after a signal, such as 130 after Ctrl-C.",
    )
    top.add_argument("--version", action="version", version=f"kidctl {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, session, text in COMMANDS:
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        session.add_arguments(command)
        command.set_defaults(main=session.main)
    return top


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs kidctl, and returns its exit status.

    It is 0 if all is done, 1 if findings stop the move, 2 after an error, and 128 and its number after a signal.
    """
    args = parser().parse_args(arguments)
    interruption.handle()
    try:
        status = run(args)
        if sys.stdout:
            sys.stdout.flush()
        return status
    except OSError:  # Nobody can read what it prints: the terminal or the pipe was closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2


def run(args: argparse.Namespace) -> int:
    """Runs a command, and prints errors."""
    try:
        return int(args.main(args))
    except Refused as refused:
        terminal.print_refused(refused)
    except Failed as failed:
        terminal.print_refused(Refused(str(failed), hint_of(failed.error)))
    except psycopg.Error as error:
        terminal.print_refused(Refused(message_of(error), hint_of(error)))
    except BrokenPipeError:
        raise
    except OSError as error:
        terminal.print_refused(Refused(str(error)))
    except interruption.Interrupted as interrupted:
        with contextlib.suppress(OSError):
            terminal.print_refused(Refused("interrupted", "Run the same command again to go on."))
        return 128 + interrupted.number
    return 2


def hint_of(error: psycopg.Error) -> str:
    """Returns the hint of PostgreSQL, or what to do after the session was ended, as by a restart of the server."""
    is_ended = (error.sqlstate or "").startswith("57P") or re.match(LOST, str(error))
    return error.diag.message_hint or ("Run the same command again to go on." if is_ended else "")
