"""kid53 and flake, which are numbers. src/core/types/kid53.hpp and flake.hpp of kid's sources draw their layouts."""

from __future__ import annotations

import operator
import re
from datetime import datetime
from typing import ClassVar, SupportsIndex, TypeVar, Union

from .base import CountsMillis, component
from .times import EPOCH, micros_of, time_of

T = TypeVar("T", bound="NumberId")
Value = Union[float, str, SupportsIndex]

# Below this, each whole number is a float, too. From here on, a float may be a number that was rounded.
FLOATS_END = 1 << 53


class NumberId(CountsMillis, int):
    """An ID that is an int."""

    __slots__ = ()

    _pattern: ClassVar[re.Pattern[str]]

    def __new__(cls: type[T], value: Value) -> T:
        """Returns the ID that is a number, or that has a text. Raises ValueError if there is no such ID."""
        number = value if isinstance(value, int) else cls._whole(value)
        if not 0 <= number < 1 << cls.bits:
            raise ValueError(f"not a {cls.type_name}: {value!r}")
        return int.__new__(cls, number)

    @classmethod
    def _whole(cls, value: Value) -> int:
        """Returns the whole number that a value is. Raises ValueError if it is none, or a float that may be rounded."""
        if isinstance(value, str):
            if not cls._pattern.fullmatch(value):
                raise ValueError(f"not a {cls.type_name}: {value!r}")
            return int(value, 16) if value[:2] in ("0x", "0X") else int(value)
        if isinstance(value, float):
            if not (value.is_integer() and value < FLOATS_END):
                raise ValueError(f"not a {cls.type_name}: {value!r}")
            return int(value)
        return operator.index(value)

    @property
    def number(self) -> int:
        """The bits of the ID, as an unsigned number."""
        return int(self)

    @classmethod
    def of_number(cls: type[T], number: int) -> T:
        """Returns the ID that is a number. Raises ValueError if there is no such ID."""
        return cls(number)

    @property
    def sequence(self) -> int:
        """Tells apart the IDs of a millisecond."""
        return int(self) & 0xFFF

    def __str__(self) -> str:
        return int.__repr__(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int.__repr__(self)})"


class Kid53(NumberId):
    """A kid53. It is an int, below 2^53. Its text is its decimal digits."""

    __slots__ = ()

    type_name = "kid53"
    bits = 53
    size = 8
    lower_bits = 12
    first_micros = 1_577_836_800_000_000
    last_micros = first_micros + (1000 << 41) - 1
    _pattern = re.compile(r"0|[1-9][0-9]{0,15}")

    @classmethod
    def make(cls, time: datetime, sequence: int) -> Kid53:
        """Returns the ID with these components, as kid53_make() does in the database."""
        return cls(cls._checked_lowest(micros_of(time)) | component("sequence", sequence, 12))


class Flake(NumberId):
    """A flake. It is an int. Its text is its decimal digits, or hexadecimal digits after 0x.

    The epoch is the setting kid.flake_epoch of the database, by default 1970. It is not in the ID.
    """

    __slots__ = ()

    type_name = "flake"
    bits = 64
    size = 8
    lower_bits = 22
    first_micros = 0
    last_micros = (1000 << 42) - 1
    _pattern = re.compile(r"0[xX][0-9a-fA-F]+|0|[1-9][0-9]*")

    @property
    def datacenter(self) -> int:
        """The upper half of the generator's number."""
        return int(self) >> 17 & 0x1F

    @property
    def worker(self) -> int:
        """The lower half of the generator's number."""
        return int(self) >> 12 & 0x1F

    @property
    def generator(self) -> int:
        """Tells generators apart."""
        return int(self) >> 12 & 0x3FF

    def timestamp_since(self, epoch: datetime) -> datetime:
        """When the millisecond of the ID begins, with another epoch."""
        return time_of(_epoch_micros(epoch) + self.micros)

    @classmethod
    def make(cls, time: datetime, datacenter: int, worker: int, sequence: int, epoch: datetime = EPOCH) -> Flake:
        """Returns the ID with these components, as flake_make() does in the database."""
        lower = component("datacenter", datacenter, 5) << 17 | component("worker", worker, 5) << 12
        since = micros_of(time) - _epoch_micros(epoch)
        return cls(cls._checked_lowest(since) | lower | component("sequence", sequence, 12))

    @classmethod
    def floor(cls, time: datetime, epoch: datetime = EPOCH) -> Flake:
        """Returns the lowest ID of the millisecond of a time. Before and after its range the type saturates."""
        return cls(cls._bound(micros_of(time) - _epoch_micros(epoch), 0))

    @classmethod
    def ceil(cls, time: datetime, epoch: datetime = EPOCH) -> Flake:
        """Returns the highest ID of the millisecond of a time. Before and after its range the type saturates."""
        return cls(cls._bound(micros_of(time) - _epoch_micros(epoch), (1 << cls.lower_bits) - 1))


def _epoch_micros(epoch: datetime) -> int:
    """Returns an epoch in microseconds. Raises ValueError if it is not one: a whole millisecond from 1970 on."""
    micros = micros_of(epoch)
    if micros < 0 or micros % 1000:
        raise ValueError(f"an epoch is a whole millisecond, not before 1970: {epoch}")
    return micros
