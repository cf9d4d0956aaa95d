-- kid96: text and binary form, order, components, conversions, generation.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The rows that uid made.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/kid96.tsv"`
CREATE TABLE ids AS
SELECT f[1]::int AS bits, ('x' || f[2])::bit(32)::bigint AS node, f[6]::int AS seq, f[7] AS hex, f[8] AS text, f[8]::kid96 AS id,
       to_timestamp(0) + f[3]::int * interval '1000000 seconds' + f[4]::int * interval '1 second' + f[5]::int * interval '1 microsecond' AS time_in,
       to_timestamp(0) + f[9]::int * interval '1000000 seconds' + f[10]::int * interval '1 second' + f[11]::int * interval '1 microsecond' AS time
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;

-- Every count is 200.
SELECT count(*),
       count(*) FILTER (WHERE id::text = text) AS text_out,
       count(*) FILTER (WHERE kid96_send(id) = decode(hex, 'hex')) AS send,
       count(*) FILTER (WHERE id::bytea = decode(hex, 'hex')) AS to_bytea,
       count(*) FILTER (WHERE decode(hex, 'hex')::kid96 = id) AS from_bytea,
       count(*) FILTER (WHERE uuid_send(id::uuid) = convert_to(text, 'UTF8')) AS to_uuid,
       count(*) FILTER (WHERE encode(convert_to(text, 'UTF8'), 'hex')::uuid::kid96 = id) AS from_uuid
  FROM ids;
SELECT count(*) FILTER (WHERE kid96_make(time_in, node, seq, bits) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id, bits) = time) AS timestamp,
       count(*) FILTER (WHERE kid_node(id, bits) = node) AS node,
       count(*) FILTER (WHERE kid_sequence(id) = seq) AS sequence
  FROM ids;

-- The same with the neighborhood taken from the setting.
DO $$
DECLARE
    b int;
    wrong int;
BEGIN
    FOR b IN SELECT DISTINCT bits FROM ids ORDER BY bits LOOP
        PERFORM set_config('kid.neighborhood', b::text, false);
        SELECT count(*) INTO wrong FROM ids
         WHERE bits = b AND NOT (kid96_make(time_in, node, seq) = id AND kid_timestamp(id) = time AND kid_node(id) = node
                                 AND kid96_floor(time_in) <= id AND kid96_ceil(time_in) >= id);
        RAISE NOTICE 'neighborhood %: % wrong', b, wrong;
    END LOOP;
END $$;
RESET kid.neighborhood;

-- Order: the type, the text in collation "C" and the bytes order alike.
SELECT count(*) FILTER (WHERE by_id <> by_text) AS id_text, count(*) FILTER (WHERE by_id <> by_bytes) AS id_bytes
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text COLLATE "C") AS by_text,
               rank() OVER (ORDER BY decode(hex, 'hex')) AS by_bytes FROM ids) ranks;
DROP TABLE ids;

-- The example of uid's README: the bytes decode to a node that an older Erlang hashed.
SELECT '\x0060398a03eb27327b698001'::bytea::kid96 AS id;
SELECT * FROM kid_inspect('.5.tXVEf8n8vPN.0'::kid96);
SELECT sum(bits) FROM kid_inspect('.5.tXVEf8n8vPN.0'::kid96);
-- The node belongs to the server: a session cannot set its own.
SET kid.node = 7;
CREATE VIEW node AS SELECT node, kid_node(kid_global(0)) AS global, kid_node(kid96_next()) AS next, kid_node(kid96_at(now())) AS at FROM kid_identity();
ALTER SYSTEM SET kid.node = 'uid@127.0.0.1';
SELECT pg_reload_conf();
\c
SET TimeZone = 'UTC';
-- The current Erlang makes another ID from the example of uid's README.
SELECT kid96_make(to_timestamp(1539625275.432128), node, 1) FROM node;

-- Nodes by name, hashed as Erlang does (test/unit/kid96_test.cpp checks all of test/vectors/kid96_phash2.tsv), and by number.
\! grep '^uid@127.0.0.1' "$PG_ABS_SRCDIR/test/vectors/kid96_phash2.tsv"
SELECT to_hex(node) AS node, to_hex(global) AS global, to_hex(next) AS next, to_hex(at) AS at FROM node;
ALTER SYSTEM SET kid.node = '0xffffffff';
SELECT pg_reload_conf();
\c
SELECT * FROM node;
ALTER SYSTEM SET kid.node = '4294967296';
ALTER SYSTEM SET kid.node = '';
ALTER SYSTEM SET kid.node = '-1';
ALTER SYSTEM SET kid.node = '007';
ALTER SYSTEM SET kid.node = '12a';
ALTER SYSTEM SET kid.node = 'Auto ';
ALTER SYSTEM SET kid.node = 'uid';
ALTER SYSTEM SET kid.node = '@localhost';
ALTER SYSTEM SET kid.node = 'uid@';
ALTER SYSTEM SET kid.node = 'uid@local host';
ALTER SYSTEM SET kid.node = 'AUTO';
SELECT pg_reload_conf();
\c
CREATE TEMP TABLE automatic AS SELECT node FROM node WHERE node = ALL (ARRAY[global, next, at]);
SELECT count(*) FROM node JOIN automatic USING (node);

-- Within 2^I seconds the node sorts before the time, so the IDs of two nodes are not interleaved. Here the clock of B is a minute behind.
WITH made AS (
    SELECT 'A' AS node, i AS n, kid96_make(timestamptz '2026-11-21 00:00:40+00' + i * interval '1 second', 1, 0) AS id FROM generate_series(0, 59) i
     UNION ALL
    SELECT 'B', i, kid96_make(timestamptz '2026-11-20 23:59:40+00' + i * interval '1 second', 2, 0) FROM generate_series(0, 59) i)
