-- Comparison of IDs with time: its meaning, that rewriting does not change it, and the resulting plans.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- Comparison is by the time unit of the type: an instant inside a unit, 1.024 ms, equals the whole unit.
SELECT id < t AS lt, id <= t AS le, id >= t AS ge, id > t AS gt, t > id AS gt_id, t >= id AS ge_id, t <= id AS le_id, t < id AS lt_id
  FROM (VALUES (kid64_make('2026-11-21 00:00:00.001024', 5), timestamptz '2026-11-21 00:00:00.002000')) AS v (id, t);
-- Half-open ranges tile time: an ID is in exactly one of them.
SELECT id <@ tstzrange('2026-11-21 00:00', '2026-11-21 00:00:00.0015') AS before, id <@ tstzrange('2026-11-21 00:00:00.0015', '2026-11-22') AS after,
       id <@ tstzrange('2026-11-21 00:00:00.0015', '2026-11-21 00:00:00.0016') AS within_a_unit,
       id <@ tstzrange('2026-11-21 00:00:00.0015', '2026-11-21 00:00:00.0016', '[]') AS closed
  FROM kid64_make('2026-11-21 00:00:00.001024', 5) AS id;

-- If a tool takes a function by its name alone, it can use T_timestamp.
SELECT 'kid_timestamp'::regproc;
SELECT f AS function, provolatile FROM unnest('{kid64_timestamp, kid96_timestamp, sno_timestamp, flake_timestamp, flax_timestamp}'::regproc[]) AS f JOIN pg_proc p ON p.oid = f;
SELECT kid64_timestamp(kid64_floor(t)) AS kid64, kid96_timestamp(kid96_make(t, 5, 0)) AS kid96, sno_timestamp(sno_floor(t)) AS sno, flake_timestamp(flake_floor(t)) AS flake, flax_timestamp(flax_floor(t)) AS flax
  FROM (VALUES (timestamptz '2026-11-21 12:00'), (NULL)) AS v (t);

-- The comparison functions under other names, which the planner does not rewrite.
CREATE TABLE types (name text, makes text, first timestamptz, last timestamptz);
INSERT INTO types VALUES
    ('kid64', 'kid64_make(t, n)', '1970-01-01', '35198-01-19 07:06:39.999999'),
    ('kid96', 'kid96_make(t, n % 3, n)', '1970-01-01', '35198-01-19 07:06:39.999999'),
    ('sno', 'sno_make(t, 0, n % 3, n)', '2010-01-01', '2079-09-07 15:47:35.551999'),
    ('flake', 'flake_make(t, 0, n % 3, n)', '1970-01-01', '2109-05-15 07:35:11.103999'),
    ('flax', 'flax_make(t, decode(lpad(to_hex(n), 14, ''0''), ''hex''))', '2015-01-01', '2049-11-03 19:53:47.775999');
-- The table lists every type that kid defines.
SELECT typname FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
 WHERE typtype = 'b' AND typelem = 0 AND typname <> 'kid_ambiguous' AND typname NOT IN (SELECT name FROM types);
DO $$
DECLARE
    type text;
    op record;
BEGIN
    FOR type IN SELECT name FROM types LOOP
        EXECUTE format('CREATE FUNCTION plain(%s, tstzrange) RETURNS boolean LANGUAGE c STRICT AS ''$libdir/kid'', ''%1$s_within''', type);
        FOR op IN SELECT * FROM (VALUES ('<', 'lt'), ('<=', 'le'), ('>=', 'ge'), ('>', 'gt')) AS v (symbol, name) LOOP
            EXECUTE format('CREATE FUNCTION plain_%s(%s, timestamptz) RETURNS boolean LANGUAGE c STRICT AS ''$libdir/kid'', ''%2$s_%1$s_time''', op.name, type);
        END LOOP;
    END LOOP;
END $$;

