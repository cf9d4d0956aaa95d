-- Plans of comparisons of an ID with time, for every type: in all places of a query, and with times from all sources.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET max_parallel_workers_per_gather = 0;

CREATE TABLE types (name text, makes text);
INSERT INTO types VALUES ('kid64', 'kid64_make(t, 0)'), ('kid96', 'kid96_make(t, 1, 0)'), ('sno', 'sno_make(t, 0, 0, 0)'),
    ('flake', 'flake_make(t, 0, 0, 0)'), ('flax', 'flax_make(t, ''\x00000000000000'')');
-- The table lists every type that kid defines.
SELECT typname FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
 WHERE typtype = 'b' AND typelem = 0 AND typname <> 'kid_ambiguous' AND typname NOT IN (SELECT name FROM types);

-- For each type there are three tables: one with a key, one with BRIN, and one in partitions. Each has an ID a minute for four days. The same tables with
-- timestamptz give the expected results.
CREATE TABLE days (day timestamptz, during tstzrange, n int);
INSERT INTO days SELECT d, tstzrange(d, d + interval '1 hour'), extract(day FROM d) FROM generate_series(timestamptz '2026-11-02', '2026-11-03', '1 day') AS d;
ANALYZE days;
DO $$
DECLARE
    type record;
BEGIN
    FOR type IN SELECT * FROM types UNION ALL SELECT 'timestamptz', 't' LOOP
        EXECUTE format('CREATE TABLE key_%s (id %1$s PRIMARY KEY)', type.name);
        EXECUTE format('INSERT INTO key_%s SELECT %s FROM generate_series(timestamptz ''2026-11-01'', ''2026-11-04 23:00'', ''1 min'') AS t', type.name, type.makes);
        EXECUTE format('CREATE TABLE brin_%s AS SELECT * FROM key_%1$s', type.name);
        EXECUTE format('CREATE INDEX ON brin_%s USING brin (id) WITH (pages_per_range = 4)', type.name);
        EXECUTE format('CREATE TABLE parts_%s (id %1$s) PARTITION BY RANGE (id)', type.name);
        FOR day IN 1 .. 4 LOOP
            EXECUTE format('CREATE TABLE parts_%s_%s PARTITION OF parts_%1$s FOR VALUES FROM (%3$L::timestamptz::%1$s) TO (%4$L::timestamptz::%1$s)', type.name, day,
                           timestamptz '2026-10-31' + day * interval '1 day', timestamptz '2026-11-01' + day * interval '1 day');
        END LOOP;
        EXECUTE format('INSERT INTO parts_%s SELECT * FROM key_%1$s', type.name);
        EXECUTE format('ANALYZE key_%s, brin_%1$s, parts_%1$s', type.name);
    END LOOP;
END $$;

-- The function costs as much as it claims, and counts its calls.
CREATE FUNCTION costly(timestamptz) RETURNS timestamptz STABLE COST 10000 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('test.calls', (current_setting('test.calls')::int + 1)::text, false);
    RETURN $1;
END $$;
CREATE FUNCTION costly(tstzrange) RETURNS tstzrange STABLE COST 10000 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('test.calls', (current_setting('test.calls')::int + 1)::text, false);
    RETURN $1;
END $$;
SET test.calls = 0;

-- For a condition: the rows it finds, the calls of costly() while it runs, and the conditions of indexes and filters in its plan.
CREATE FUNCTION run(source text, condition text, OUT rows bigint, OUT calls int, OUT conditions text, OUT filters text) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('PREPARE ask AS SELECT count(*) FROM %s WHERE %s', source, condition);
    EXECUTE 'EXPLAIN (FORMAT json, COSTS off) EXECUTE ask' INTO plan;
    PERFORM set_config('test.calls', '0', false);
    EXECUTE 'EXECUTE ask' INTO rows;
    calls := current_setting('test.calls');
    DEALLOCATE ask;
    SELECT string_agg(m[1], ' | ') INTO conditions FROM regexp_matches(plan::text, '"Index Cond": "([^"]*(?:\\"[^"]*)*)"', 'g') AS m;
    SELECT string_agg(m[1], ' | ') INTO filters FROM regexp_matches(plan::text, '"(?:Join )?Filter": "([^"]*(?:\\"[^"]*)*)"', 'g') AS m;
