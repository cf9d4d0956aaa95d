"""Reads orders by public IDs, with psycopg 3, and decodes them without the server."""

import re

import psycopg

from texts import run

# Python's digits of numbers to base 32 are 0-9a-v.
DIGITS = str.maketrans("jkmnpqrstvwxyz", "ijklmnopqrstuv")


def decode_kid64(text, prefix):
    """Returns the 64 bits of a kid64 from what kid_encode(id, prefix) returned."""
    match = re.fullmatch(f"{prefix}_([0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{{12}})", text)
    if not match:
        raise ValueError(f"not an ID: {text}")
    return int(match[1].lower().translate(DIGITS), 32)


connection = psycopg.connect(autocommit=True)
ids = [id for (id,) in connection.execute("SELECT kid_encode(id, 'ord') FROM orders")]
for id in ids:
    print("upper", id, decode_kid64("ord_" + id[4:].upper(), "ord"))
run(connection, ids, decode_kid64, "kid64_decode")
