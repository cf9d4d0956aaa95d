-- kid_check() and kid_observe_all(), which both editions have: test/t/plain.pl runs this file against that in plain SQL, too. So
-- names are shown without the schema of kid, and IDs by their times. sql/check_types.sql has what the extension alone has.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
CREATE FUNCTION shown(what text) RETURNS text LANGUAGE sql
RETURN regexp_replace(regexp_replace(what, '(public|kid)[.](?!max_observe)', '', 'g'), 'up to \S+ have', 'up to ID have');

-- A table with correct columns.
CREATE TABLE good (a kid64 PRIMARY KEY DEFAULT kid_next(), f bigint UNIQUE DEFAULT kid_next(), g text COLLATE "C" DEFAULT kid64_to_text(kid_next()),
    u uuid UNIQUE DEFAULT kid_uuidv7(), k kid64 GENERATED ALWAYS AS (a) STORED, l int DEFAULT 1, m kid64);
INSERT INTO good DEFAULT VALUES;
SELECT * FROM kid_check('good');
DROP TABLE good;

-- A bigserial table that was changed to IDs incorrectly. The remedies remove the problems, except that of rows that tell wrong times.
CREATE TABLE orders (id bigserial PRIMARY KEY, item text);
INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 1000);
ALTER TABLE orders ALTER id TYPE kid64;
SELECT relation_name, column_name, shown(problem), shown(remedy) FROM kid_check('orders');
SELECT shown(remedy) FROM kid_check('orders') WHERE remedy LIKE 'ALTER%' \gexec
SELECT relation_name, column_name, shown(problem), shown(remedy) FROM kid_check('orders');
INSERT INTO orders DEFAULT VALUES RETURNING kid_timestamp(id) > now() - interval '1 minute' AS tells_its_time;
CREATE TABLE moved (LIKE orders INCLUDING ALL);
INSERT INTO moved SELECT kid64_at('2026-11-01'), item FROM orders;
SELECT * FROM kid_check('moved');
DROP TABLE orders, moved;

-- IDs in the future, and a column that is first in no index.
CREATE TABLE ahead (id kid64 PRIMARY KEY, other kid64);
INSERT INTO ahead VALUES (kid64_make('2300-01-01', 5), kid64_make('2100-01-01', 0)), (kid64_floor(now() + interval '30 min'), NULL);
SELECT relation_name, column_name, shown(problem), remedy FROM kid_check('ahead');
DROP TABLE ahead;

-- Columns of type uuid.
CREATE TABLE sevens (id uuid PRIMARY KEY DEFAULT kid_uuidv7());
INSERT INTO sevens SELECT id FROM unnest(ARRAY[kid_uuidv7_at('2300-01-01'), kid_uuidv7_at('1970-01-15'), gen_random_uuid()]) AS id;
SELECT column_name, shown(problem), remedy FROM kid_check('sevens');
-- Old random keys are no problem for the IDs that come after them. If all keys are random, the remedy says so.
TRUNCATE sevens;
INSERT INTO sevens SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING 'a' FROM 17)::uuid FROM generate_series(1, 20000) AS n;
SELECT column_name, problem, remedy FROM kid_check('sevens');
INSERT INTO sevens VALUES (DEFAULT);
SELECT column_name, problem FROM kid_check('sevens');
DROP TABLE sevens;

-- Defaults, domains, and a name in quotes.
CREATE DOMAIN key AS kid64;
CREATE SEQUENCE s;
CREATE FUNCTION own_next() RETURNS kid64 LANGUAGE SQL AS 'SELECT kid_next()';
CREATE TABLE other (a key DEFAULT nextval('s'), c kid64 DEFAULT 5, d kid64 DEFAULT kid64_at(now()), "E f" kid64 DEFAULT nextval('s'), g kid64 DEFAULT own_next());
SELECT column_name, shown(problem), shown(remedy) FROM kid_check('other') WHERE problem NOT LIKE 'its IDs were%';
DROP TABLE other; DROP FUNCTION own_next; DROP DOMAIN key; DROP SEQUENCE s;
-- If the default of a referencing column refers to an existing row, it is not a missing generator.
CREATE TABLE referred (id kid64 PRIMARY KEY DEFAULT kid_next());
CREATE TABLE referring (id kid64 REFERENCES referred DEFAULT 5);
SELECT column_name, problem FROM kid_check('referring');
DROP TABLE referring, referred;

