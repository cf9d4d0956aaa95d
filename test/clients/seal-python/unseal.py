"""Reads orders by sealed IDs, with psycopg 3, and unseals them without the server."""

import hmac
import re

import psycopg
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def unseal_kid64(text, prefix, key):
    """Returns the 64 bits of a kid64 from what kid_seal(id, prefix) returned."""
    match = re.fullmatch(f"{prefix}_([0-7][{DIGITS}]{{25}})", text)
    if not match:
        raise ValueError(f"not an ID: {text}")
    sealed = sum(DIGITS.index(digit) << 5 * place for place, digit in enumerate(reversed(match[1])))
    subkey = hmac.digest(key, f"kid64:{prefix}".encode(), "sha256")[:16]
    decryptor = Cipher(algorithms.AES(subkey), modes.ECB()).decryptor()
    block = decryptor.update(sealed.to_bytes(16, "big"))
    if any(block[8:]):
        raise ValueError(f"not an ID: {text}")
    return int.from_bytes(block[:8], "big")


connection = psycopg.connect(autocommit=True)
(key,) = connection.execute("SELECT key FROM kid_seal_internal.keys").fetchone()
for (text,) in connection.execute("SELECT kid_seal(id, 'ord') FROM orders"):
    print("decoded", text, unseal_kid64(text, "ord", key))
    (found,) = connection.execute("SELECT id::text FROM orders WHERE id = kid64_unseal(%s, 'ord')", [text]).fetchone()
    print("found", text, found)

for (text,) in connection.execute("SELECT encoded FROM wrong"):
    try:
        unseal_kid64(text, "ord", key)
    except ValueError as error:
        print("refused", text, type(error).__name__)
    try:
        connection.execute("SELECT kid64_unseal(%s, 'ord')", [text])
    except psycopg.errors.InvalidTextRepresentation as error:
        print("wrong", text, error.sqlstate)
