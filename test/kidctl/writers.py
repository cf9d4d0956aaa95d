#!/usr/bin/env python3
"""Eight sessions that write at random, and connect again when the server was away. Each logs what it has committed.

    writers.py DSN FOLDER

FOLDER/kinds.json is a list of kinds of transactions. Each has statements, in which :mark stands for a text that no
other transaction has, :n for a number from 0 to 199, and :old for the mark of an earlier row of the same session. A
kind does one of these: it `makes` the row :mark, `changes` the row :old, `removes` the row :old, or none of that. The
transaction itself notes in the table ledger which rows there are: its column mark.

SIGTERM ends the program when the last transactions have. Then FOLDER/made and FOLDER/removed have the marks of rows
that were committed, FOLDER/errors what sessions saw, and FOLDER/count the number of transactions.
"""
from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import threading
import time
from typing import Any, Optional

import psycopg

DSN, FOLDER = sys.argv[1:]
AWAY = ("57P01", "57P02", "57P03", "08000", "08003", "08006", "53300")
AGAIN = ("40001", "40P01")
end = threading.Event()
lock = threading.Lock()
made: list[str] = []
removed: list[str] = []
errors: list[str] = []
counts = {"done": 0, "40001": 0, "40P01": 0, "away": 0, "late": 0.0}


class Writer:
    """One session."""

    def __init__(self, number: int, kinds: list[dict[str, Any]]) -> None:
        self.number, self.kinds = number, kinds
        self.random = random.Random(number)
        self.turn = 0
        self.mine: list[str] = []
        self.conn: Optional[psycopg.Connection[Any]] = None

    def run(self) -> None:
        """Writes until it is told to end."""
        while not end.is_set():
            kind = self.random.choice(self.kinds)
            if "changes" in kind or "removes" in kind:
                if not self.mine:
                    continue
                old = self.random.choice(self.mine)
            else:
                old = ""
            self.turn += 1
            mark = f"w{self.number}_{self.turn}"
            values = {":mark": f"'{mark}'", ":old": f"'{old}'", ":n": str(self.random.randrange(200))}
            self.transact(kind, [replaced(text, values) for text in kind["statements"]], mark, old)
            time.sleep(self.random.random() * 0.6)
        if self.conn:
            self.conn.close()

    def session(self) -> psycopg.Connection[Any]:
        """Returns the session, and waits for the server if it is away."""
        while not self.conn or self.conn.closed:
            try:
                self.conn = psycopg.connect(DSN, autocommit=True, application_name="writer")
                self.conn.prepare_threshold = None
            except psycopg.OperationalError:
                time.sleep(0.1)
        return self.conn

    def transact(self, kind: dict[str, Any], statements: list[str], mark: str, old: str) -> None:
        """Runs one transaction until it is committed, or has failed."""
        while True:
            begun = time.monotonic()
            try:
                conn = self.session()
                with conn.transaction():
                    for statement in statements:
                        conn.execute(statement)
                break
            except psycopg.Error as error:
                state = error.sqlstate or "08006"
                if state in AGAIN:
                    count(state)
                    time.sleep(self.random.random() * 0.05)
                    continue
                if state not in AWAY:
                    with lock:
                        errors.append(f"{state} {str(error).splitlines()[0]}")
                    return
                count("away")
                if self.conn:
                    self.conn.close()
                if self.has(mark if "makes" in kind else old) == ("removes" not in kind):
                    break
        with lock:
            counts["done"] += 1
            counts["late"] = max(counts["late"], time.monotonic() - begun)
            if "makes" in kind:
                made.append(mark)
            if "removes" in kind:
                removed.append(old)
        if "makes" in kind:
            self.mine.append(mark)
        if "removes" in kind:
            self.mine.remove(old)

    def has(self, mark: str) -> bool:
        """Returns whether a row is there, after its transaction was cut off."""
        while True:
            try:
                return bool(self.session().execute("SELECT FROM ledger WHERE mark = %s", (mark,)).fetchall())
            except psycopg.OperationalError:
                if self.conn:
                    self.conn.close()


def count(what: str) -> None:
    """Counts what a session saw."""
    with lock:
        counts[what] += 1


def replaced(text: str, values: dict[str, str]) -> str:
    """Returns a statement with its values."""
    return re.sub(r"(?<!:):(mark|old|n)\b", lambda found: values[found[0]], text)


def write(name: str, lines: list[str]) -> None:
    """Writes lines into a file."""
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def main() -> None:
    """Runs all sessions."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: end.set())
    with open(os.path.join(FOLDER, "kinds.json"), encoding="utf-8") as file:
        kinds = json.load(file)
    threads = [threading.Thread(target=Writer(number, kinds).run) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)
    write("made", made)
    write("removed", removed)
    write("errors", errors)
    write("count", [f"{name} {value}" for name, value in counts.items()])


main()
