-- flake: text and binary form, order, components, conversions, generation.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The rows that the Node library made, with several epochs.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/flake.tsv"`
CREATE TABLE ids AS
SELECT to_timestamp(0) + f[1]::bigint / 1000 * interval '1 second' + f[1]::bigint % 1000 * interval '1 millisecond' AS time,
       to_timestamp(0) + f[2]::bigint / 1000 * interval '1 second' + f[2]::bigint % 1000 * interval '1 millisecond' AS epoch,
       f[2]::bigint AS epoch_ms, f[3]::int AS datacenter, f[4]::int AS worker, f[5]::int AS generator, f[6]::int AS sequence,
       f[7] AS hex, f[8] AS text, f[8]::flake AS id
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;

-- Every count is 200.
SELECT count(*),
       count(*) FILTER (WHERE id::text = text) AS text_out,
       count(*) FILTER (WHERE ('0x' || hex)::flake = id) AS hex_in,
       count(*) FILTER (WHERE flake_send(id) = decode(hex, 'hex')) AS send,
       count(*) FILTER (WHERE id::bytea = decode(hex, 'hex')) AS to_bytea,
       count(*) FILTER (WHERE decode(hex, 'hex')::flake = id) AS from_bytea,
       count(*) FILTER (WHERE id::bigint = ('x' || hex)::bit(64)::bigint) AS to_bigint,
       count(*) FILTER (WHERE ('x' || hex)::bit(64)::bigint::flake = id) AS from_bigint
  FROM ids;
SELECT count(*) FILTER (WHERE flake_make(time, datacenter, worker, sequence, epoch) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id, epoch) = time) AS timestamp,
       count(*) FILTER (WHERE kid_datacenter(id) = datacenter) AS datacenter,
       count(*) FILTER (WHERE kid_worker(id) = worker) AS worker,
       count(*) FILTER (WHERE kid_generator(id) = generator) AS generator,
       count(*) FILTER (WHERE kid_sequence(id) = sequence) AS sequence
  FROM ids;

-- Functions that take their epoch from the setting. set_config() comes before the rest of each row's query.
CREATE FUNCTION with_epoch(ids) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('kid.flake_epoch', $1.epoch_ms::text, true);
    RETURN flake_make($1.time, $1.datacenter, $1.worker, $1.sequence) = $1.id
       AND kid_timestamp($1.id) = $1.time
       AND flake_floor($1.time + interval '999 microseconds') = flake_make($1.time, 0, 0, 0)
       AND flake_ceil($1.time) = flake_make($1.time, 31, 31, 4095);
END $$;
SELECT count(*) FROM ids WHERE with_epoch(ids);
RESET kid.flake_epoch;

-- The table in flake-idgen's README.
SELECT id, to_hex((extract(epoch FROM kid_timestamp(id)) * 1000)::bigint) AS ms, kid_datacenter(id), kid_worker(id), kid_sequence(id)
  FROM unnest('{0x02308150ec000000, 0x02308150ec400000, 0x02308150ec400001, 0x02308150ec400002, 0x02308150ec400003,
                0x02308300cd461000, 0x02308300cd461001}'::flake[]) AS id;
-- The ID that flake-idgen's README takes apart: datacenter 7, worker 3, counter 0.
SELECT * FROM kid_inspect('5828128208445124608'::flake);
SELECT sum(bits) FROM kid_inspect('5828128208445124608'::flake);

-- Order: the type, the number and the bytes order alike; comparison is unsigned.
SELECT count(*) FILTER (WHERE by_id <> by_number) AS id_number, count(*) FILTER (WHERE by_id <> by_bytes) AS id_bytes
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text::numeric) AS by_number,
               rank() OVER (ORDER BY decode(hex, 'hex')) AS by_bytes FROM ids) ranks;
