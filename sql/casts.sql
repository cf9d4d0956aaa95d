-- Implicit casts to IDs are for parameters to which a driver has given a type. docs/why/casts.md says which drivers do
-- that. A condition on the key uses its index whatever the type of the parameter is, and that would not be so if a cast
-- from an ID to another type were implicit.
\set ON_ERROR_ROLLBACK on
\set VERBOSITY terse
CREATE TABLE orders (id kid64 PRIMARY KEY, item text);
INSERT INTO orders SELECT kid64_make('2026-11-21', n), 'tea' FROM generate_series(1, 10000) AS n;
ANALYZE orders;
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;

-- Prints how a parameter of each type is compared with the key.
CREATE PROCEDURE compare() LANGUAGE plpgsql AS $$
DECLARE
    type text;
    condition text;
BEGIN
    FOREACH type IN ARRAY '{text,varchar,bigint,integer,smallint,text[],bigint[]}'::text[] LOOP
        BEGIN
            EXECUTE format('PREPARE by_key (%s) AS SELECT * FROM orders WHERE id = %s', type,
                           CASE WHEN type LIKE '%[]' THEN 'ANY ($1)' ELSE '$1' END);
            FOR condition IN EXECUTE 'EXPLAIN (COSTS OFF) EXECUTE by_key (NULL)' LOOP
                CONTINUE WHEN condition !~ 'Cond|Filter';
                RAISE INFO '%: %', type, trim(condition);
            END LOOP;
            DEALLOCATE by_key;
        EXCEPTION WHEN undefined_function OR ambiguous_function THEN
            RAISE INFO '%: %', type, SQLERRM;
        END;
    END LOOP;
END $$;
CALL compare();

-- Without the casts to IDs.
BEGIN;
SELECT format('ALTER EXTENSION kid DROP CAST (%s AS %s); DROP CAST (%1$s AS %2$s)', castsource::regtype,
              casttarget::regtype)
  FROM pg_cast
 WHERE castcontext = 'i' AND casttarget IN ('kid64'::regtype, 'kid_ambiguous'::regtype)
 ORDER BY castsource, casttarget::regtype::text \gexec
CALL compare();

-- With implicit casts from IDs instead, the column is converted, and its index is of no use.
ALTER EXTENSION kid DROP CAST (kid64 AS bigint);
DROP CAST (kid64 AS bigint);
CREATE CAST (kid64 AS bigint) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (kid64 AS text) WITH INOUT AS IMPLICIT;
CALL compare();
ROLLBACK;

-- With casts both ways, neither operator is better.
BEGIN;
ALTER EXTENSION kid DROP CAST (kid64 AS bigint);
DROP CAST (kid64 AS bigint);
CREATE CAST (kid64 AS bigint) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (kid64 AS text) WITH INOUT AS IMPLICIT;
CALL compare();
ROLLBACK;

-- An expression has no ID, so the casts give it no meaning.
SELECT 5 < now();
SELECT 5 = '..........J'::text;
SELECT coalesce(kid_next(), 5);
SELECT kid_timestamp(5);

-- A number means the ID with its bits. kid64 reads no decimals, because digits are in its alphabet.
SELECT 5::kid64, '5'::flake, 5::flake;
SELECT '5'::kid64;

-- If one table has bigint keys and the other kid64, a join by index goes to the kid64.
CREATE TABLE lines (order_id bigint);
CREATE INDEX ON lines (order_id);
RESET enable_seqscan;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
EXPLAIN (COSTS OFF) SELECT * FROM lines JOIN orders ON order_id = id;
DROP PROCEDURE compare;
DROP TABLE orders, lines;
