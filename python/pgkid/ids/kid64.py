"""kid64 and kid96, the IDs of the Erlang library uid, which share the layout of their time.

A is megaseconds since 1970, B seconds within A, and C units of 1024 microseconds within B. A kid96 is a kid64 with a
node inserted into its seconds. The layouts are drawn in src/core/types/kid64.hpp and kid96.hpp of kid's sources.
"""

from __future__ import annotations

import re
from datetime import datetime

from .base import component
from .texts import Base64Id
from .times import micros_of, time_of

ALPHABET = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
LAST_MICROS = (1 << 20) * 10**12 - 1

NODE_BITS = 32


class Kid64(Base64Id, alphabet=ALPHABET):
    """A kid64. It is a str, its text."""

    __slots__ = ()

    type_name = "kid64"
    bits = 64
    size = 8
    lower_bits = 14
    first_micros = 0
    last_micros = LAST_MICROS
    # The last two bits of the text are 0.
    _pattern = re.compile(r"[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]")

    @property
    def micros(self) -> int:
        """When the time unit of the ID begins, in microseconds since 1970, UTC."""
        return _micros(self.number)

    @property
    def sequence(self) -> int:
        """Tells apart the IDs of a time unit."""
        return self.number & 0x3FFF

    @classmethod
    def make(cls, time: datetime, sequence: int) -> Kid64:
        """Returns the ID with these components, as kid64_make() does in the database."""
        return cls.of_number(cls._checked_lowest(micros_of(time)) | component("sequence", sequence, 14))

    @classmethod
    def _lowest(cls, micros: int) -> int:
        return micros // 10**12 << 44 | micros // 10**6 % 10**6 << 24 | micros % 10**6 >> 10 << 14


class Kid96(Base64Id, alphabet=ALPHABET):
    """A kid96. It is a str, its text.

    The neighborhood is the setting kid.neighborhood of the database, by default 8. It is not in the ID.
    """

    __slots__ = ()

    type_name = "kid96"
    bits = 96
    size = 12
    first_micros = 0
    last_micros = LAST_MICROS
    _pattern = re.compile(r"[.0-9A-Z_a-z]{16}")

    def local(self, neighborhood: int = 8) -> Kid64:
        """Returns the ID without its node."""
        return Kid64.of_number(self._local(neighborhood))

    def _local(self, neighborhood: int) -> int:
        shift = _node_shift(neighborhood)
        return self.number >> shift + NODE_BITS << shift | self.number & (1 << shift) - 1

    def node(self, neighborhood: int = 8) -> int:
        """Returns the number of the node that made the ID."""
        return self.number >> _node_shift(neighborhood) & (1 << NODE_BITS) - 1

    @property
    def micros(self) -> int:
        """When the time unit of the ID begins, in microseconds since 1970, UTC, with the default neighborhood."""
        return _micros(self._local(8))

    def timestamp_in(self, neighborhood: int) -> datetime:
        """When the time unit of the ID begins, with another neighborhood."""
        return time_of(_micros(self._local(neighborhood)))

    @property
    def sequence(self) -> int:
        """Tells apart the IDs of a node and a time unit."""
        return self.number & 0x3FFF

    @classmethod
    def make(cls, time: datetime, node: int, sequence: int, neighborhood: int = 8) -> Kid96:
        """Returns the ID with these components, as kid96_make() does in the database."""
        return cls.of_number(_global(Kid64.make(time, sequence).number, component("node", node, 32), neighborhood))

    @classmethod
    def floor(cls, time: datetime, neighborhood: int = 8) -> Kid96:
        """Returns the lowest ID of the neighborhood of a time. Before and after its range the type saturates."""
        shift = _node_shift(neighborhood)
        micros = micros_of(time)
        return cls.of_number(0 if micros < 0 else Kid64._lowest(micros) >> shift << shift + NODE_BITS)

    @classmethod
    def ceil(cls, time: datetime, neighborhood: int = 8) -> Kid96:
        """Returns the highest ID of the neighborhood of a time. Before and after its range the type saturates."""
        micros = micros_of(time)
        lower = (1 << _node_shift(neighborhood) + NODE_BITS) - 1
        return cls.of_number(0 if micros < 0 else cls.floor(time, neighborhood).number | lower)


def _micros(number: int) -> int:
    """Returns the time in the bits of a kid64."""
    seconds = (number >> 44) * 10**6 + (number >> 24 & 0xFFFFF)
    return seconds * 10**6 + ((number >> 14 & 0x3FF) << 10)


def _node_shift(neighborhood: int) -> int:
    """Returns how many bits are below the node."""
    if not 0 <= neighborhood <= 10:
        raise ValueError(f"neighborhood is out of range: {neighborhood} is not from 0 to 10")
    return 24 + neighborhood


def _global(local: int, node: int, neighborhood: int) -> int:
    """Returns the bits of a kid64 with a node inserted."""
    shift = _node_shift(neighborhood)
    return (local >> shift << NODE_BITS | node) << shift | local & (1 << shift) - 1