END $$;
CREATE TABLE conditions (n int GENERATED ALWAYS AS IDENTITY, source text DEFAULT '', condition text);
INSERT INTO conditions (condition) VALUES
    ('id > (SELECT max(day) FROM days)'),
    ('(SELECT max(day) FROM days) >= id'),
    ('NOT id > (SELECT max(day) FROM days)'),
    ('id <@ (SELECT during FROM days WHERE n = 2)'),
    ('(SELECT during FROM days WHERE n = 2) @> id'),
    ('id > (SELECT NULL::timestamptz)'),
    ('id <@ (SELECT ''empty''::tstzrange)'),
    ('id > costly(timestamptz ''2026-11-03'')'),
    ('id >= costly(timestamptz ''2026-11-03'')'),
    ('costly(timestamptz ''2026-11-03'') > id'),
    ('costly(timestamptz ''2026-11-03'') >= id'),
    ('id <@ costly(''[2026-11-02,2026-11-03)''::tstzrange)'),
    ('id > costly(timestamptz ''-infinity'')'),
    ('id <= costly(timestamptz ''-infinity'')'),
    ('id > timestamptz ''2026-11-03'''),
    ('NOT id < timestamptz ''2026-11-03'''),
    ('NOT timestamptz ''2026-11-03'' < id'),
    ('NOT id <@ tstzrange ''[2026-11-03,)'''),
    ('id < clock_timestamp() - interval ''10 years'''),
    ('id >= (SELECT clock_timestamp() + interval ''10 years'')');
INSERT INTO conditions (source, condition) VALUES
    ('days, ', 'id >= costly(day) AND id < day + interval ''1 hour'''),
    ('days, ', 'id <@ costly(during)'),
    ('days, ', 'id <@ (SELECT d.during FROM days d WHERE d.n = days.n)'),
    ('days, ', 'id >= (SELECT max(d.day) FROM days d WHERE d.n = days.n) AND id < timestamptz ''2026-11-03''');

-- By the key: whether the rows are those of timestamptz, whether the plan has an index and a filter, and how often costly() is called. A kid96 is rechecked,
-- and neither an index nor a filter can use NOT of a recheck. The same holds for NOT of a comparison that depends on a setting, if the other side is a
-- sub-select.
SET enable_seqscan = off;
SET enable_material = off;
CREATE TABLE answers AS
SELECT c.*, kind, type, a.* FROM conditions c, (VALUES ('key'), ('brin')) AS k (kind), (SELECT name FROM types UNION ALL SELECT 'timestamptz') AS t (type),
       run(format('%s%s_%s', source, kind, type), condition) a;
CREATE VIEW compared AS
SELECT a.source || a.condition AS condition, a.n, a.kind, a.type, a.rows = r.rows AS same, a.conditions IS NOT NULL AS index, a.filters IS NOT NULL AS filter,
       CASE WHEN a.calls > 10 THEN 'a row' ELSE a.calls::text END AS calls
  FROM answers a JOIN answers r USING (n, kind) WHERE r.type = 'timestamptz';
SELECT condition, same, index, filter, calls, string_agg(type, ' ' ORDER BY type) AS types FROM compared WHERE kind = 'key' AND NOT (type = 'timestamptz' AND condition ~ '<@|@>')
 GROUP BY n, condition, same, index, filter, calls ORDER BY n, types;
-- By BRIN: the same rows, and an index wherever the key has one.
SELECT count(*), count(*) FILTER (WHERE NOT same) AS different, count(*) FILTER (WHERE index <> (SELECT index FROM compared k WHERE k.kind = 'key' AND (k.n, k.type) = (b.n, b.type))) AS otherwise
  FROM compared b WHERE kind = 'brin' AND type <> 'timestamptz';
RESET enable_seqscan;
RESET enable_material;

