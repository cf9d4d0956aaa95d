-- kid53: numbers for columns of type bigint, and bigint columns with the bits of other types.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- The vectors, which Python computed. Every count is 200.
\set vectors `tail -n +3 "$PG_ABS_SRCDIR/test/vectors/kid53.tsv"`
CREATE TABLE vectors AS
SELECT f[1]::timestamptz AS time, f[3]::integer AS sequence, f[4]::bigint AS id, f[5] AS base32
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT count(*),
       count(*) FILTER (WHERE kid53_timestamp(id) = time) AS timestamp,
       count(*) FILTER (WHERE kid53_sequence(id) = sequence) AS sequence,
       count(*) FILTER (WHERE kid53_make(time + interval '999 us', sequence) = id) AS make,
       count(*) FILTER (WHERE kid53_floor(time) = id - sequence AND kid53_ceil(time) = id - sequence + 4095) AS bounds,
       count(*) FILTER (WHERE kid53_encode(id) = base32 AND kid53_encode(id, 'ord') = 'ord_' || base32) AS encode,
       count(*) FILTER (WHERE kid53_decode(base32) = id AND kid53_decode('ord_' || upper(base32), 'ord') = id) AS decode,
       count(*) FILTER (WHERE id::float8::bigint = id) AS doubles,
       count(*) FILTER (WHERE (to_jsonb(id) #>> '{}')::float8::bigint = id) AS json
  FROM vectors;
SELECT count(*) = 0 AS in_order FROM (SELECT id, lag(id) OVER (ORDER BY base32 COLLATE "C") AS previous FROM vectors) s WHERE id < previous;
SELECT id, i.* FROM vectors, kid53_inspect(id) AS i WHERE id = 9007199254740991;

-- Numbers that are no kid53 have no time.
SELECT n, kid53_timestamp(n), kid53_sequence(n) FROM unnest('{-9223372036854775808, -1, 9007199254740992, 9223372036854775807}'::bigint[]) AS n;
SELECT * FROM kid53_inspect(-1);
SELECT kid53_timestamp(NULL), kid53_floor(NULL), kid53_at(NULL), kid53_encode(NULL), kid53_decode(NULL), kid53_make(NULL, 1);
SELECT kid53_encode(-1);
SELECT kid53_encode(9007199254740992);
SELECT kid53_observe(9007199254740992);
SELECT kid53_observe(9007199254740991);
SELECT kid53_decode('80000000000');
SELECT kid53_decode('0000000000');
SELECT kid53_decode('0000000000u');
SELECT kid53_decode('ord_00000000000');
SELECT kid53_make('2019-12-31 23:59:59.999999+00', 0);
SELECT kid53_make('2089-09-06 15:47:35.552+00', 0);
SELECT kid53_make('2024-01-01', 4096);
SELECT kid53_make('2024-01-01', -1);
SELECT kid53_at('infinity');
SELECT t, kid53_floor(t), kid53_ceil(t)
  FROM unnest('{-infinity, 4713-01-01 BC, 2019-12-31 23:59:59.999999+00, 2020-01-01 00:00:00+00, 2026-11-22 12:00:00.000999+00,
                2089-09-06 15:47:35.551999+00, 2089-09-06 15:47:35.552+00, infinity}'::timestamptz[]) AS t;

-- The generator makes rising numbers with the current time.
CREATE TABLE made (id bigint PRIMARY KEY DEFAULT kid53_next(), n int, at timestamptz DEFAULT clock_timestamp());
INSERT INTO made (n) SELECT generate_series(1, 100000);
SELECT count(*), count(*) FILTER (WHERE id <= previous) AS falling, count(*) FILTER (WHERE id NOT BETWEEN 0 AND 9007199254740991) AS beyond,
       count(*) FILTER (WHERE kid53_timestamp(id) NOT BETWEEN at - interval '1 second' AND at) AS of_another_time
  FROM (SELECT *, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid53_next(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*) FROM kid53_next(0);
SELECT kid53_next(-1);
EXPLAIN SELECT * FROM kid53_next(12345);
SELECT clock, last_issued <= clock_timestamp() AS of_now, ticks, safe_mark FROM kid_stats() WHERE clock = 'kid53';
-- Its clock is its own.
SELECT kid53_observe(kid53_ceil(now() + interval '2 s'));
SELECT kid53_timestamp(kid53_next()) > now() + interval '1 s' AS moved, kid_timestamp(kid_next()) < now() + interval '1 s' AS not_moved;
SET client_min_messages = warning;          -- the notice says by how much
SELECT kid_reset_clock(now(), force => true);
RESET client_min_messages;
SELECT kid53_timestamp(kid53_next()) < clock_timestamp() AS lowered;
SELECT count(DISTINCT id), min(kid53_timestamp(id)), max(kid53_timestamp(id)) FROM (SELECT kid53_at('2024-02-02 02:02:02.002345+00') AS id FROM generate_series(1, 4096)) s;
-- IDs for old rows go on in the next millisecond once the sequences of one are used up.
SELECT count(*), count(DISTINCT id), max(kid53_timestamp(id)) FROM (SELECT kid53_at('2024-02-02 02:02:02.002+00') AS id FROM generate_series(1, 10000)) s;

-- A range of time is a range of the key. NULL is no limit.
CREATE FUNCTION count_of(since timestamptz, until timestamptz) RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM made WHERE kid53_within(id, since, until));
SELECT count_of(NULL, NULL) = count(*) AS all, count_of('2020-01-01', 'infinity') = count(*) AS all_too, count_of(NULL, '2026-01-01') AS none, count_of('2026-01-01', NULL) = count(*) AS later FROM made;
SELECT kid53_within(9007199254740991, NULL, NULL) AS greatest, kid53_within(9007199254740992, NULL, NULL) AS beyond, kid53_within(0, '2019-01-01', '2021-01-01') AS least, kid53_within(-1, NULL, NULL) AS negative, kid53_within(NULL, NULL, NULL);
SELECT bool_and(kid53_within(id, time, time + interval '1 ms')) AND NOT bool_or(kid53_within(id, time + interval '1 ms', NULL)) AND NOT bool_or(kid53_within(id, NULL, time)) AS exact FROM vectors WHERE id < 9007199254740991;
-- After the range only the greatest number is left, and none of kid64 has a sign in a bigint before 18584.
SELECT t, kid53_within(9007199254740991, NULL, t) AS kid53_before, kid53_within(9007199254740991, t, NULL) AS kid53_since,
       kid64_within(kid_next()::bigint, NULL, t) AS kid64_before, kid64_within(kid_next()::bigint, t, NULL) AS kid64_since
  FROM unnest('{-infinity, 1960-01-01, 2019-01-01, 2100-01-01, 18584-01-10 03:33:19.99, 18584-01-11, 99999-01-01, infinity}'::timestamptz[]) AS t;
ANALYZE made;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE kid53_within(id, '2026-11-22', '2026-11-23');
EXPLAIN (COSTS OFF) SELECT * FROM made WHERE kid53_within(id, '2026-11-22', NULL);
EXPLAIN (COSTS OFF) SELECT * FROM generate_series('2026-11-22'::timestamptz, '2026-11-24', '1 day') AS day
  JOIN made ON kid53_within(id, day, day + interval '1 day');
EXPLAIN (COSTS OFF) SELECT * FROM generate_series('2026-11-22'::timestamptz, '2026-11-24', '1 day') AS day
  JOIN made ON kid64_within(id, day, day + interval '1 day');
PREPARE of_time AS SELECT count(*) FROM made WHERE kid53_within(id, $1, $2);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_time(now(), NULL);
EXECUTE of_time(NULL, NULL);
RESET plan_cache_mode;
DEALLOCATE of_time;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- No operator compares a number with a time, and overloaded names do not take one. The hint differs between versions.
\set VERBOSITY terse
SELECT id < now() FROM made;
SELECT kid_timestamp(id) FROM made;
\set VERBOSITY default

-- Partitions: the default tells what the numbers are.
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY, body text) PARTITION BY RANGE (id);
SELECT * FROM kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01', time_check => true);
SELECT partition, begins, ends, missing_check FROM kid_partitions('parts');
\d parts_p20250101
INSERT INTO parts SELECT kid53_at(t) FROM unnest('{2025-01-01, 2025-01-31 23:59:59.999999, 2025-02-01}'::timestamptz[]) AS t;
SELECT tableoid::regclass, count(*), min(kid53_timestamp(id)) FROM parts GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM parts WHERE kid53_within(id, '2025-02-03', '2025-02-04');
EXPLAIN (COSTS OFF) SELECT * FROM parts WHERE kid53_timestamp(id) >= '2025-02-01';
SELECT kid_drop_partitions('parts', '2025-02-01', false);
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (kid53_floor('2025-03-01')) TO (MAXVALUE);
SELECT kid_drop_partitions('parts', '2025-02-01', false);
SELECT count(*) FROM parts;
DROP TABLE parts;
-- Or an argument does.
CREATE TABLE parts (id bigint PRIMARY KEY DEFAULT coalesce(kid53_next(), kid_next()::bigint)) PARTITION BY RANGE (id);
SELECT kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01');
ALTER TABLE parts ALTER id DROP DEFAULT;
SELECT kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01');
SELECT kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01', ids => 'sno');
SELECT kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01', ids => 'kid53');
SELECT * FROM kid_partitions('parts');
SELECT partition, begins, ends FROM kid_partitions('parts', 'kid53');
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (kid53_floor('2025-03-01')) TO (MAXVALUE);
SELECT kid_drop_partitions('parts', '2025-02-01', false, ids => 'kid53');
SELECT * FROM kid_partitions(NULL);
DROP TABLE parts;
-- Numbers that are no kid53 are before or after all of them.
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_old PARTITION OF parts FOR VALUES FROM (-5) TO (100);
CREATE TABLE parts_late PARTITION OF parts FOR VALUES FROM (9007199254740991) TO (9223372036854775807);
SELECT partition, begins, ends FROM kid_partitions('parts');
SELECT kid_create_partitions('parts', '1 year', '2021-01-01', since => '2019-01-01');
SELECT partition, begins, ends FROM kid_partitions('parts');
DROP TABLE parts;
-- A partition from MINVALUE or to MAXVALUE has no end in time.
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_first PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (kid53_floor('2025-01-01'));
CREATE TABLE parts_last PARTITION OF parts FOR VALUES FROM (kid53_floor('2025-01-01')) TO (MAXVALUE);
SELECT partition, begins, ends, missing_check FROM kid_partitions('parts');
DROP TABLE parts;
-- A partition below all IDs has no time, is not in the way of others, and is not dropped as an old one.
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_negative PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (-1);
SELECT partition, begins, ends FROM kid_partitions('parts');
SELECT count(*) BETWEEN 2 AND 3 AS of_now FROM kid_create_partitions('parts', '1 month', now() + interval '2 months');
SELECT count(*) BETWEEN 2 AND 3 AS lack_it FROM kid_partitions('parts') WHERE missing_check IS NOT NULL;
SELECT kid_drop_partitions('parts', '2026-01-01', false);
INSERT INTO parts DEFAULT VALUES;
-- Read as other IDs, the partitions of today would all be old.
ALTER TABLE parts ALTER id DROP DEFAULT;
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
SELECT kid_drop_partitions('parts', now() - interval '90 days', false, ids => 'kid64');
SELECT count(*) FROM parts;
DROP TABLE parts_rest;
ALTER TABLE parts ALTER id SET DEFAULT kid53_next();
-- A partition up to the first ID has none.
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES FROM (-1) TO (0);
SELECT kid_drop_partitions('parts', '2020-01-02', false);
-- Numbers that a sequence made are older than all IDs, whenever their rows came. A partition for them is kept.
DROP TABLE parts;
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_numbers PARTITION OF parts FOR VALUES FROM (1) TO (1000000);
CREATE TABLE parts_2020 PARTITION OF parts FOR VALUES FROM (kid53_floor('2020-02-01')) TO (kid53_floor('2021-01-01'));
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (kid53_floor('2025-01-01')) TO (MAXVALUE);
INSERT INTO parts VALUES (17);
SELECT kid_drop_partitions('parts', '2024-01-01');
SELECT kid_drop_partitions('parts', '2024-01-01', false);
DROP TABLE parts_numbers;
CREATE TABLE parts_year PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (kid53_floor('2021-01-01'));
SELECT kid_drop_partitions('parts', '2024-01-01', false);
-- One that ends later also has IDs, all of which are older.
DROP TABLE parts_year;
CREATE TABLE parts_until_2023 PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (kid53_floor('2023-01-01'));
SELECT kid_drop_partitions('parts', '2024-01-01', false);
SELECT partition FROM kid_partitions('parts');
DROP TABLE parts;
CREATE TABLE parts (id kid64 DEFAULT kid_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_numbers PARTITION OF parts FOR VALUES FROM (1::bigint::kid64) TO (1000000::bigint::kid64);
CREATE TABLE parts_2024 PARTITION OF parts FOR VALUES FROM (1000000::bigint::kid64) TO (kid64_floor('2024-01-01'));
SELECT kid_drop_partitions('parts', '2024-01-01', false);
DROP TABLE parts;
CREATE TABLE parts (id bigint DEFAULT kid53_next() PRIMARY KEY) PARTITION BY RANGE (id);
-- Gaps that begin in the same millisecond get partitions with different names.
CREATE TABLE parts_10 PARTITION OF parts FOR VALUES FROM (kid53_make('2025-01-01', 10)) TO (kid53_make('2025-01-01', 20));
CREATE TABLE parts_30 PARTITION OF parts FOR VALUES FROM (kid53_make('2025-01-01', 30)) TO (kid53_make('2025-01-01', 40));
CREATE TABLE parts_p20250101_1 ();
SELECT kid_create_partitions('parts', '1 month', '2025-02-02', since => '2025-01-01', at_most => 2);
SELECT kid_create_partitions('parts', '1 month', '2025-02-02', since => '2025-01-01');
SELECT partition, begins, ends FROM kid_partitions('parts') ORDER BY ends, partition;
DROP TABLE parts_p20250101_1;
-- The default counts more than the argument, and one that does more than call a generator makes no IDs.
SELECT kid_drop_partitions('parts', '2026-01-01', ids => 'kid64');
DROP TABLE parts;
CREATE TABLE parts (id bigint DEFAULT kid53_next() >> 12 PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_partitions('parts');
DROP TABLE parts;
-- A condition on the time calls the function of kid, whatever others create beside it.
CREATE FUNCTION kid64_timestamp(bigint) RETURNS timestamptz LANGUAGE sql RETURN now();
CREATE TABLE parts (id bigint DEFAULT kid_next() PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_create_partitions('parts', '1 month', '2025-02-01', since => '2025-01-01', time_check => true);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'kid_time';
DROP TABLE parts;
DROP FUNCTION kid64_timestamp(bigint);
-- The bits of kid64 in a bigint, and those of flake.
CREATE TABLE parts (id bigint DEFAULT kid_next() PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
INSERT INTO parts VALUES (kid64_at('2025-03-03'));
SELECT kid_create_partitions('parts', '1 month', '2025-04-01', since => '2025-01-01', time_check => true);
SELECT partition, begins, ends FROM kid_partitions('parts');
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'parts'::regclass ORDER BY 1;
SELECT kid64_floor('2025-01-01')::bigint, kid64_floor('2025-02-01')::bigint;
INSERT INTO parts SELECT kid64_at(t) FROM unnest('{2025-01-01, 2025-01-31 23:59:59.99, 2025-02-01}'::timestamptz[]) AS t;
SELECT tableoid::regclass, count(*), min(kid64_timestamp(id)) FROM parts GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM parts WHERE kid64_within(id, '2025-02-03', '2025-02-04');
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (kid64_floor('2025-04-01')::bigint) TO (MAXVALUE);
SELECT kid_drop_partitions('parts', '2025-02-01', false);
DROP TABLE parts;
CREATE TABLE parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_create_partitions('parts', '1 month', '2025-03-01', since => '2025-01-01', ids => 'flake');
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'parts'::regclass ORDER BY 1;
SELECT flake_floor('2025-01-01')::bigint, flake_floor('2025-02-01')::bigint;
DROP TABLE parts;

-- What kid64 in a bigint answers is what it answers as kid64.
SELECT bool_and(kid64_sequence(id::bigint) = kid_sequence(id) AND kid64_encode(id::bigint, 'ord') = kid_encode(id, 'ord') AND kid64_timestamp(id::bigint) = kid_timestamp(id)
                AND kid64_within(id::bigint, kid_timestamp(id), NULL) AND NOT kid64_within(id::bigint, NULL, kid_timestamp(id))
                AND (SELECT array_agg(b) FROM kid64_inspect(id::bigint) AS b) = (SELECT array_agg(b) FROM kid_inspect(id) AS b)) AS same
  FROM kid_next(100) AS id;
SELECT kid64_within(9223372036854775807, NULL, NULL), kid64_within(NULL, NULL, NULL);

-- kid_observe_all() and kid_check() know the columns whose default makes kid53, and no other bigint.
CREATE TABLE others (id bigint PRIMARY KEY, n bigint);
INSERT INTO others VALUES (9007199254740990, 5);
CREATE DOMAIN order_id AS bigint DEFAULT kid53_next();
CREATE TABLE orders (id order_id PRIMARY KEY, made_id bigint REFERENCES made);
INSERT INTO orders SELECT kid53_ceil(now() + interval '3 s');
SELECT clock, relation, column_name, problem, kid53_timestamp(id::bigint) > now() + interval '2 s' AS ahead FROM kid_observe_all() WHERE clock = 'kid53';
SELECT kid53_timestamp(kid53_next()) > now() + interval '2 s' AS moved;
\set VERBOSITY sqlstate
SELECT kid_reset_clock(now());
\set VERBOSITY default
DELETE FROM orders;
SET client_min_messages = warning;
SELECT kid_reset_clock(now());
RESET client_min_messages;
SELECT kid53_timestamp(kid53_next()) < clock_timestamp() AS lowered;
-- Numbers that are no kid53 do not hide later IDs.
INSERT INTO made (id) SELECT 9007199254740992 + n FROM generate_series(1, 1001) AS n;
INSERT INTO made (id) SELECT kid53_ceil(now() + interval '1 hour');
\set VERBOSITY sqlstate
SELECT kid53_observe(kid53_ceil(now() + interval '2 s'));
SELECT kid_reset_clock(now());
\set VERBOSITY default
DELETE FROM made WHERE n IS NULL;
SET client_min_messages = warning;
SELECT kid_reset_clock(now());
RESET client_min_messages;
INSERT INTO made (id) VALUES (17), (-3), (9007199254740992);
SELECT * FROM kid_check('made');
DELETE FROM made WHERE id > 9007199254740991;
SELECT * FROM kid_check('made');
SELECT * FROM kid_check('orders');
SELECT * FROM kid_check('others');
DELETE FROM made WHERE n IS NULL;
-- It says nothing of numbers that are computed, or are not made by the default of a domain. The clock moves past them.
CREATE DOMAIN computed AS bigint DEFAULT kid53_next() % 16;
CREATE DOMAIN over_computed AS computed;
CREATE DOMAIN given AS order_id DEFAULT 5;
CREATE DOMAIN "of 100%" AS over_computed DEFAULT kid53_next();
CREATE TABLE mixed (a bigint DEFAULT kid53_next() % 16, b computed, c over_computed, d given, e order_id DEFAULT 5, f order_id, "g 100%" "of 100%");
SELECT format('CREATE INDEX ON mixed (%I)', attname) FROM pg_attribute WHERE attrelid = 'mixed'::regclass AND attnum > 0 \gexec
INSERT INTO mixed DEFAULT VALUES;
SELECT * FROM kid_check('mixed');
INSERT INTO mixed VALUES (-1, -1, -1, -1, -1, -1, -1);
SELECT * FROM kid_check('mixed');
SELECT attname FROM kid_id_columns('kid53', NULL) WHERE relation = 'mixed'::regclass ORDER BY 1;
DROP TABLE mixed;
DROP DOMAIN "of 100%", given, over_computed, computed;

-- Rows whose number was made in another transaction
CREATE TRIGGER own_ids BEFORE INSERT OR UPDATE OF id ON made FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id', 'kid53');
INSERT INTO made (n) VALUES (1);
INSERT INTO made (id) VALUES (kid53_make('2024-01-01', 7));
INSERT INTO made (id) VALUES (-1);
CREATE TRIGGER own_numbers BEFORE INSERT ON others FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id');
INSERT INTO others VALUES (1);

-- Other roles may generate and query.
CREATE ROLE regress_kid_user;
GRANT SELECT ON made TO regress_kid_user;
SET ROLE regress_kid_user;
SELECT kid53_next() < kid53_next() AS anybody_may_generate, count(*) >= 100000 AS and_ask FROM made WHERE kid53_within(id, '2026-11-21', NULL);
SELECT kid53_observe(1);
RESET ROLE;
DROP FUNCTION count_of;
DROP TABLE orders, others, made, vectors;
DROP DOMAIN order_id;
DROP ROLE regress_kid_user;
