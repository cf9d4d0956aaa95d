-- What a primary key costs in a bulk load, and how large its index becomes.
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', 'insert ' || name, id) FROM generators \gexec
INSERT INTO contestants (section, name, query)
SELECT 'insert', name, format('TRUNCATE %1$I; INSERT INTO %1$I (n) SELECT generate_series(1, %2$s)', 'insert ' || name, :rows)
  FROM generators;
INSERT INTO comparisons (section, name, rival, target) VALUES
    ('insert', 'kid64', 'bigserial', 0.92),
    ('insert', 'kid64', 'uuid v4', 0.45),
    ('insert', 'kid64', 'uuid v7', NULL),
    ('insert', 'kid64', 'pg_uuidv7', 0.55),
    ('insert', 'kid64', 'snowflake', NULL),
    ('insert', 'kid53', 'kid64', 1.05),
    ('insert', 'kid53', 'bigserial', 0.92),
    ('insert', 'kid96', 'uuid v4', NULL),
    ('insert', 'sno', 'uuid v4', NULL),
    ('insert', 'flake', 'bigserial', NULL),
    ('insert', 'flax', 'uuid v4', NULL),
    ('insert', 'kid_uuidv7', 'uuid v4', NULL),
    ('insert', 'kid_uuidv7', 'uuid v7', 0.85),
    ('insert', 'kid_uuidv7', 'pg_uuidv7', NULL),
    ('insert', 'kid64 in plain SQL', 'kid64', NULL),
    ('insert', 'kid64 in plain SQL', 'bigserial', NULL),
    ('insert', 'kid64 in plain SQL', 'uuid v4', 0.65),
    ('insert', 'kid53 in plain SQL', 'kid64 in plain SQL', NULL),
    ('insert', 'kid_uuidv7 in plain SQL', 'uuid v4', NULL);
CALL compare('insert', :rounds);

INSERT INTO turns
SELECT 'index size', name, 1, pg_relation_size(format('%I', 'insert ' || name || '_pkey')::regclass) / 1e6 FROM generators;
INSERT INTO comparisons (section, name, rival, target)
SELECT 'index size', name, 'bigserial', 1.0 FROM generators WHERE name IN ('kid64', 'kid53', 'flake');
INSERT INTO comparisons (section, name, rival, target)
SELECT 'index size', kid.name, other.name, CASE kid.name WHEN 'kid_uuidv7' THEN 1.0 END
  FROM generators AS kid, generators AS other
 WHERE kid.name IN ('kid64', 'kid_uuidv7') AND other.name IN ('uuid v7', 'pg_uuidv7')
    OR kid.name IN ('kid96', 'sno', 'flax') AND other.name = 'uuid v4';
SELECT format('DROP TABLE %I', 'insert ' || name) FROM generators \gexec
