-- What the editions in C and in plain SQL have in common: test/t/plain.pl runs this file against the latter, where kid64 is a
-- domain over bigint. So IDs are shown as bigint, and errors without their details.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';
SET client_min_messages = warning;
\set VERBOSITY terse
\set SHOW_CONTEXT never

-- The rows that uid made, up to the end of a signed bigint: 167 of 200.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/kid64.tsv"`
CREATE TABLE vectors AS
SELECT ('x' || f[5])::bit(64)::bigint::kid64 AS id, f[4]::int AS seq, f[6] AS text64, f[8]::bigint AS decoded_c,
       to_timestamp(0) + f[1]::int * interval '1000000 seconds' + f[2]::int * interval '1 second' AS second,
       f[3]::bigint * interval '1 us' AS c
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f
 WHERE f[5] < '8';
-- All counts are equal.
SELECT count(*), count(*) FILTER (WHERE kid64_to_text(id) = text64) AS to_text,
       count(*) FILTER (WHERE kid64_from_text(text64)::bigint = id::bigint) AS from_text,
       count(*) FILTER (WHERE kid64_make(second + c, seq) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id) = second + decoded_c * interval '1 us') AS timestamp,
       count(*) FILTER (WHERE kid64_timestamp(id) = kid_timestamp(id)) AS kid64_timestamp,
       count(*) FILTER (WHERE kid_sequence(id) = seq) AS sequence,
       count(*) FILTER (WHERE kid64_floor(second + c) = kid64_make(second + c, 0)) AS floor,
       count(*) FILTER (WHERE kid64_ceil(second + c) = kid64_make(second + c, 16383)) AS ceil,
       count(*) FILTER (WHERE kid_within(id, second + c, second + c + interval '2 ms')) AS within
  FROM vectors;
SELECT count(*) FILTER (WHERE by_id <> by_text) AS id_text
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text64 COLLATE "C") AS by_text FROM vectors) AS ranks;
SELECT component, bits, value FROM vectors, kid_inspect(id) WHERE text64 = (SELECT max(text64 COLLATE "C") FROM vectors);
SELECT bad, kid64_from_text(bad) FROM unnest(ARRAY['.6.ndhuBk.']) AS bad;
SELECT bad, kid64_from_text(bad) FROM unnest(ARRAY['.6.ndhuBk...']) AS bad;
SELECT bad, kid64_from_text(bad) FROM unnest(ARRAY['.6.ndhu+k..']) AS bad;
SELECT bad, kid64_from_text(bad) FROM unnest(ARRAY['.6.ndhuBk.0']) AS bad;
SELECT kid64_from_text('');
SELECT kid64_from_text(NULL) IS NULL AS "null";