-- Bounds that are known at planning time are constants, also for types whose layout depends on a setting. So partitions are pruned, and tables are excluded by
-- their constraints. Columnar storage and hypertables look for constants, and find them.
EXPLAIN (COSTS OFF) SELECT * FROM parts_flake WHERE id <@ tstzrange('2026-11-02 12:00', '2026-11-02 13:00');
EXPLAIN (COSTS OFF) SELECT * FROM parts_flake WHERE NOT id < timestamptz '2026-11-04';
EXPLAIN (COSTS OFF) SELECT * FROM parts_kid96 WHERE id <@ tstzrange('2026-11-02 12:00', '2026-11-02 13:00');
EXPLAIN (COSTS OFF) SELECT * FROM parts_kid96 WHERE id >= kid96_floor('2026-11-02 12:00') AND id <= kid96_ceil('2026-11-02 13:00') AND kid_timestamp(id) < '2026-11-02 12:30' AND kid_node(id) = 1;
EXPLAIN (COSTS OFF) SELECT * FROM parts_flake WHERE id >= flake_floor('2026-11-04') AND kid_timestamp(id) < '2026-11-04 12:30' AND id - '7523172089856000000' > '1 h';
SELECT id < timestamptz '2026-11-03' AS flake, kid96_make('2026-11-02', 1, 0, 8) < timestamptz '2026-11-03' AS kid96, NULL::flake < timestamptz '2026-11-03' AS nothing
  FROM flake_make('2026-11-02', 0, 0, 0, '1970-01-01') AS id;
-- If everything is known at planning time, no comparison remains.
EXPLAIN (VERBOSE, COSTS OFF) SELECT flake '7523172089856000000' < timestamptz '2026-11-03', kid96 '.6.No...........' <@ tstzrange('2026-11-02', '2026-11-03'), kid_timestamp(flake '7523172089856000000');

-- An expression that outlives a plan must not depend on the setting: where it must be immutable it is rejected, and the planner proves nothing from it.
\set VERBOSITY sqlstate
CREATE INDEX ON key_flake (id) WHERE id < timestamptz '2026-11-03';
CREATE INDEX ON key_flake ((id < timestamptz '2026-11-03'));
CREATE INDEX ON key_flake (kid_timestamp(id));
CREATE INDEX ON key_kid96 (id) WHERE id <@ tstzrange('2026-11-02', '2026-11-03');
CREATE INDEX ON key_kid96 (kid_node(id));
CREATE TABLE refused (id flake) PARTITION BY LIST ((id < timestamptz '2026-11-03'));
CREATE TABLE refused (id kid96) PARTITION BY RANGE (kid_timestamp(id));
CREATE TABLE refused (id flake, early boolean GENERATED ALWAYS AS (id < timestamptz '2026-11-03') STORED);
\set VERBOSITY default
CREATE TABLE checked (id flake, CHECK (id < timestamptz '2026-11-03' AND kid_timestamp(id) < '2026-11-03'));
INSERT INTO checked SELECT id FROM key_flake WHERE id < timestamptz '2026-11-03';
INSERT INTO checked SELECT id FROM key_flake WHERE id > timestamptz '2026-11-03' LIMIT 1;
SET constraint_exclusion = on;
SELECT count(*) FROM checked WHERE id >= flake_floor('2026-11-02');
SET kid.flake_epoch = 86400000;
SELECT count(*) FROM checked WHERE id >= timestamptz '2026-11-03';
SELECT count(*) FROM checked WHERE kid_timestamp(id) >= '2026-11-03';
RESET kid.flake_epoch;
RESET constraint_exclusion;
-- If the setting is passed as an argument, the expression is immutable.
CREATE INDEX with_epoch ON key_flake (kid_timestamp(id, '1970-01-01 UTC'));
SET enable_seqscan = off;
SELECT conditions FROM run('key_flake', 'kid_timestamp(id) = ''2026-11-02''');
SET kid.flake_epoch = 86400000;
SELECT conditions FROM run('key_flake', 'kid_timestamp(id) = ''2026-11-02''');
RESET kid.flake_epoch;
DROP INDEX with_epoch;
CREATE INDEX with_epoch ON key_flake (id) WHERE id < flake_floor('2026-11-02', '1970-01-01 UTC');
ALTER TABLE key_flake DROP CONSTRAINT key_flake_pkey;
SELECT conditions IS NOT NULL AS index FROM run('key_flake', 'id < timestamptz ''2026-11-02'' AND id > ''0''');
SELECT conditions IS NOT NULL AS index FROM run('key_flake', 'id < timestamptz ''2026-11-03'' AND id > ''0''');
SET kid.flake_epoch = 86400000;
SELECT conditions IS NOT NULL AS index FROM run('key_flake', 'id < timestamptz ''2026-11-03'' AND id > ''0''');
RESET kid.flake_epoch;
RESET enable_seqscan;
DROP INDEX with_epoch;
ALTER TABLE key_flake ADD PRIMARY KEY (id);

