-- kid64_at() and the other back-filling functions: any number of IDs for given times. One call in a statement never returns the same ID twice.
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

-- IDs that overflow into later units meet the rows of those units. Then times in no order, and two calls in each row.
SELECT count(*), count(DISTINCT id), max(kid_timestamp(id) - t)
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 40000) AS n, LATERAL (SELECT timestamptz '2020-03-01' + n / 30000 * interval '1024 us' + n / 35000 * interval '1024 us' AS t) l) s;
SELECT count(*), count(DISTINCT id), max(abs(extract(epoch FROM kid_timestamp(id) - t))) < 0.005 AS near
  FROM (SELECT t, kid64_at(t) AS id FROM generate_series(1, 60000) AS n, LATERAL (SELECT timestamptz '2020-04-01' + n * 7919 % 3 * interval '1 s' AS t) l) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT unnest(ARRAY[kid64_at('2020-05-01'), kid64_at('2020-05-01')]) AS id FROM generate_series(1, 20000)) s;

-- With times in order, a statement can back-fill any number of rows. With unordered times its memory is limited, and then there is an error. Sorting the rows
-- avoids that error.
SET work_mem = '64kB';
SELECT count(*), count(DISTINCT id), bool_and(kid_timestamp(id) = t) FROM (SELECT t, kid64_at(t) AS id FROM generate_series(timestamptz '2020-06-01', '2020-06-01 05:33:19', '1 s') AS t) s;
\set VERBOSITY sqlstate
SELECT count(kid64_at(timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s')) FROM generate_series(1, 20000) AS n;
\set VERBOSITY default
SELECT count(kid64_at(t)) FROM (SELECT timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s' AS t FROM generate_series(1, 20000) AS n ORDER BY t) s;
-- A call does not depend on earlier statements.
SELECT count(kid64_at(t)) FROM generate_series(timestamptz '2020-01-01', '2020-01-01 05:00', '1 s') AS t;
-- Nearly in order, like rows that many sessions inserted.
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(timestamptz '2020-07-01' + (n + n * 7919 % 100) * interval '1 s') AS id FROM generate_series(1, 20000) AS n) s;
RESET work_mem;
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(timestamptz '2020-06-01' + n * 7919 % 20000 * interval '1 s') AS id FROM generate_series(1, 20000) AS n) s;

-- A domain over a composite type keeps its memory after an error. Each error forgets a range, until none is left.
CREATE TYPE moment AS (t timestamptz);
CREATE DOMAIN dated AS moment CHECK ((VALUE).t IS NULL OR kid64_at((VALUE).t) IS NOT NULL);
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
DO $$
DECLARE
    row dated := ROW (timestamptz '2021-01-01')::moment;
    errors int := 0;
BEGIN
    FOR n IN 1 .. 2000 LOOP
        row.t := timestamptz '2020-06-01' + n * interval '1 s';
    END LOOP;
    FOR n IN 1 .. 3000 LOOP
        BEGIN
            row.t := timestamptz '2020-01-01';
        EXCEPTION WHEN program_limit_exceeded THEN
            errors := errors + 1;
        END;
    END LOOP;
    row.t := timestamptz '2022-01-01';
    RAISE NOTICE '% errors', errors;
END $$;
RESET work_mem;
RESET hash_mem_multiplier;
DROP TYPE moment CASCADE;

-- A statement's memory of used units ends with the statement and stays within work_mem. The session keeps next to nothing.
CREATE TEMPORARY TABLE before AS SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts WHERE name = 'TopMemoryContext';
SELECT ids, contexts, bytes < 10 * 1024 * 1024 AS bounded
  FROM (SELECT count(kid64_at(timestamptz '2020-06-01' + n * interval '1 s')) AS ids FROM generate_series(1, 300000) AS n) s,
       LATERAL (SELECT count(*) AS contexts, sum(total_bytes) AS bytes FROM pg_backend_memory_contexts WHERE name = 'time units of back-filled IDs' AND ids > 0) c;
SELECT count(kid96_at(timestamptz '2020-06-01' + n * interval '1 s')), count(flake_at(timestamptz '2020-06-01' + n * interval '1 s')), count(sno_at(timestamptz '2020-06-01' + n * interval '1 s')) FROM generate_series(1, 100000) AS n;
SELECT count(*) AS contexts FROM pg_backend_memory_contexts WHERE name = 'time units of back-filled IDs';
SELECT sum(c.total_bytes) - b.bytes < 100000 AS bounded FROM pg_backend_memory_contexts c, before b WHERE c.name = 'TopMemoryContext' GROUP BY b.bytes;
DROP TABLE before;

-- The first time unit of a type can be used like any other. After the last unit there is an error.
SELECT kid_timestamp(kid64_at('1970-01-01')) AS first;
SELECT count(kid64_at('35198-01-19 07:06:39.999999+00')) FROM generate_series(1, 16385);
SELECT count(sno_at('2079-09-07 15:47:35.551999+00')) FROM generate_series(1, 65537);
SELECT count(flake_at('2109-05-15 07:35:11.103999+00')) FROM generate_series(1, 4097);