-- Base32, as the library crockford-base32 writes it, and TypeIDs.
\set base32 `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/base32.tsv" | tail -n +2`
CREATE TABLE base32 AS
SELECT f[1]::int AS bits, f[2] AS hex, f[3] AS text
  FROM regexp_split_to_table(:'base32', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT count(*), count(*) FILTER (WHERE kid_encode(id) = text) AS encoded, count(*) FILTER (WHERE kid64_decode(text) = id) AS lower,
       count(*) FILTER (WHERE kid64_decode('ord_' || upper(text), 'ord') = id) AS upper
  FROM (SELECT ('x' || hex)::bit(64)::bigint::kid64 AS id, text FROM base32 WHERE bits = 64 AND hex < '8') AS ids;
SELECT count(*), count(*) FILTER (WHERE kid_encode(hex::uuid) = text) AS encoded, count(*) FILTER (WHERE kid_uuid_decode(text) = hex::uuid) AS lower,
       count(*) FILTER (WHERE kid_uuid_decode('ord_' || upper(text), 'ord') = hex::uuid) AS upper FROM base32 WHERE bits = 128;
\set typeids `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/typeid.tsv" | tail -n +2`
SELECT count(*), count(*) FILTER (WHERE kid_encode(uuid, prefix) = typeid) AS encoded, count(*) FILTER (WHERE kid_uuid_decode(typeid, prefix) = uuid) AS decoded
  FROM (SELECT f[1] AS prefix, f[2]::uuid AS uuid, f[3] AS typeid
          FROM regexp_split_to_table(:'typeids', E'\n') AS line, string_to_array(line, E'\t') AS f) AS typeids;
\set invalid `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/typeid_invalid.tsv" | tail -n +2`
CREATE FUNCTION attempt(encoded text, prefix text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN kid_uuid_decode(encoded, prefix);
EXCEPTION WHEN invalid_text_representation OR invalid_parameter_value THEN
    RETURN SQLSTATE;
END $$;
SELECT attempt(f[2], coalesce(substring(f[2] FROM '^(.*)_[^_]*$'), '')) AS own_prefix, attempt(f[2], 'other') AS other, count(*)
  FROM regexp_split_to_table(:'invalid', E'\n') AS line, string_to_array(line, E'\t') AS f GROUP BY 1, 2 ORDER BY 1, 2;
SELECT kid64_decode('00w1p4s37vg0');
SELECT kid64_decode('00w1p4s37vg0i');
SELECT kid64_decode('g000000000000');
SELECT kid64_decode(E'00w1p4s37vg01\n');
SELECT kid64_decode('Ord_00w1p4s37vg01', 'ord');
SELECT kid64_decode('ord_00w1p4s37vg01');
SELECT kid64_decode('00w1p4s37vg01', 'ord');
SELECT kid64_decode('Ord_00w1p4s37vg01', 'Ord');
SELECT kid_encode(kid64_floor('2026-11-21'), '_ord');
SELECT kid_encode(kid64_floor('2026-11-21'), repeat('x', 64));
SELECT kid_encode(kid64_floor('2026-11-21'), repeat('x', 63)) = repeat('x', 63) || '_' || kid_encode(kid64_floor('2026-11-21')) AS longest;

-- kid53: what Python computed. All counts are equal.
\set numbers `tail -n +3 "$PG_ABS_SRCDIR/test/vectors/kid53.tsv"`
CREATE TABLE numbers AS
SELECT f[1]::timestamptz AS time, f[3]::integer AS sequence, f[4]::bigint AS id, f[5] AS base32
  FROM regexp_split_to_table(:'numbers', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT count(*), count(*) FILTER (WHERE kid53_timestamp(id) = time) AS timestamp, count(*) FILTER (WHERE kid53_sequence(id) = sequence) AS sequence,
       count(*) FILTER (WHERE kid53_make(time + interval '999 us', sequence) = id) AS make,
       count(*) FILTER (WHERE kid53_floor(time) = id - sequence AND kid53_ceil(time) = id - sequence + 4095) AS bounds,
       count(*) FILTER (WHERE kid53_encode(id) = base32 AND kid53_encode(id, 'ord') = 'ord_' || base32) AS encode,
       count(*) FILTER (WHERE kid53_decode(base32) = id AND kid53_decode('ord_' || upper(base32), 'ord') = id) AS decode,
       count(*) FILTER (WHERE kid53_within(id, time, NULL) AND NOT kid53_within(id, NULL, time)) AS within
  FROM numbers;
SELECT component, bits, value FROM kid53_inspect(9007199254740991);
SELECT n, kid53_timestamp(n), kid53_sequence(n) FROM unnest('{-9223372036854775808, -1, 9007199254740992, 9223372036854775807}'::bigint[]) AS n;
SELECT kid53_timestamp(NULL), kid53_floor(NULL), kid53_at(NULL), kid53_encode(NULL), kid53_decode(NULL), kid53_make(NULL, 1);
SELECT kid53_encode(-1);
SELECT kid53_encode(9007199254740992);
SELECT kid53_observe(9007199254740992);
SELECT kid53_decode('80000000000');
SELECT kid53_decode('0000000000');
SELECT kid53_decode('0000000000u');
SELECT kid53_decode('ord_00000000000');
SELECT kid53_make('2019-12-31 23:59:59.999999+00', 0);
SELECT kid53_make('2089-09-06 15:47:35.552+00', 0);
SELECT kid53_make('2024-01-01', 4096);
SELECT kid53_make('2024-01-01', -1);
SELECT t, kid53_floor(t), kid53_ceil(t)
  FROM unnest('{-infinity, 2019-12-31 23:59:59.999999, 2020-01-01, 2026-11-22 12:00:00.000999, 2089-09-06 15:47:35.551999, 2089-09-06 15:47:35.552, infinity}'::timestamptz[]) AS t;
SELECT kid53_within(9007199254740991, NULL, NULL) AS greatest, kid53_within(9007199254740992, NULL, NULL) AS beyond, kid53_within(0, '2019-01-01', '2021-01-01') AS least,
       kid53_within(-1, NULL, NULL) AS negative, kid53_within(NULL, NULL, NULL) AS "null";

-- Bounds, also of times that no ID has.
SELECT t, kid64_floor(t)::bigint, kid64_ceil(t)::bigint, kid_timestamp(kid64_floor(t)), kid_uuidv7_floor(t), kid_uuidv7_ceil(t), kid_timestamp(kid_uuidv7_ceil(t))
  FROM unnest('{1970-01-01, 1970-01-01 00:00:00.001024, 2026-11-21 05:51:45.09728, 2026-11-21 05:51:45.999999, 9999-12-31 23:59:59.999999}'::timestamptz[]) AS t;
SELECT kid64_floor('-infinity')::bigint, kid64_ceil('1969-12-31 23:59:59.999999')::bigint, kid64_floor(NULL) IS NULL AS "null",
       kid_uuidv7_floor('-infinity'), kid_uuidv7_ceil('1969-12-31 23:59:59.999999'), kid_uuidv7_floor('infinity'), kid_uuidv7_ceil('20000-01-01');
SELECT kid64_make('1969-12-31 23:59:59.999999', 0);
SELECT kid64_make('2026-11-21', 16384);
SELECT kid64_make('2026-11-21', -1);
SELECT kid_uuidv7_at('1969-12-31 23:59:59.999999');
SELECT kid_uuidv7_at('10889-08-02 05:31:50.656');
SELECT kid_timestamp(uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8') IS NULL AS version_1, kid_timestamp(gen_random_uuid()) IS NULL AS version_4,
       kid_uuidv7_timestamp('019aa5d0-7d00-7000-8000-000000000000');
SELECT component, bits, value FROM kid_inspect(uuid '019aa5d0-7d01-7abc-b456-0123456789ab');
SELECT component, value FROM kid_inspect(uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8');

-- Comparison with time, with instants at, before and after both ends of a unit: it is the conjunction of two comparisons of times.
CREATE TABLE instants AS
SELECT t, CASE WHEN t < '1970-01-01' THEN '-infinity' WHEN t >= '10889-08-02 05:31:50.656' THEN 'infinity' ELSE kid_timestamp(kid_uuidv7_floor(t)) END AS millisecond,
       CASE WHEN t < '1970-01-01' THEN '-infinity' ELSE kid_timestamp(kid64_floor(t)) END AS unit
  FROM unnest('{-infinity, 1969-12-31 23:59:59.999999, 1970-01-01, 1970-01-01 00:00:00.001023, 1970-01-01 00:00:00.001024, 2026-11-21 05:51:45.097279,
                2026-11-21 05:51:45.09728, 2026-11-21 05:51:45.098303, 2026-11-21 05:51:45.098304, 2026-11-21 05:51:45.999423, 2026-11-21 05:51:45.999424,
                2026-11-21 05:51:45.999999, 2026-11-21 05:51:46, 10889-08-02 05:31:50.655999, 10889-08-02 05:31:50.656}'::timestamptz[]) AS t;
CREATE TABLE compared AS
SELECT kid64_make(t, seq) AS id, kid_timestamp(kid64_floor(t)) AS unit, uuid, kid_timestamp(uuid) AS millisecond
  FROM instants, unnest('{0, 16383}'::int[]) AS seq, LATERAL (SELECT CASE seq WHEN 0 THEN kid_uuidv7_floor(t) ELSE kid_uuidv7_ceil(t) END AS uuid) AS u WHERE t >= '1970-01-01';
SELECT count(*), count(*) FILTER (WHERE inside) AS inside, count(*) FILTER (WHERE inside <> expected) AS wrong, count(*) FILTER (WHERE uuid_inside) AS uuid_inside,
       count(*) FILTER (WHERE uuid_inside <> uuid_expected) AS uuid_wrong
  FROM (SELECT kid_within(id, a.t, b.t) AS inside, kid_within(uuid, a.t, b.t) AS uuid_inside, c.unit >= a.unit AND c.unit < b.unit AS expected,
               c.millisecond >= a.millisecond AND c.millisecond < b.millisecond AS uuid_expected
          FROM instants AS a, instants AS b, compared AS c WHERE uuid < kid_uuidv7_ceil('infinity')) AS ranges;
SELECT count(*) FILTER (WHERE kid_within(id, '-infinity', 'infinity')) AS "all", count(*) FILTER (WHERE kid_within(id, '2026-11-21', 'infinity')) AS "from",
       count(*) FILTER (WHERE kid_within(id, NULL, '2026-11-21') IS NOT true) AS "null"
  FROM compared;

-- The same DDL and the same queries.
CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
CREATE TABLE lines (n serial, id bigint PRIMARY KEY DEFAULT kid_next(), order_id kid64 REFERENCES orders);
CREATE TABLE payments (n serial, id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders);
CREATE TABLE clicks (n serial, id bigint PRIMARY KEY DEFAULT kid53_next(), at timestamptz DEFAULT clock_timestamp());
INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 1000);
INSERT INTO lines (order_id) SELECT id FROM orders;
INSERT INTO payments (order_id) SELECT id FROM orders;
INSERT INTO clicks SELECT FROM generate_series(1, 20000);
SELECT count(*), count(DISTINCT id), max(id) < kid_next() AS rising FROM orders;
SELECT count(*) FILTER (WHERE NOT rises) AS falling FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM lines) AS l;
SELECT count(*), count(*) FILTER (WHERE NOT rises) AS falling, count(*) FILTER (WHERE id NOT BETWEEN 0 AND 9007199254740991) AS beyond,
       count(*) FILTER (WHERE kid53_timestamp(id) NOT BETWEEN at - interval '1 minute' AND at + interval '1 minute') AS of_another_time
  FROM (SELECT *, id > lag(id) OVER (ORDER BY n) AS rises FROM clicks) AS c;
SELECT count(*) FILTER (WHERE NOT rises) AS falling, count(*) FILTER (WHERE version <> 'version 7 variant 2') AS others
  FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises, (SELECT string_agg(component || ' ' || value, ' ') FROM kid_inspect(id) WHERE component IN ('version', 'variant')) AS version
          FROM payments) AS p;
SELECT bool_and(kid_timestamp(id) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute') AS orders FROM orders;
SELECT bool_and(kid64_timestamp(id) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute') AS lines FROM lines;
SELECT bool_and(kid_timestamp(id) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute') AS payments FROM payments;
SELECT count(*) FROM orders WHERE id >= kid64_floor(now() - interval '1 day');
SELECT count(*) FROM orders WHERE kid_within(id, now() - interval '1 day', now() - interval '1 hour');
SELECT count(*) FROM payments WHERE id >= kid_uuidv7_floor(now() - interval '1 day');
SELECT count(*) FROM clicks WHERE id >= kid53_floor(now() - interval '1 day');
SELECT count(*) FROM clicks WHERE kid53_within(id, now() - interval '1 day', now() - interval '1 hour');
SELECT count(*), count(DISTINCT id), bool_and(rises IS NOT false) AS rising
  FROM (SELECT id, id > lag(id) OVER (ORDER BY n) AS rises FROM kid_next(20000) WITH ORDINALITY AS i (id, n)) AS ids;
SELECT count(*), count(DISTINCT id), bool_and(rises IS NOT false) AS rising
  FROM (SELECT id, id > lag(id) OVER (ORDER BY n) AS rises FROM kid_uuidv7(1000) WITH ORDINALITY AS i (id, n)) AS ids;
SELECT count(*), count(DISTINCT id), bool_and(rises IS NOT false) AS rising
  FROM (SELECT id, id > lag(id) OVER (ORDER BY n) AS rises FROM kid53_next(20000) WITH ORDINALITY AS i (id, n)) AS ids;
SELECT count(*) FROM kid_next(0);
SELECT count(*) FROM kid53_next(0);
SELECT kid64_next() < kid_next() AS one_clock, count(*) FROM kid64_next(3) GROUP BY 1;
-- An ID in text forms, as a program keeps it.
SELECT count(*) FROM orders WHERE id = kid64_decode(kid_encode(id, 'ord'), 'ord') AND id = kid64_from_text(kid64_to_text(id));

-- Old rows.
SELECT count(DISTINCT id), min(kid_timestamp(id)) FROM (SELECT kid64_at('2026-10-10') AS id FROM generate_series(1, 16384)) AS ids;
SELECT count(DISTINCT id), min(kid_timestamp(id)), max(kid_timestamp(id)) FROM (SELECT kid_uuidv7_at('2026-11-10 00:00:00.0015') AS id FROM generate_series(1, 1000)) AS ids;
SELECT count(DISTINCT id), min(kid53_timestamp(id)), max(kid53_timestamp(id)) FROM (SELECT kid53_at('2026-11-10 00:00:00.0015') AS id FROM generate_series(1, 4096)) AS ids;
SELECT kid53_at('2019-12-31 23:59:59.999999');

-- IDs from elsewhere. The clock catches up before the next test.
SELECT now() + interval '5 s' AS later \gset
SELECT kid_observe(kid64_ceil(:'later'));
SELECT kid_next() > kid64_ceil(:'later') AS kid64;
SELECT kid_observe(kid64_floor('2020-01-01'));
SELECT kid_next() > kid64_ceil(:'later') AS kid64;
SELECT kid_observe(kid_uuidv7_ceil(:'later'));
SELECT kid_uuidv7() > kid_uuidv7_ceil(:'later') AS uuid;
SELECT kid53_observe(kid53_ceil(:'later'));
SELECT kid53_next() > kid53_ceil(:'later') AS kid53;
SELECT clock, ahead > interval '0' AS ahead, last_issued > now() AS last_issued FROM kid_stats() WHERE clock IN ('kid', 'kid53', 'uuidv7') ORDER BY clock;
SELECT kid_observe(uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8');

-- A time zone of the session that calls itself UTC changes no ID and no time of one.
SELECT id::bigint, at, at = kid_timestamp(id) AS same FROM (SELECT kid64_make('2026-11-22 12:00:00.00064+00', 0) AS id, '2026-11-22 12:00:00.000+00'::timestamptz AS at OFFSET 0) AS made;
SET TimeZone = 'UTC+5';
SELECT id::bigint, at, at = kid_timestamp(id) AS same FROM (SELECT kid64_make('2026-11-22 12:00:00.00064+00', 0) AS id, '2026-11-22 12:00:00.000+00'::timestamptz AS at OFFSET 0) AS made;
SELECT kid_timestamp(kid_uuidv7_at('2026-11-22 12:00:00+00')) = '2026-11-22 12:00:00+00'::timestamptz AS uuid;
SELECT id, kid53_timestamp(id) = '2026-11-22 12:00:00+00'::timestamptz AS same FROM (SELECT kid53_make('2026-11-22 12:00:00+00', 7) AS id OFFSET 0) AS made;
SET TimeZone = 'UTC';

SELECT FROM pg_sleep(5);
SET client_min_messages = error;
DROP TABLE vectors, base32, numbers, instants, compared, orders, lines, payments, clicks;
DROP FUNCTION attempt;
