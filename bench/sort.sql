-- Sorting, indexes, joins and extremes, with IDs from thirty days in random order.
CREATE TABLE stored (name text, id text, rival text);
INSERT INTO stored VALUES ('bigint', 'g', NULL), ('uuid', 'gen_random_uuid()', NULL);
INSERT INTO stored SELECT type, type || '_at(t)', rival FROM id_types ORDER BY rival;
INSERT INTO stored VALUES
    ('kid_uuidv7', 'kid_uuidv7_at(t)', NULL);   -- to PostgreSQL these are uuids like any other
SELECT format('CREATE TABLE %I AS SELECT id FROM (
                   SELECT g, %s AS id
                     FROM (SELECT g::bigint, timestamptz ''2026-01-01'' + g * (interval ''30 days'' / %s) AS t
                             FROM generate_series(1, %3$s) AS g) AS made
                   OFFSET 0) AS ids ORDER BY hashint8(g)', 'stored ' || name, id, :rows) FROM stored \gexec
VACUUM ANALYZE;

INSERT INTO contestants (section, name, query)
SELECT 'sort', task || ', ' || name, format(query, 'stored ' || name)
  FROM (VALUES ('sort', 'SELECT count(*) FROM (SELECT id FROM %I ORDER BY id OFFSET 0) AS sorted'),
               ('index build', 'CREATE INDEX built ON %I (id); DROP INDEX built'),
               ('hash join', 'SELECT count(*) FROM %1$I a JOIN %1$I b USING (id)'),
               ('min, max', NULL)) AS tasks (task, q), stored,
       -- PostgreSQL has no max(uuid).
       LATERAL (SELECT coalesce(q, CASE WHEN name IN ('uuid', 'kid_uuidv7')
                   THEN 'SELECT (SELECT id FROM %1$I ORDER BY id LIMIT 1), (SELECT id FROM %1$I ORDER BY id DESC LIMIT 1)'
                   ELSE 'SELECT min(id), max(id) FROM %I' END)) AS queries (query);
INSERT INTO comparisons (section, name, rival, target)
SELECT 'sort', task || ', ' || name, task || ', ' || rival, CASE WHEN rival = 'bigint' THEN bigint ELSE uuid END
  FROM (VALUES (1, 'sort', 1.05, 1.0), (2, 'index build', 1.05, 1.0), (3, 'hash join', NULL, NULL), (4, 'min, max', NULL, NULL))
       AS tasks (nr, task, bigint, uuid), stored
 WHERE rival IS NOT NULL
 ORDER BY tasks.nr, rival, name;
SET work_mem = '512MB';
SET maintenance_work_mem = '512MB';
SET enable_mergejoin = off;
CALL compare('sort', :rounds * 3);
