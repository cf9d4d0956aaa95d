-- How fast one session makes IDs. A separate section with more and closer turns measures a call beside one that does
-- nothing: their difference is a fifth, which a change of the machine's speed can easily hide.
CREATE FUNCTION noop() RETURNS bigint LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS :'noop', 'noop';
INSERT INTO contestants (section, name, query)
SELECT 'generate', name, format('SELECT count(%s) FROM generate_series(1, %s)', call, :rows)
  FROM generators
UNION ALL
SELECT 'generate', 'kid64, kid_next(n)', format('SELECT count(*) FROM (SELECT kid_next(%s) OFFSET 0) AS made', :rows)
UNION ALL
SELECT 'call', name, format('SELECT count(%s) FROM generate_series(1, %s)', call, :rows)
  FROM (VALUES ('kid64', 'kid_next()'), ('a C function that does nothing', 'noop()')) AS calls (name, call)
UNION ALL
-- kid53 has 4,096 IDs a millisecond, so a session that does nothing else waits for the next one. Beside a call of md5(),
-- which is less than what an INSERT of a row does, it doesn't.
SELECT 'call', name || ', and md5()',
       format('SELECT count(%s), count(md5(n::text)) FROM generate_series(1, %s) AS n', call, :rows)
  FROM (VALUES ('kid64', 'kid_next()'), ('kid53', 'kid53_next()')) AS calls (name, call);
INSERT INTO comparisons (section, name, rival, target) VALUES
    ('generate', 'kid64', 'bigserial', 0.5),
    ('generate', 'kid64', 'uuid v4', 0.2),
    ('generate', 'kid64', 'uuid v7', 0.3),
    ('generate', 'kid64', 'pg_uuidv7', NULL),
    ('generate', 'kid64', 'snowflake', NULL),
    ('generate', 'kid64, kid_next(n)', 'kid64', 0.65),    -- README.md says 40 % less
    ('generate', 'kid53', 'kid64', NULL),                  -- it waits, if a call takes less than 244 ns: see the last row
    ('generate', 'kid53', 'bigserial', NULL),
    ('generate', 'kid96', 'uuid v4', NULL),
    ('generate', 'sno', 'uuid v4', NULL),
    ('generate', 'flake', 'bigserial', NULL),
    ('generate', 'flax', 'uuid v4', NULL),
    ('generate', 'kid_uuidv7', 'uuid v4', 0.25),
    ('generate', 'kid_uuidv7', 'uuid v7', 0.35),
    ('generate', 'kid_uuidv7', 'pg_uuidv7', 0.25),
    ('generate', 'kid64 in plain SQL', 'kid64', NULL),
    ('generate', 'kid64 in plain SQL', 'bigserial', NULL),
    ('generate', 'kid64 in plain SQL', 'uuid v4', NULL),
    ('generate', 'kid64 in plain SQL', 'pg_uuidv7', 1.0),
    ('generate', 'kid53 in plain SQL', 'kid64 in plain SQL', NULL),
    ('generate', 'kid_uuidv7 in plain SQL', 'uuid v4', NULL),
    ('call', 'kid64', 'a C function that does nothing', 1.25),
    ('call', 'kid53, and md5()', 'kid64, and md5()', 1.05);
CALL compare('generate', :rounds);
CALL compare('call', :rounds * 5);
