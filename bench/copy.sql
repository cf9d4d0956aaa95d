-- COPY of a table with IDs only, so that the time is that of converting them to text and back. The tables are those of
-- sort.sql. Rows are read into tables without WAL.
DELETE FROM stored WHERE name = 'bigint';
SELECT format('CREATE UNLOGGED TABLE %I (LIKE %I)', 'copied ' || name, 'stored ' || name) FROM stored \gexec
SELECT format('COPY %I TO %L (FORMAT %s)', 'stored ' || name, :'files' || name || '.' || form, form)
  FROM stored, unnest('{text,binary}'::text[]) AS form \gexec

INSERT INTO contestants (section, name, query)
SELECT 'copy', direction || ' ' || form || ', ' || name,
       format(query, 'stored ' || name, 'copied ' || name, form, :'files' || name || '.' || form)
  FROM (VALUES ('out', 'COPY %1$I TO ''/dev/null'' (FORMAT %3$s)'),
               ('in', 'TRUNCATE %2$I; COPY %2$I FROM %4$L (FORMAT %3$s)')) AS directions (direction, query),
       unnest('{text,binary}'::text[]) AS form, stored;
INSERT INTO comparisons (section, name, rival, target)
SELECT 'copy', direction || ' ' || form || ', ' || name, direction || ' ' || form || ', uuid', 1.0
  FROM unnest('{out,in}'::text[]) AS direction, unnest('{text,binary}'::text[]) AS form, stored
 WHERE name NOT IN ('uuid', 'kid_uuidv7')
 ORDER BY direction DESC, form DESC, name;
CALL compare('copy', :rounds * 3);
SELECT format('DROP TABLE %I, %I', 'stored ' || name, 'copied ' || name) FROM stored \gexec
