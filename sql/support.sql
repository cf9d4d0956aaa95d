-- A superuser can give kid's planner support to any function. It leaves functions alone that do not have the arguments of kid's
-- own: calls of them are neither rewritten nor a crash of the session.

CREATE TABLE t AS SELECT kid64_make('2026-11-01', n) AS k, kid96_make('2026-11-01', 1, n) AS id, n FROM generate_series(1, 3) AS n;

CREATE FUNCTION nothing() RETURNS int LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN 7; END';
CREATE FUNCTION no_id() RETURNS kid96 LANGUAGE plpgsql STABLE SUPPORT kid_support AS $$BEGIN RETURN kid96_make('2026-11-01', 1, 0); END$$;
CREATE FUNCTION no_set() RETURNS SETOF int LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN NEXT 7; END';
SELECT nothing(), no_id() < id AS no_id, no_set() FROM t WHERE nothing() = 7 AND n = 1;
SELECT count(*) FROM no_set();
EXPLAIN SELECT FROM no_set();             -- the estimate of PostgreSQL

-- More arguments than any function of kid's has, up to PostgreSQL's own limit of 100.
DO $$
DECLARE
    count int;
BEGIN
    FOREACH count IN ARRAY '{3, 4, 5, 50, 99}'::int[] LOOP
        EXECUTE format('CREATE FUNCTION many(kid96%s) RETURNS int LANGUAGE plpgsql STABLE SUPPORT kid_support AS %L',
                       repeat(', int', count), 'BEGIN RETURN $2; END');
    END LOOP;
END $$;
DO $$
DECLARE
    count int;
    sum int;
BEGIN
    FOREACH count IN ARRAY '{3, 4, 5, 50, 99}'::int[] LOOP
        EXECUTE format('SELECT sum(many(id%s)) FROM t', repeat(', n', count)) INTO sum;
        RAISE NOTICE '%: %', count, sum;
    END LOOP;
END $$;

-- Conditions that compare no ID with a time, or with something more.
CREATE FUNCTION holds() RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(kid64) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(kid64, kid64) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(int, kid64) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(kid64, tstzrange, text) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(kid96, tstzrange, text) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(kid96, tstzrange, int, int) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(text, kid64, kid64) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(text) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
SELECT count(*) FROM t WHERE holds() AND holds(k) AND holds(k, k) AND holds(n, k) AND holds('<') AND holds('<', k, k)
    AND holds(k, 'empty', 'x') AND holds(id, 'empty', 'x') AND holds(id, 'empty', 8, 8);
EXPLAIN (COSTS OFF) SELECT FROM t WHERE holds(k, k) AND holds('<', k, k) AND holds(k, 'empty', 'x');

-- Nor is a condition with the arguments of one of kid's a comparison, if it is not in C.
CREATE FUNCTION holds(kid96, tstzrange) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION holds(text, kid96, timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN true; END';
SELECT count(*) FROM t WHERE holds(id, 'empty') AND holds('<', id, '-infinity');

-- A call is not replaced by that of a function which happens to take the setting besides. It may be of any kind.
CREATE FUNCTION alone(kid96) RETURNS text LANGUAGE plpgsql STABLE SUPPORT kid_support AS $$BEGIN RETURN 'alone'; END$$;
CREATE FUNCTION alone(kid96, int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 17; END';
CREATE FUNCTION ranked(kid96) RETURNS bigint LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN 5; END';
CREATE FUNCTION ranked(kid96, int) RETURNS bigint LANGUAGE internal STABLE WINDOW AS 'window_rank';
CREATE FUNCTION one(kid96) RETURNS bigint LANGUAGE plpgsql STABLE SUPPORT kid_support AS 'BEGIN RETURN 1; END';
CREATE FUNCTION one(kid96, int) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN NEXT 1; END';
SELECT alone(id) || '!' AS alone, ranked(id), one(id) FROM t WHERE n = 1;

-- An index is asked about each condition on its column.
CREATE INDEX ON t (k);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM t WHERE holds(k) AND holds(k, kid64_floor('2026-11-01')) AND holds('<', k, kid64_floor('2026-11-01'));
SELECT count(*) FROM t WHERE holds(k) AND holds(k, kid64_floor('2026-11-01')) AND holds('<', k, kid64_floor('2026-11-01'));
RESET enable_seqscan;

DROP TABLE t;
DO $$
DECLARE
    function text;
BEGIN
    FOR function IN SELECT oid::regprocedure FROM pg_proc WHERE proname IN ('nothing', 'no_id', 'no_set', 'many', 'holds', 'alone', 'ranked', 'one') LOOP
        EXECUTE format('DROP FUNCTION %s', function);
    END LOOP;
END $$;
