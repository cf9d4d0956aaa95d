-- flax: text and binary form, order, components, conversions.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The rows that the Python library made.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/flax.tsv"`
CREATE TABLE ids AS
SELECT decode(f[2], 'hex') AS random, f[3] AS hex, f[4] AS text, f[4]::flax AS id,
       to_timestamp(0) + f[1]::bigint / 1000 * interval '1 second' + f[1]::bigint % 1000 * interval '1 millisecond' AS time
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;

-- Every count is 200.
SELECT count(*),
       count(*) FILTER (WHERE id::text = text) AS text_out,
       count(*) FILTER (WHERE flax_send(id) = decode(hex, 'hex')) AS send,
       count(*) FILTER (WHERE id::bytea = decode(hex, 'hex')) AS to_bytea,
       count(*) FILTER (WHERE decode(hex, 'hex')::flax = id) AS from_bytea,
       count(*) FILTER (WHERE uuid_send(id::uuid) = convert_to(text, 'UTF8')) AS to_uuid,
       count(*) FILTER (WHERE encode(convert_to(text, 'UTF8'), 'hex')::uuid::flax = id) AS from_uuid
  FROM ids;
SELECT count(*) FILTER (WHERE flax_make(time, random) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id) = time) AS timestamp,
       count(*) FILTER (WHERE kid_random(id) = random) AS random,
       count(*) FILTER (WHERE flax_floor(time + interval '999 microseconds') = flax_make(time, '\x00000000000000')) AS floor,
       count(*) FILTER (WHERE flax_ceil(time) = flax_make(time, '\xffffffffffffff')) AS ceil
  FROM ids;

-- Order: the type, the text in collation "C" and the bytes order alike.
SELECT count(*) FILTER (WHERE by_id <> by_text) AS id_text, count(*) FILTER (WHERE by_id <> by_bytes) AS id_bytes
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text COLLATE "C") AS by_text,
               rank() OVER (ORDER BY decode(hex, 'hex')) AS by_bytes FROM ids) ranks;

SELECT * FROM kid_inspect('0RdKJcxqVBiAiQr0'::flax);
SELECT sum(bits) FROM kid_inspect('0RdKJcxqVBiAiQr0'::flax);

-- Text that is not an ID, by kind: empty, short, long, wrong character, trailing junk, an ID of another type.
SELECT ''::flax;
SELECT '0RdKJcxqVBiAiQr'::flax;
SELECT '0RdKJcxqVBiAiQr00'::flax;
SELECT '0RdKJcxqVBiAiQr+'::flax;
SELECT '0RdKJcxqVBiAiQr0 '::flax;
SELECT '.5.tXVEf8n8vPN.0'::flax;
\set VERBOSITY sqlstate
SELECT 'x'::flax;
\set VERBOSITY default

-- Text of a time or a range gets a hint. Other text that is no ID gets none.
SELECT '2026-11-21 20:35'::flax;
SELECT '[2026-11-21,2026-11-22)'::flax;
SELECT '1795241505097280000'::flax;
PREPARE since AS SELECT flax_floor(now()) >= $1;
EXECUTE since('2026-11-21T20:35:00.000+00:00');
DEALLOCATE since;
CREATE TABLE copied (id flax);
COPY copied FROM STDIN;
2026-11-21 20:35:00+00
\.
DROP TABLE copied;

-- Bytes and uuids that are not IDs.
SELECT '\x'::bytea::flax;
SELECT '\x00112233445566778899aa'::bytea::flax;
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::flax;

-- Components and instants out of range.
SELECT flax_make('2026-11-21', '\x001122334455');
SELECT flax_make('2026-11-21', '\x0011223344556677');
SELECT flax_make('2014-12-31 23:59:59.999999+00', '\x00000000000000');
SELECT flax_make('2049-11-03 19:53:47.776+00', '\x00000000000000');

-- Outside the range of the type, floor and ceil return its first and last ID.
SELECT t, flax_floor(t), flax_ceil(t)
  FROM unnest('{-infinity, 2014-12-31 23:59:59.999999+00, 2015-01-01 00:00:00+00, 2049-11-03 19:53:47.775999+00,
                2049-11-03 19:53:47.776+00, infinity}'::timestamptz[]) AS t;

-- The operators agree with those of the bytes.
SELECT count(*) FILTER (WHERE (a.id < b.id) <> (a.hex < b.hex)) AS lt,
       count(*) FILTER (WHERE (a.id <= b.id) <> (a.hex <= b.hex)) AS le,
       count(*) FILTER (WHERE (a.id = b.id) <> (a.hex = b.hex)) AS eq,
       count(*) FILTER (WHERE (a.id <> b.id) <> (a.hex <> b.hex)) AS ne,
       count(*) FILTER (WHERE (a.id >= b.id) <> (a.hex >= b.hex)) AS ge,
       count(*) FILTER (WHERE (a.id > b.id) <> (a.hex > b.hex)) AS gt,
       count(*) FILTER (WHERE flax_cmp(a.id, b.id) <> sign(byteacmp(a.id::bytea, b.id::bytea))) AS cmp,
       count(*) AS pairs
  FROM (SELECT id, hex COLLATE "C" FROM ids) a, (SELECT id, hex COLLATE "C" FROM ids) b;
DROP TABLE ids;

-- Generation: IDs have the time of the clock, and random bits that do not repeat. Each of the 56 bits is set in about half of the IDs.
SELECT date_trunc('milliseconds', now()) <= kid_timestamp(flax_next()) AS not_before, kid_timestamp(flax_next()) <= clock_timestamp() AS not_after;
CREATE TABLE made AS SELECT flax_next() AS id FROM generate_series(1, 100000);
INSERT INTO made SELECT flax_at('2020-02-02 02:02:02.002+00') FROM generate_series(1, 100000);
SELECT count(DISTINCT id), count(DISTINCT kid_random(id)) FROM made;
SELECT count(*) FROM (SELECT sum(get_bit(kid_random(id), bit)) AS ones FROM made, generate_series(0, 55) AS bit GROUP BY bit) s
 WHERE ones BETWEEN 98500 AND 101500;
SELECT count(*) FROM made WHERE kid_timestamp(id) = '2020-02-02 02:02:02.002+00';
SELECT flax_at('2014-12-31');
DROP TABLE made;
