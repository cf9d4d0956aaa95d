-- kid_within(id, times): IDs beside times of several pieces, of every type. What it means, and the plans that it gives.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET jit = off;   -- what is costly is called often here

CREATE TABLE types (name text, makes text);
INSERT INTO types VALUES
    ('kid64', 'kid64_make(t, n)'),
    ('kid96', 'kid96_make(t, n % 3, n)'),
    ('sno', 'sno_make(t, 0, n % 3, n)'),
    ('flake', 'flake_make(t, 0, n % 3, n)'),
    ('flax', 'flax_make(t, decode(lpad(to_hex(n), 14, ''0''), ''hex''))');
-- The functions themselves under other names, which the planner does not know.
SELECT format('CREATE FUNCTION plain_within(%s, tstzrange) RETURNS boolean LANGUAGE c STRICT AS ''$libdir/kid'', ''%1$s_within''', name),
       format('CREATE FUNCTION plain_within(%s, tstzmultirange) RETURNS boolean LANGUAGE c STRICT AS ''$libdir/kid'', ''%1$s_within_pieces''', name)
  FROM types \gexec

-- Instants within a few units, in the second that ends with a short one, at the ends of the types, and of time. Seeded, so the same in each run.
SELECT setseed(0.20261121);
CREATE TABLE instants AS
SELECT base, n, base + n * interval '150 microseconds' AS t
  FROM unnest('{2026-11-21 12:00:00.996, 2049-11-03 19:53:47.774, 2079-09-07 15:47:35.546, 2109-05-15 07:35:11.102}'::timestamptz[]) AS base, generate_series(0, 59) AS n
UNION ALL SELECT NULL, NULL, unnest('{-infinity, infinity, 0001-01-01 BC, 1970-01-01, 2010-01-01, 2015-01-01, 294276-12-31 23:59:59.999999, 35198-01-19 07:06:39.999999}'::timestamptz[])
UNION ALL SELECT NULL, NULL, timestamptz '2014-01-01' + random() * interval '100 years' FROM generate_series(1, 30);
CREATE TABLE ranges AS
SELECT tstzrange(least(a.t, b.t), greatest(a.t, b.t), (ARRAY['[)', '[]', '(]', '()'])[1 + floor(random() * 4)::int]) AS r
  FROM instants a, instants b WHERE a.base = b.base AND b.n - a.n BETWEEN 0 AND 8 OR random() < 0.002;
CREATE TABLE multiranges AS
SELECT range_agg(r) AS m FROM (SELECT r, floor(random() * 40) AS g FROM ranges WHERE random() < 0.3 AND lower(r) > '2026-01-01' AND upper(r) < '2110-01-01' AND upper(r) - lower(r) < '1 s') s GROUP BY g
UNION ALL SELECT range_agg(r) FROM (SELECT r, floor(random() * 150) AS g FROM ranges) s GROUP BY g
UNION ALL SELECT range_agg(tstzrange(t, t + interval '100 us', bounds)) FROM instants, unnest('{[),[],(],()}'::text[]) AS bounds WHERE base IS NOT NULL GROUP BY bounds
UNION ALL SELECT multirange(r) FROM (SELECT r FROM ranges ORDER BY random() LIMIT 30) s
UNION ALL SELECT unnest(ARRAY[NULL, '{}', '{(,)}', '{(,2026-11-21 12:00:01),[2027-01-01,)}', '{[-infinity,2020-01-01],(2021-01-01,infinity]}', '{(-infinity,infinity)}']::tstzmultirange[]);
SELECT count(*) > 200 AS many, max(pieces) > 100 AS long FROM (SELECT (SELECT count(*) FROM unnest(m)) AS pieces FROM multiranges) s;

