"""uuid of version 7. The layout is drawn in src/core/types/uuidv7.hpp of kid's sources."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar
from uuid import UUID

from .base import Id
from .times import micros_of

T = TypeVar("T", bound="UuidV7")

MARKS = 7 << 76 | 2 << 62
ALL_MARKS = 15 << 76 | 3 << 62
LOWER = (1 << 80) - 1


class UuidV7(Id, UUID):
    """A UUID of version 7."""

    __slots__ = ()

    type_name = "uuid version 7"
    bits = 128
    size = 16
    lower_bits = 80
    first_micros = 0
    last_micros = (1000 << 48) - 1

    def __init__(self, text: str) -> None:
        """Makes the UUID of a text. Raises ValueError if it is not of version 7."""
        UUID.__init__(self, text)
        self._check()

    def _check(self) -> None:
        if self.int & ALL_MARKS != MARKS:
            raise ValueError(f"not a {self.type_name}: {self}")

    @property
    def number(self) -> int:
        """The bits of the ID, as an unsigned number."""
        return self.int

    @classmethod
    def of_number(cls: type[T], number: int) -> T:
        """Returns the UUID with these bits. Raises ValueError if it is not of version 7."""
        made = cls.__new__(cls)
        UUID.__init__(made, int=number)
        made._check()
        return made

    @classmethod
    def of_uuid(cls: type[T], uuid: UUID) -> T:
        """Returns a UUID that a driver returned as this type. Raises ValueError if it is not of version 7."""
        return cls.of_number(uuid.int)

    @property
    def micros(self) -> int:
        """When the millisecond of the UUID begins, in microseconds since 1970, UTC."""
        return (self.int >> 80) * 1000

    @classmethod
    def floor(cls: type[T], time: datetime) -> T:
        """Returns the lowest UUID of the millisecond of a time. Before and after its range the type saturates."""
        return cls.of_number(_bound(time, 0))

    @classmethod
    def ceil(cls: type[T], time: datetime) -> T:
        """Returns the highest UUID of the millisecond of a time. Before 1970 that is the lowest of all."""
        return cls.of_number(_bound(time, LOWER & ~ALL_MARKS) if micros_of(time) >= 0 else MARKS)


def _bound(time: datetime, lower: int) -> int:
    """Returns the number of the UUID of a time with these lower bits. No time of Python is after the range."""
    return max(micros_of(time), 0) // 1000 << 80 | MARKS | lower
