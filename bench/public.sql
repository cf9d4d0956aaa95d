-- Texts of IDs: made and read. What kid_seal adds to the HMAC and the AES of pgcrypto is PL/pgSQL, and a query for the key.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS kid_seal CASCADE SCHEMA public;
RESET client_min_messages;
SELECT kid_seal_new_key() AS key \gset
SELECT kid_seal_use_key(:key) \gset
CREATE TABLE public_ids AS
SELECT id, id::text AS own, kid_encode(id) AS encoded, kid_encode(id, 'ord') AS prefixed, kid_seal(id, 'ord') AS sealed
  FROM (SELECT kid_next() AS id FROM generate_series(1, 20000)) AS made;
INSERT INTO contestants (section, name, query)
SELECT 'public', name, format('SELECT count(%s) FROM public_ids, generate_series(1, %s)', expression, times)
  FROM (VALUES ('own text', 'id::text', 20), ('base32', 'kid_encode(id)', 20), ('base32 with a prefix', $$kid_encode(id, 'ord')$$, 20),
               ('own text, read', 'own::kid64', 20), ('base32, read', 'kid64_decode(encoded)', 20),
               ('base32 with a prefix, read', $$kid64_decode(prefixed, 'ord')$$, 20),
               ('sealed', $$kid_seal(id, 'ord')$$, 1), ('sealed, read', $$kid64_unseal(sealed, 'ord')$$, 1),
               ('HMAC and AES', $$encrypt(id::bytea || '\x0000000000000000', substr(hmac('kid64:ord', id::bytea, 'sha256'), 1, 16), 'aes-ecb/pad:none')$$, 1))
           AS expressions (name, expression, times);
INSERT INTO comparisons (section, name, rival, target) VALUES
    ('public', 'base32', 'own text', 1.5),
    ('public', 'base32 with a prefix', 'own text', 1.5),
    ('public', 'base32, read', 'own text, read', 1.5),
    ('public', 'base32 with a prefix, read', 'own text, read', 1.5),
    ('public', 'sealed', 'HMAC and AES', 4),
    ('public', 'sealed, read', 'HMAC and AES', 4);
CALL compare('public', :rounds * 3);