SELECT '9223372036854775807'::flake < '9223372036854775808'::flake AS unsigned, '18446744073709551615'::flake::bigint;
SELECT count(*) FILTER (WHERE (a.id < b.id) <> (a.n < b.n)) AS lt,
       count(*) FILTER (WHERE (a.id <= b.id) <> (a.n <= b.n)) AS le,
       count(*) FILTER (WHERE (a.id = b.id) <> (a.n = b.n)) AS eq,
       count(*) FILTER (WHERE (a.id <> b.id) <> (a.n <> b.n)) AS ne,
       count(*) FILTER (WHERE (a.id >= b.id) <> (a.n >= b.n)) AS ge,
       count(*) FILTER (WHERE (a.id > b.id) <> (a.n > b.n)) AS gt,
       count(*) FILTER (WHERE flake_cmp(a.id, b.id) <> sign(a.n - b.n)) AS cmp,
       count(*) AS pairs
  FROM (SELECT id, text::numeric AS n FROM ids) a, (SELECT id, text::numeric AS n FROM ids) b;

-- Text that is not an ID, by kind: empty, short (no digit after 0x), long, wrong character, trailing junk, overflow, an ID of another type.
SELECT ''::flake;
SELECT '0x'::flake;
SELECT '018446744073709551615'::flake;
SELECT '-1'::flake;
SELECT '12 '::flake;
SELECT '0x02308150ec00000g'::flake;
SELECT '18446744073709551616'::flake;
SELECT '0x10000000000000000'::flake;
SELECT '.6.nef3Mk.3'::flake;
\set VERBOSITY sqlstate
SELECT 'x'::flake;
\set VERBOSITY default
-- Text of a time or a range gets a hint. Other text that is no ID gets none.
SELECT '2026-11-21 20:35'::flake;
SELECT '[2026-11-21,2026-11-22)'::flake;
SELECT '-1795241505097280000'::flake;
PREPARE since AS SELECT flake_floor(now()) >= $1;
EXECUTE since('2026-11-21T20:35:00.000+00:00');
DEALLOCATE since;
CREATE TABLE copied (id flake);
COPY copied FROM STDIN;
2026-11-21 20:35:00+00
\.
DROP TABLE copied;
SELECT '\x00112233445566'::bytea::flake;

-- Components, instants and epochs out of range.
SELECT flake_make('2026-11-21', 32, 0, 0);
SELECT flake_make('2026-11-21', 0, -1, 0);
SELECT flake_make('2026-11-21', 0, 0, 4096);
SELECT flake_make('1969-12-31 23:59:59.999999+00', 0, 0, 0);
SELECT flake_make('2109-05-15 07:35:11.104+00', 0, 0, 0);
SELECT flake_make('2010-12-31 23:59:59.999999+00', 0, 0, 0, '2011-01-01 00:00+00');
SELECT flake_make('2150-05-16 07:35:11.104+00', 0, 0, 0, '2011-01-01 00:00+00');
SELECT flake_make('2026-11-21', 0, 0, 0, '2011-01-01 00:00:00.0005+00');
SELECT flake_make('2026-11-21', 0, 0, 0, 'infinity');
SELECT kid_timestamp('1'::flake, '1969-12-31');
SELECT kid_timestamp('18446744073709551615'::flake, '2109-05-15 07:35:11.103+00') AS last;
SELECT flake_make(NULL, 0, 0, 0) IS NULL AS null_1, flake_make(now(), 0, 0, NULL) IS NULL AS null_4;

-- Outside the range of the type, floor and ceil return its first and last ID.
SELECT t, flake_floor(t), flake_ceil(t)
  FROM unnest('{-infinity, 1969-12-31 23:59:59.999999+00, 1970-01-01 00:00:00+00, 2109-05-15 07:35:11.103999+00,
                2109-05-15 07:35:11.104+00, infinity}'::timestamptz[]) AS t;
SELECT flake_make('2026-11-21 12:00', 1, 2, 3) - flake_make('2026-11-20 11:30', 4, 5, 6) AS later;
DROP TABLE ids CASCADE;

