-- Generating IDs in one session. Many sessions, bad clocks and crashes are for the tests in test/t.
CREATE TABLE made (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
INSERT INTO made (n) SELECT generate_series(1, 100000);

-- They rise, and tell the time.
SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM made) s WHERE NOT rises;
SELECT count(DISTINCT id) FROM made;
SELECT now() < kid_timestamp(kid_next()) + interval '1.024 ms' AS not_before, kid_timestamp(kid_next()) <= clock_timestamp() AS not_after;

-- One call a row, also where the planner might wish for one call a query.
SELECT count(DISTINCT id) FROM (SELECT kid_next() AS id FROM generate_series(1, 1000)) s;

-- A bigint column takes them.
CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid_next());
INSERT INTO numbers DEFAULT VALUES;
INSERT INTO numbers DEFAULT VALUES;
SELECT count(*), min(id) > 0 AS positive FROM numbers;
SELECT now() - kid_timestamp(id::kid64) < interval '1 minute' AS recent FROM numbers;

-- Back-filling: the time given, a sequence of its own, and the timeline stays where it is.
SELECT count(DISTINCT id), min(kid_timestamp(id)) = max(kid_timestamp(id)) AS same_time, min(kid_sequence(id)), max(kid_sequence(id))
  FROM (SELECT kid64_at('2020-02-02 02:02:02.002+00') AS id FROM generate_series(1, 16384)) s;
SELECT count(DISTINCT id) FROM (SELECT kid64_at('2020-02-02 02:02:02.002+00') AS id FROM generate_series(1, 20000)) s;
-- 16384 calls apart they meet again.
SELECT kid64_at('2020-02-02') AS first \gset
SELECT count(kid64_at('2020-01-01')) FROM generate_series(1, 16383);
SELECT kid64_at('2020-02-02') = :'first'::kid64 AS same;
SELECT kid64_at(now() + interval '1 year') > kid_next() AS stays;

-- Settings are for the superuser.
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