-- Instants around the edges of time units, of the ranges of the types, and of time itself, and random ones. The seed makes each run the same.
SELECT setseed(0.20261121);
CREATE TABLE instants AS
SELECT base + random_step * interval '1 microsecond' AS t
  FROM unnest('{1970-01-01, 2010-01-01, 2015-01-01, 2026-11-21 12:00:00.999424, 2026-11-21 12:34:56.789, 2049-11-03 19:53:47.776, 2079-09-07 15:47:35.552,
                2109-05-15 07:35:11.104}'::timestamptz[]) AS base,
       LATERAL (SELECT floor(random() * 9000 - 4500 + length(base::text) * 0) AS random_step FROM generate_series(1, 12)) s
UNION ALL SELECT unnest('{-infinity, infinity, 0001-01-01 BC, 294276-12-31 23:59:59.999999, 35198-01-19 07:06:39.999999, 35198-01-19 07:06:40}'::timestamptz[])
UNION ALL SELECT timestamptz '1960-01-01' + random() * interval '200 years' FROM generate_series(1, 30);
CREATE TABLE ranges AS
SELECT tstzrange(least(a.t, b.t), greatest(a.t, b.t), (ARRAY['[)', '[]', '(]', '()'])[1 + floor(random() * 4)::int]) AS r
  FROM instants a, instants b WHERE random() < 0.03
UNION ALL SELECT unnest(ARRAY['empty', '(,)', '(,2026-11-21 12:34:56.789]', '[2026-11-21 12:34:56.789,)', '(-infinity,infinity)', '[-infinity,infinity]', NULL]::tstzrange[]);
SELECT count(*) > 400 AS ranges FROM ranges;