-- An ID is within where one of the ranges contains it. Rewritten or not, in a select list, where NULL matters, and in WHERE.
CREATE FUNCTION differences(makes text) RETURNS TABLE (what text, cases bigint, different bigint) LANGUAGE plpgsql AS $$
DECLARE
    type text := substring(makes, '[^_]*');
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE ids AS
                    SELECT %s AS id FROM (SELECT t, floor(random() * 1000)::int AS n FROM instants) i WHERE t BETWEEN ''2020-01-01'' AND %s', makes,
                   CASE type WHEN 'flax' THEN '''2049-11-03 19:53:47.775''' WHEN 'sno' THEN '''2079-09-07 15:47:35.55''' ELSE '''2109-05-15 07:35:11.103''' END);
    EXECUTE format('INSERT INTO ids SELECT %s_floor(''-infinity'') UNION SELECT %1$s_ceil(''infinity'') UNION SELECT NULL', type);
    CREATE TEMPORARY TABLE pairs AS
    SELECT id, m, CASE WHEN m IS NOT NULL AND id IS NOT NULL THEN EXISTS (SELECT FROM unnest(m) AS r WHERE plain_within(id, r)) END AS within FROM ids, multiranges;
    RETURN QUERY SELECT 'select list', count(*), count(*) FILTER (WHERE kid_within(id, m) IS DISTINCT FROM within OR (NOT kid_within(id, m)) IS DISTINCT FROM NOT within) FROM pairs;
    RETURN QUERY SELECT 'function', count(*), count(*) FILTER (WHERE plain_within(id, m) IS DISTINCT FROM within) FROM pairs;
    RETURN QUERY SELECT 'where', a, a - b FROM (SELECT count(*) AS a FROM ids, multiranges WHERE kid_within(id, m)) x, (SELECT count(*) AS b FROM pairs WHERE within) y;
    RETURN QUERY SELECT 'where not', a, a - b FROM (SELECT count(*) AS a FROM ids, multiranges WHERE NOT kid_within(id, m)) x, (SELECT count(*) AS b FROM pairs WHERE NOT within) y;
    RETURN QUERY SELECT 'range', count(*), count(*) FILTER (WHERE kid_within(id, r) IS DISTINCT FROM plain_within(id, r)) FROM ids, ranges;
    DROP TABLE ids, pairs;
END $$;
SELECT name, what, cases > 5000 AS cases, different FROM types, differences(makes) ORDER BY name, what;

