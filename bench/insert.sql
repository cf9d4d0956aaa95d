-- What a primary key costs a bulk load, and how large its index becomes.
CREATE TABLE "kid64 DEFAULT kid_next()" (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
CREATE TABLE "bigserial" (id bigserial PRIMARY KEY, n int);
CREATE TABLE "uuid DEFAULT gen_random_uuid()" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE TEMPORARY TABLE contestants AS
SELECT name, format('TRUNCATE %1$I; INSERT INTO %1$I (n) SELECT generate_series(1, %2$s)', name, :rows) AS query, target
  FROM (VALUES ('kid64 DEFAULT kid_next()', NULL),
               ('bigserial', 0.92),
               ('uuid DEFAULT gen_random_uuid()', 0.45)) AS c (name, target);
\ir compare.sql

\echo
\echo INSERT of :rows rows, median of :rounds rounds
SELECT c.name AS "id", round(c.median) AS "ms", round(c.least) || '..' || round(c.most) AS "spread",
       round((kid.median / c.median)::numeric, 2) AS "kid64 / this", c.target AS "expected at most",
       pg_size_pretty(pg_indexes_size(quote_ident(c.name)::regclass)) AS "index"
  FROM contestants c, contestants kid
 WHERE kid.name LIKE 'kid64%';
