-- kid64 in indexes, sorts, joins and aggregates.
CREATE TABLE t (id kid64, n int);
INSERT INTO t SELECT kid64_make(timestamptz '2026-11-21 00:00+00' + i * interval '1 second', i % 7), i
  FROM generate_series(0, 9999) AS i;
INSERT INTO t SELECT (n::bigint - 5)::kid64, -n FROM generate_series(0, 9) AS n; -- around zero, so also the greatest
ANALYZE t;

CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;

-- Sorting agrees with the order of the bytes.
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) = row_number() OVER (ORDER BY id::bytea) AS same FROM t) s WHERE NOT same;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id DESC) = row_number() OVER (ORDER BY id::bytea DESC) AS same FROM t) s WHERE NOT same;
SELECT min(id), max(id), min(id::bytea::text COLLATE "C"), max(id::bytea::text COLLATE "C") FROM t;
SELECT min(id) IS NULL FROM t WHERE false;
SELECT kid_smaller(1, 2);

-- The six operators agree with those of the bytes, for pairs around the ends and in the middle of the range.
WITH few AS (SELECT id FROM t WHERE n < 10 OR n > 9990)
SELECT count(*) FILTER (WHERE (a.id < b.id) IS DISTINCT FROM (a.id::bytea < b.id::bytea)) AS lt,
       count(*) FILTER (WHERE (a.id <= b.id) IS DISTINCT FROM (a.id::bytea <= b.id::bytea)) AS le,
       count(*) FILTER (WHERE (a.id = b.id) IS DISTINCT FROM (a.id::bytea = b.id::bytea)) AS eq,
       count(*) FILTER (WHERE (a.id <> b.id) IS DISTINCT FROM (a.id::bytea <> b.id::bytea)) AS ne,
       count(*) FILTER (WHERE (a.id >= b.id) IS DISTINCT FROM (a.id::bytea >= b.id::bytea)) AS ge,
       count(*) FILTER (WHERE (a.id > b.id) IS DISTINCT FROM (a.id::bytea > b.id::bytea)) AS gt,
       count(*) FILTER (WHERE kid64_cmp(a.id, b.id) <> sign(byteacmp(a.id::bytea, b.id::bytea))) AS cmp,
       count(*) AS pairs
  FROM few a, few b;

-- btree: equality, ranges, min and max, order, with literals that clients send as text.
CREATE UNIQUE INDEX t_btree ON t (id);
SELECT * FROM plan('SELECT * FROM t WHERE id = ''.6.nZZZZZZ.''');
SELECT * FROM plan('SELECT * FROM t WHERE id = ''.6.nZZZZZZ.''::text');
SELECT * FROM plan('SELECT * FROM t WHERE id = 5');
SELECT trim(plan) FROM plan('SELECT min(id), max(id) FROM t') AS plan WHERE plan ~ 'Index Only Scan';
SELECT * FROM plan('SELECT * FROM t WHERE id >= kid64_floor(''2026-11-21 01:00+00'') AND id < kid64_floor(''2026-11-21 01:01+00'')');
SELECT count(*), min(n), max(n) FROM t
 WHERE id >= kid64_floor('2026-11-21 01:00+00') AND id < kid64_floor('2026-11-21 01:01+00');
INSERT INTO t SELECT id FROM t LIMIT 1;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM t WHERE id >= 0;
SELECT count(*) FROM t WHERE id > (-1)::bigint::kid64;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP INDEX t_btree;

-- hash: index, join, aggregate, partition.
CREATE INDEX t_hash ON t USING hash (id);
SELECT * FROM plan('SELECT * FROM t WHERE id = 5');
SELECT n FROM t WHERE id = 4;
DROP INDEX t_hash;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT * FROM plan('SELECT count(*) FROM t a JOIN t b USING (id)');
SELECT count(*), sum(a.n - b.n) FROM t a JOIN t b USING (id);
RESET enable_mergejoin;
RESET enable_nestloop;
SELECT count(*) FROM (SELECT id FROM t UNION SELECT id FROM t) u;
CREATE TABLE hashed (id kid64 PRIMARY KEY, n int) PARTITION BY HASH (id);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO hashed SELECT * FROM t;
SELECT abs(count(*) FILTER (WHERE tableoid = 'hashed_0'::regclass) - 5005) < 300 AS even, count(*) FROM hashed;
-- The hash is computed from the binary form: PostgreSQL's hash of the same bytes as text is equal.
SELECT kid64_hash(bytes::bytea::kid64) = hashtext(bytes) AS hash,
       kid64_hash_extended(bytes::bytea::kid64, 42) = hashtextextended(bytes, 42) AS extended
  FROM unnest(ARRAY['12345678', 'ABCDEFGH', '~~~~~~~~']) AS bytes;

-- Merge join.
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT * FROM plan('SELECT count(*) FROM t a JOIN t b USING (id)');
SELECT count(*) FROM t a JOIN t b USING (id);
RESET enable_hashjoin;
RESET enable_nestloop;

-- BRIN, with both operator classes.
DELETE FROM t WHERE n < 0;
SET enable_seqscan = off;
CREATE INDEX t_brin ON t USING brin (id) WITH (pages_per_range = 1);
SELECT * FROM plan('SELECT * FROM t WHERE id < kid64_floor(''2026-11-21 01:00+00'')');
SELECT count(*) FROM t WHERE id < kid64_floor('2026-11-21 01:00+00');
DROP INDEX t_brin;
CREATE INDEX t_brin ON t USING brin (id kid64_minmax_multi_ops) WITH (pages_per_range = 1);
SELECT * FROM plan('SELECT * FROM t WHERE id < kid64_floor(''2026-11-21 01:00+00'')');
SELECT count(*) FROM t WHERE id < kid64_floor('2026-11-21 01:00+00');
RESET enable_seqscan;

DROP TABLE t, hashed;
DROP FUNCTION plan;