-- Cached plans are invalidated by a change of the setting, however it changes.
PREPARE flakes(timestamptz) AS SELECT count(*) FROM key_flake WHERE id < $1;
PREPARE of_a_day AS SELECT count(*) FROM key_flake WHERE id < timestamptz '2026-11-03';
PREPARE in_select AS SELECT count(*) FROM key_flake WHERE id < (SELECT max(day) FROM days);
CREATE FUNCTION of_a_day() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM key_flake WHERE id < timestamptz '2026-11-03'); END $$;
CREATE FUNCTION first_time() RETURNS timestamptz LANGUAGE plpgsql AS $$ DECLARE first flake := '7523172089856000000'; BEGIN RETURN kid_timestamp(first); END $$;
CREATE FUNCTION elsewhere() RETURNS bigint LANGUAGE plpgsql SET kid.flake_epoch = 86400000 AS $$ BEGIN RETURN of_a_day(); END $$;
CREATE FUNCTION all_ways(OUT flakes bigint, OUT of_a_day bigint, OUT in_select bigint, OUT function bigint, OUT first_time timestamptz, OUT elsewhere bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'EXECUTE flakes(''2026-11-03'')' INTO flakes;
    EXECUTE 'EXECUTE of_a_day' INTO of_a_day;
    EXECUTE 'EXECUTE in_select' INTO in_select;
    function := of_a_day();
    first_time := first_time();
    elsewhere := elsewhere();
END $$;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM all_ways();
SET kid.flake_epoch = 86400000;
SELECT * FROM all_ways();
RESET kid.flake_epoch;
SELECT * FROM all_ways();
BEGIN;
SET LOCAL kid.flake_epoch = 86400000;
SELECT * FROM all_ways();
SAVEPOINT s;
SET LOCAL kid.flake_epoch = 172800000;
SELECT * FROM all_ways();
ROLLBACK TO s;
SELECT * FROM all_ways();
ROLLBACK;
SELECT * FROM all_ways();
ALTER ROLE CURRENT_USER SET kid.flake_epoch = 86400000;
\c -
SET TimeZone = 'UTC';
SELECT of_a_day(), elsewhere();
ALTER ROLE CURRENT_USER RESET kid.flake_epoch;
\c -
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SELECT of_a_day(), elsewhere();
PREPARE of_a_day AS SELECT count(*) FROM key_flake WHERE id < timestamptz '2026-11-03';
SET plan_cache_mode = force_generic_plan;
EXECUTE of_a_day;
-- A function changes the setting while a statement runs: that statement continues as planned, and the next one uses the new value.
CREATE FUNCTION set_epoch(text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('kid.flake_epoch', $1, false); RETURN true; END $$;
PREPARE setting_too(text) AS SELECT count(*) FROM key_flake WHERE set_epoch($1) AND id < timestamptz '2026-11-03';
EXECUTE setting_too('0');
EXECUTE setting_too('86400000');
EXECUTE setting_too('86400000');
EXECUTE of_a_day;
RESET kid.flake_epoch;
PREPARE kid96s AS SELECT count(*) FROM key_kid96 WHERE id < timestamptz '2026-11-03 00:01';
EXECUTE kid96s;
SET kid.neighborhood = 0;
EXECUTE kid96s;
SELECT count(*) FROM key_kid96 WHERE kid_timestamp(id) < '2026-11-03 00:01';
RESET kid.neighborhood;
EXECUTE kid96s;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- A sub-select may return another value each time. It is not evaluated separately for the two ends of a range, nor for
-- an index and again for the recheck. Here it alternates between two hours, and every row found must be in one of them.
-- Or it alternates between two infinities, and either all rows match or none. The same holds for a sub-select that
-- contains such a sub-select.
CREATE SEQUENCE asked;
CREATE FUNCTION hour() RETURNS tstzrange LANGUAGE sql AS $$
    SELECT CASE nextval('asked') % 2 WHEN 0 THEN tstzrange('2026-11-02 01:00', '2026-11-02 02:00') ELSE tstzrange('2026-11-03 01:00', '2026-11-03 02:00') END $$;
CREATE FUNCTION plans(query text) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT json, COSTS off) ' || query INTO plan; RETURN plan::text ~ 'Index Cond'; END $$;
SET enable_seqscan = off;
CREATE TABLE volatiles AS
SELECT type, condition, plans(format('SELECT 1 FROM days d, key_%s WHERE %s', type, condition)) AS index
  FROM (SELECT name FROM types) AS t (type),
       (VALUES ('id <@ (SELECT hour() WHERE d.n > 0)'), ('(SELECT hour() WHERE d.n > 0) @> id'),
               ('id <@ (SELECT during FROM days i WHERE i.n = d.n AND (SELECT hour() WHERE d.n > 0) IS NOT NULL)'),
               ('id <@ (SELECT during FROM days i WHERE i.n = d.n AND (SELECT max(j.n) FROM days j WHERE j.n = i.n AND NOT isempty(hour())) > 0)'),
               ('id > (SELECT lower(hour()) WHERE d.n > 0)'), ('id > (SELECT day FROM days i WHERE i.n = d.n)')) AS c (condition);
SELECT condition, index, string_agg(type, ' ' ORDER BY type) AS types FROM volatiles GROUP BY 1, 2 ORDER BY 1, 2;
SELECT plans('SELECT 1 FROM days d, key_flake WHERE kid_within(id, during, (SELECT timestamptz ''1970-01-01 UTC'' + interval ''6 h'' * (nextval(''asked'') % 2) WHERE d.n > 0))') AS index;
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE NOT (id <@ tstzrange '[2026-11-02 01:00,2026-11-02 02:00)' OR id <@ tstzrange '[2026-11-03 01:00,2026-11-03 02:00)')) AS in_neither
  FROM days d, key_sno WHERE id <@ (SELECT hour() WHERE d.n > 0);
