-- Domains over kid64 and bigint, one for each table, as docs/guides/domains.md recommends them: indexes, comparison
-- with times, foreign keys, what clients are told, and what PostgreSQL does not check.
CREATE DOMAIN customer_id AS kid64;
CREATE DOMAIN order_id AS kid64;
CREATE TABLE customers (id customer_id PRIMARY KEY DEFAULT kid_next(), name text);
CREATE TABLE orders (
    id order_id PRIMARY KEY DEFAULT kid_next(), customer customer_id NOT NULL REFERENCES customers, item text);
INSERT INTO customers SELECT kid64_make('2026-11-01 00:00+00'::timestamptz + n * interval '1 hour', 5), 'customer ' || n
  FROM generate_series(0, 999) AS n;
INSERT INTO orders SELECT kid64_make(kid_timestamp(id) + interval '1 minute', 7), id, 'tea' FROM customers;
ANALYZE customers, orders;
SET timezone = 'UTC';

-- The index of the key, for an ID, for times, and for a consumer.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = '.6.nef3Mk.3';
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = ANY ('{.6.nef3Mk.3,.6.nef3Mk.7}');
EXPLAIN (COSTS OFF) SELECT * FROM orders
 WHERE id >= '2026-11-10 00:00+00'::timestamptz AND id < '2026-11-11 00:00+00'::timestamptz;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id <@ tstzrange('2026-11-10 00:00+00', '2026-11-11 00:00+00');
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id > '.6.nef3Mk.3' AND id < kid_horizon() ORDER BY id LIMIT 10;
RESET enable_seqscan;
SELECT count(*), min(kid_timestamp(id)), max(id::timestamptz) FROM orders
 WHERE id <@ tstzrange('2026-11-10 00:00+00', '2026-11-11 00:00+00');
SELECT min(id), max(id), kid_encode(min(id), 'ord'),
       kid64_decode(kid_encode(min(id), 'ord'), 'ord')::order_id = min(id) AS decoded FROM orders;

-- New rows have IDs, and references are checked in both directions.
INSERT INTO customers (name) VALUES ('new') RETURNING id > '2026-01-01 00:00+00'::timestamptz AS made;
INSERT INTO orders (customer) SELECT id FROM customers WHERE name = 'new' RETURNING id > customer AS later;
INSERT INTO orders (customer) VALUES ('.6.nef3Mk.3');
DELETE FROM customers WHERE name = 'customer 0';

-- PostgreSQL compares two domains over one type without a complaint, and lets either be a reference to the other.
SELECT count(*) FROM orders JOIN customers ON customers.id = orders.id;
CREATE TABLE mixed (customer order_id REFERENCES customers);
DROP TABLE mixed;

-- A result has the type under the domain. A parameter that becomes a value of a column has the domain, others have not.
SELECT id, customer FROM orders \gdesc
PREPARE inserting AS INSERT INTO orders (id, customer) VALUES ($1, $2);
PREPARE finding AS SELECT FROM orders WHERE id = $1;
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY name;
DEALLOCATE ALL;

-- A column becomes one of the domain, and back, without rewriting its rows.
SELECT pg_relation_filenode('customers') AS before \gset
CREATE DOMAIN person_id AS kid64;
ALTER TABLE customers ALTER id TYPE person_id;
ALTER TABLE orders ALTER customer TYPE kid64;
SELECT pg_relation_filenode('customers') = :before AS kept;

-- BRIN, with both operator classes of each type: the column becomes one of a domain, or a bigint, between two inserts, and then the index is built on it,
-- by several workers from PostgreSQL 17 on, and then without rows. There is one ID a minute, and a query asks for two hours. An index with a default class
-- becomes one of the default class of bigint, which is not for this query.
CREATE FUNCTION rows_by_brin(type text, OUT rows bigint, OUT few_blocks boolean) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, FORMAT json, COSTS OFF) SELECT FROM readings WHERE id::%s <@ tstzrange(''2026-11-01 00:01+00'', ''2026-11-01 01:01+00'')
                    OR id::%1$s <@ tstzrange(''2026-11-04 00:01+00'', ''2026-11-04 01:01+00'')', type) INTO plan;
    -- PostgreSQL 18 prints 120.00.
    rows := (plan -> 0 -> 'Plan' ->> 'Actual Rows')::numeric;
    few_blocks := (plan -> 0 -> 'Plan' ->> 'Lossy Heap Blocks')::int < pg_relation_size('readings') / 8192 / 2;
