"""Crockford's base32, for IDs outside the database: what kid_encode() and T_decode() of the database do.

A text is an optional prefix with "_", and a number with a fixed count of digits, most significant first. Texts of one
prefix therefore sort as the IDs do. With 128 bits the form is that of TypeID 0.3.
"""

from __future__ import annotations

import re

DIGITS = b"0123456789abcdefghjkmnpqrstvwxyz"

_PREFIX = re.compile(r"([a-z]([a-z_]{0,61}[a-z])?)?")
_PAIRS = [chr(DIGITS[n >> 5]) + chr(DIGITS[n & 31]) for n in range(1024)]

# int() of base 32 has other digits. It must see an error in everything that is no digit here.
_TO_INT = bytearray(b"~" * 256)
for _digit, _ours, _upper in zip(b"0123456789abcdefghijklmnopqrstuv", DIGITS, DIGITS.upper()):
    _TO_INT[_ours] = _TO_INT[_upper] = _digit


def check_prefix(prefix: str) -> str:
    """Returns what a text with this prefix begins with.

    Raises ValueError if it is not a prefix: at most 63 characters of a-z_, of which the first and the last are letters.
    """
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"invalid prefix of an ID: {prefix!r}")
    return prefix + "_" if prefix else ""


def encode(number: int, bits: int, prefix: str = "") -> str:
    """Returns the text of a number that has so many bits."""
    length = (bits + 4) // 5
    pairs = "".join([_PAIRS[number >> shift & 1023] for shift in range(10 * ((length - 1) // 2), -1, -10)])
    return check_prefix(prefix) + pairs[-length:]


def decode(text: str, bits: int, prefix: str = "") -> int:
    """Returns the number of a text. Raises ValueError if the text is not this prefix and a number with so many bits."""
    start = check_prefix(prefix)
    digits = text[len(start) :]
    if not text.startswith(start) or len(digits) != (bits + 4) // 5 or not digits.isascii():
        raise ValueError(f"not an ID{f' with the prefix {prefix!r}' if prefix else ''}: {text!r}")
    try:
        number = int(digits.encode().translate(_TO_INT), 32)
    except ValueError:
        number = -1
    if not 0 <= number < 1 << bits:
        raise ValueError(f"not an ID: {text!r}")
    return number
