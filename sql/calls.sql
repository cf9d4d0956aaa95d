-- Each call of a generator in a query returns IDs of its own, even where PostgreSQL would evaluate equal expressions only once.

-- For a query with columns of IDs: the number of rows, of IDs, and of distinct IDs.
CREATE FUNCTION rows_and_ids(query text, OUT rows bigint, OUT ids bigint, OUT distinct_ids bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(DISTINCT row), count(v), count(DISTINCT v)
                      FROM (SELECT row_number() OVER () AS row, to_jsonb(q) AS r FROM (%s) q) s, jsonb_each_text(r) AS e(k, v) WHERE k LIKE ''id%%''', query)
       INTO rows, ids, distinct_ids;
END $$;
CREATE FUNCTION bucket(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN n % 10; END';
CREATE TABLE t AS SELECT n FROM generate_series(1, 100) AS n;
CREATE TABLE generators (call text);
INSERT INTO generators VALUES ('kid_next()'), ('kid64_next()'), ('kid96_next()'), ('sno_next()'), ('sno_next(7)'), ('flake_next()'), ('flax_next()'), ('kid_uuidv7()'), ('kid_uuidv7_at(''2020-02-02'')'),
    ('kid64_at(''2020-02-02'')'), ('kid96_at(''2020-02-02'')'), ('sno_at(''2020-02-02'')'), ('sno_at(''2020-02-02'', 3)'),
    ('flake_at(''2020-02-02'')'), ('flax_at(''2020-02-02'')');
CREATE TABLE sets (call text);
INSERT INTO sets VALUES ('kid_next(2)'), ('kid64_next(2)'), ('kid96_next(2)'), ('sno_next(7, 2)'), ('flake_next(2)'), ('flax_next(2)'), ('kid_uuidv7(2)');

CREATE TABLE queries (query text);
INSERT INTO queries VALUES
    ('SELECT %1$s AS id, %1$s AS id2 FROM t'),
    ('SELECT %1$s AS id, %1$s AS id2 FROM t ORDER BY id'),
    ('SELECT %1$s AS id, %1$s AS id2, %1$s AS id3 FROM t ORDER BY id2, n'),
    ('SELECT %1$s AS id, %1$s AS id2, %1$s AS id3 FROM t ORDER BY id LIMIT 50'),
    ('SELECT %1$s AS id, %1$s AS id2, n FROM t GROUP BY n'),
    ('SELECT %1$s AS id, %1$s AS id2, n FROM t GROUP BY n ORDER BY id'),
    ('SELECT %1$s AS id, %1$s AS id2, bucket(n) AS k FROM t GROUP BY k ORDER BY id'),
    ('SELECT %1$s AS id, %1$s AS id2, bucket(n) AS k FROM t GROUP BY ROLLUP (k) ORDER BY id2'),
    ('SELECT %1$s AS id, %1$s AS id2 FROM t GROUP BY n, bucket(n) HAVING %1$s IS NOT NULL ORDER BY %1$s'),
    ('SELECT %1$s AS id FROM t GROUP BY %1$s ORDER BY %1$s'),
    ('SELECT DISTINCT ON (bucket(n)) %1$s AS id, %1$s AS id2 FROM t ORDER BY bucket(n)'),
    ('SELECT DISTINCT %1$s AS id, %1$s AS id2, %1$s AS id3 FROM t'),
    ('SELECT DISTINCT ON (id) %1$s AS id, %1$s AS id2 FROM t'),
    ('SELECT id, id2, id3 FROM (SELECT %1$s AS id, %1$s AS id2, %1$s AS id3 FROM t ORDER BY 1) s ORDER BY id3'),
    ('SELECT (SELECT %1$s) AS id, (SELECT %1$s) AS id2'),
    ('VALUES (%1$s, %1$s), (%1$s, %1$s)'),
    ('SELECT %1$s AS id, %1$s AS id2 UNION SELECT %1$s, %1$s UNION ALL SELECT %1$s, %1$s'),
    ('WITH w AS (SELECT %1$s AS id, %1$s AS id2 FROM t ORDER BY id) SELECT * FROM w'),
    ('SELECT %1$s AS id, %1$s AS id2, rank() OVER (ORDER BY n) FROM t ORDER BY id'),
    ('SELECT max(%1$s) AS id, max(%1$s) AS id2 FROM t GROUP BY n ORDER BY id');
UPDATE queries SET query = 'SELECT column1 AS id, column2 AS id2 FROM (' || query || ') v' WHERE query LIKE 'VALUES%';

-- PostgreSQL has no max(uuid).
SELECT q.query, min(r.rows) AS rows, count(*) AS generators, bool_and(r.ids = r.distinct_ids) AS each_once
  FROM queries q, generators g, rows_and_ids(format(q.query, g.call)) r WHERE NOT (q.query LIKE '%max(%' AND g.call LIKE 'kid_uuid%') GROUP BY q.query ORDER BY q.query COLLATE "C";
SELECT q.query, min(r.rows) AS rows, count(*) AS generators, bool_and(r.ids = r.distinct_ids) AS each_once
  FROM queries q, sets g, rows_and_ids(format(q.query, g.call)) r
 WHERE q.query NOT LIKE '%VALUES%' AND q.query !~ 'max\(|HAVING' AND q.query NOT LIKE '%(SELECT \%1$s)%' GROUP BY q.query ORDER BY q.query COLLATE "C";

-- Inserted rows, also through a DEFAULT, a rule, and a function that is inlined.
CREATE TABLE pairs (n int, id kid64 DEFAULT kid_next(), id2 kid64 DEFAULT kid_next(), id3 bigint DEFAULT kid_next());
INSERT INTO pairs (n) SELECT n FROM t ORDER BY n;
INSERT INTO pairs SELECT n, kid_next(), kid_next(), kid_next() FROM t ORDER BY 2;
INSERT INTO pairs VALUES (1, kid_next(), kid_next()), (2, DEFAULT, kid_next());
COPY pairs (n) FROM stdin;
1
2
\.
CREATE FUNCTION new_id() RETURNS kid64 LANGUAGE SQL AS 'SELECT kid_next()';
INSERT INTO pairs SELECT n, new_id(), new_id() FROM t ORDER BY 2;
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
PREPARE twice AS SELECT kid_next() AS id, kid_next() AS id2 FROM t ORDER BY id;
SET plan_cache_mode = force_generic_plan;
CREATE TABLE first AS EXECUTE twice;
CREATE TABLE second AS EXECUTE twice;
RESET plan_cache_mode;
CREATE TABLE third AS EXECUTE twice;
SELECT count(id), count(DISTINCT id) FROM (SELECT id FROM first UNION ALL SELECT id2 FROM first UNION ALL SELECT id FROM second UNION ALL SELECT id2 FROM second
    UNION ALL SELECT id FROM third UNION ALL SELECT id2 FROM third) s;

-- Stored definitions and plans show the expression as it was written.
CREATE VIEW v AS SELECT kid_next() AS id, kid_next() AS id2, sno_next() AS id3, kid_next(3) AS id4 FROM t ORDER BY 1;
SELECT pg_get_viewdef('v');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'pairs'::regclass;
EXPLAIN (VERBOSE, COSTS OFF) TABLE v;
EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO pairs DEFAULT VALUES;

-- The planner knows how many rows a set-returning call returns.
EXPLAIN SELECT kid_next(1234), kid_next(1234);

-- The argument of a set-returning call may come from another row.
SELECT count(*), count(DISTINCT s) FROM generate_series(1, 3) AS g (a), sno_next(0, a) AS s;
SELECT count(*), count(DISTINCT s) FROM t LEFT JOIN LATERAL (SELECT * FROM kid_next(t.n)) AS s ON true WHERE n < 4;

-- If GROUP BY has a generator call, its repetitions have the value of the group, like any expression: in the select list, inside an item, in HAVING, and as
-- NULL in a total.
CREATE TABLE old AS SELECT timestamptz '2020-02-02' + n * interval '1 s' AS ts, n % 2 AS g FROM t;
SELECT count(*), count(DISTINCT id), bool_and(id = id2) AS same FROM (SELECT kid_next() AS id, kid_next() AS id2 FROM t GROUP BY kid_next()) s;
SELECT count(*), bool_and(id::text = text) AS same FROM (SELECT kid64_at(ts) AS id, kid64_at(ts)::text AS text FROM old GROUP BY kid64_at(ts)) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT kid64_at(ts) AS id FROM old GROUP BY kid64_at(ts) HAVING kid64_at(ts) = kid64_at(ts)) s;
SELECT is_total, count(*), count(id), count(text) FROM (SELECT kid64_at(ts) AS id, kid64_at(ts) || 'x' AS text, grouping(kid64_at(ts)) AS is_total FROM old GROUP BY ROLLUP (kid64_at(ts))) s GROUP BY 1 ORDER BY 1;
SELECT count(*), count(DISTINCT id), count(DISTINCT id2), count(*) FILTER (WHERE id = id2) AS same FROM (SELECT kid_next() AS id, flake_next()::bigint::kid64 AS id2, g FROM old GROUP BY kid_next(), g) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT new_id() AS id FROM old GROUP BY new_id() ORDER BY new_id()) s;
SELECT sum(count) AS rows, count(*) AS groups FROM (SELECT count(*) FROM t GROUP BY kid_next()) s;

-- Privileges on a generator and its own settings still apply.
\set ON_ERROR_ROLLBACK on
BEGIN;
CREATE ROLE regress_kid_caller;
GRANT SELECT ON t TO regress_kid_caller;
PREPARE pair AS SELECT count(*), count(DISTINCT id) FROM (SELECT unnest(ARRAY[a, b]) AS id FROM (SELECT kid_next() AS a, kid_next() AS b FROM t ORDER BY a) s) s;
REVOKE EXECUTE ON FUNCTION kid_next() FROM PUBLIC;
SET ROLE regress_kid_caller;
SELECT kid_next() IS NOT NULL AS made;
EXECUTE pair;
RESET ROLE;
EXECUTE pair;
GRANT EXECUTE ON FUNCTION kid_next() TO regress_kid_caller;
SET ROLE regress_kid_caller;
EXECUTE pair;
RESET ROLE;
ALTER FUNCTION kid_next() SET kid.clock_backward = 'never';
ALTER FUNCTION kid_next() SET work_mem = '1MB';
EXECUTE pair;
ROLLBACK;
\set ON_ERROR_ROLLBACK off
DEALLOCATE pair;

DROP VIEW v;
DROP TABLE t, old, generators, sets, queries, pairs, first, second, third;
DROP FUNCTION rows_and_ids, bucket, new_id;
