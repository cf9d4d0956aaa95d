#!/usr/bin/env python3
"""Runs kidctl, and interrupts it in or after one of the statements that change its database.

    interrupted.py COUNT HOW DELAY DATA COUNTED ARGUMENT…

COUNT   the number of the statement, from 1 on; statements of a rehearsal do not count
HOW     INT, TERM or KILL, the signal that kidctl gets; "session", which ends its backend; "server", which kills the
        server
DELAY   how many seconds after the beginning of the statement
DATA    the data directory of the server
COUNTED a file, to which the number of statements is written if the program ends by itself

The exit status is that of kidctl.
"""
from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from typing import Any

import psycopg

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from pgkid.ctl.cli import main  # noqa: E402

COUNT, HOW, DELAY, DATA, COUNTED = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4], sys.argv[5]
EXECUTE = psycopg.Connection.execute
READS = re.compile(r"\s*(SELECT|SET|SHOW|WITH)\b", re.I)
seen: list[Any] = []


def kill_server() -> None:
    """Kills all processes of the server at once."""
    with open(os.path.join(DATA, "postmaster.pid"), encoding="utf-8") as file:
        postmaster = int(file.readline())
    with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="utf-8") as file:
        children = [int(pid) for pid in file.read().split()]
    for pid in [postmaster, *children]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def interrupt(backend: int) -> None:
    """Interrupts this program, its session, or the server."""
    time.sleep(DELAY)
    if HOW == "server":
        kill_server()
    elif HOW == "session":
        try:
            os.kill(backend, signal.SIGTERM)
        except ProcessLookupError:
            pass
    else:
        os.kill(os.getpid(), getattr(signal, "SIG" + HOW))


def execute(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
    """Executes a statement, and interrupts it if its turn has come."""
    main_session = seen[0] if seen else self
    if not seen:
        seen.append(self)
    text = query if isinstance(query, str) else query.as_string(self)
    if self is main_session and not READS.match(text):
        seen.append(text)
        if len(seen) - 1 == COUNT:
            shown = " ".join(text.split())[:150]
            print(f"interrupted ({HOW} after {DELAY:.3f} s) at: {shown}", flush=True)
            threading.Thread(target=interrupt, args=(self.info.backend_pid,)).start()
            if DELAY == 0:
                time.sleep(0.2)
    return EXECUTE(self, query, *arguments, **options)


signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored if the test runs in the background
psycopg.Connection.execute = execute  # type: ignore
status = main(sys.argv[6:])
with open(COUNTED, "w", encoding="utf-8") as counted:
    counted.write(str(len(seen) - 1))
sys.exit(status)
