-- How fast IDs are made, by one session.
CREATE FUNCTION noop() RETURNS bigint LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS :'noop', 'noop';
INSERT INTO contestants (section, name, query)
SELECT 'generate', name, format('SELECT count(%s) FROM generate_series(1, %s)', call, :rows)
  FROM (SELECT name, call FROM generators UNION ALL SELECT 'a C function that does nothing', 'noop()') AS calls;
INSERT INTO comparisons (section, name, rival, target) VALUES
    ('generate', 'kid64', 'a C function that does nothing', 1.25),
    ('generate', 'kid64', 'bigserial', 0.5),
    ('generate', 'kid64', 'uuid v4', 0.2),
    ('generate', 'kid64', 'uuid v7', 0.3),
    ('generate', 'kid64', 'pg_uuidv7', NULL),
    ('generate', 'kid64', 'snowflake', NULL),
    ('generate', 'kid96', 'uuid v4', NULL),
    ('generate', 'sno', 'uuid v4', NULL),
    ('generate', 'flake', 'bigserial', NULL),
    ('generate', 'flax', 'uuid v4', NULL);
CALL compare('generate', :rounds);
