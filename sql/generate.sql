-- Generating IDs in one session. Tests with many sessions, wrong clocks and crashes are in test/t.
CREATE TABLE made (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
INSERT INTO made (n) SELECT generate_series(1, 100000);

-- IDs rise, and tell the time.
SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM made) s WHERE NOT rises;
SELECT count(DISTINCT id) FROM made;
SELECT now() < kid_timestamp(kid_next()) + interval '1.024 ms' AS not_before, kid_timestamp(kid_next()) <= clock_timestamp() AS not_after;

-- The generator is called once for each row, not once for the query.
SELECT count(DISTINCT id) FROM (SELECT kid_next() AS id FROM generate_series(1, 1000)) s;

-- A call for many IDs returns as many as were asked for, in rising order, across several time units.
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling, count(DISTINCT kid_timestamp(id)) > 2 AS several_units
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid_next(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid96_next(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling, bool_and(kid_meta(id) = 7) AS meta
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM sno_next(7, 100000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM flake_next(10000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*), count(DISTINCT id) FROM flax_next(50000) AS id;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid_uuidv7(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= previous) AS falling
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM kid53_next(50000) WITH ORDINALITY AS made (id, n)) s;
SELECT bool_and(kid_timestamp(id) BETWEEN now() - interval '2 ms' AND clock_timestamp()) AS of_now FROM kid_next(100) AS id;
-- The IDs of a set are between those of the calls before and after it, also if a query stops early.
SELECT kid_next() AS before \gset
SELECT min(id) > :'before' AS rises FROM kid_next(20000) AS id;
SELECT count(*) FROM (SELECT kid_next(20000) AS id LIMIT 5) AS first;
SELECT max(id) < kid_next() AS rises FROM kid_next(20000) AS id;
-- A set uses no more of a time unit than the settings allow.
SET kid.flake_sequence_max = 99;
SET kid.sno_sequence_min = 1000;
SET kid.sno_sequence_max = 1099;
SELECT count(DISTINCT id), max(kid_sequence(id)) FROM flake_next(350) AS id;
SELECT count(DISTINCT id), min(kid_sequence(id)), max(kid_sequence(id)) FROM sno_next(0, 350) AS id;
RESET kid.flake_sequence_max;
RESET kid.sno_sequence_min;
RESET kid.sno_sequence_max;
SELECT count(*) FROM kid_next(0);
SELECT count(*) FROM kid_next(NULL);
SELECT kid_next(-1);
SELECT * FROM sno_next(256, 1);
EXPLAIN SELECT * FROM kid_next(12345);
EXPLAIN SELECT * FROM sno_next(0, 0);

-- A bigint column accepts the IDs.
CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid_next());
INSERT INTO numbers DEFAULT VALUES;
INSERT INTO numbers DEFAULT VALUES;
SELECT count(*), min(id) > 0 AS positive FROM numbers;
SELECT now() - kid_timestamp(id::kid64) < interval '1 minute' AS recent FROM numbers;

-- Back-filling: the ID has the given time and a sequence of its own, and the logical clock does not move.
SELECT count(DISTINCT id), min(kid_timestamp(id)) = max(kid_timestamp(id)) AS same_time, min(kid_sequence(id)), max(kid_sequence(id))
  FROM (SELECT kid64_at('2020-02-02 02:02:02.002+00') AS id FROM generate_series(1, 16384)) s;
SELECT count(DISTINCT id) FROM (SELECT kid64_at('2020-02-02 02:02:02.002+00') AS id FROM generate_series(1, 20000)) s;
-- A session remembers only the last time unit. So after calls for another unit, a call 16384 calls later returns the same ID.
SELECT kid64_at('2020-02-02') AS first \gset
SELECT count(kid64_at('2020-01-01')) FROM generate_series(1, 16383);
SELECT kid64_at('2020-02-02') = :'first'::kid64 AS same;
SELECT kid64_at(now() + interval '1 year') > kid_next() AS stays;

-- Only superusers may change settings.
SHOW kid.max_wait;
\set VERBOSITY sqlstate
SET kid.max_wait = -2;
\set VERBOSITY default
SET kid.max_wait = '1 minute';
SHOW kid.max_wait;
RESET kid.max_wait;
SET kid.no_such_setting = 1;
CREATE ROLE regress_kid_user;
SET ROLE regress_kid_user;
SET kid.max_wait = 0;
SELECT kid_next() < kid_next() AS anybody_may_generate;
RESET ROLE;
DROP ROLE regress_kid_user;

DROP TABLE made, numbers;
