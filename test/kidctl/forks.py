#!/usr/bin/env python3
"""Runs programs as `python -c` does, each in a child of this process, which has imported kidctl.

A test that runs kidctl a hundred times so loads Python and its libraries once. On standard input this reads a request
in each line, which is in JSON: [PROGRAM, OUTPUT, [ARGUMENT, …]]. It waits until the program ends, and answers with a
line that has the exit status, which is 128 plus its number after a signal. OUTPUT is a file for what the program prints
on standard output and standard error.
"""
from __future__ import annotations

import importlib
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
importlib.import_module("pgkid.ctl.cli")

for request in sys.stdin:
    child = os.fork()
    if child == 0:
        break
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status if status >= 0 else 128 - status, flush=True)
else:
    sys.exit()

program, output, arguments = json.loads(request)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
os.dup2(1, 2)
sys.argv[1:] = arguments
exec(compile(program, "program", "exec"), {"__name__": "__main__"})
