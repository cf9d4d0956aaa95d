"""sno, the ID of the Go library sno. The layout is drawn in src/core/types/sno.hpp of kid's sources."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypeVar

from .base import CountsMillis, component
from .texts import TextId
from .times import micros_of

T = TypeVar("T", bound="Sno")

ALPHABET = b"23456789abcdefghijklmnopqrstuvwx"

_TO_INT = bytes.maketrans(ALPHABET, b"0123456789abcdefghijklmnopqrstuv")
_PAIRS = [chr(ALPHABET[n >> 5]) + chr(ALPHABET[n & 31]) for n in range(1024)]


class Sno(CountsMillis, TextId):
    """A sno. It is a str, its text."""

    __slots__ = ()

    type_name = "sno"
    bits = 80
    size = 10
    lower_bits = 41
    unit_micros = 4000
    first_micros = 1_262_304_000_000_000
    last_micros = first_micros + (4000 << 39) - 1
    _pattern = re.compile(r"[2-9a-x]{16}")

    @property
    def number(self) -> int:
        """The bits of the ID, as an unsigned number."""
        return int(self.encode().translate(_TO_INT), 32)

    @classmethod
    def of_number(cls: type[T], number: int) -> T:
        """Returns the ID with these bits. Raises ValueError if there are too many."""
        number = cls._checked(number)
        return str.__new__(cls, "".join([_PAIRS[number >> shift & 1023] for shift in range(70, -1, -10)]))

    @property
    def tick(self) -> bool:
        """Toggled whenever the clock of the generator goes back."""
        return bool(self.number >> 40 & 1)

    @property
    def meta(self) -> int:
        """What the application has put into the ID."""
        return self.number >> 32 & 0xFF

    @property
    def partition_number(self) -> int:
        """Tells generators apart."""
        return self.number >> 16 & 0xFFFF

    @property
    def sequence(self) -> int:
        """Tells apart the IDs of a time unit."""
        return self.number & 0xFFFF

    @classmethod
    def make(cls, time: datetime, meta: int, partition: int, sequence: int, tick: bool = False) -> Sno:
        """Returns the ID with these components, as sno_make() does in the database."""
        lower = component("meta", meta, 8) << 32 | component("partition", partition, 16) << 16
        lower |= component("sequence", sequence, 16) | tick << 40
        return cls.of_number(cls._checked_lowest(micros_of(time)) | lower)
