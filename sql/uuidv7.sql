-- uuid version 7: generators, bounds, and comparison with time, for uuids from any source.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The example of RFC 9562, appendix A.6, with the time 2022-02-22 14:22:22 -05:00.
SELECT kid_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid) = '2022-02-22 14:22:22-05' AS same_time;
SELECT * FROM kid_inspect('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid);
SELECT sum(bits) FROM kid_inspect('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid);
-- These have no time: the RFC's examples of versions 1, 3, 4, 5, 6 and 8, version 7 of another variant, and the nil and max uuids.
SELECT id, kid_timestamp(id), kid_uuidv7_timestamp(id), v.value AS version
  FROM unnest('{C232AB00-9414-11EC-B3C8-9F6BDECED846, 5df41881-3aed-3515-88a7-2f4a814cf09e, 919108f7-52d1-4320-9bac-f847db4148a8,
                2ed6657d-e927-568b-95e1-2665a8aea6a2, 1EC9414C-232A-6B00-B3C8-9F6BDECED846, 2489E9AD-2EE2-8E00-8EC9-32D5F69181C0,
                017F22E2-79B0-7CC3-58C4-DC0C0C07398F, 017F22E2-79B0-7CC3-D8C4-DC0C0C07398F,
                00000000-0000-0000-0000-000000000000, ffffffff-ffff-ffff-ffff-ffffffffffff}'::uuid[]) AS id, kid_inspect(id) AS v
 WHERE v.component = 'version';
SELECT kid_timestamp(NULL::uuid), kid_uuidv7_floor(NULL), kid_uuidv7_at(NULL);

-- The uuids that the npm package uuid made, with times up to the end of the range.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/uuidv7.tsv"`
CREATE TABLE ids AS
SELECT f[5]::uuid AS id, decode(f[4], 'hex') AS bytes,
       to_timestamp(0) + f[1]::bigint / 1000 * interval '1 second' + f[1]::bigint % 1000 * interval '1 millisecond' AS time
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;
-- Every count is 200.
SELECT count(*),
       count(*) FILTER (WHERE uuid_send(id) = bytes) AS send,
       count(*) FILTER (WHERE kid_timestamp(id) = time) AS timestamp,
       count(*) FILTER (WHERE id >= time AND id <= time AND NOT id < time AND NOT id > time) AS same_millisecond,
       count(*) FILTER (WHERE id >= time + interval '999 us' AND id < time + interval '1 ms' AND id > time - interval '1 us') AS its_edges,
       count(*) FILTER (WHERE id BETWEEN kid_uuidv7_floor(time) AND kid_uuidv7_ceil(time)) AS bounds,
       count(*) FILTER (WHERE kid_timestamp(kid_uuidv7_floor(time)) = time AND kid_timestamp(kid_uuidv7_ceil(time)) = time) AS bounds_are_version_7,
       count(*) FILTER (WHERE kid_within(id, tstzrange(time, time, '[]')) AND NOT kid_within(id, tstzrange(time, time))) AS within
  FROM ids;

-- The generator makes rising uuids of version 7 with the current time, to the microsecond, in fraction and count.
CREATE TABLE made (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), n int, at timestamptz DEFAULT clock_timestamp());
INSERT INTO made (n) SELECT generate_series(1, 100000);
SELECT count(*), count(*) FILTER (WHERE id <= previous) AS falling,
       count(*) FILTER (WHERE id::text !~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') AS malformed,
       count(*) FILTER (WHERE NOT id <= at OR NOT id >= at - interval '1 second') AS of_another_time
  FROM (SELECT *, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
-- Each of the 58 random bits is set in about half of the uuids.
SELECT count(*) FROM (SELECT sum(get_bit(uuid_send(id), bit)) AS ones FROM (SELECT id FROM made LIMIT 20000) m, generate_series(64, 127) AS bit WHERE bit NOT BETWEEN 66 AND 71 GROUP BY bit) s
 WHERE ones BETWEEN 9600 AND 10400;
SELECT count(DISTINCT v.value) FROM (SELECT id FROM made LIMIT 20000) m, kid_inspect(id) AS v WHERE v.component = 'random';
-- Many uuids in one call.
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid_uuidv7(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT kid_uuidv7() AS before \gset
SELECT bool_and(id > :'before') AS rises FROM kid_uuidv7(1000) AS id;
SELECT id AS last FROM kid_uuidv7(1000) AS id ORDER BY id DESC LIMIT 1 \gset
SELECT kid_uuidv7() > :'last' AS above;
SELECT count(*) FROM kid_uuidv7(0);
SELECT kid_uuidv7(-1);
EXPLAIN SELECT * FROM kid_uuidv7(12345);
SELECT clock, last_issued <= clock_timestamp() AS of_now, waits >= 0 AS waits, ticks, safe_mark FROM kid_stats() WHERE clock = 'uuidv7';

-- For a given time, all 74 bits below the millisecond are random.
CREATE TABLE past AS SELECT kid_uuidv7_at('2020-02-02 02:02:02.002345+00') AS id FROM generate_series(1, 100000);
SELECT count(DISTINCT id), min(kid_timestamp(id)), max(kid_timestamp(id)) FROM past;
SELECT count(*) FROM (SELECT sum(get_bit(uuid_send(id), bit)) AS ones FROM (SELECT id FROM past LIMIT 20000) p, generate_series(48, 127) AS bit WHERE bit NOT BETWEEN 52 AND 55 AND bit NOT IN (70, 71) GROUP BY bit) s
 WHERE ones BETWEEN 9600 AND 10400;
SELECT kid_timestamp(kid_uuidv7_at('1970-01-01 00:00+00')), kid_timestamp(kid_uuidv7_at('10889-08-02 05:31:50.655999+00'));
SELECT kid_uuidv7_at('1969-12-31 23:59:59.999999+00');
SELECT kid_uuidv7_at('10889-08-02 05:31:50.656+00');
SELECT kid_uuidv7_at('infinity');

-- Bounds are of version 7, also outside the range of times.
SELECT t, kid_uuidv7_floor(t), kid_uuidv7_ceil(t)
  FROM unnest('{-infinity, 4713-01-01 BC, 1969-12-31 23:59:59.999999+00, 1970-01-01 00:00:00+00, 2026-11-22 12:00:00.000999+00,
                10889-08-02 05:31:50.655999+00, 10889-08-02 05:31:50.656+00, 294276-12-31 23:59:59.999999+00, infinity}'::timestamptz[]) AS t;

-- If t is in the range, then for every uuid u < t equals u < floor(t), u <= t equals u <= ceil(t), and so on. It holds with the operands in either order, and
-- for the functions under names that the planner does not know.
CREATE TABLE anything AS SELECT id FROM ids UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 200)
UNION ALL SELECT f FROM generate_series(0, 9) AS i, LATERAL (VALUES (kid_uuidv7_floor(to_timestamp(i * 1e9))), (kid_uuidv7_ceil(to_timestamp(i * 1e9)))) AS b (f)
UNION ALL SELECT overlay(kid_uuidv7_floor(to_timestamp(i * 1e9))::text PLACING version FROM 15)::uuid FROM generate_series(0, 9) AS i, unnest('{0000-0000,4fff-bfff,7000-7fff,7fff-cfff,8000-8000}'::text[]) AS version
UNION ALL VALUES ('00000000-0000-0000-0000-000000000000'::uuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid);
CREATE TABLE instants AS SELECT time + unnest('{0, 1 us, 999 us, -1 us}'::interval[]) AS t FROM (SELECT * FROM ids WHERE time > '1970-01-02' ORDER BY bytes LIMIT 50) s
UNION ALL SELECT to_timestamp(i * 1e9) + unnest('{0, 1 us, 999 us, 1 ms}'::interval[]) FROM generate_series(0, 9) AS i;
DO $$
DECLARE
    op record;
BEGIN
    FOR op IN SELECT * FROM (VALUES ('<', 'lt'), ('<=', 'le'), ('>=', 'ge'), ('>', 'gt')) AS v (symbol, name) LOOP
        EXECUTE format('CREATE FUNCTION uuid_plain_%s(uuid, timestamptz) RETURNS boolean LANGUAGE c STRICT AS ''$libdir/kid'', ''kid_uuidv7_%1$s_time''', op.name);
    END LOOP;
END $$;
CREATE FUNCTION uuid_plain_within(uuid, tstzrange) RETURNS boolean LANGUAGE c STRICT AS '$libdir/kid', 'kid_uuidv7_within';
SELECT count(*) > 100000 AS pairs,
       count(*) FILTER (WHERE (id < t) <> (id < kid_uuidv7_floor(t)) OR (t > id) <> (id < t) OR uuid_plain_lt(id, t) <> (id < t)) AS lt,
       count(*) FILTER (WHERE (id <= t) <> (id <= kid_uuidv7_ceil(t)) OR (t >= id) <> (id <= t) OR uuid_plain_le(id, t) <> (id <= t)) AS le,
       count(*) FILTER (WHERE (id >= t) <> (id >= kid_uuidv7_floor(t)) OR (t <= id) <> (id >= t) OR uuid_plain_ge(id, t) <> (id >= t)) AS ge,
       count(*) FILTER (WHERE (id > t) <> (id > kid_uuidv7_ceil(t)) OR (t < id) <> (id > t) OR uuid_plain_gt(id, t) <> (id > t)) AS gt,
       count(*) FILTER (WHERE kid_within(id, tstzrange(t, t + interval '30 years')) <> (id >= t AND id < t + interval '30 years')
                           OR kid_within(id, tstzrange(NULL, t, '(]')) <> (id <= t) OR kid_within(id, tstzrange(t, NULL, '()')) <> (id > t)
                           OR uuid_plain_within(id, tstzrange(t, t + interval '30 years')) <> kid_within(id, tstzrange(t, t + interval '30 years'))) AS within
  FROM anything, instants;
-- If a time is before the range, every uuid is later; if it is after the range, every uuid is earlier.
SELECT t, count(*) FILTER (WHERE id < t) AS lt, count(*) FILTER (WHERE id <= t) AS le, count(*) FILTER (WHERE id >= t) AS ge, count(*) FILTER (WHERE id > t) AS gt,
       count(*) FILTER (WHERE uuid_plain_lt(id, t) <> (id < t) OR uuid_plain_le(id, t) <> (id <= t) OR uuid_plain_ge(id, t) <> (id >= t) OR uuid_plain_gt(id, t) <> (id > t)) AS differ
  FROM anything, unnest('{-infinity, 0044-03-15 BC, 1969-12-31 23:59:59.999999+00, 10889-08-02 05:31:50.656+00, infinity}'::timestamptz[]) AS t GROUP BY t ORDER BY t;
SELECT count(*) FILTER (WHERE kid_within(id, 'empty'::tstzrange)) AS empty, count(*) FILTER (WHERE kid_within(id, '(,)'::tstzrange)) AS all,
       count(*) FILTER (WHERE kid_within(id, NULL::tstzrange) IS NULL) AS unknown, count(*) FILTER (WHERE (id < NULL::timestamptz) IS NULL) AS unknown_too
  FROM anything;

-- Plans: ranges of the key.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE id >= timestamptz '2026-11-22' AND id < timestamptz '2026-11-23';
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE timestamptz '2026-11-22' > id;
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE NOT id >= timestamptz '2026-11-22';
EXPLAIN (COSTS OFF) SELECT id FROM made WHERE kid_within(id, tstzrange('2026-11-22', '2026-11-23'));
-- The bounds of an empty range make an index scan find nothing.
EXPLAIN (COSTS OFF) SELECT id FROM made WHERE kid_within(id, 'empty'::tstzrange);
SELECT count(*) > 0 AS some, count(*) = (SELECT count(*) FROM made WHERE uuid_plain_gt(id, (SELECT max(at) - interval '50 ms' FROM made))) AS same
  FROM made WHERE id > (SELECT max(at) - interval '50 ms' FROM made);
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE id > now() - interval '1 hour' ORDER BY id DESC LIMIT 10;
PREPARE later AS SELECT count(*) FROM made WHERE id > $1::timestamptz;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE later(now());
EXECUTE later('2026-11-22');
EXECUTE later('infinity');
EXECUTE later(NULL);
RESET plan_cache_mode;
DEALLOCATE later;
-- Without a comparison with time, a parameter gets the type uuid, as it does without kid.
PREPARE of_uuid AS SELECT count(*) FROM made WHERE id > $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'of_uuid';
DEALLOCATE of_uuid;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- Partitions, the first of which a user created with a bound that has no version.
CREATE TABLE parts (id uuid) PARTITION BY RANGE (id);
CREATE TABLE parts_p20251031 PARTITION OF parts FOR VALUES FROM (MINVALUE) TO ('019a3cb6-bc00-0000-0000-000000000000');
SELECT * FROM kid_create_partitions('parts', '1 day', '2025-11-05');
SELECT * FROM kid_create_partitions('parts', '1 day', '2025-11-05');
SELECT partition, begins, ends FROM kid_partitions('parts');
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'parts'::regclass ORDER BY 1;
INSERT INTO parts SELECT kid_uuidv7_at(t) FROM unnest('{2025-11-01 23:59:59.999999, 2025-11-02, 2025-11-04}'::timestamptz[]) AS t;
SELECT tableoid::regclass, count(*) FROM parts GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM parts WHERE id >= timestamptz '2025-11-03';
EXPLAIN (COSTS OFF) SELECT * FROM parts WHERE kid_within(id, '[2025-11-02,2025-11-03)'::tstzrange);
SELECT kid_drop_partitions('parts', '2025-11-03', false);
SELECT count(*) FROM parts;
DROP TABLE parts;

-- One column with uuids of kid, of the npm package and of version 4: a query by time gives the same answer with and without an index.
INSERT INTO made (id) SELECT id FROM ids UNION SELECT gen_random_uuid() FROM generate_series(1, 2000);
ANALYZE made;
SET enable_seqscan = off;
SELECT count(*) AS by_index FROM made WHERE id < timestamptz '2020-01-01' \gset
RESET enable_seqscan;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
SELECT :by_index > 0 AND :by_index = count(*) AS same FROM made WHERE uuid_plain_lt(id, timestamptz '2020-01-01');
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET enable_indexonlyscan;

-- Moving the clock. A uuid of another version does not move it.
SELECT kid_observe('919108f7-52d1-4320-9bac-f847db4148a8'::uuid);
SELECT kid_uuidv7_ceil(now() + interval '2 s') AS ahead \gset
SELECT kid_observe(:'ahead'::uuid);
SELECT kid_uuidv7() > :'ahead' AS above, kid_uuidv7() < now() + interval '3 s' AS not_far;
SET client_min_messages = warning;          -- the notice says by how much
SELECT kid_reset_clock(now(), force => true);
RESET client_min_messages;
SELECT kid_uuidv7() < :'ahead' AS below;

-- Other roles may generate and query like with any uuid.
CREATE ROLE regress_kid_user;
GRANT SELECT ON made TO regress_kid_user;
SET ROLE regress_kid_user;
SELECT kid_uuidv7() < kid_uuidv7() AS anybody_may_generate, count(*) >= 100000 AS and_ask FROM made WHERE id > timestamptz '2026-11-21';
SELECT kid_observe(kid_uuidv7());
SELECT kid_reset_clock(now());
RESET ROLE;
DROP TABLE made, ids, past, anything, instants;
DROP FUNCTION uuid_plain_lt, uuid_plain_le, uuid_plain_ge, uuid_plain_gt, uuid_plain_within;
DROP ROLE regress_kid_user;
