-- sno: text and binary form, order, components, conversions.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The rows that the Go library made. It discards the part of the time below its unit of 4 ms.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/sno.tsv"`
\set times `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/sno_time.tsv"`
CREATE TABLE ids AS
SELECT f[1] AS hex, f[2] AS text, f[2]::sno AS id, f[3]::bigint / 1000 AS micros_in, f[3]::bigint / 1000 AS micros,
       f[4]::int::boolean AS tick, f[5]::int AS meta, f[6]::int AS partition, f[7]::int AS sequence
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f
 UNION ALL
SELECT f[5], f[6], f[6]::sno, f[1]::bigint / 1000, f[7]::bigint / 1000, false, f[2]::int, f[3]::int, f[4]::int
  FROM regexp_split_to_table(:'times', E'\n') AS line, string_to_array(line, E'\t') AS f;
ALTER TABLE ids ADD time_in timestamptz, ADD time timestamptz;
UPDATE ids SET time_in = to_timestamp(0) + micros_in / 1000000 * interval '1 second' + micros_in % 1000000 * interval '1 microsecond',
               time = to_timestamp(0) + micros / 1000000 * interval '1 second' + micros % 1000000 * interval '1 microsecond';

-- Every count is 290.
SELECT count(*),
       count(*) FILTER (WHERE id::text = text) AS text_out,
       count(*) FILTER (WHERE sno_send(id) = decode(hex, 'hex')) AS send,
       count(*) FILTER (WHERE id::bytea = decode(hex, 'hex')) AS to_bytea,
       count(*) FILTER (WHERE decode(hex, 'hex')::sno = id) AS from_bytea,
       count(*) FILTER (WHERE uuid_send(id::uuid) = convert_to(text, 'UTF8')) AS to_uuid,
       count(*) FILTER (WHERE encode(convert_to(text, 'UTF8'), 'hex')::uuid::sno = id) AS from_uuid
  FROM ids;
SELECT count(*) FILTER (WHERE sno_make(time_in, meta, partition, sequence, tick) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id) = time) AS timestamp,
       count(*) FILTER (WHERE kid_tick(id) = tick) AS tick,
       count(*) FILTER (WHERE kid_meta(id) = meta) AS meta,
       count(*) FILTER (WHERE kid_partition(id) = partition) AS partition,
       count(*) FILTER (WHERE kid_sequence(id) = sequence) AS sequence,
       count(*) FILTER (WHERE sno_floor(time_in) = sno_make(time, 0, 0, 0)) AS floor,
       count(*) FILTER (WHERE sno_ceil(time_in) = sno_make(time, 255, 65535, 65535, true)) AS ceil
  FROM ids;

-- Order: the type, the text in collation "C" and the bytes order alike.
SELECT count(*) FILTER (WHERE by_id <> by_text) AS id_text, count(*) FILTER (WHERE by_id <> by_bytes) AS id_bytes
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text COLLATE "C") AS by_text,
               rank() OVER (ORDER BY decode(hex, 'hex')) AS by_bytes FROM ids) ranks;

SELECT * FROM kid_inspect('9d5ve822o7f6bf8w'::sno);
SELECT sum(bits) FROM kid_inspect('9d5ve822o7f6bf8w'::sno);

-- Text that is not an ID, by kind: empty, short, long, wrong character, trailing junk, an ID of another type.
SELECT ''::sno;
SELECT '9d5ve822o7f6bf8'::sno;
SELECT '9d5ve822o7f6bf8ww'::sno;
SELECT '9d5ve822o7f6bf8W'::sno;
SELECT '9d5ve822o7f6bf8w '::sno;
SELECT '0RdKJcxqVBiAiQr0'::sno;
\set VERBOSITY sqlstate
SELECT 'x'::sno;
\set VERBOSITY default

-- Text of a time or a range gets a hint. Other text that is no ID gets none.
SELECT '2026-11-21 20:35'::sno;
SELECT '[2026-11-21,2026-11-22)'::sno;
SELECT '1795241505097280000'::sno;
PREPARE since AS SELECT sno_floor(now()) >= $1;
EXECUTE since('2026-11-21T20:35:00.000+00:00');
DEALLOCATE since;
CREATE TABLE copied (id sno);
COPY copied FROM STDIN;
2026-11-21 20:35:00+00
\.
DROP TABLE copied;

-- Bytes and uuids that are not IDs.
SELECT '\x'::bytea::sno;
SELECT '\x00112233445566778899aa'::bytea::sno;
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::sno;

-- Components and instants out of range.
SELECT sno_make('2026-11-21', 256, 0, 0);
SELECT sno_make('2026-11-21', 0, 65536, 0);
SELECT sno_make('2026-11-21', 0, 0, -1);
SELECT sno_make('2009-12-31 23:59:59.999999+00', 0, 0, 0);
SELECT sno_make('2079-09-07 15:47:35.552+00', 0, 0, 0);
SELECT sno_make('infinity', 0, 0, 0);

-- Outside the range of the type, floor and ceil return its first and last ID.
SELECT t, sno_floor(t), sno_ceil(t)
  FROM unnest('{-infinity, 2009-12-31 23:59:59.999999+00, 2010-01-01 00:00:00+00, 2079-09-07 15:47:35.551999+00,
                2079-09-07 15:47:35.552+00, infinity}'::timestamptz[]) AS t;