-- Several ranges: each of them uses the index.
SELECT bool_and(plans(format('SELECT 1 FROM key_%s WHERE id <@ tstzrange(''2026-11-02'', ''2026-11-03'') OR id <@ tstzrange(''2026-11-04'', ''2026-11-05'')', name))) AS either,
       bool_and(plans(format('SELECT 1 FROM key_%s JOIN unnest(''{[2026-11-02,2026-11-03),[2026-11-04,2026-11-05)}''::tstzmultirange) AS r ON id <@ r', name))) AS joined FROM types;
RESET enable_seqscan;

-- In every place the result is that of the function: in an outer join, in CASE, under row security, in views, in inlined functions, in MERGE, UPDATE and
-- DELETE.
CREATE TABLE nothing (id flake, k kid96);
SELECT day, count(*), count(f.id), bool_or(f.id < day) AS before FROM days LEFT JOIN key_flake f ON f.id <@ during AND NOT f.id < timestamptz '2026-11-03' GROUP BY day ORDER BY day;
SELECT count(*) AS rows, count(f.id < timestamptz '2026-11-03') AS known FROM days LEFT JOIN nothing f ON true;
SELECT sum(CASE WHEN id < timestamptz '2026-11-02' THEN 1 WHEN id <@ tstzrange('2026-11-02', '2026-11-03') THEN 1000 WHEN NOT id < timestamptz '2026-11-03' THEN 1000000 END) FROM key_kid96;
CREATE VIEW of_november AS SELECT id, id < timestamptz '2026-11-02' AS early FROM key_flake WHERE id >= timestamptz '2026-11-01';
SELECT count(*), count(*) FILTER (WHERE early) FROM of_november WHERE id < timestamptz '2026-11-03';
CREATE FUNCTION is_early(flake) RETURNS boolean STABLE LANGUAGE sql AS $$ SELECT $1 < timestamptz '2026-11-02' $$;
SELECT count(*) FROM key_flake WHERE is_early(id);
EXPLAIN (COSTS OFF) SELECT count(*) FROM parts_flake WHERE is_early(id);
CREATE TABLE secured AS SELECT * FROM key_flake;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY recent ON secured USING (id >= timestamptz '2026-11-03');
CREATE ROLE regress_kid_reader;
GRANT SELECT ON secured TO regress_kid_reader;
SET ROLE regress_kid_reader;
SELECT count(*), count(*) FILTER (WHERE id < timestamptz '2026-11-04') FROM secured;
RESET ROLE;
SET kid.flake_epoch = 86400000;
SET ROLE regress_kid_reader;
SELECT count(*), count(*) FILTER (WHERE id < timestamptz '2026-11-04') FROM secured;
RESET ROLE;
RESET kid.flake_epoch;
-- A leakproof function raises no error that reveals an argument. A function that takes the setting as an argument does, also if an index or a constraint uses
-- it.
SELECT kid64_edge('lowest', '=', now()) AS lowest, kid64_edge('highest', '', now()) AS highest, sno_edge('first', '<<', now()) AS first, flax_edge('last', '>=x', now()) AS last, kid64_edge('', '<', now()) AS none;
SELECT flake_edge('lowest', '<', now(), '1969-12-31 23:59:59 UTC');
SELECT kid96_edge('last', '>', now(), 11);
SELECT count(*) FROM key_flake WHERE flake_compare('<', id, '2026-11-02', '2000-01-01 00:00:00.0001 UTC');
SELECT count(*) FROM key_kid96 WHERE kid96_compare('<', id, (SELECT max(day) FROM days), -1);
ALTER TABLE key_flake ADD CHECK (id < flake_floor('2036-11-02', '2000-01-01 00:00:00.0001 UTC'));
-- Comparisons with instants are leakproof, and so are the conditions they are rewritten to, as for timestamptz. So an index can be used before a policy, or
-- before the condition of a view with security_barrier. A function that takes the setting as an argument is not leakproof, because it fails for an invalid
-- setting.
CREATE TABLE hidden (type text, source text, condition text);
INSERT INTO hidden SELECT type, source, condition FROM (SELECT name FROM types UNION ALL SELECT 'timestamptz') AS t (type),
    (VALUES ('', 'id > timestamptz ''2026-11-03'''), ('', 'id > now() - interval ''90 years'''), ('', 'id > (SELECT max(day) FROM days)'), ('', '(SELECT max(day) FROM days) >= id'), ('days, ', 'id > day'), ('days, ', 'day + interval ''1 hour'' >= id')) AS c (source, condition);
