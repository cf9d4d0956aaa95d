"""What all types of IDs have.

Each type has a class, a subclass of what a Python program uses for such a value anyway: str for a type with a text of
its own, int for numbers, uuid.UUID for uuid. An ID therefore equals its text or its number, sorts as in the database,
and is accepted by drivers, JSON and templates.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, TypeVar

from . import base32
from .times import micros_of, time_of

T = TypeVar("T", bound="Id")


class Id:
    """An ID. A subclass says how its bits are laid out."""

    __slots__ = ()

    #: The name of the type in the database.
    type_name: ClassVar[str]
    #: How many bits an ID has.
    bits: ClassVar[int]
    #: How many bytes its binary form has.
    size: ClassVar[int]
    #: How many bits, the lowest ones, are below the time.
    lower_bits: ClassVar[int]
    #: The first and the last instant that an ID can have, in microseconds since 1970, UTC.
    first_micros: ClassVar[int]
    last_micros: ClassVar[int]

    @property
    def number(self) -> int:
        """The bits of the ID, as an unsigned number."""
        raise NotImplementedError

    @classmethod
    def of_number(cls: type[T], number: int) -> T:
        """Returns the ID with these bits. Raises ValueError if there is no such ID."""
        raise NotImplementedError

    @property
    def micros(self) -> int:
        """When the time unit of the ID begins, in microseconds since 1970, UTC."""
        raise NotImplementedError

    @classmethod
    def _lowest(cls, micros: int) -> int:
        """Returns the number of the lowest ID of an instant, which is in the range of the type."""
        raise NotImplementedError

    @property
    def timestamp(self) -> datetime:
        """When the time unit of the ID begins. Raises OverflowError if that is after the year 9999."""
        return time_of(self.micros)

    @property
    def binary(self) -> bytes:
        """The binary form of the ID, as the database sends it."""
        return self.number.to_bytes(self.size, "big")

    @classmethod
    def of_binary(cls: type[T], binary: bytes) -> T:
        """Returns the ID with this binary form. Raises ValueError if there is no such ID."""
        if len(binary) != cls.size:
            raise ValueError(f"a {cls.type_name} has {cls.size} bytes, not {len(binary)}")
        return cls.of_number(int.from_bytes(binary, "big"))

    def base32(self, prefix: str = "") -> str:
        """Returns the ID in base32, as kid_encode(id, prefix) does in the database."""
        return base32.encode(self.number, self.bits, prefix)

    @classmethod
    def of_base32(cls: type[T], text: str, prefix: str = "") -> T:
        """Returns the ID of a text in base32, as T_decode(text, prefix) does in the database."""
        return cls.of_number(base32.decode(text, cls.bits, prefix))

    @classmethod
    def floor(cls: type[T], time: datetime) -> T:
        """Returns the lowest ID of the time unit that contains a time, or the least or greatest of the type."""
        return cls.of_number(cls._bound(micros_of(time), 0))

    @classmethod
    def ceil(cls: type[T], time: datetime) -> T:
        """Returns the highest ID of the time unit that contains a time, or the least or greatest of the type."""
        return cls.of_number(cls._bound(micros_of(time), (1 << cls.lower_bits) - 1))

    @classmethod
    def _bound(cls, micros: int, lower: int) -> int:
        """Returns the number of the ID of an instant that has these lower bits, or the least or the greatest of all."""
        if micros < cls.first_micros:
            return 0
        return (1 << cls.bits) - 1 if micros > cls.last_micros else cls._lowest(micros) | lower

    @classmethod
    def _checked_lowest(cls, micros: int) -> int:
        """Returns the number of the lowest ID of an instant. Raises ValueError if no ID can have it."""
        if not cls.first_micros <= micros <= cls.last_micros:
            raise ValueError(f"the time is out of the range of {cls.type_name}")
        return cls._lowest(micros)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class CountsMillis(Id):
    """An ID whose uppermost bits count units of time from the first instant on."""

    __slots__ = ()

    unit_micros: ClassVar[int] = 1000

    @property
    def micros(self) -> int:
        """When the time unit of the ID begins, in microseconds since 1970, UTC."""
        return self.first_micros + (self.number >> self.lower_bits) * self.unit_micros

    @classmethod
    def _lowest(cls, micros: int) -> int:
        return (micros - cls.first_micros) // cls.unit_micros << cls.lower_bits


def component(name: str, value: int, bits: int) -> int:
    """Returns a component of an ID. Raises ValueError if the layout has fewer bits for it."""
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} is out of range: {value} is not from 0 to {(1 << bits) - 1}")
    return value
