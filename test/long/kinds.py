"""The kinds of IDs, each with a table NAME_rows, and what is known of the IDs."""

import dataclasses
import typing

FURTHER_EPOCH = 946684800000  # 2000-01-01, to which kid.flake_epoch is set at times


def flake_state(text):
    """Returns the time and the sequence of a flake. The generator between them, and the epoch, may change."""
    millis = int(text) >> 22
    # With the default epoch, IDs of today have more than 1.7e12 milliseconds.
    return millis + (FURTHER_EPOCH if millis < 1.4e12 else 0), int(text) & 4095


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    type: str
    default: str
    read: str = "id::text"
    write: str = "%s"
    order: typing.Callable | None = None  # by which IDs rise. None if they need not rise
    horizon: str = ""
    timestamp: str = "kid_timestamp"
    partitioned: bool = False
    # Whether an ID that a client was told can come again unless its row was committed, as a number of a sequence can.
    only_committed: bool = False

    @property
    def table(self):
        return f"{self.name}_rows"


KINDS = [
    Kind(
        "kid64",
        "kid64",
        "kid64_next()",
        "id::bigint::text",
        "%s::bigint::kid64",
        int,
        "kid_horizon()",
        partitioned=True,
    ),
    Kind(
        "kid53",
        "bigint",
        "kid53_next()",
        write="%s::bigint",
        order=int,
        horizon="kid53_horizon()",
        timestamp="kid53_timestamp",
        partitioned=True,
    ),
    Kind("kid96", "kid96", "kid96_next()"),
    Kind("sno", "sno", "sno_next()"),
    Kind("flake", "flake", "flake_next()", order=flake_state),
    Kind("flax", "flax", "flax_next()"),
    Kind("uuid", "uuid", "kid_uuidv7()", write="%s::uuid", order=str, horizon="kid_uuidv7_horizon()", partitioned=True),
    # Consumers read it up to the horizon of kid_track().
    Kind("serial", "bigint", "nextval('serial_ids')", write="%s::bigint", order=int, only_committed=True),
]
KIND = {kind.name: kind for kind in KINDS}


def schema():
    """Returns the statements that create the extensions and the tables, which have no partitions yet."""
    yield "CREATE EXTENSION kid"
    yield "CREATE EXTENSION kid_seal CASCADE"
    yield "CREATE EXTENSION kid_workers"
    yield "CREATE SEQUENCE serial_ids"
    for kind in KINDS:
        by = "PARTITION BY RANGE (id)" if kind.partitioned else ""
        columns = f"id {kind.type} PRIMARY KEY DEFAULT {kind.default}, writer int, n bigint"
        yield f"CREATE TABLE {kind.table} ({columns}) {by}"
        yield f"CREATE INDEX ON {kind.table} (writer, n)"
    yield "ALTER SEQUENCE serial_ids OWNED BY serial_rows.id"
    yield "SELECT kid_track('serial_rows')"
    yield "SELECT kid_seal_use_key(kid_seal_new_key())"