DO $$
DECLARE
    type text;
BEGIN
    FOR type IN SELECT DISTINCT h.type FROM hidden h LOOP
        EXECUTE format('CREATE POLICY visible ON key_%s USING (id::text > '' '')', type);
        EXECUTE format('CREATE VIEW barrier_%s WITH (security_barrier) AS SELECT * FROM key_%1$s WHERE id::text > '' ''', type);
        EXECUTE format('ALTER TABLE key_%s ENABLE ROW LEVEL SECURITY; GRANT SELECT ON key_%1$s, barrier_%1$s TO regress_kid_reader', type);
    END LOOP;
END $$;
GRANT SELECT ON days, hidden TO regress_kid_reader;
CREATE INDEX by_time ON key_kid64 (kid_timestamp(id));
SET ROLE regress_kid_reader;
SET enable_seqscan = off;
SET enable_material = off;
SELECT source || condition AS condition, kind, conditions IS NOT NULL AS index, rows, string_agg(type, ' ' ORDER BY type) AS types
  FROM hidden, (VALUES ('key'), ('barrier')) AS k (kind), run(format('%s%s_%s', source, kind, type), condition) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT kind, conditions FROM (VALUES ('key'), ('barrier')) AS k (kind), run(kind || '_kid64', 'kid_timestamp(id) > timestamptz ''2026-11-03''');
RESET enable_material;
RESET enable_seqscan;
RESET ROLE;
DROP INDEX by_time;
DO $$
DECLARE
    type text;
BEGIN
    FOR type IN SELECT DISTINCT h.type FROM hidden h LOOP
        EXECUTE format('DROP VIEW barrier_%s; DROP POLICY visible ON key_%1$s; ALTER TABLE key_%1$s DISABLE ROW LEVEL SECURITY; REVOKE ALL ON key_%1$s FROM regress_kid_reader', type);
    END LOOP;
END $$;
REVOKE ALL ON days, hidden FROM regress_kid_reader;
-- The arbiter of ON CONFLICT matches its index, whatever else is in the query.
CREATE TABLE arbiters (id kid64, created timestamptz, a int);
CREATE UNIQUE INDEX ON arbiters (a) WHERE id < created;
CREATE UNIQUE INDEX ON arbiters ((id < created), a);
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, now() AS created, 1 AS a FROM key_kid64 WHERE id < timestamptz '2026-11-01 00:02';
INSERT INTO arbiters SELECT * FROM barrier ON CONFLICT (a) WHERE id < created DO NOTHING;
INSERT INTO arbiters SELECT * FROM barrier ON CONFLICT ((id < created), a) DO UPDATE SET a = arbiters.a + 1;
SELECT kid_timestamp(id), a FROM arbiters ORDER BY id;
DROP VIEW barrier;
DROP TABLE arbiters;
DROP TABLE secured;
DROP ROLE regress_kid_reader;
MERGE INTO nothing n USING key_flake f ON n.id = f.id AND n.id < timestamptz '2026-11-02'
 WHEN NOT MATCHED AND f.id < timestamptz '2026-11-01 00:03' THEN INSERT (id) VALUES (f.id);
