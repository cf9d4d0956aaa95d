-- T_at(): IDs of given times, any number of them, no two alike in a statement.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';

-- Of one instant: what does not fit into its time unit is in those after it.
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT kid64_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT kid96_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flake_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT sno_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flax_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SET kid.flake_sequence_max = 0;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flake_at('2020-01-02') AS id FROM generate_series(1, 1000)) s;
RESET kid.flake_sequence_max;
-- A second is not whole time units of kid64: the last one is shorter.
SELECT count(*), count(DISTINCT id), min(kid_timestamp(id)), max(kid_timestamp(id)) FROM (SELECT kid64_at('2020-01-03 00:00:00.9999') AS id FROM generate_series(1, 40000)) s;

-- The next statement of the session goes on behind it.
CREATE TABLE batches (id kid64 PRIMARY KEY);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
DO $$ BEGIN FOR i IN 1..20000 LOOP INSERT INTO batches VALUES (kid64_at('2020-02-01')); END LOOP; END $$;
SELECT count(*), max(kid_timestamp(id)) - min(kid_timestamp(id)) AS span FROM batches;
DROP TABLE batches;

-- What is spread meets rows of the units after it; and times in no order, twice.
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id) - t)
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 40000) AS n, LATERAL (SELECT timestamptz '2020-03-01' + n / 30000 * interval '1024 us' + n / 35000 * interval '1024 us' AS t) l) s;
SELECT count(*), count(DISTINCT id), max(abs(extract(epoch FROM kid_timestamp(id) - t))) < 0.005 AS near
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 60000) AS n, LATERAL (SELECT timestamptz '2020-04-01' + n * 7919 % 3 * interval '1 s' AS t) l) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT unnest(ARRAY[kid64_at('2020-05-01'), kid64_at('2020-05-01')]) AS id FROM generate_series(1, 20000)) s;

-- In the order of time there is no end to it; in no order there is that of memory, and an error. Sorted, they are as good as any.
SET work_mem = '64kB';
SELECT count(*), count(DISTINCT id), bool_and(kid_timestamp(id) = t) FROM (SELECT t, kid64_at(t) AS id FROM generate_series(timestamptz '2020-06-01', '2020-06-01 05:33:19', '1 s') AS t) s;
\set VERBOSITY sqlstate
SELECT count(kid64_at(timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s')) FROM generate_series(1, 20000) AS n;
\set VERBOSITY default
SELECT count(kid64_at(t)) FROM (SELECT timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s' AS t FROM generate_series(1, 20000) AS n ORDER BY t) s;
-- Nobody has to know what statements before did.
SELECT count(kid64_at(t)) FROM generate_series(timestamptz '2020-01-01', '2020-01-01 05:00', '1 s') AS t;
-- Nearly in order, as rows are that many sessions have inserted.
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(timestamptz '2020-07-01' + (n + n * 7919 % 100) * interval '1 s') AS id FROM generate_series(1, 20000) AS n) s;
RESET work_mem;
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s') AS id FROM generate_series(1, 20000) AS n) s;

-- After the last unit there is none.
SELECT count(kid64_at('35198-01-19 07:06:39.999999+00')) FROM generate_series(1, 16385);
SELECT count(sno_at('2079-09-07 15:47:35.551999+00')) FROM generate_series(1, 65537);
SELECT count(flake_at('2109-05-15 07:35:11.103999+00')) FROM generate_series(1, 4097);