-- For IDs at such instants, and for the least and the greatest ID: every comparison with every instant and range, when rewritten, agrees with the function. It
-- is tried in a select list, where NULL differs from false, and in WHERE, also negated.
CREATE FUNCTION differences(type text, makes text, first timestamptz, last timestamptz) RETURNS TABLE (what text, cases bigint, different bigint) LANGUAGE plpgsql AS $$
DECLARE
    op record;
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE ids AS
                    SELECT %s AS id FROM (SELECT t, floor(random() * 1000)::int AS n FROM instants) i WHERE t BETWEEN %L AND %L', makes, first, last);
    EXECUTE format('INSERT INTO ids SELECT %s_floor(''-infinity'') UNION SELECT %1$s_ceil(''infinity'') UNION SELECT NULL UNION SELECT %s FROM instants',
                   type, CASE type WHEN 'kid96' THEN 'kid_global(kid64_ceil(t))' ELSE type || '_ceil(t)' END);
    FOR op IN SELECT * FROM (VALUES ('<', 'lt'), ('<=', 'le'), ('>=', 'ge'), ('>', 'gt')) AS v (symbol, name) LOOP
        RETURN QUERY EXECUTE format('SELECT %L, count(*), count(*) FILTER (WHERE (id %1$s t) IS DISTINCT FROM plain_%2$s(id, t)
                                       OR (NOT id %1$s t) IS DISTINCT FROM NOT plain_%2$s(id, t)) FROM ids, instants', op.symbol, op.name);
        RETURN QUERY EXECUTE format('SELECT %L, a, a - b FROM (SELECT count(*) AS a FROM ids, instants WHERE id %1$s t) x, (SELECT count(*) AS b FROM ids, instants WHERE plain_%2$s(id, t)) y',
                                    op.symbol, op.name);
    END LOOP;
    -- The function agrees with the times. (A kid96 has the time unit of kid64; only its bounds are wider.)
    RETURN QUERY EXECUTE format('SELECT ''time'', count(*), count(*) FILTER (WHERE
               (id < t) <> CASE WHEN t < %L THEN false WHEN t > %L THEN true ELSE kid_timestamp(id) < kid_timestamp(%s_floor(t)) END
            OR (id > t) <> CASE WHEN t < %1$L THEN true WHEN t > %2$L THEN false ELSE kid_timestamp(id) > kid_timestamp(%3$s_floor(t)) END) FROM ids, instants',
                                first, last, replace(type, 'kid96', 'kid64'));
    RETURN QUERY EXECUTE 'SELECT ''<@'', count(*), count(*) FILTER (WHERE (id <@ r) IS DISTINCT FROM plain(id, r) OR (r @> id) IS DISTINCT FROM plain(id, r)) FROM ids, ranges';
    RETURN QUERY EXECUTE 'SELECT ''<@'', a, a - b FROM (SELECT count(*) AS a FROM ids, ranges WHERE NOT id <@ r) x, (SELECT count(*) AS b FROM ids, ranges WHERE NOT plain(id, r)) y';
    -- Through an index, and not rewritten: (n, id) of all rows found.
    CREATE INDEX ON ids (id);
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
            set_config('enable_material', 'off', true);
    FOR op IN SELECT * FROM (VALUES ('<', 'lt'), ('<=', 'le'), ('>=', 'ge'), ('>', 'gt')) AS v (symbol, name) LOOP
        RETURN QUERY EXECUTE format('WITH found AS (SELECT n, id FROM numbered JOIN ids ON id %1$s costly(t)), plain AS (SELECT n, id FROM numbered, ids WHERE plain_%2$s(id, t))
                                     SELECT ''index'', count(*), 2 * count(*) - count(f.id) - count(p.id) FROM found f FULL JOIN plain p USING (n, id)', op.symbol, op.name);
    END LOOP;
    RETURN QUERY EXECUTE 'WITH found AS (SELECT n, id FROM numbered_ranges JOIN ids ON id <@ costly(r)), plain AS (SELECT n, id FROM numbered_ranges, ids WHERE plain(id, r))
                          SELECT ''index'', count(*), 2 * count(*) - count(f.id) - count(p.id) FROM found f FULL JOIN plain p USING (n, id)';
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true), set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
            set_config('enable_material', 'on', true);
    -- With constants, where redundant bounds may be dropped.
    FOR op IN SELECT symbol, name, t FROM (VALUES ('<', 'lt'), ('<=', 'le'), ('>=', 'ge'), ('>', 'gt')) AS v (symbol, name), numbered WHERE n % 4 = 0 OR abs(extract(epoch FROM t)) > 5e9 LOOP
        RETURN QUERY EXECUTE format('SELECT ''constant'', count(*), count(*) FILTER (WHERE (id %1$s %3$L::timestamptz) IS DISTINCT FROM plain_%2$s(id, %3$L) OR (NOT id %1$s %3$L::timestamptz) IS DISTINCT FROM NOT plain_%2$s(id, %3$L))
                                       + abs(sum(plain_%2$s(id, %3$L)::int) - (SELECT count(*) FROM ids WHERE id %1$s %3$L::timestamptz)) FROM ids', op.symbol, op.name, op.t);
    END LOOP;
    FOR op IN SELECT r FROM numbered_ranges WHERE n % 20 = 0 OR isempty(r) OR lower_inf(r) OR upper_inf(r) OR r IS NULL LOOP
        RETURN QUERY EXECUTE format('SELECT ''constant'', count(*), count(*) FILTER (WHERE (id <@ %1$L::tstzrange) IS DISTINCT FROM plain(id, %1$L) OR (NOT id <@ %1$L::tstzrange) IS DISTINCT FROM NOT plain(id, %1$L))
                                       + abs(coalesce(sum(plain(id, %1$L)::int), 0) - (SELECT count(*) FROM ids WHERE id <@ %1$L::tstzrange)) FROM ids', op.r);
    END LOOP;
    DROP TABLE ids;
END $$;
CREATE TABLE numbered AS SELECT row_number() OVER () AS n, t FROM instants UNION ALL SELECT 0, NULL;
CREATE TABLE numbered_ranges AS SELECT row_number() OVER () AS n, r FROM ranges;
-- Functions that are too costly to be evaluated twice.
CREATE FUNCTION costly(timestamptz) RETURNS timestamptz STABLE COST 10000 LANGUAGE plpgsql AS $$ BEGIN RETURN $1; END $$;
CREATE FUNCTION costly(tstzrange) RETURNS tstzrange STABLE COST 10000 LANGUAGE plpgsql AS $$ BEGIN RETURN $1; END $$;
SELECT name, CASE WHEN what IN ('index', 'constant') THEN what ELSE 'rewritten' END AS what, sum(cases) > 5000 AS cases, sum(different) AS different FROM types, differences(name, makes, first, last) GROUP BY 1, 2 ORDER BY 1, 2;

-- A range means the same as its two ends.
SELECT name, bool_and(same) FROM types, LATERAL (
    SELECT (id <@ r) = ((lower_inf(r) OR CASE WHEN lower_inc(r) THEN id >= lower(r) ELSE id > lower(r) END) AND
                        (upper_inf(r) OR CASE WHEN upper_inc(r) THEN id <= upper(r) ELSE id < upper(r) END)) AS same
      FROM ranges, (SELECT kid64_ceil(t) AS id FROM instants) i WHERE NOT isempty(r)) s WHERE name = 'kid64' GROUP BY name;

-- Plans: one for each way to give the time, and the other types where they differ.
CREATE FUNCTION planned(query text, property text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> property;
END $$;
CREATE TABLE t (id kid64 PRIMARY KEY, n int);
INSERT INTO t SELECT kid64_make(timestamptz '2026-11-01' + i * interval '1 minute', 0), i FROM generate_series(0, 59999) AS i;
VACUUM ANALYZE t;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE id <@ tstzrange('2026-11-10', '2026-11-11');
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE id >= timestamptz '2026-11-10' AND id < timestamptz '2026-11-11';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id > now() - interval '1 day';
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE timestamptz '2026-11-10' > id;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ '[2026-11-10,2026-11-11]'::tstzrange;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ '(2026-11-10,2026-11-11)'::tstzrange;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ '[2026-11-10,)'::tstzrange;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ '(,2026-11-10)'::tstzrange;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ '(-infinity,infinity)'::tstzrange;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ 'empty'::tstzrange;
SELECT planned('SELECT * FROM t WHERE id <@ NULL::tstzrange', 'One-Time Filter');
PREPARE of_day(timestamptz) AS SELECT count(*) FROM t WHERE id <@ tstzrange($1, $1 + interval '1 day');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_day('2026-11-10');
EXECUTE of_day('2026-11-10');
RESET plan_cache_mode;
RESET enable_seqscan;
-- A range from another table: the inner side of a nested loop uses the index.
CREATE TABLE days (r tstzrange, since timestamptz, id kid64);
INSERT INTO days SELECT tstzrange(d, d + interval '1 day'), d, kid64_floor(d) FROM generate_series(timestamptz '2026-11-10', '2026-11-12', '1 day') AS d;
ANALYZE days;
EXPLAIN (COSTS OFF) SELECT * FROM days JOIN t ON t.id <@ r;
SELECT since, count(*) FROM days JOIN t ON t.id <@ r GROUP BY since ORDER BY since;
EXPLAIN (COSTS OFF) SELECT * FROM days JOIN t ON t.id >= since AND t.id < since + interval '1 hour';
SELECT since, count(*) FROM days JOIN t ON t.id >= since AND t.id < since + interval '1 hour' GROUP BY since ORDER BY since;
EXPLAIN (COSTS OFF) SELECT * FROM days, LATERAL (SELECT * FROM t WHERE t.id > since ORDER BY t.id LIMIT 1) AS next;
-- Inside a merge join.
SET enable_nestloop = off;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT * FROM days JOIN t USING (id) WHERE t.id > timestamptz '2026-11-11';
RESET enable_nestloop;
RESET enable_hashjoin;
-- The time changes from row to row, so each row must be read.
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id > clock_timestamp();
RESET enable_bitmapscan;

-- Estimates, within a factor of 2 of the 1440 rows of a day.
SELECT planned(q, 'Plan Rows')::int BETWEEN 720 AND 2880 AS good
  FROM unnest(ARRAY['SELECT * FROM t WHERE id <@ tstzrange(''2026-11-10'', ''2026-11-11'')',
                    'SELECT * FROM t WHERE id >= timestamptz ''2026-11-10'' AND id < timestamptz ''2026-11-11''']) AS q;

-- Every range of three hours, 180 rows. With the usual 100 histogram bins, a bin would span 10 hours.
SELECT count(*) FILTER (WHERE rows BETWEEN 90 AND 360) / count(*)::float > 0.98 AS good
  FROM (SELECT planned(format('SELECT * FROM t WHERE id <@ tstzrange(%L, %L)', d, d + interval '3 hours'), 'Plan Rows')::int AS rows
          FROM generate_series(timestamptz '2026-11-02', '2026-11-30', '1 hour') AS d) s;
-- A column whose IDs are not unique has the usual statistics, and so does a column with its own statistics target.
CREATE TABLE a AS SELECT kid64_make(timestamptz '2026-11-01' + i * interval '1 s', 0) AS id, kid64_make(timestamptz '2026-11-01' + i / 50 * interval '1 s', 0) AS reference,
                         kid64_make(timestamptz '2026-11-01' + i * interval '1 s', 0) AS own, flax_next() AS random, NULL::sno AS nothing
                    FROM generate_series(1, 20000) AS i;
ALTER TABLE a ALTER own SET STATISTICS 50;
ANALYZE a;
SELECT attname, array_length(histogram_bounds::text::text[], 1) AS bounds, array_length(most_common_freqs, 1) IS NOT NULL AS common, round(correlation::numeric, 2) <> 0 AS correlation
  FROM pg_stats WHERE tablename = 'a' ORDER BY attname;
-- Extended statistics on such a column have the usual size, not ten times as much.
CREATE STATISTICS a_both (mcv) ON id, reference FROM a;
ANALYZE a;
SELECT count(*) FROM pg_statistic_ext_data, pg_mcv_list_items(stxdmcv) WHERE stxoid = (SELECT oid FROM pg_statistic_ext WHERE stxname = 'a_both');
DROP STATISTICS a_both;
SET default_statistics_target = 2000;
ANALYZE a (id);
SELECT array_length(histogram_bounds::text::text[], 1) AS bounds FROM pg_stats WHERE tablename = 'a' AND attname = 'id';
RESET default_statistics_target;
DROP TABLE a;

-- Partitions are pruned at planning time and at execution time.
CREATE TABLE p (id kid64, n int) PARTITION BY RANGE (id);
CREATE TABLE p_1 PARTITION OF p FOR VALUES FROM (kid64_floor('2026-11-01')) TO (kid64_floor('2026-11-10'));
CREATE TABLE p_2 PARTITION OF p FOR VALUES FROM (kid64_floor('2026-11-10')) TO (kid64_floor('2026-11-20'));
CREATE TABLE p_3 PARTITION OF p FOR VALUES FROM (kid64_floor('2026-11-20')) TO (kid64_floor('2026-12-01'));
EXPLAIN (COSTS OFF) SELECT * FROM p WHERE id <@ tstzrange('2026-11-10', '2026-11-20');
EXPLAIN (COSTS OFF) SELECT * FROM p WHERE id < timestamptz '2026-11-10';
PREPARE of_p(timestamptz) AS SELECT * FROM p WHERE id >= $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_p('2026-11-20');
RESET plan_cache_mode;

-- Constraint exclusion, for a table that is split by inheritance.
CREATE TABLE c (id kid64);
CREATE TABLE c_1 (CHECK (id >= kid64 '.6.MUg.....' AND id < kid64 '.600GF.....')) INHERITS (c);
CREATE TABLE c_2 (CHECK (id >= kid64 '.600GF.....')) INHERITS (c);
EXPLAIN (COSTS OFF) SELECT * FROM c WHERE id < timestamptz '2026-11-10';
EXPLAIN (COSTS OFF) SELECT * FROM c WHERE id <@ tstzrange('2026-12-10', NULL);

-- A column that stays bigint, and one that stays text. (In collation "C" the text of an ID sorts like the ID.)
CREATE TABLE b (id bigint PRIMARY KEY DEFAULT kid_next(), n int);
INSERT INTO b SELECT kid64_make(timestamptz '2026-11-01' + i * interval '1 minute', 0)::bigint, i FROM generate_series(0, 9999) AS i;
ANALYZE b;
EXPLAIN (COSTS OFF) SELECT * FROM b WHERE id >= kid64_floor('2026-11-07 22:00')::bigint AND id < kid64_floor('2026-11-07 22:03')::bigint;
SELECT count(*), min(n), max(n) FROM b WHERE id >= kid64_floor('2026-11-07 22:00')::bigint AND id < kid64_floor('2026-11-07 22:03')::bigint;
EXPLAIN (COSTS OFF) SELECT * FROM b WHERE id > kid64_floor(now() - interval '1 day')::bigint;
PREPARE of_b(timestamptz, timestamptz) AS SELECT count(*), min(n), max(n) FROM b WHERE id BETWEEN kid64_floor($1)::bigint AND kid64_ceil($2)::bigint;
EXPLAIN (COSTS OFF) EXECUTE of_b('2026-11-07 22:00', '2026-11-07 22:03');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_b('2026-11-07 22:00', '2026-11-07 22:03');
RESET plan_cache_mode;
EXECUTE of_b('2026-11-07 22:00', '2026-11-07 22:03');
DEALLOCATE of_b;
-- A bigint can be an ID of two types, so it cannot be compared with time.
\set VERBOSITY terse
SELECT * FROM b WHERE id >= timestamptz '2026-11-07 22:00';
SELECT * FROM b WHERE id <@ tstzrange('2026-11-07 22:00', '2026-11-07 22:03');
\set VERBOSITY default
SELECT count(*), min(n), max(n) FROM b WHERE id::kid64 <@ tstzrange('2026-11-07 22:00', '2026-11-07 22:03', '[]');
CREATE TABLE x (id text COLLATE "C" PRIMARY KEY DEFAULT sno_next());
INSERT INTO x SELECT sno_make(timestamptz '2026-11-01' + i * interval '1 minute', 0, 0, 0) FROM generate_series(0, 9999) AS i;
ANALYZE x;
EXPLAIN (COSTS OFF) SELECT * FROM x WHERE id >= sno_floor('2026-11-07 22:00')::text AND id < sno_floor('2026-11-07 22:03')::text;
SELECT count(*), min(kid_timestamp(id::sno)), max(kid_timestamp(id::sno)) FROM x WHERE id >= sno_floor('2026-11-07 22:00')::text AND id < sno_floor('2026-11-07 22:03')::text;

-- kid96: its bounds, and the recheck by the comparison itself.
CREATE TABLE nodes (id kid96 PRIMARY KEY);
INSERT INTO nodes SELECT kid96_make(timestamptz '2026-11-10' + i * interval '1 second', node, 0) FROM generate_series(0, 9999) AS i, generate_series(1, 2) AS node;
VACUUM ANALYZE nodes;
EXPLAIN (COSTS OFF) SELECT count(*) FROM nodes WHERE id <@ tstzrange('2026-11-10 01:00', '2026-11-10 01:10');
SELECT count(*) FROM nodes WHERE id <@ tstzrange('2026-11-10 01:00', '2026-11-10 01:10');
SELECT planned('SELECT * FROM nodes WHERE id <@ tstzrange(''2026-11-10 01:00'', ''2026-11-10 01:10'')', 'Plan Rows')::int BETWEEN 600 AND 2400 AS good;

-- flake: the epoch is the value of the setting at that moment.
CREATE TABLE f (id flake PRIMARY KEY);
INSERT INTO f SELECT flake_make(timestamptz '2026-11-10' + i * interval '1 second', 0, 0, 0) FROM generate_series(0, 9999) AS i;
VACUUM ANALYZE f;
EXPLAIN (COSTS OFF) SELECT count(*) FROM f WHERE id < timestamptz '2026-11-10 00:01';
SELECT count(*) FROM f WHERE id < timestamptz '2026-11-10 00:01';

-- BRIN.
CREATE INDEX t_brin ON t USING brin (id) WITH (pages_per_range = 4);
ALTER TABLE t DROP CONSTRAINT t_pkey;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE id <@ tstzrange('2026-11-10', '2026-11-11');
SELECT count(*) FROM t WHERE id <@ tstzrange('2026-11-10', '2026-11-11');
RESET enable_seqscan;

-- The blocks hold rows of two days that are a month apart. For the time in between, minmax_multi excludes them, which needs the distance between IDs. The
-- function counts the blocks read: for the time in between, and for one of the days.
CREATE FUNCTION blocks_read(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json, COSTS OFF) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Lossy Heap Blocks';
END $$;
SET enable_seqscan = off;
CREATE FUNCTION blocks_between(type text, makes text) RETURNS TABLE (minmax numeric, multi numeric, one_day numeric) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE m AS
                    SELECT %s AS id FROM (SELECT timestamptz ''2026-11-01'' + i * interval ''1 s'' + i %% 2 * interval ''30 days'' AS t, i %% 1000 AS n FROM generate_series(0, 9999) AS i) s', makes);
    CREATE INDEX ON m USING brin (id) WITH (pages_per_range = 8);
    minmax := blocks_read('SELECT FROM m WHERE id <@ tstzrange(''2026-11-10'', ''2026-11-20'')');
    DROP INDEX m_id_idx;
    EXECUTE format('CREATE INDEX ON m USING brin (id %s_minmax_multi_ops (values_per_range = 8)) WITH (pages_per_range = 8)', type);
    -- In PostgreSQL 16 the table ends in blocks without rows, which the index does not summarize, so that every query reads them.
    multi := blocks_read('SELECT FROM m WHERE id <@ tstzrange(''2026-11-10'', ''2026-11-20'')')
        - blocks_read('SELECT FROM m WHERE id <@ tstzrange(''2027-11-10'', ''2027-11-20'')');
    one_day := blocks_read('SELECT FROM m WHERE id <@ tstzrange(''2026-12-01'', ''2026-12-02'')');
    DROP TABLE m;
    RETURN NEXT;
END $$;
SELECT name, minmax > 40 AS minmax, multi, one_day > 40 AS one_day FROM types, blocks_between(name, makes) ORDER BY name;
RESET enable_seqscan;

DROP TABLE c, c_1, c_2, b, x, days, t, p, nodes, f, instants, ranges, numbered, numbered_ranges, types;
DROP FUNCTION costly(timestamptz), costly(tstzrange);

-- A function by another role that only looks like one of kid's is not called.
CREATE FUNCTION kid64_recheck(kid64, tstzrange) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
CREATE FUNCTION kid64_recheck(text, kid64, timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
SELECT count(*) FROM (SELECT kid64_floor(t) FROM generate_series(timestamptz '2026-11-21', '2026-11-21', '1 day') AS t) AS ids (id)
 WHERE id <@ tstzrange('2026-11-20', '2026-11-22') AND id > timestamptz '2026-11-20';
DROP FUNCTION kid64_recheck(kid64, tstzrange);
DROP FUNCTION kid64_recheck(text, kid64, timestamptz);
