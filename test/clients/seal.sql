-- Orders whose sealed IDs a client unseals, the smallest and the greatest among them, sealed with two keys, and texts
-- that no key opens.
SET client_min_messages = warning;
CREATE EXTENSION kid_seal CASCADE;
SELECT kid_seal_new_key() AS key, kid_seal_use_key(1) \gset
CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text DEFAULT md5(random()::text));
INSERT INTO orders SELECT FROM generate_series(1, 500);
INSERT INTO orders (id) SELECT ((-1)::bigint - (2 ^ n)::bigint)::kid64 FROM generate_series(0, 62) AS n;
INSERT INTO orders (id) VALUES ('...........'), ('zzzzzzzzzzw');
CREATE TABLE texts AS SELECT id, kid_seal(id, 'ord') AS encoded FROM orders;
SELECT kid_seal_new_key() AS key, kid_seal_use_key(2) \gset
INSERT INTO texts SELECT id, kid_seal(id, 'ord') FROM orders;
CREATE VIEW exported AS SELECT * FROM kid_seal_export_keys();

CREATE TABLE wrong (encoded text);
INSERT INTO wrong SELECT kid_encode(md5(n::text)::uuid, 'ord') FROM generate_series(1, 100) AS n;
INSERT INTO wrong SELECT translate(encoded, '0123456789', '1234567890') FROM texts LIMIT 100;
INSERT INTO wrong SELECT 'ord_' || upper(substr(encoded, 5)) FROM texts LIMIT 100;
INSERT INTO wrong SELECT kid_seal(id, 'usr') FROM orders LIMIT 10;
INSERT INTO wrong SELECT replace(kid_seal(id, 'usr'), 'usr', 'ord') FROM orders LIMIT 10;
INSERT INTO wrong SELECT kid_seal(id::bigint::flake, 'ord') FROM orders LIMIT 10;
INSERT INTO wrong SELECT kid_encode(id, 'ord') FROM orders LIMIT 10;
INSERT INTO wrong SELECT kid_encode(kid_seal_uuid(id, 'ord'), 'ord') FROM orders LIMIT 10;
-- In a URL some of these are bytes that no text has.
INSERT INTO wrong VALUES ('%00'), ('ord_%00'), ('ord_01hwxnrzaefay8vvr14d2pf2d%00'), ('%C3%BC'), (repeat('ord_', 100));
DELETE FROM wrong WHERE encoded IN (SELECT encoded FROM texts);
