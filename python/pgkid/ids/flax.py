"""flax, the ID of the Python library Flax ID. The layout is drawn in src/core/types/flax.hpp of kid's sources."""

from __future__ import annotations

import re
from datetime import datetime

from .base import CountsMillis
from .texts import Base64Id
from .times import micros_of

ALPHABET = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


class Flax(CountsMillis, Base64Id, alphabet=ALPHABET):
    """A flax. It is a str, its text."""

    __slots__ = ()

    type_name = "flax"
    bits = 96
    size = 12
    lower_bits = 56
    first_micros = 1_420_070_400_000_000
    last_micros = first_micros + (1000 << 40) - 1
    _pattern = re.compile(r"[-0-9A-Z_a-z]{16}")

    @property
    def random(self) -> bytes:
        """What tells apart the IDs of a millisecond, seven bytes."""
        return self.binary[5:]

    @classmethod
    def make(cls, time: datetime, random: bytes) -> Flax:
        """Returns the ID with these components, as flax_make() does in the database."""
        if len(random) != 7:
            raise ValueError(f"random is out of range: it has {len(random)} bytes, not 7")
        return cls.of_number(cls._checked_lowest(micros_of(time)) | int.from_bytes(random, "big"))
