"""Numbers and times of kid's IDs in columns of NumPy and pandas."""

import numpy as np

DIGITS = np.full(256, 64, np.uint8)
DIGITS[list(b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")] = np.arange(64)
HEX = np.zeros(256, np.int64)
HEX[list(b"0123456789abcdefABCDEF")] = [*range(16), *range(10, 16)]


def kid64_numbers(texts):
    """Returns the numbers of kid64 that are given as text."""
    texts = np.asarray(texts, "S")
    if len(texts) == 0:
        return np.zeros(0, np.uint64)
    if texts.dtype.itemsize != 11:
        raise ValueError("a kid64 has 11 characters")
    digits = DIGITS[texts.view(np.uint8).reshape(-1, 11)].astype(np.uint64)
    if (digits == 64).any() or (digits[:, 10] & 3).any():
        raise ValueError("not a kid64")
    numbers = digits[:, 10] >> np.uint64(2)
    for i in range(10):
        numbers |= digits[:, i] << np.uint64(58 - 6 * i)
    return numbers


def kid64_times(numbers):
    """Returns the times of kid64 that are given as numbers, such as id::bigint in SQL, as datetime64[us] in UTC."""
    if str(getattr(numbers, "dtype", "")) in ("Int64", "UInt64"):      # of pandas; an error if a number is missing
        numbers = numbers.to_numpy(str(numbers.dtype).lower())
    numbers = np.asarray(numbers)
    if numbers.dtype.kind not in "iu":
        raise ValueError("no integers; pandas has rounded floats if a number is missing")
    numbers = numbers.astype(np.uint64)
    seconds = (numbers >> np.uint64(44)) * np.uint64(1000000) + (numbers >> np.uint64(24) & np.uint64(0xFFFFF))
    micros = (numbers >> np.uint64(14) & np.uint64(0x3FF)) << np.uint64(10)
    return (seconds * np.uint64(1000000) + micros).view("datetime64[us]")


def uuidv7_times(texts):
    """Returns the times of UUIDs of version 7 as datetime64[ms] in UTC, and NaT for other versions."""
    texts = np.asarray(texts, "S")
    if len(texts) == 0:
        return np.zeros(0, "datetime64[ms]")
    if texts.dtype.itemsize != 36:
        raise ValueError("a UUID has 36 characters")
    chars = texts.view(np.uint8).reshape(-1, 36)
    millis = HEX[chars[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]]] @ (1 << np.arange(44, -1, -4))
    is_version_7 = (chars[:, 14] == ord("7")) & (HEX[chars[:, 19]] >> 2 == 2)
    return np.where(is_version_7, millis.view("datetime64[ms]"), np.datetime64("NaT"))
