-- How fast IDs are made.
CREATE EXTENSION IF NOT EXISTS kid;
CREATE FUNCTION noop() RETURNS bigint LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS :'noop', 'noop';
CREATE SEQUENCE numbers;
CREATE TEMPORARY TABLE contestants AS
SELECT name, format('SELECT count(%s) FROM generate_series(1, %s)', call, :rows) AS query, target
  FROM (VALUES ('kid_next()', 'kid_next()', NULL),
               ('a C function that does nothing', 'noop()', 1.25),
               ('nextval', 'nextval(''numbers'')', 0.5),
               ('gen_random_uuid', 'gen_random_uuid()', 0.2)) AS c (name, call, target);
\ir compare.sql

\echo
\echo SELECT count(...) FROM generate_series(1, :rows), median of :rounds rounds
SELECT c.name, round(c.median) AS "ms", round(c.least) || '..' || round(c.most) AS "spread",
       round((kid.median / c.median)::numeric, 2) AS "kid_next() / this", c.target AS "expected at most"
  FROM contestants c, contestants kid
 WHERE kid.name = 'kid_next()';
DROP TABLE contestants;