UPDATE nothing SET k = kid96_make(kid_timestamp(id), 1, 0) WHERE id > timestamptz '2026-11-01 00:01' RETURNING kid_timestamp(id), k <@ tstzrange('2026-11-01 00:02', NULL);
DELETE FROM nothing WHERE NOT id > (SELECT timestamptz '2026-11-01') RETURNING id >= timestamptz '2026-11-01';
SELECT count(*) FROM key_flake WHERE id <@ ANY (SELECT during FROM days) OR id < ALL (SELECT day - interval '1 day' + interval '5 min' FROM days);
SELECT count(*) FROM key_flake GROUP BY id < timestamptz '2026-11-02' ORDER BY id < timestamptz '2026-11-02';
SELECT count(*) FROM key_kid96 GROUP BY id < timestamptz '2026-11-02' HAVING id < timestamptz '2026-11-02';
SELECT DISTINCT kid_timestamp(id)::date FROM key_flake ORDER BY kid_timestamp(id)::date;
TRUNCATE nothing;
INSERT INTO nothing (id) SELECT id FROM key_flake WHERE id < timestamptz '2026-11-01 00:02';
CREATE UNIQUE INDEX ON nothing (kid_timestamp(id, '1970-01-01 UTC'));
INSERT INTO nothing (id) SELECT id FROM key_flake WHERE id < timestamptz '2026-11-01 00:04' ON CONFLICT (kid_timestamp(id, '1970-01-01 UTC')) DO NOTHING;
SELECT count(*) FROM nothing;
-- COPY has a WHERE clause, but no query that is planned.
COPY nothing FROM stdin WHERE id < timestamptz '2026-11-03';
7523172089855999999	\N
7523172089856000000	\N
\.
SELECT id FROM nothing WHERE k IS NULL ORDER BY id DESC LIMIT 1;

-- Each nested comparison doubles what it contains. A limit by cost alone could not stop that if all costs were set to 0.
SET cpu_operator_cost = 0;
DO $$
DECLARE
    comparison text := 'ts';
    line text;
    bytes int := 0;
BEGIN
    FOR i IN 1 .. 20 LOOP
        comparison := format('(CASE WHEN id < %s THEN ts END)', comparison);
    END LOOP;
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE) SELECT FROM (SELECT kid96_next() AS id, now() AS ts OFFSET 0) AS ids WHERE id < ' || comparison LOOP
        bytes := bytes + length(line);
    END LOOP;
    IF bytes > 100000 THEN
        RAISE EXCEPTION 'the plan has % characters', bytes;
    END IF;
END $$;
RESET cpu_operator_cost;

-- A session remembers the functions that it puts in place of a comparison, until one of them is changed.
SET enable_bitmapscan = off;
BEGIN;
ALTER FUNCTION kid64_edge(text, text, timestamptz) RENAME TO renamed;
EXPLAIN (COSTS OFF) SELECT FROM brin_kid64 WHERE id > timestamptz '2026-11-02';
ROLLBACK;
EXPLAIN (COSTS OFF) SELECT FROM brin_kid64 WHERE id > timestamptz '2026-11-02';
RESET enable_bitmapscan;

DROP VIEW of_november, compared;
DROP FUNCTION run, costly(timestamptz), costly(tstzrange), of_a_day, first_time, elsewhere, all_ways, set_epoch, is_early;
DROP TABLE answers, conditions, days, nothing, checked;
DO $$
DECLARE
    type text;
BEGIN
    FOR type IN SELECT name FROM types UNION ALL SELECT 'timestamptz' LOOP
        EXECUTE format('DROP TABLE key_%s, brin_%1$s, parts_%1$s', type);
    END LOOP;
END $$;
DROP TABLE types;
