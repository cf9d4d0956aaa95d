-- The rows of an hour, by the primary key and by a created_at column with an index. Each hour begins at a full or a half
-- one, and each query is planned anew, as an application's are. Both sides scan an index: with the table for the sum,
-- without it for the count. A million rows in three days have as many rows an hour as ten million in thirty days.
CREATE FUNCTION each_hour(query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hour timestamptz;
BEGIN
    FOR hour IN SELECT generate_series(timestamptz '2026-01-01', '2026-01-03 23:00', '30 min') LOOP
        EXECUTE format(query, hour, hour + interval '1 hour', kid53_floor(hour), kid53_floor(hour + interval '1 hour') - 1);
    END LOOP;
END $$;
CREATE TABLE dated (name text, type text, id text);
INSERT INTO dated SELECT type, type, type || '_at(t)' FROM id_types;
INSERT INTO dated VALUES ('kid_uuidv7', 'uuid', 'kid_uuidv7_at(t)'), ('kid53', 'bigint', 'kid53_at(t)');
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, created_at timestamptz, n int)', 'dated ' || name, type),
       format('INSERT INTO %I SELECT %s, t, g
                 FROM (SELECT g, timestamptz ''2026-01-01'' + g * (interval ''3 days'' / %s) AS t
                         FROM generate_series(0, %3$s - 1) AS g) AS made', 'dated ' || name, id, :rows),
       format('CREATE INDEX %I ON %I (created_at)', 'dated ' || name || '_created_at', 'dated ' || name)
  FROM dated \gexec
VACUUM ANALYZE;

INSERT INTO contestants (section, name, query)
SELECT 'range', task || ', ' || name || ' ' || side,
       format('SELECT each_hour(%L)', format('SELECT %s FROM %I WHERE %s', result, 'dated ' || name, condition))
  FROM (VALUES ('sum(n)', 'sum(n)'), ('count(*)', 'count(*)')) AS tasks (task, result), dated,
       LATERAL
       (VALUES ('id', CASE type WHEN 'uuid' THEN 'kid_within(id, tstzrange(%L, %L))' WHEN 'bigint' THEN 'kid53_within(id, %L, %L)'
                          ELSE 'id <@ tstzrange(%L, %L)' END),
               ('created_at', 'created_at >= %L AND created_at < %L')) AS sides (side, condition);
INSERT INTO comparisons (section, name, rival, target)
SELECT 'range', task || ', ' || name || ' id', task || ', ' || name || ' created_at', 1.1
  FROM unnest('{sum(n),count(*)}'::text[]) AS task, dated
 ORDER BY task DESC, name;
INSERT INTO contestants (section, name, query)
SELECT 'range', task || ', two numbers',
       format('SELECT each_hour(%L)', format('SELECT %s FROM "dated kid53" WHERE id BETWEEN %%3$s AND %%4$s', task))
  FROM unnest('{sum(n),count(*)}'::text[]) AS task;
INSERT INTO comparisons (section, name, rival, target)
SELECT 'range', task || ', kid53 id', task || ', two numbers', 1.05 FROM unnest('{sum(n),count(*)}'::text[]) AS task;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CALL compare('range', :rounds * 3);

-- A thousand plans, so that milliseconds for all are microseconds for one.
CREATE FUNCTION plan_hours(condition text, name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hour timestamptz;
BEGIN
    FOR i IN 0 .. 999 LOOP
        hour := timestamptz '2026-01-01' + i * interval '4 min';
        EXECUTE format('EXPLAIN SELECT * FROM %I WHERE ' || condition, name, hour, hour + interval '1 hour');
    END LOOP;
END $$;
INSERT INTO contestants (section, name, query)
SELECT 'planning', name || ' ' || side, format('SELECT plan_hours(%L, %L)', condition, 'dated ' || name)
  FROM dated, LATERAL
       (VALUES ('id, range', CASE type WHEN 'bigint' THEN 'kid53_within(id, %L, %L)' ELSE 'kid_within(id, tstzrange(%L, %L))' END),
               ('id, two bounds', CASE type WHEN 'bigint' THEN 'id >= kid53_floor(%L) AND id < kid53_floor(%L)'
                                      ELSE 'id >= %L::timestamptz AND id < %L::timestamptz' END),
               ('created_at', 'created_at >= %L::timestamptz AND created_at < %L::timestamptz')) AS sides (side, condition);
INSERT INTO comparisons (section, name, rival)
SELECT 'planning', name || ' ' || side, name || ' created_at'
  FROM dated, unnest('{"id, range","id, two bounds"}'::text[]) AS side
 ORDER BY name, side;
CALL compare('planning', :rounds * 5);

INSERT INTO turns
SELECT 'range index', name || ' ' || index, 1, pg_relation_size(format('%I', 'dated ' || name || '_' || index)::regclass) / 1e6
  FROM dated, unnest('{pkey,created_at}'::text[]) AS index;
INSERT INTO comparisons (section, name, rival) SELECT 'range index', name || ' pkey', name || ' created_at' FROM dated;
SELECT format('DROP TABLE %I', 'dated ' || name) FROM dated \gexec
