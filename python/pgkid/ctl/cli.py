"""The command line of kidctl."""
from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence

import psycopg

from pgkid.ctl import leave, partition, rekey, terminal
from pgkid.ctl.findings import Refused
from pgkid.ctl.steps import Failed
from pgkid.ctl.writers import message_of


def parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="kidctl",
        description="Gives tables that you already have k-ordered keys or partitions, or takes kid's types away. "
        "Every command rehearses on an empty copy of the schema before it changes anything.",
        epilog="Without -d, kidctl connects by PGHOST, PGPORT, PGUSER and PGDATABASE, as psql does.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module, text in (
        ("rekey", rekey, "give the rows of a table, and the rows that refer to them, new keys"),
        ("partition", partition, "make a table the first partition of a new one"),
        ("leave", leave, "take the types of kid away from tables"),
    ):
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        add_connection(one)
        module.add_arguments(one)
        one.set_defaults(main=module.main)
    return top


def add_connection(one: argparse.ArgumentParser) -> None:
    """Adds the options that all commands have."""
    one.add_argument("-d", "--dsn", default="", help="how to connect, such as 'dbname=shop user=app'")
    one.add_argument("--rehearse-on", metavar="DSN", help="make the copy for the rehearsal on another server")
    one.add_argument("--no-rehearsal", action="store_true", help="go without a rehearsal")
    one.add_argument(
        "--accept", action="append", default=[], metavar="NAME", help="go on despite a finding; can be repeated"
    )


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs kidctl, and returns its exit status: 0 done, 1 findings stop the move, 2 an error."""
    args = parser().parse_args(arguments)
    try:
        return int(args.main(args))
    except Refused as refused:
        terminal.print_refused(refused)
    except Failed as failed:
        terminal.print_refused(Refused(str(failed), failed.hint))
    except psycopg.Error as error:
        terminal.print_refused(Refused(message_of(error), error.diag.message_hint or ""))
    except OSError as error:
        terminal.print_refused(Refused(str(error)))
    except KeyboardInterrupt:
        terminal.print_refused(Refused("interrupted", "Run the same command again to go on."))
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main())
