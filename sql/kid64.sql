-- kid64: text and binary form, order, components, conversions.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The rows that uid made.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/test/vectors/kid64.tsv"`
CREATE TABLE vectors AS
SELECT f[1]::bigint AS a, f[2]::bigint AS b, f[3]::bigint AS c, f[4]::int AS seq, f[5] AS hex, f[6] AS text64,
       f[7]::bigint AS t_ms, f[8]::bigint AS decoded_c,
       to_timestamp(0) + f[1]::int * interval '1000000 seconds' + f[2]::int * interval '1 second' AS second
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT count(*) FROM vectors;

CREATE TABLE ids AS SELECT *, text64::kid64 AS id FROM vectors;

-- Text and bytes, in both directions. Every count is 200.
SELECT count(*) FILTER (WHERE id::text = text64) AS text_out,
       count(*) FILTER (WHERE kid64_send(id) = decode(hex, 'hex')) AS send,
       count(*) FILTER (WHERE id::bytea = decode(hex, 'hex')) AS to_bytea,
       count(*) FILTER (WHERE decode(hex, 'hex')::kid64 = id) AS from_bytea,
       count(*) FILTER (WHERE id::bigint = ('x' || hex)::bit(64)::bigint) AS to_bigint,
       count(*) FILTER (WHERE ('x' || hex)::bit(64)::bigint::kid64 = id) AS from_bigint
  FROM ids;

-- Components, in both directions.
SELECT count(*) FILTER (WHERE kid64_make(second + c * interval '1 microsecond', seq) = id) AS make,
       count(*) FILTER (WHERE kid_timestamp(id) = second + decoded_c * interval '1 microsecond') AS timestamp,
       count(*) FILTER (WHERE id::timestamptz = second + decoded_c * interval '1 microsecond') AS to_timestamptz,
       count(*) FILTER (WHERE (extract(epoch FROM kid_timestamp(id)) * 1000)::numeric - t_ms BETWEEN 0 AND 0.999) AS t_ms,
       count(*) FILTER (WHERE kid_sequence(id) = seq) AS sequence,
       count(*) FILTER (WHERE kid64_floor(second + c * interval '1 microsecond') = kid64_make(kid_timestamp(id), 0)) AS floor,
       count(*) FILTER (WHERE kid64_ceil(second + c * interval '1 microsecond') = kid64_make(kid_timestamp(id), 16383)) AS ceil,
       count(*) FILTER (WHERE (second + c * interval '1 microsecond')::kid64 = kid64_floor(kid_timestamp(id))) AS from_timestamptz
  FROM ids;

-- Order: the type, the text in collation "C" and the bytes order alike.
SELECT count(*) FILTER (WHERE by_id <> by_text) AS id_text, count(*) FILTER (WHERE by_id <> by_bytes) AS id_bytes
  FROM (SELECT rank() OVER (ORDER BY id) AS by_id, rank() OVER (ORDER BY text64 COLLATE "C") AS by_text,
               rank() OVER (ORDER BY decode(hex, 'hex')) AS by_bytes FROM ids) ranks;

-- An ID with the highest bit set is not negative.
SELECT min(id), max(id), min(id::bigint) < 0 AS bigint_has_a_sign FROM ids;

-- The parts of an ID, as a table.
SELECT * FROM kid_inspect('.6.ndhuBk..'::kid64);
SELECT sum(bits) FROM kid_inspect('.6.ndhuBk..'::kid64);

-- Text that is not an ID, by kind: empty, short, long, wrong character, trailing junk, other alphabets, too many bits.
SELECT ''::kid64;
SELECT '.6.ndhuBk.'::kid64;
SELECT '.6.ndhuBk...'::kid64;
SELECT ' .6.ndhuBk..'::kid64;
SELECT '.6.ndhuBk.. '::kid64;
SELECT '.6.ndhu+k..'::kid64;
SELECT '-6-ndhuBk--'::kid64;
SELECT '.6.ndhüBk..'::kid64;
SELECT '.6.ndhuBk.0'::kid64;
SELECT 'zzzzzzzzzzz'::kid64;
\set VERBOSITY sqlstate
SELECT 'x'::kid64;
SELECT 'x'::text::kid64;
\set VERBOSITY default

-- Invalid text gets a hint that helps with times and ranges, in whatever way it is given.
SELECT count(*) FROM ids WHERE id >= '2026-11-21 20:35';
SELECT '[2026-11-21 20:35:00+00,)'::kid64;
PREPARE since AS SELECT count(*) FROM ids WHERE id >= $1;
EXECUTE since('2026-11-21T20:35:00.000+00:00');
DEALLOCATE since;
CREATE TABLE copied (id kid64);
COPY copied FROM STDIN;
2026-11-21 20:35:00+00
\.
DROP TABLE copied;
-- The text of a number is no ID, in whatever way it is given, and gets a hint that says how to convert the number.
SELECT '5'::kid64;
SELECT '-5'::text::kid64;
SELECT '31584891186561024'::varchar::kid64;
SELECT count(*) FROM ids WHERE id = '31584891186561024';
PREPARE number AS SELECT count(*) FROM ids WHERE id = $1;
EXECUTE number('9223372036854775807');
DEALLOCATE number;
CREATE TABLE copied (id kid64);
COPY copied FROM STDIN;
31584891186561024
\.
INSERT INTO copied VALUES ('-9223372036854775808');
SELECT jsonb_populate_record(NULL::copied, '{"id": 31584891186561024}');
-- Eleven digits are an ID, unless they have bits beyond its 64. They are never a number.
SELECT '10000000003'::kid64 AS id, '10000000003'::kid64::bigint = 581035837639164945 AS bits_of_the_text, 10000000003::kid64 AS id_of_the_number;
SELECT '12345678901'::kid64;
-- Each of these numbers is an ID as a bigint.
INSERT INTO copied SELECT text::bigint FROM unnest(ARRAY['5', '-5', '10000000003', '31584891186561024', '9223372036854775807', '-9223372036854775808']) AS text;
SELECT id, id::bigint, id::text::kid64 = id AS same FROM copied;
DROP TABLE copied;
-- A text that only resembles a number has the usual hint.
SELECT '-'::kid64;
SELECT '+123456789012'::kid64;
SELECT '123456789012 '::kid64;
SELECT '1e12'::kid64;
-- Other types cannot be cast from bigint, or read numbers.
SELECT '31584891186561024'::kid96;
SELECT '-5'::flake;

