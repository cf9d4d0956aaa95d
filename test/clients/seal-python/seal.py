"""Reads orders by sealed IDs, with psycopg 3, and seals, unseals and decodes them without the server."""

from uuid import UUID

import psycopg
from pgkid.ids import Kid64
from pgkid.psycopg import register
from pgkid.seal import Keys

from steps import raises

connection = psycopg.connect(autocommit=True)
register(connection)
keys = Keys(connection.execute("SELECT * FROM exported"))
for (text,) in connection.execute("SELECT encoded FROM texts"):
    print("decoded", text, keys.unseal(Kid64, text, "ord").binary.hex())
for (text,) in connection.execute("SELECT encoded FROM wrong"):
    with raises(ValueError):
        keys.unseal(Kid64, text, "ord")
    print("refused", text, "-")

query = """
    SELECT id, prefix, kid_encode(id, prefix), kid_seal(id, prefix), kid_seal_uuid(id, prefix)
      FROM orders, unnest('{ord,order_item,a}'::text[]) AS prefix"""
for id, prefix, encoded, text, uuid in connection.execute(query):
    assert Kid64.of_base32(encoded, prefix) == id and id.base32(prefix) == encoded
    assert keys.seal(id, prefix) == text and keys.unseal(Kid64, text, prefix) == id
    assert keys.seal_uuid(id, prefix) == uuid and keys.unseal_uuid(uuid, prefix) == id
    with raises(ValueError):
        keys.unseal_uuid(UUID(int=uuid.int ^ 1), prefix)