SELECT string_agg(DISTINCT node, '') FILTER (WHERE place <= 60) AS first_half, string_agg(DISTINCT node, '') FILTER (WHERE place > 60) AS second_half,
       bool_and(n = nth - 1) AS in_order_within_a_node
  FROM (SELECT node, n, row_number() OVER (ORDER BY id) AS place, row_number() OVER (PARTITION BY node ORDER BY id) AS nth FROM made) ranked;

-- kid_global() adds this server's node to a kid64, and kid_local() removes it.
ALTER SYSTEM SET kid.node = 7;
SELECT pg_reload_conf();
\c
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SELECT kid_node(kid_global(id)) AS node, kid_local(kid_global(id)) = id AS back, kid_timestamp(kid_global(id)) = kid_timestamp(id) AS same_time,
       kid_global(id)::kid64 = id AS cast_back
  FROM (SELECT kid_next() AS id) made;
CREATE TABLE assigned (id kid96);
INSERT INTO assigned VALUES (kid_next()) RETURNING kid_node(id);
DROP TABLE assigned;
SELECT kid_local(kid96_make('2026-11-21', 8, 1));
SELECT kid96_make('2026-11-21', 8, 1)::kid64;
SELECT kid_local(kid96_make('2026-11-21', 8, 1), true) = kid64_make('2026-11-21', 1) AS forced;

-- Generation: kid96_next() and kid_next() share a logical clock, so their IDs are in one order.
SELECT count(*) FILTER (WHERE a < b AND b < c) AS rising, count(DISTINCT b)
  FROM (SELECT kid_next() AS a, kid_local(kid96_next()) AS b, kid_next() AS c FROM generate_series(1, 10000)) made;
SELECT now() < kid_timestamp(kid96_next()) + interval '1.024 ms' AS not_before, kid_timestamp(kid96_next()) <= clock_timestamp() AS not_after;
SELECT count(DISTINCT id), min(kid_node(id)), max(kid_node(id)), min(kid_timestamp(id)) = max(kid_timestamp(id)) AS same_time
  FROM (SELECT kid96_at('2020-02-02 02:02:02.002+00') AS id FROM generate_series(1, 16384)) s;

-- Text that is not an ID, by kind: empty, short, long, wrong character, trailing junk, an ID of another type.
SELECT ''::kid96;
SELECT '.5.tXVEf8n8vPN.'::kid96;
SELECT '.5.tXVEf8n8vPN.00'::kid96;
SELECT '.5.tXVEf8n8vPN.+'::kid96;
SELECT '.5.tXVEf8n8vPN.0 '::kid96;
SELECT '-5-tXVEf8n8vPN-0'::kid96;
SELECT '.6.ndhuBk..'::kid96;
\set VERBOSITY sqlstate
SELECT 'x'::kid96;
SELECT '\x00112233445566778899aa'::bytea::kid96;
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::kid96;
\set VERBOSITY default

-- Text of a time or a range gets a hint. Other text that is no ID gets none.
SELECT '2026-11-21 20:35'::kid96;
SELECT '[2026-11-21,2026-11-22)'::kid96;
SELECT '1795241505097280000'::kid96;
PREPARE since AS SELECT kid96_floor(now()) >= $1;
EXECUTE since('2026-11-21T20:35:00.000+00:00');
DEALLOCATE since;
CREATE TABLE copied (id kid96);
COPY copied FROM STDIN;
2026-11-21 20:35:00+00
\.
DROP TABLE copied;

-- Components and instants out of range.
SELECT kid96_make('2026-11-21', -1, 0);
SELECT kid96_make('2026-11-21', 4294967296, 0);
SELECT kid96_make('2026-11-21', 0, 16384);
SELECT kid96_make('2026-11-21', 0, 0, 11);
SELECT kid96_make('infinity', 0, 0);
SELECT kid_timestamp('................'::kid96, -1);
SELECT kid_node('................'::kid96, 11);
SET kid.neighborhood = 11;
SELECT kid96_make(NULL, 0, 0) IS NULL, kid96_make(now(), NULL, 0) IS NULL, kid96_make(now(), 0, NULL) IS NULL;

-- Bounds are at the edges of the neighborhood. Outside the range of the type they are its first and last ID.
SELECT t, kid96_floor(t), kid96_ceil(t), kid_timestamp(kid96_floor(t)) AS from
  FROM unnest('{-infinity, 1970-01-01 00:00:00+00, 2026-11-21 12:34:56+00, 35198-01-19 07:06:40+00, infinity}'::timestamptz[]) AS t;

-- Sorting with abbreviated keys: where they differ often, and where they hardly differ.
CREATE TABLE t AS
SELECT kid96_make(timestamptz '2026-11-21 00:00+00' + (i * 7919 % 30011) * interval '1 second', i % 3, i % 100) AS id, i AS n
  FROM generate_series(0, 29999) AS i;
INSERT INTO t SELECT kid96_make(timestamptz '2026-11-22 00:00+00' + (i * 7919 % 30011) * interval '1.024 ms', 7, 0), 30000 + i FROM generate_series(0, 29999) AS i;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) = row_number() OVER (ORDER BY id::bytea) AS same FROM t) s WHERE NOT same;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) = row_number() OVER (ORDER BY id::bytea) AS same FROM t WHERE n >= 30000) s
 WHERE NOT same;
CREATE UNIQUE INDEX t_btree ON t (id);
SELECT count(*), sum(a.n - b.n) FROM t a JOIN t b USING (id);
DROP TABLE t;
DROP VIEW node;
ALTER SYSTEM RESET kid.node;
SELECT pg_reload_conf();