-- Partitions.
CREATE TABLE parted (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
CREATE TABLE parted_1970 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (kid64_floor('2000-01-01'));
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO parted VALUES (17), (kid64_make('2200-01-01', 0));
SELECT relation_name, shown(problem) FROM kid_check('parted');
DROP TABLE parted;

-- Partitions that give more rights than their parent, or lack its row-level security. The remedies remove the problems.
CREATE ROLE regress_kid_owner; CREATE ROLE regress_kid_other; CREATE ROLE "Regress kid's ""reader"""; CREATE ROLE regress_kid_group;
GRANT regress_kid_group TO "Regress kid's ""reader""";
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE TABLE rights (id kid64 NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE rights_1 PARTITION OF rights FOR VALUES FROM (10) TO (20);
CREATE TABLE rights_2 PARTITION OF rights FOR VALUES FROM (20) TO (30) PARTITION BY RANGE (n);
CREATE TABLE rights_2_1 PARTITION OF rights_2 FOR VALUES FROM (0) TO (10);
CREATE TABLE rights_rest PARTITION OF rights DEFAULT;
CREATE FOREIGN TABLE rights_f PARTITION OF rights FOR VALUES FROM (30) TO (40) SERVER nowhere;
SELECT format('ALTER TABLE %s OWNER TO regress_kid_owner', relid) FROM pg_partition_tree('rights') \gexec
CREATE FUNCTION rights() RETURNS TABLE (name regclass, problem text, remedy text) LANGUAGE sql
AS $$ SELECT relation_name, shown(problem), shown(remedy) FROM kid_check('rights') WHERE problem NOT LIKE 'its IDs were%' $$;
-- What the parent gives to a role, to all, or to a group of it, can be given by a partition.
SET ROLE regress_kid_owner;
GRANT SELECT, UPDATE (n) ON rights TO regress_kid_group; GRANT INSERT ON rights TO PUBLIC; GRANT DELETE ON rights TO regress_kid_other WITH GRANT OPTION;
GRANT SELECT, INSERT, UPDATE (n) ON rights_1 TO "Regress kid's ""reader"""; GRANT UPDATE (n) ON rights_f TO regress_kid_group;
GRANT INSERT ON rights_2, rights_2_1 TO PUBLIC; GRANT DELETE ON rights_rest TO regress_kid_other WITH GRANT OPTION;
RESET ROLE;
SELECT * FROM rights();
-- More, of each kind.
SET ROLE regress_kid_owner;
GRANT DELETE ON rights_1 TO "Regress kid's ""reader"""; GRANT SELECT ON rights_1 TO PUBLIC;
GRANT INSERT ON rights_2 TO regress_kid_group WITH GRANT OPTION;
GRANT SELECT (n) ON rights_2_1 TO regress_kid_other;
SET ROLE regress_kid_other;
GRANT DELETE ON rights_rest TO regress_kid_group;
RESET ROLE;
ALTER TABLE rights_2_1 OWNER TO regress_kid_group;
SELECT * FROM rights();
SELECT remedy FROM rights() \gexec
SELECT * FROM rights();
-- Policies.
ALTER TABLE rights ENABLE ROW LEVEL SECURITY;
ALTER TABLE rights_1 ENABLE ROW LEVEL SECURITY;
SELECT * FROM rights();
SELECT remedy FROM rights() WHERE name <> 'rights_2'::regclass \gexec
ALTER TABLE rights FORCE ROW LEVEL SECURITY;
SELECT * FROM rights();
SELECT remedy FROM rights() \gexec
SELECT * FROM rights();
DROP FUNCTION rights; DROP TABLE rights;
SET client_min_messages = warning;
DROP FOREIGN DATA WRAPPER nothing CASCADE;
RESET client_min_messages;
DROP ROLE regress_kid_owner, regress_kid_other, "Regress kid's ""reader""", regress_kid_group;

-- It looks at the IDs of the caller's tables alone, and does not run code that others wrote.
CREATE ROLE regress_kid_reader;
CREATE TABLE private (id kid64 PRIMARY KEY, what text);
INSERT INTO private VALUES (5);
GRANT SELECT ON private TO regress_kid_reader;
SET ROLE regress_kid_reader;
SELECT column_name, shown(problem) FROM kid_check('private');
RESET ROLE;
ALTER TABLE private OWNER TO regress_kid_reader;
CREATE FUNCTION trap(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_kid_reader' THEN RAISE EXCEPTION 'planted'; END IF; RETURN true; END $$;
ALTER FUNCTION trap OWNER TO regress_kid_reader;
CREATE INDEX ON private (id) WHERE what <> '';
SELECT column_name, shown(problem) FROM kid_check('private');
CREATE INDEX ON private (what) WHERE trap(text 'x');
SELECT FROM private;
SELECT column_name, shown(problem) FROM kid_check('private');
SET ROLE regress_kid_reader;
SELECT column_name, shown(problem) FROM kid_check('private');
RESET ROLE;
DROP INDEX private_what_idx;
CREATE DOMAIN trapped AS text CHECK (trap(VALUE));
ALTER DOMAIN trapped OWNER TO regress_kid_reader;
CREATE INDEX private_trapped ON private ((what::trapped));
SELECT column_name, shown(problem) FROM kid_check('private');
DROP DOMAIN trapped CASCADE;
ALTER TABLE private ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_kid_reader;
SELECT column_name, shown(problem), remedy FROM kid_check('private');
RESET ROLE;
ALTER ROLE regress_kid_reader BYPASSRLS;
SET ROLE regress_kid_reader;
SELECT column_name, shown(problem) FROM kid_check('private');
RESET ROLE;
DROP TABLE private; DROP FUNCTION trap;
DROP ROLE regress_kid_reader;

SELECT * FROM kid_check(NULL);
SELECT * FROM kid_check('absent');
SELECT * FROM kid_check('pg_class');
SELECT * FROM kid_check(0);

-- kid_observe_all() moves each clock past the greatest ID that is at most kid.max_observe ahead. The clocks catch up before the next test.
SELECT now() + interval '2 s' AS later \gset
CREATE DOMAIN number AS bigint DEFAULT kid_next();
CREATE TABLE numbers (id number PRIMARY KEY, also kid64);
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT kid_uuidv7());
CREATE TABLE future (id kid64 PRIMARY KEY);
INSERT INTO numbers VALUES (kid64_floor(:'later'));
INSERT INTO keys VALUES (kid_uuidv7_floor(:'later'));
INSERT INTO future VALUES (kid64_make('2040-01-01', 0)), (kid64_make('2039-01-01', 0));
SELECT clock, issued BETWEEN timestamptz :'later' - interval '2 ms' AND :'later' AS later, relation, column_name, problem FROM kid_observe_all()
 WHERE relation IN ('numbers'::regclass, 'keys'::regclass) ORDER BY clock, problem;
SELECT clock, issued, relation, column_name, problem FROM kid_observe_all() WHERE relation = 'future'::regclass;
SELECT kid_next() > kid64_ceil(:'later') AS kid64, kid_uuidv7() > kid_uuidv7_ceil(:'later') AS uuid, kid_timestamp(kid_next()) < now() + interval '1 minute' AS not_future;
-- Not if statements have one snapshot, which is older than the locks.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT FROM kid_observe_all();
ROLLBACK;
-- Nor for everybody.
CREATE ROLE regress_kid_reader;
SET ROLE regress_kid_reader;
SELECT FROM kid_observe_all();
RESET ROLE;
DROP ROLE regress_kid_reader;
DROP TABLE numbers, keys, future;
DROP DOMAIN number;
DROP FUNCTION shown;
SELECT FROM pg_sleep(2);
