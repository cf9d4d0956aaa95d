-- Making IDs in eight sessions at once. They contend for a cache line, or for a lock.
INSERT INTO contestants (section, name, query)
SELECT 'contended', name, format('SELECT count(%s) FROM generate_series(1, %s);', call, :rows)
  FROM generators WHERE name NOT IN ('kid96', 'sno', 'flake', 'flax');
INSERT INTO comparisons (section, name, rival)
SELECT 'contended', 'kid64', name FROM contestants WHERE section = 'contended' AND name <> 'kid64' ORDER BY nr;
