"""IDs whose text is in an ordered alphabet: byte by byte, the texts sort as the IDs do."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from operator import index
from typing import Any, ClassVar, TypeVar

from .base import Id

T = TypeVar("T", bound="TextId")
B = TypeVar("B", bound="Base64Id")

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class TextId(Id, str):
    """An ID that is a str, which is its text form."""

    __slots__ = ()

    _pattern: ClassVar[re.Pattern[str]]

    def __new__(cls: type[T], text: str) -> T:
        """Returns the ID of a text. Raises ValueError if the text is not one."""
        if not cls._pattern.fullmatch(text):
            raise ValueError(f"not a {cls.type_name}: {text!r}")
        return str.__new__(cls, text)

    @classmethod
    def _checked(cls, number: int) -> int:
        """Returns the bits of an ID as an int, also those of numpy's types. Raises ValueError if there are too many."""
        number = index(number)
        if not 0 <= number < 1 << cls.bits:
            raise ValueError(f"a {cls.type_name} has {cls.bits} bits: {number}")
        return number


class Base64Id(TextId):
    """An ID with six bits in each character. The text is that of base64 without "=" but for its alphabet."""

    __slots__ = ()

    _to_base64: ClassVar[bytes]
    _from_base64: ClassVar[bytes]

    def __init_subclass__(cls, alphabet: bytes = b"", **named: Any) -> None:
        """Takes the alphabet of a type."""
        super().__init_subclass__(**named)
        if alphabet:
            cls._to_base64 = bytes.maketrans(alphabet, _BASE64)
            cls._from_base64 = bytes.maketrans(_BASE64, alphabet)

    @property
    def number(self) -> int:
        """The bits of the ID, as an unsigned number."""
        # A kid64 lacks one character of a multiple of four.
        return int.from_bytes(a2b_base64(self.encode().translate(self._to_base64) + b"=" * (-len(self) % 4)), "big")

    @classmethod
    def of_number(cls: type[B], number: int) -> B:
        """Returns the ID with these bits. Raises ValueError if there are too many."""
        text = b2a_base64(cls._checked(number).to_bytes(cls.size, "big"), newline=False)
        return str.__new__(cls, text.rstrip(b"=").translate(cls._from_base64).decode())
