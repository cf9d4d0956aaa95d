"""Reads orders by sealed IDs, with psycopg 3, and seals, unseals and decodes them without the server."""

import hmac
import re
from uuid import UUID

import psycopg
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from steps import raises

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def decode(pattern, text):
    """Returns the number that the digits of a text are, if the whole text matches the pattern."""
    match = re.fullmatch(pattern, text)
    if not match:
        raise ValueError(f"not an ID: {text}")
    return sum(DIGITS.index(digit) << 5 * place for place, digit in enumerate(reversed(match[1].lower())))


def decode_kid64(text, prefix):
    """Returns the 64 bits of a kid64 from what kid_encode(id, prefix) returned."""
    return decode(f"{prefix}_([0-9A-Fa-f][{DIGITS}{DIGITS.upper()}]{{12}})", text)


def aes(key, label):
    return Cipher(algorithms.AES(hmac.digest(bytes.fromhex(key), label.encode(), "sha256")[:16]), modes.ECB())


def seal_kid64(bits, prefix, keys):
    """Returns what kid_seal(id, prefix) returns, from the 64 bits of the ID."""
    (key,) = [key for _, key, seals in keys if seals]
    block = aes(key, f"kid64:{prefix}").encryptor().update(bits.to_bytes(8, "big") + bytes(8))
    sealed = int.from_bytes(block, "big")
    return f"{prefix}_" + "".join(DIGITS[sealed >> 5 * place & 31] for place in reversed(range(26)))


def unseal_kid64(text, prefix, keys):
    """Returns the 64 bits of a kid64 from what kid_seal(id, prefix) returned."""
    sealed = decode(f"{prefix}_([0-7][{DIGITS}]{{25}})", text)
    for _, key, _ in keys:
        block = aes(key, f"kid64:{prefix}").decryptor().update(sealed.to_bytes(16, "big"))
        if not any(block[8:]):
            return int.from_bytes(block[:8], "big")
    raise ValueError(f"not an ID: {text}")


def seal_uuid(bits, prefix, keys):
    """Returns what kid_seal_uuid(id, prefix) returns."""
    (key,) = [key for _, key, seals in keys if seals]
    encryptor = aes(key, f"kid64-uuid:{prefix}").encryptor()
    for counter in range(4096):
        block = encryptor.update(bits.to_bytes(8, "big") + counter.to_bytes(8, "big"))
        if block[6] >> 4 == 4 and block[8] >> 6 == 2:
            return UUID(bytes=block)


def unseal_uuid(uuid, prefix, keys):
    """Returns the 64 bits of a kid64 from what kid_seal_uuid(id, prefix) returned."""
    for n, key, _ in keys:
        block = aes(key, f"kid64-uuid:{prefix}").decryptor().update(uuid.bytes)
        bits = int.from_bytes(block[:8], "big")
        if not any(block[8:14]) and seal_uuid(bits, prefix, [(n, key, True)]) == uuid:
            return bits
    raise ValueError(f"not an ID: {uuid}")


connection = psycopg.connect(autocommit=True)
keys = connection.execute("SELECT * FROM exported").fetchall()
for (text,) in connection.execute("SELECT encoded FROM texts"):
    print("decoded", text, f"{unseal_kid64(text, 'ord', keys):016x}")
for (text,) in connection.execute("SELECT encoded FROM wrong"):
    with raises(ValueError):
        unseal_kid64(text, "ord", keys)
    print("refused", text, "-")
for id in "usr_00w1knarhfg01", "ord_00w1knarhfg010", "ord_00w1knarhfg0u", "ord_g000000000000", "ord_00w1\u212anarhfg01":
    with raises(ValueError):
        decode_kid64(id, "ord")

query = """
    SELECT encode(id::bytea, 'hex'), prefix, kid_encode(id, prefix), kid_seal(id, prefix), kid_seal_uuid(id, prefix)
      FROM orders, unnest('{ord,order_item,a}'::text[]) AS prefix"""
for number, prefix, encoded, text, uuid in connection.execute(query):
    bits = int(number, 16)
    assert decode_kid64(encoded, prefix) == decode_kid64(prefix + encoded[len(prefix) :].upper(), prefix) == bits
    assert seal_kid64(bits, prefix, keys) == text and unseal_kid64(text, prefix, keys) == bits
    assert seal_uuid(bits, prefix, keys) == uuid and unseal_uuid(uuid, prefix, keys) == bits
    with raises(ValueError):
        unseal_uuid(UUID(int=uuid.int ^ 1), prefix, keys)