-- From PostgreSQL 16 on such errors are soft: pg_input_is_valid() returns false for each kind.
SELECT CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'SELECT false AS any_valid' ELSE
    $$SELECT bool_or(pg_input_is_valid(bad, 'kid64')) AS any_valid
        FROM unnest(ARRAY['', '.6.ndhuBk.', '.6.ndhuBk...', '.6.ndhu+k..', '.6.ndhüBk..', '.6.ndhuBk.0', '2026-11-21 20:35', '[2026-11-21,]', '5', '-5', '31584891186561024', '9223372036854775808']) AS bad$$ END AS query \gset
:query;

-- Bytes that are not IDs.
SELECT '\x'::bytea::kid64;
SELECT '\x00112233445566'::bytea::kid64;
SELECT '\x001122334455667788'::bytea::kid64;
\set VERBOSITY sqlstate
SELECT '\x'::bytea::kid64;
\set VERBOSITY default

-- Components and instants out of range.
SELECT kid64_make('2026-11-21', -1);
SELECT kid64_make('2026-11-21', 16384);
SELECT kid64_make('1969-12-31 23:59:59.999999+00', 0);
SELECT kid64_make('35198-01-19 07:06:40+00', 0);
SELECT kid64_make('infinity', 0);
SELECT kid64_make('-infinity', 0);
SELECT kid64_make('294276-12-31 23:59:59.999999+00', 0);
SELECT kid64_at('1969-12-31 23:59:59.999999+00');
SELECT kid64_at('infinity');
\set VERBOSITY sqlstate
SELECT kid64_make('2026-11-21', 16384);
SELECT kid64_make('infinity', 0);
\set VERBOSITY default
SELECT kid64_make('1970-01-01 00:00:00+00', 0) AS first, kid64_make('35198-01-19 07:06:39.999999+00', 16383) AS last;

-- Outside the range of the type, floor and ceil return its first and last ID.
SELECT t, kid64_floor(t), kid64_ceil(t)
  FROM unnest('{-infinity, 4713-01-01 BC, 1969-12-31 23:59:59.999999+00, 1970-01-01 00:00:00+00,
                35198-01-19 07:06:39.999999+00, 35198-01-19 07:06:40+00, 294276-12-31, infinity}'::timestamptz[]) AS t;

-- Bit patterns that no generator makes are values too, and have a time.
SELECT kid_timestamp('zzzzzzzzzzw'::kid64), kid_sequence('zzzzzzzzzzw'::kid64), 'zzzzzzzzzzw'::kid64::bigint;

-- NULL in, NULL out.
SELECT kid_timestamp(NULL::kid64), kid64_make(NULL, 0), kid64_at(NULL), NULL::kid64 < '...........';

-- The difference of two IDs is that of their times.
SELECT kid64_make('2026-11-21 12:00', 5) - kid64_make('2026-11-20 11:30', 9) AS later,
       kid64_make('2026-11-20 11:30', 0) - kid64_make('2026-11-21 12:00', 0) AS earlier,
       kid64_make('2026-11-21', 7) - kid64_make('2026-11-21', 3) AS same;

-- Conversions that are implicit, that apply in assignments, and that are explicit.
CREATE TABLE assigned (id kid64, n bigint, t text);
INSERT INTO assigned (id) VALUES (5), (5000000000), ('........Ezw'), ('........Ezw'::text), ('........Ezw'::varchar);
ALTER TABLE assigned ALTER id SET DEFAULT 5;
INSERT INTO assigned DEFAULT VALUES;
INSERT INTO assigned (n, t) VALUES ('........Ezw'::kid64, '........Ezw'::kid64);
SELECT * FROM assigned;
SELECT (-1)::int::kid64, (-1)::bigint::kid64, 'zzzzzzzzzzw'::kid64::bigint;
INSERT INTO assigned (id) VALUES (now());
\set VERBOSITY terse
SELECT '........Ezw'::kid64 + 1;
\set VERBOSITY default
SELECT '........Ezw'::kid64::integer;
-- A driver sends a number as smallint, integer or bigint, whichever is the smallest.
SELECT id = 5::smallint, id = 5, id = 5::bigint, id = (-1)::smallint, (-1)::smallint::kid64 = (-1)::bigint FROM (SELECT 5::bigint::kid64) AS t (id);

-- A bigint column becomes a kid64 column, and back, without rewriting a row.
CREATE TABLE converted (id bigint PRIMARY KEY DEFAULT kid_next(), n int);
INSERT INTO converted (n) SELECT generate_series(1, 1000);
CREATE TABLE before AS SELECT * FROM converted;
SELECT pg_relation_filenode('converted') AS filenode \gset
ALTER TABLE converted ALTER id TYPE kid64;
SELECT pg_relation_filenode('converted') = :filenode AS same_file;
SELECT count(*) FROM converted c JOIN before b ON c.id = b.id AND c.n = b.n;
ALTER TABLE converted ALTER id TYPE bigint;
SELECT pg_relation_filenode('converted') = :filenode AS same_file;

DROP TABLE vectors, ids, assigned, converted, before;
