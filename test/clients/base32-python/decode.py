"""Reads orders by public IDs, with psycopg 3, and decodes them without the server."""

import re

import psycopg

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
    print("decoded", id, decode_kid64(id, "ord"))
    print("upper", id, decode_kid64("ord_" + id[4:].upper(), "ord"))
    (found,) = connection.execute("SELECT id::text FROM orders WHERE id = kid64_decode(%s, 'ord')", [id]).fetchone()
    print("found", id, found)

for (encoded,) in connection.execute("SELECT encoded FROM wrong"):
    try:
        decode_kid64(encoded, "ord")
    except ValueError as error:
        print("refused", encoded, type(error).__name__)
    try:
        connection.execute("SELECT kid64_decode(%s, 'ord')", [encoded])
    except psycopg.errors.InvalidTextRepresentation as error:
        print("wrong", encoded, error.sqlstate)
