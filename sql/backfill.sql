-- kid64_at() and the other back-filling functions: any number of IDs for times in order, and as many as there are sequences for any times.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';

-- Many IDs of one instant: those that do not fit into its time unit go into the following units.
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT kid64_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT kid96_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flake_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT sno_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flax_at('2020-01-01') AS id FROM generate_series(1, 70000)) s;
SET kid.flake_sequence_max = 0;
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id)) FROM (SELECT flake_at('2020-01-02') AS id FROM generate_series(1, 1000)) s;
RESET kid.flake_sequence_max;
-- A second is not a whole number of kid64 time units: the last unit of a second is shorter.
SELECT count(*), count(DISTINCT id), min(kid_timestamp(id)), max(kid_timestamp(id)) FROM (SELECT kid64_at('2020-01-03 00:00:00.9999') AS id FROM generate_series(1, 40000)) s;

-- The next statement of the session continues where the previous one stopped.
CREATE TABLE batches (id kid64 PRIMARY KEY);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
INSERT INTO batches SELECT kid64_at('2020-02-01') FROM generate_series(1, 10000);
DO $$ BEGIN FOR i IN 1..20000 LOOP INSERT INTO batches VALUES (kid64_at('2020-02-01')); END LOOP; END $$;
SELECT count(*), max(kid_timestamp(id)) - min(kid_timestamp(id)) AS span FROM batches;
-- Row by row, in the order of time: full units are skipped, and a unit that was begun is continued.
DO $$ BEGIN FOR i IN 0..2 LOOP FOR j IN 1..20000 LOOP INSERT INTO batches VALUES (kid64_at(timestamptz '2020-02-02' + i * interval '1024 us')); END LOOP; END LOOP; END $$;
SELECT count(*), max(kid_timestamp(id)) - min(kid_timestamp(id)) AS span FROM batches WHERE id >= timestamptz '2020-02-02';
DROP TABLE batches;

-- IDs that overflow into later units meet the rows of those units. Then times in no order, as many as there are sequences, and two calls in each row.
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id) - t)
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 40000) AS n, LATERAL (SELECT timestamptz '2020-03-01' + n / 30000 * interval '1024 us' + n / 35000 * interval '1024 us' AS t) l) s;
SELECT count(*), count(DISTINCT id), max(abs(extract(epoch FROM kid_timestamp(id) - t))) < 0.005 AS near
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 16384) AS n, LATERAL (SELECT timestamptz '2020-04-01' + n * 7919 % 3 * interval '1 s' AS t) l) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT unnest(ARRAY[kid64_at('2020-05-01'), kid64_at('2020-05-01')]) AS id FROM generate_series(1, 20000)) s;

-- Times in order get IDs of their own units, and do not depend on earlier statements. Sorting brings them into order.
SELECT count(*), count(DISTINCT id), bool_and(kid_timestamp(id) = t) FROM (SELECT t, kid64_at(t) AS id FROM generate_series(timestamptz '2020-06-01', '2020-06-01 05:33:19', '1 s') AS t) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(t) AS id FROM (SELECT timestamptz '2020-04-02' + n * 7919 % 3 * interval '1 s' AS t FROM generate_series(1, 60000) AS n ORDER BY t) s) s;

-- The first time unit of a type can be used like any other. After the last unit there is an error.
SELECT kid_timestamp(kid64_at('1970-01-01')) AS first;
SELECT count(kid64_at('35198-01-19 07:06:39.999999+00')) FROM generate_series(1, 16385);
SELECT count(sno_at('2079-09-07 15:47:35.551999+00')) FROM generate_series(1, 65537);
SELECT count(flake_at('2109-05-15 07:35:11.103999+00')) FROM generate_series(1, 4097);
