-- A row at a time, from eight sessions.
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', 'pgbench ' || name, id) FROM generators \gexec
INSERT INTO contestants (section, name, query, before)
SELECT 'pgbench', name, format('INSERT INTO %I (n) VALUES (1);', 'pgbench ' || name), format('TRUNCATE %I', 'pgbench ' || name)
  FROM generators WHERE name NOT IN ('kid96', 'sno', 'flake', 'flax');
INSERT INTO comparisons (section, name, rival, target)
SELECT 'pgbench', 'kid64', name, CASE WHEN name IN ('bigserial', 'uuid v4') THEN 1.0 END
  FROM contestants WHERE section = 'pgbench' AND name <> 'kid64' ORDER BY nr;