END $$;
CREATE FUNCTION brin_of_other(type text, other text, class text, makes text, OUT changed text, OUT built text, OUT empty text) LANGUAGE plpgsql AS $$
DECLARE
    insert text := format('INSERT INTO readings SELECT %s, repeat(''x'', 50) FROM (SELECT n, timestamptz ''2026-11-01 00:00+00'' + n * interval ''1 min'' AS t
                           FROM generate_series($1::int, $2) AS n) s', makes);
BEGIN
    EXECUTE format('CREATE DOMAIN reading_id AS %s', type);
    EXECUTE format('CREATE TABLE readings (id %s, item text) WITH (parallel_workers = 2)', type);
    EXECUTE format('CREATE INDEX by_id ON readings USING brin (id %s) WITH (pages_per_range = 1)', class);
    EXECUTE insert USING 1, 2000;
    PERFORM brin_summarize_new_values('by_id');
    EXECUTE format('ALTER TABLE readings ALTER id TYPE %s', other);
    EXECUTE insert USING 2001, 5000;
    PERFORM brin_summarize_new_values('by_id');
    changed := rows_by_brin(type);
    DROP INDEX by_id;
    EXECUTE format('CREATE INDEX by_id ON readings USING brin (id %s) WITH (pages_per_range = 1)', class);
    built := rows_by_brin(type);
    TRUNCATE readings;
    EXECUTE insert USING 1, 5;
    EXECUTE insert USING 11, 15;
    empty := (rows_by_brin(type)).rows;
    DROP TABLE readings;
    DROP DOMAIN reading_id;
END $$;
SET enable_seqscan = off;
SELECT type, other, class, b.* FROM (VALUES ('kid64', 'kid64_make(t, 3)'), ('kid96', 'kid96_make(t, 5, 3)'), ('sno', 'sno_make(t, 7, 3, 0)'),
    ('flake', 'flake_make(t, 1, 2, 3)'), ('flax', 'flax_make(t, ''\x01020304050607'')')) AS t (type, makes),
    LATERAL (SELECT 'reading_id' UNION ALL
             SELECT 'bigint' FROM pg_cast WHERE castsource = 'bigint'::regtype AND casttarget = type::regtype AND castmethod = 'b') AS o (other),
    LATERAL unnest(ARRAY[type || '_minmax_ops', type || '_minmax_multi_ops']) AS class, brin_of_other(type, other, class, makes) AS b
 ORDER BY type, other, class;
RESET enable_seqscan;
DROP FUNCTION brin_of_other(text, text, text, text), rows_by_brin(text);

-- Partitions by time have to be made by hand.
CREATE TABLE events (id order_id PRIMARY KEY DEFAULT kid_next(), item text) PARTITION BY RANGE (id);
\set VERBOSITY terse
SELECT kid_create_partitions('events', '1 day', '2026-11-24');
\set VERBOSITY default
CREATE TABLE events_p20261121 PARTITION OF events
    FOR VALUES FROM (kid64_floor('2026-11-21 00:00+00')) TO (kid64_floor('2026-11-22 00:00+00'));
CREATE TABLE events_p20261122 PARTITION OF events
    FOR VALUES FROM (kid64_floor('2026-11-22 00:00+00')) TO (kid64_floor('2026-11-23 00:00+00'));
EXPLAIN (COSTS OFF) SELECT * FROM events
 WHERE id >= '2026-11-22 00:00+00'::timestamptz AND id < '2026-11-23 00:00+00'::timestamptz;

-- Over bigint, as kid53 numbers are, a constraint keeps out what a double cannot hold.
CREATE DOMAIN account_id AS bigint CHECK (VALUE BETWEEN 0 AND 9007199254740991);
CREATE TABLE accounts (id account_id PRIMARY KEY, owner text);
INSERT INTO accounts VALUES (9007199254740991, 'greatest');
INSERT INTO accounts VALUES (9007199254740992, 'too great');
SELECT id FROM accounts \gdesc
SELECT to_json(a) FROM accounts AS a;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM accounts WHERE id >= 5 AND id < 7;
RESET enable_seqscan;

DROP TABLE accounts, events, orders, customers;
DROP DOMAIN account_id, order_id, customer_id, person_id;
