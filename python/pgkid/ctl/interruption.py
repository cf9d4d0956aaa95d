"""Signals that ask kidctl to end: Ctrl-C, a closed terminal, a shutdown of the machine."""
from __future__ import annotations

import signal
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, Optional

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal has arrived. What is cleaned up on the way out is not interrupted again."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def interrupt(number: int, _frame: Optional[FrameType]) -> None:
    """Ends what the program is doing."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


def handle() -> None:
    """Makes signals end the program in order, except for those that it was told to ignore, as by nohup."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


@contextmanager
def deferred() -> Iterator[None]:
    """Lets its block end before a signal ends the program."""
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in handlers.items():
        if handler == interrupt:
            signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            interrupt(came[0], None)