SELECT sno_make('2026-11-21 12:00', 1, 2, 3) - sno_make('2026-11-20 11:30', 4, 5, 6) AS later;
DROP TABLE ids;

-- Sorts, indexes and joins of so many IDs that PostgreSQL checks whether abbreviated keys pay off. The order is that of the bytes, also if the first 8 bytes of
-- all IDs are equal.
CREATE TABLE t AS
SELECT sno_make(timestamptz '2026-11-21 00:00+00' + (i * 7919 % 30011) * interval '4 ms', i % 3, 7, i % 100) AS id, i AS n
  FROM generate_series(0, 29999) AS i;
INSERT INTO t SELECT sno_make('2026-11-22 00:00+00', 0, 7, i * 7919 % 30011), 30000 + i FROM generate_series(0, 29999) AS i;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) = row_number() OVER (ORDER BY id::bytea) AS same FROM t) s WHERE NOT same;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) = row_number() OVER (ORDER BY id::bytea) AS same FROM t WHERE n >= 30000) s
 WHERE NOT same;
CREATE UNIQUE INDEX t_btree ON t (id);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id = '9d5ve822o7f6bf8w';
SELECT count(*) FROM t WHERE id >= sno_floor('2026-11-21 00:01+00') AND id < sno_floor('2026-11-21 00:02+00');
SELECT min(id)::bytea, max(id)::bytea FROM t;
RESET enable_seqscan;
SELECT count(*), sum(a.n - b.n) FROM t a JOIN t b USING (id);
SELECT sno_hash(bytes::bytea::sno) = hashtext(bytes) AS hash,
       sno_hash_extended(bytes::bytea::sno, 42) = hashtextextended(bytes, 42) AS extended
  FROM unnest(ARRAY['1234567890', 'ABCDEFGHIJ']) AS bytes;
DROP INDEX t_btree;
CREATE INDEX t_brin ON t USING brin (id sno_minmax_multi_ops) WITH (pages_per_range = 1);
SET enable_seqscan = off;
SELECT count(*) FROM t WHERE id >= sno_floor('2026-11-22 00:00+00');
DROP TABLE t;
RESET enable_seqscan;

-- Generation: IDs have the time of the clock, the given metabyte, one partition, and counting sequences.
CREATE TABLE made AS SELECT sno_next(n % 256) AS id, n FROM generate_series(1, 200000) AS n;
SELECT count(DISTINCT id), count(DISTINCT kid_partition(id)) AS partitions, bool_or(kid_tick(id)) AS ticks,
       count(*) FILTER (WHERE kid_meta(id) <> n % 256) AS other_meta,
       min(kid_timestamp(id)) > now() - interval '1 minute' AND max(kid_timestamp(id)) <= now() AS told
  FROM made;
-- Apart from the metabyte, the IDs are in the order in which they were made.
SELECT count(*)
  FROM (SELECT (kid_timestamp(id), kid_sequence(id)) > lag((kid_timestamp(id), kid_sequence(id))) OVER (ORDER BY n) AS rises FROM made) s
 WHERE NOT rises;
SELECT kid_meta(sno_next()) AS none, kid_meta(sno_next(255)) AS greatest;
SELECT sno_next(256);
SELECT sno_next(-1);
SELECT sno_next(NULL) IS NULL AS null;
DROP TABLE made;

-- Back-filling.
SELECT kid_timestamp(sno_at('2020-02-02 02:02:02.003+00')), kid_meta(sno_at('2020-02-02', 7)), kid_tick(sno_at('2020-02-02'));
SELECT count(DISTINCT sno_at('2020-02-02')) FROM generate_series(1, 65536);
SELECT sno_at('2009-12-31 23:59:59.999999+00');
SELECT sno_at('2020-02-02', 256);

-- The partition number.
SELECT kid_partition(sno_next()) = kid_partition(sno_at('2020-02-02')) AS same;
SET kid.sno_partition = '0xffff';
SELECT kid_partition(sno_next());
SET kid.sno_partition = 65536;
SET kid.sno_partition = 'here';
SHOW kid.sno_partition;
RESET kid.sno_partition;

-- The range of sequences, whose ends may be given in either order; it has at least four.
SET kid.sno_sequence_min = 1003;
SET kid.sno_sequence_max = 1000;
SELECT count(DISTINCT id), min(kid_sequence(id)), max(kid_sequence(id)) FROM (SELECT sno_next() AS id FROM generate_series(1, 100)) s;
SELECT count(DISTINCT id), min(kid_sequence(id)), max(kid_sequence(id)) FROM (SELECT sno_at('2020-02-02') AS id FROM generate_series(1, 100)) s;
SET kid.sno_sequence_min = 65536;
SHOW kid.sno_sequence_min;
-- The settings are set one at a time, so only a generator that uses them reports a contradiction.
SET kid.sno_sequence_max = 1001;
SELECT sno_next();
SET kid.sno_sequence_min = 1004;
SELECT kid_sequence(sno_next()) BETWEEN 1001 AND 1004 AS in_pool;
RESET kid.sno_sequence_min;
RESET kid.sno_sequence_max;
