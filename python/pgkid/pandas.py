"""Numbers and times of IDs in columns of pandas.

    from pgkid.ids import Kid64
    from pgkid.pandas import numbers, times

    frame["created_at"] = times(frame["id"], Kid64)

A column has the texts of IDs or their numbers, such as id::bigint in SQL. What is missing stays missing. If a number is
missing, pandas makes a column of floating-point numbers. These are exact for Kid53, whose numbers are below 2^53. For
the other types such a column is an error, because pandas has rounded the numbers. A number does not say of which type
it is: if you name another type, times() can return wrong times. The result has the index of the column. That of an
index is the index itself, so frame["created_at"] = times(frame.index, Kid64) gives each row its time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._needs import needs
from .ids import Flake, Id, Kid53, Kid64, UuidV7
from .ids.kid64 import ALPHABET

with needs(__name__, "pandas"):
    import numpy as np
    import pandas as pd

_DIGITS = np.full(256, 64, np.uint8)
_DIGITS[list(ALPHABET)] = np.arange(64)
_HEX = np.full(256, 16, np.int64)
_HEX[list(b"0123456789abcdefABCDEF")] = [*range(16), *range(10, 16)]


def numbers(ids: Any, kind: type[Id] = Kid64) -> Any:
    """Returns the numbers of IDs as a Series of type Int64. Raises ValueError if a text or a number is not an ID.

    The type of the IDs is one of 64 bits: Kid64, Flake or Kid53. The numbers are those of id::bigint in SQL, which are
    negative if the uppermost bit is set. With UInt64, pandas would round them to floating-point numbers wherever it
    compares or combines them with a bigint column, and SQLAlchemy would not write them.
    """
    if kind.bits > 64:
        raise ValueError(f"the number of a {kind.type_name} has {kind.bits} bits")
    series = _series(ids)
    present = series.dropna()
    return _placed(pd.Series(_numbers(present, kind).view(np.int64), dtype="Int64"), series)


def times(ids: Any, kind: type[Id] = Kid64) -> Any:
    """Returns the times of IDs as a Series of times in UTC. A UUID of another version than 7 has the time NaT.

    Raises ValueError if a text or a number is not an ID.
    """
    series = _series(ids)
    present = series.dropna()
    return _placed(pd.Series(pd.to_datetime(_times(present, kind), utc=True)), series)


def _placed(found: Any, series: Any) -> Any:
    """Returns what was found for the values of a column, with what is missing in between.

    The places count, because labels of an index can occur twice.
    """
    found.index = np.flatnonzero(series.notna())
    found = found.reindex(range(len(series))).rename(series.name)
    found.index = series.index
    return found


def _series(ids: Any) -> Any:
    """Returns a column as a Series, with its own index."""
    if isinstance(ids, pd.Index):
        return ids.to_series()
    return ids if isinstance(ids, pd.Series) else pd.Series(ids, dtype=None if len(ids) else object)


def _numbers(present: Any, kind: type[Id]) -> Any:
    """Returns the numbers of IDs of a type of 64 bits, none of which is missing, as an array."""
    if len(present) == 0:
        return np.zeros(0, np.uint64)
    if present.dtype.kind == "f":
        return _float_numbers(present, kind)
    if pd.api.types.is_integer_dtype(present.dtype):
        found = present.to_numpy(present.dtype.name.lower()).astype(np.uint64)
        _check(present, found >> np.uint64(kind.bits - 1) > np.uint64(1), f"a {kind.type_name}")
        return found
    if issubclass(kind, Kid64):
        return _kid64_numbers(present)
    read: Callable[[Any], Id] = kind
    return np.array([read(each).number for each in present], np.uint64)


def _float_numbers(present: Any, kind: type[Id]) -> Any:
    """Returns the numbers of kid53 that are given as floats. Those of other types have been rounded."""
    if kind.bits > 53 or present.dtype.itemsize < 8:
        raise ValueError("a column of floats, in which IDs are rounded: read the column as text, by dtype={...: str}")
    found = present.to_numpy(np.float64)
    _check(present, ~((found >= 0) & (found < 1 << kind.bits) & (found == np.floor(found))), f"a {kind.type_name}")
    return found.astype(np.uint64)


def _check(present: Any, wrong: Any, what: str) -> None:
    """Raises ValueError with the first wrong value of a column, if there is one."""
    if wrong.any():
        value = present[wrong].iloc[0]
        raise ValueError(f"not {what}: {value!r}" if isinstance(value, str) else f"not {what}: {value}")


def _kid64_numbers(present: Any) -> Any:
    """Returns the numbers of kid64 that are given as text."""
    chars = _chars(present, 11, "a kid64")
    digits = _DIGITS[chars].astype(np.uint64)
    _check(present, (digits == 64).any(axis=1) | (digits[:, 10] & 3 != 0), "a kid64")
    found = digits[:, 10] >> np.uint64(2)
    for i in range(10):
        found |= digits[:, i] << np.uint64(58 - 6 * i)
    return found


def _times(present: Any, kind: type[Id]) -> Any:
    """Returns the times of IDs as an array of times without a zone, in UTC."""
    if issubclass(kind, UuidV7):
        return _uuidv7_times(present)
    if issubclass(kind, Kid64):
        found = _numbers(present, kind)
        seconds = (found >> np.uint64(44)) * np.uint64(1000000) + (found >> np.uint64(24) & np.uint64(0xFFFFF))
        micros = (found >> np.uint64(14) & np.uint64(0x3FF)) << np.uint64(10)
        return (seconds * np.uint64(1000000) + micros).view("datetime64[us]")
    if issubclass(kind, Kid53):
        millis = _numbers(present, kind) >> np.uint64(12)
        return (millis + np.uint64(kind.first_micros // 1000)).view("datetime64[ms]")
    if issubclass(kind, Flake):
        return ((_numbers(present, kind) >> np.uint64(22)).astype(np.int64)).view("datetime64[ms]")
    # Columns of the other types are rare. Each ID is read by itself.
    read: Callable[[Any], Id] = kind
    return np.array([read(each).micros for each in present], np.int64).view("datetime64[us]")


def _uuidv7_times(present: Any) -> Any:
    """Returns the times of UUIDs of version 7, and NaT for others."""
    present = present.astype(str)
    digits = _HEX[_chars(present, 36, "a UUID")]
    places = [i for i in range(36) if i not in (8, 13, 18, 23)]
    _check(present, (digits[:, places] == 16).any(axis=1), "a UUID")
    millis = digits[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]] @ (1 << np.arange(44, -1, -4))
    is_version_7 = (digits[:, 14] == 7) & (digits[:, 19] >> 2 == 2)
    return np.where(is_version_7, millis.view("datetime64[ms]"), np.datetime64("NaT"))


def _chars(present: Any, length: int, what: str) -> Any:
    """Returns the characters of texts as a table. Raises ValueError if a text has another length or is not ASCII."""
    if len(present) == 0:
        return np.zeros((0, length), np.uint8)
    _check(present, (present.str.len() != length).to_numpy(bool), what)
    try:
        return np.asarray(present, "S").view(np.uint8).reshape(-1, length)
    except UnicodeEncodeError as error:
        raise ValueError(f"not {what}: {error.object!r}") from None