-- Plans.
CREATE TABLE t (id kid64 PRIMARY KEY, n int);
INSERT INTO t SELECT kid64_make(timestamptz '2026-11-01' + i * interval '1 minute', 0), i FROM generate_series(0, 59999) AS i;
VACUUM ANALYZE t;
CREATE FUNCTION plan_of(query text, property text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> property;
END $$;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE kid_within(id, '{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}'::tstzmultirange);
SELECT count(*) FROM t WHERE kid_within(id, '{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}'::tstzmultirange);
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE kid_within(id, tstzrange('2026-11-10', '2026-11-11'));
SET enable_seqscan = off;
PREPARE of_pieces(tstzmultirange) AS SELECT count(*) FROM t WHERE kid_within(id, $1);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_pieces('{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}');
EXECUTE of_pieces('{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}');
EXECUTE of_pieces('{}');
EXECUTE of_pieces(NULL);
EXECUTE of_pieces('{(,2026-11-02),[2026-12-12,)}');
RESET plan_cache_mode;
-- A column of another table: the index of this one in a nested loop.
CREATE TABLE shifts (name text, worked tstzmultirange);
INSERT INTO shifts VALUES ('early', '{[2026-11-10 06:00,2026-11-10 14:00),[2026-11-11 06:00,2026-11-11 14:00)}'), ('late', '{[2026-11-10 14:00,2026-11-10 22:00)}');
ANALYZE shifts;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT count(*) FROM shifts JOIN t ON kid_within(t.id, worked);
SELECT name, count(*) FROM shifts JOIN t ON kid_within(t.id, worked) GROUP BY name ORDER BY name;
RESET enable_bitmapscan;
-- Estimates, within a factor of 1.5: the pieces have 2880 rows, and are 2 of 11 days.
SELECT plan_of('SELECT * FROM t WHERE kid_within(id, ''{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}''::tstzmultirange)', 'Plan Rows')::int BETWEEN 1920 AND 4320 AS good,
       plan_of('SELECT * FROM t WHERE kid_within(id, ''{(,2026-11-10),[2026-11-11,)}''::tstzmultirange)', 'Plan Rows')::int > 50000 AS unbounded;
-- Of these 900 pieces a few rows are found. Without an index, too.
SELECT plan_of(q, 'Plan Rows')::int BETWEEN 600 AND 1500 AS good, (SELECT count(*) FROM t WHERE kid_within(id, m)) AS rows
  FROM (SELECT range_agg(tstzrange(d, d + interval '1 min')) AS m FROM generate_series(timestamptz '2026-11-01', '2026-12-08 11:00', '1 hour') AS d) s,
       format('SELECT * FROM t WHERE kid_within(id, %L::tstzmultirange)', m) AS q;

-- Partitions.
CREATE TABLE p (id kid64, n int) PARTITION BY RANGE (id);
CREATE TABLE p_1 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-11-10'));
CREATE TABLE p_2 PARTITION OF p FOR VALUES FROM (kid64_floor('2026-11-10')) TO (kid64_floor('2026-11-20'));
CREATE TABLE p_3 PARTITION OF p FOR VALUES FROM (kid64_floor('2026-11-20')) TO (MAXVALUE);
EXPLAIN (COSTS OFF) SELECT * FROM p WHERE kid_within(id, '{[2026-11-10,2026-11-11),[2026-11-12,2026-11-13)}'::tstzmultirange);

-- BRIN.
CREATE INDEX t_brin ON t USING brin (id) WITH (pages_per_range = 4);
ALTER TABLE t DROP CONSTRAINT t_pkey;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE kid_within(id, '{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}'::tstzmultirange);
SELECT count(*) FROM t WHERE kid_within(id, '{[2026-11-10,2026-11-11),[2026-11-20,2026-11-21)}'::tstzmultirange);
RESET enable_seqscan;

-- Of every type, all ways to give the times: known, as a parameter, as a sub-select, by a function that is costly and so called once, and as a column. What each
-- finds with an index and without one.
CREATE FUNCTION costly() RETURNS tstzmultirange STABLE COST 10000 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('calls');
    RETURN '{[2026-11-10 06:00,2026-11-10 14:00),[2026-11-11 06:00,2026-11-11 14:00)}';
END $$;
CREATE SEQUENCE calls;
CREATE FUNCTION ways(makes text) RETURNS TABLE (way text, rows bigint, same boolean, index boolean) LANGUAGE plpgsql AS $$
DECLARE
    times record;
    plan json;
    in_index bigint;
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE ids AS SELECT %s AS id FROM generate_series(timestamptz ''2026-11-09'', ''2026-11-12'', ''1 min'') WITH ORDINALITY AS g (t, nr), LATERAL (SELECT (nr %% 1000)::int AS n) s', makes);
    CREATE INDEX ON ids (id);
    ANALYZE ids;
    SET LOCAL plan_cache_mode = force_generic_plan;
    PREPARE of_ids(tstzmultirange) AS SELECT count(*) FROM ids WHERE kid_within(id, $1);
    FOR times IN SELECT * FROM (VALUES
        ('known', 'SELECT count(*) FROM ids WHERE kid_within(id, ''{[2026-11-10 06:00,2026-11-10 14:00),[2026-11-11 06:00,2026-11-11 14:00)}''::tstzmultirange)'),
        ('parameter', 'EXECUTE of_ids(''{[2026-11-10 06:00,2026-11-10 14:00),[2026-11-11 06:00,2026-11-11 14:00)}'')'),
        ('sub-select', 'SELECT count(*) FROM ids WHERE kid_within(id, (SELECT worked FROM shifts WHERE name = ''early''))'),
        ('costly', 'SELECT count(*) FROM ids WHERE kid_within(id, costly())'),
        ('column', 'SELECT count(*) FROM shifts JOIN ids ON kid_within(id, worked)')) AS v (way, query) LOOP
        way := times.way;
        SET LOCAL enable_indexscan = off;
        SET LOCAL enable_indexonlyscan = off;
        SET LOCAL enable_bitmapscan = off;
        DISCARD PLANS;
        EXECUTE times.query INTO rows;
        SET LOCAL enable_indexonlyscan = on;
        SET LOCAL enable_seqscan = off;
        SET LOCAL enable_material = off;
        DISCARD PLANS;
        EXECUTE times.query INTO in_index;
        EXECUTE 'EXPLAIN (FORMAT json) ' || times.query INTO plan;
        SET LOCAL enable_seqscan = on;
        same := in_index = rows;
        index := plan::text ~ '"Index Cond": "\(\(id >= .* AND \(id <= ';
        RETURN NEXT;
    END LOOP;
    DEALLOCATE of_ids;
    DROP TABLE ids;
END $$;
SELECT way, rows, same, index, string_agg(name, ' ' ORDER BY name) AS types FROM types, ways(makes) GROUP BY way, rows, same, index ORDER BY way;
-- A costly function is called once for each of the 1921 rows between the bounds, and a few times for those.
CREATE TABLE c (id kid64 PRIMARY KEY);
INSERT INTO c SELECT id FROM t;
ANALYZE c;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT setval('calls', 1);
SELECT count(*) FROM c WHERE kid_within(id, costly());
SELECT currval('calls') - 1 BETWEEN 1921 AND 1930 AS once;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE c;
-- Pieces that are volatile differ from row to row.
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE kid_within(id, multirange(tstzrange(clock_timestamp(), NULL)));

-- kid96: the bounds of its order, and the pieces exactly; with the neighborhood that is set, though the plan was made with another.
CREATE TABLE nodes (id kid96 PRIMARY KEY);
INSERT INTO nodes SELECT kid96_make(timestamptz '2026-11-10' + i * interval '1 second', node, 0) FROM generate_series(0, 9999) AS i, generate_series(1, 2) AS node;
VACUUM ANALYZE nodes;
EXPLAIN (COSTS OFF) SELECT count(*) FROM nodes WHERE kid_within(id, '{[2026-11-10 01:00,2026-11-10 01:00:10),[2026-11-10 01:01,2026-11-10 01:02)}'::tstzmultirange);
PREPARE of_nodes AS SELECT count(*) FROM nodes WHERE kid_within(id, '{[2026-11-10 01:00,2026-11-10 01:00:10),[2026-11-10 01:01,2026-11-10 01:02)}'::tstzmultirange);
EXECUTE of_nodes;
SET kid.neighborhood = 0;
EXECUTE of_nodes;
SELECT count(*) FROM nodes WHERE plain_within(id, '{[2026-11-10 01:00,2026-11-10 01:00:10),[2026-11-10 01:01,2026-11-10 01:02)}'::tstzmultirange);
RESET kid.neighborhood;
EXECUTE of_nodes;
-- What depends on a setting is no predicate.
CREATE INDEX ON t (id) WHERE kid_within(id, '{[2026-11-10,2026-11-11)}'::tstzmultirange);
CREATE INDEX ON nodes (id) WHERE kid_within(id, '{[2026-11-10,2026-11-11)}'::tstzmultirange);

-- A literal or a parameter has to say what it is.
\set VERBOSITY terse
SELECT kid_within(kid_next(), '{}');
SELECT kid_within(kid_next(), '{[2026-11-10,2026-11-11)}'::datemultirange);
DROP TABLE p, t, nodes, shifts, types, instants, ranges, multiranges;
DROP SEQUENCE calls;
