-- What is measured, and how the results are stored. The turns of a contestant are values, and a comparison is the ratio of
-- two medians.
\set QUIET on
-- The edition in plain SQL refuses a database that has the extension. The other way round they do not meet.
\i :plain
CREATE EXTENSION kid SCHEMA public;
CREATE SCHEMA bench;   -- first in this session's search_path

-- The types that kid adds, each with its generator and the core type that it is compared with.
CREATE VIEW id_types AS
SELECT typname AS type, CASE typname WHEN 'kid64' THEN 'kid_next()' ELSE typname || '_next()' END AS call,
       CASE WHEN typbyval THEN 'bigint' ELSE 'uuid' END AS rival
  FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
                JOIN pg_extension AS x ON refobjid = x.oid AND extname = 'kid'
 WHERE typtype = 'b' AND EXISTS (SELECT FROM pg_proc WHERE proname = typname || '_at')
 ORDER BY pg_type.oid;

-- What makes IDs, as a column definition and as a call. Generators that this server does not have are skipped.
CREATE TABLE generators (name text PRIMARY KEY, id text, call text);
INSERT INTO generators SELECT type, format('%s DEFAULT %s', type, call), call FROM id_types;
INSERT INTO generators VALUES
    ('kid53', 'bigint DEFAULT kid53_next()', 'kid53_next()'),
    ('kid_uuidv7', 'uuid DEFAULT kid_uuidv7()', 'kid_uuidv7()'),
    ('kid64 in plain SQL', 'kid.kid64 DEFAULT kid.kid_next()', 'kid.kid_next()'),
    ('kid53 in plain SQL', 'bigint DEFAULT kid.kid53_next()', 'kid.kid53_next()'),
    ('kid_uuidv7 in plain SQL', 'uuid DEFAULT kid.kid_uuidv7()', 'kid.kid_uuidv7()'),
    ('bigserial', 'bigserial', 'nextval(''numbers'')'),
    ('uuid v4', 'uuid DEFAULT gen_random_uuid()', 'gen_random_uuid()');
CREATE SEQUENCE numbers;
INSERT INTO generators
SELECT 'uuid v7', 'uuid DEFAULT uuidv7()', 'uuidv7()' FROM pg_proc WHERE proname = 'uuidv7' AND pronargs = 0;

SELECT bool_or(name = 'pg_uuidv7') AS has_pg_uuidv7, bool_or(name = 'snowflake') AS has_snowflake
  FROM pg_available_extensions \gset
\if :has_pg_uuidv7
    CREATE EXTENSION pg_uuidv7 SCHEMA public;
    INSERT INTO generators VALUES ('pg_uuidv7', 'uuid DEFAULT uuid_generate_v7()', 'uuid_generate_v7()');
\endif
\if :has_snowflake
    CREATE EXTENSION snowflake;
    INSERT INTO generators VALUES ('snowflake', 'bigint DEFAULT snowflake.nextval()', 'snowflake.nextval()');
\endif

CREATE TABLE sections (nr serial, section text PRIMARY KEY, title text, unit text);
INSERT INTO sections (section, title, unit) VALUES
    ('generate', 'Making IDs, one session', 'ms'),
    ('call', 'A call of kid_next()', 'ms'),
    ('contended', 'Making IDs, 8 sessions at once', 'ns for an ID'),
    ('insert', 'Bulk insert, primary key DEFAULT', 'ms'),
    ('index size', 'Index of the primary key after that', 'MB'),
    ('pgbench', 'Inserts of one row, 8 sessions, no wait for the disk', 'us for an insert'),
    ('grow', 'Inserts as a table grows', 'us for a row'),
    ('sort', 'Sort, index build, join, extremes', 'ms'),
    ('copy', 'COPY of IDs', 'ms'),
    ('public', 'Texts of 400000 IDs, sealed ones of 20000', 'ms'),
    ('range', 'The rows of an hour, 143 times: by id, by created_at', 'ms'),
    ('planning', 'Planning a query for an hour, and showing the plan: by id, by created_at', 'us for a plan'),
    ('range index', 'Index of the primary key, and that of created_at, which it saves', 'MB');

CREATE TABLE turns (section text, name text, round int, value float);

-- Each row compares a contestant with another one. The target is the greatest acceptable ratio.
CREATE TABLE comparisons (nr serial, section text, name text, rival text, target numeric);

CREATE VIEW medians AS
SELECT section, name, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median, min(value) AS least, max(value) AS most
  FROM turns
 GROUP BY section, name;

CREATE FUNCTION figure(value float) RETURNS text LANGUAGE SQL AS $$
    SELECT CASE WHEN value >= 100 THEN round(value)::text ELSE round(value::numeric, 1)::text END
$$;

CREATE VIEW results AS
SELECT nr, c.section, c.name, figure(a.median) AS median, figure(a.least) || '..' || figure(a.most) AS spread,
       rival AS beside, figure(b.median) AS "its median", figure(b.least) || '..' || figure(b.most) AS "its spread",
       round((a.median / b.median)::numeric, 2) AS ratio, round((a.least / b.least)::numeric, 2) AS "of the least", target,
       CASE WHEN round((a.median / b.median)::numeric, 2) <= target THEN 'ok' WHEN target IS NOT NULL THEN 'over' END AS verdict
  FROM comparisons c
  JOIN medians a ON a.section = c.section AND a.name = c.name
  JOIN medians b ON b.section = c.section AND b.name = c.rival
 ORDER BY nr;

-- Times queries against each other in rounds. In each round every contestant of a section has its turn, so that a change of
-- the machine's speed affects all of them alike. The order is random, because a query can leave memory and caches better or
-- worse for the next one.
CREATE TABLE contestants (nr serial, section text, name text, query text, before text);

CREATE PROCEDURE compare(contest text, rounds int) LANGUAGE plpgsql AS $$
DECLARE
    contestant record;
    start timestamptz;
BEGIN
    FOR round IN 0..rounds LOOP
        FOR contestant IN SELECT name, query FROM contestants WHERE section = contest ORDER BY random() LOOP
            start := clock_timestamp();
            EXECUTE contestant.query;
            -- Round 0 is for warming up.
            INSERT INTO turns
            SELECT contest, contestant.name, round, extract(epoch FROM clock_timestamp() - start) * 1000 WHERE round > 0;
        END LOOP;
        COMMIT;
        RAISE NOTICE '%: round % of %', contest, round, rounds;
    END LOOP;
END $$;
