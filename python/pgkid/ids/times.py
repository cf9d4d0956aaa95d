"""Times as IDs count them: microseconds since 1970, UTC."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)


def micros_of(time: datetime) -> int:
    """Returns the microseconds from 1970 to a time.

    Raises ValueError if the time has no zone, and is ambiguous, and TypeError if it is no datetime.
    """
    if not isinstance(time, datetime):
        raise TypeError(f"a time is a datetime with a time zone, such as datetime.now(timezone.utc), not {time!r}")
    if time.tzinfo is None:
        raise ValueError(f"a time needs a time zone, such as datetime.now(timezone.utc): {time!r}")
    return (time - EPOCH) // MICROSECOND


def time_of(micros: int) -> datetime:
    """Returns the time that is so many microseconds after 1970. Raises OverflowError if that is after the year 9999."""
    return EPOCH + timedelta(microseconds=micros)