-- In a column: literals, numbers and parameters of each kind work, and the index is used.
CREATE TABLE t (id flake PRIMARY KEY DEFAULT flake_next(), n int);
INSERT INTO t (n) SELECT generate_series(1, 100000);
SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM t) s WHERE NOT rises;
SELECT count(DISTINCT id), min(kid_timestamp(id)) > now() - interval '1 minute' AND max(kid_timestamp(id)) <= now() AS told FROM t;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id = 157768171514757120;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id = '0x02308150ec000000';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id = 5;
PREPARE by_text(text) AS SELECT * FROM t WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_text('5');
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE t;

-- Two types accept any bigint. If a query names neither type, PostgreSQL asks for a cast.
\set VERBOSITY terse
SELECT kid_timestamp(157768171514757120);
SELECT kid_timestamp(157768171514757120::flake);
SELECT 1::bigint = '1'::text;
\set VERBOSITY default
SELECT 1::bigint = 1, 1::bigint = '1';
CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT flake_next());
INSERT INTO numbers DEFAULT VALUES;
SELECT now() - kid_timestamp(id::flake) < interval '1 minute' AS recent FROM numbers WHERE id >= flake_floor(now() - interval '1 minute')::bigint;
DROP TABLE numbers;

-- The generator number in the ID.
SELECT kid_generator(flake_next());
SET kid.flake_id = 100;
SELECT kid_generator(flake_next()), kid_datacenter(flake_at(now())), kid_worker(flake_at(now()));
SET kid.flake_datacenter = 3;
SET kid.flake_worker = 4;
SELECT kid_generator(flake_next());
SET kid.flake_id = -1;
SET kid.flake_datacenter = 9;
SET kid.flake_worker = 7;
SELECT kid_generator(flake_next()), kid_datacenter(flake_next()), kid_worker(flake_next());
-- The settings are set one at a time, so only a generator that uses them reports a contradiction.
SET kid.flake_id = 33;
SELECT flake_next();
SET kid.flake_datacenter = -1;
SELECT flake_next();
SET kid.flake_worker = 1;
SELECT kid_generator(flake_next());
SET kid.flake_id = 1024;
SET kid.flake_datacenter = 32;
SET kid.flake_worker = 32;
RESET kid.flake_id;
RESET kid.flake_datacenter;
RESET kid.flake_worker;

SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The epoch.
SHOW kid.flake_epoch;
SET kid.flake_epoch = 1300000000000;
SHOW kid.flake_epoch;
SELECT setting, unit FROM pg_settings WHERE name = 'kid.flake_epoch';
SELECT kid_timestamp(flake_next(), to_timestamp(1300000000)) BETWEEN now() - interval '2 ms' AND clock_timestamp() AS told;
SELECT flake_next() < flake_make(now(), 0, 0, 0, to_timestamp(0)) AS smaller;
SELECT kid_timestamp(flake_at('2011-03-13 07:06:40+00'));
SELECT flake_at('2011-03-13 07:06:39.999999+00');
SELECT flake_floor('2011-03-13 07:06:39+00'), flake_floor('2011-03-13 07:06:40.001+00');
SET kid.flake_epoch = 4398046511103;
SELECT flake_next();
SET kid.flake_epoch = 0.5;
\set VERBOSITY sqlstate
SET kid.flake_epoch = 4398046511104;
SET kid.flake_epoch = -1;
\set VERBOSITY default
RESET kid.flake_epoch;

-- A shorter sequence than the default.
SET kid.flake_sequence_max = 9;
SELECT count(DISTINCT id), max(kid_sequence(id)) FROM (SELECT flake_next() AS id FROM generate_series(1, 100)) s;
SELECT count(DISTINCT id), max(kid_sequence(id)) FROM (SELECT flake_at('2020-02-02') AS id FROM generate_series(1, 100)) s;
SET kid.flake_sequence_max = 4096;
RESET kid.flake_sequence_max;
