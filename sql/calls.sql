-- Calls of generators in queries.

CREATE TABLE t AS SELECT n FROM generate_series(1, 100) AS n;

-- Each row of a statement has an ID of its own, also through a DEFAULT and a function that is inlined.
CREATE TABLE pairs (n int, id kid64 DEFAULT kid_next(), id2 kid64 DEFAULT kid_next(), id3 bigint DEFAULT kid_next());
INSERT INTO pairs (n) SELECT n FROM t ORDER BY n;
INSERT INTO pairs VALUES (1, kid_next(), kid_next()), (2, DEFAULT, kid_next());
COPY pairs (n) FROM stdin;
1
2
\.
CREATE FUNCTION new_id() RETURNS kid64 LANGUAGE SQL AS 'SELECT kid_next()';
INSERT INTO pairs SELECT n, new_id(), new_id() FROM t;
UPDATE pairs SET id = kid_next(), id2 = kid_next() WHERE n = 7;
DO $$
DECLARE a kid64; b kid64;
BEGIN
    FOR i IN 1..10 LOOP
        a := kid_next();
        b := kid_next();
        INSERT INTO pairs VALUES (i, a, b, new_id());
    END LOOP;
END $$;
SELECT count(*) AS rows FROM pairs;
SELECT count(id), count(DISTINCT id) FROM (SELECT id FROM pairs UNION ALL SELECT id2 FROM pairs UNION ALL SELECT id3::kid64 FROM pairs) s;

-- A prepared statement makes new IDs in each execution, with a generic and with a custom plan.
PREPARE made AS SELECT kid_next() AS id FROM t ORDER BY id;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE first AS EXECUTE made;
CREATE TABLE second AS EXECUTE made;
RESET plan_cache_mode;
CREATE TABLE third AS EXECUTE made;
SELECT count(id), count(DISTINCT id) FROM (SELECT id FROM first UNION ALL SELECT id FROM second UNION ALL SELECT id FROM third) s;
DEALLOCATE made;

-- The planner knows how many rows a set-returning call returns.
EXPLAIN SELECT kid_next(1234), kid_next(1234);

-- The argument of a set-returning call may come from another row.
SELECT count(*), count(DISTINCT s) FROM generate_series(1, 3) AS g (a), sno_next(0, a) AS s;
SELECT count(*), count(DISTINCT s) FROM t LEFT JOIN LATERAL (SELECT * FROM kid_next(t.n)) AS s ON true WHERE n < 4;

DROP TABLE t, pairs, first, second, third;
DROP FUNCTION new_id;
