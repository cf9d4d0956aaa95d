-- kid_check(): it reports what is wrong with a table, and each remedy removes its problem.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- A table with correct columns of each type.
CREATE TABLE good (a kid64 PRIMARY KEY DEFAULT kid_next(), b kid96 UNIQUE DEFAULT kid96_next(), c sno UNIQUE DEFAULT sno_next(7), d flake UNIQUE DEFAULT flake_next(),
    e flax UNIQUE DEFAULT flax_next(), f bigint UNIQUE DEFAULT kid_next(), g text COLLATE "C" DEFAULT kid_next(), h varchar(11) DEFAULT kid_next(),
    i varchar(20) DEFAULT flake_next(), j numeric(20) DEFAULT kid_next()::bigint, k kid64 GENERATED ALWAYS AS (a) STORED, l int DEFAULT 1, m kid64);
INSERT INTO good DEFAULT VALUES;
SELECT * FROM kid_check('good');

-- A bigserial table that was changed to IDs incorrectly.
CREATE TABLE orders (id bigserial PRIMARY KEY, item text);
INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 1000);
CREATE TABLE lines (order_id bigint REFERENCES orders, note text);
INSERT INTO lines SELECT id FROM orders LIMIT 10;
ALTER TABLE orders ALTER id TYPE kid64;
SELECT * FROM kid_check('orders');
SELECT * FROM kid_check('lines');
-- Run the remedies, except the one for rows that tell wrong times.
SELECT remedy FROM kid_check('orders') WHERE remedy LIKE 'ALTER%' \gexec
SELECT * FROM kid_check('orders');
SELECT * FROM kid_check('lines');
INSERT INTO orders DEFAULT VALUES RETURNING kid_timestamp(id) > now() - interval '1 minute' AS tells_its_time;
CREATE TABLE moved (LIKE orders INCLUDING ALL);
INSERT INTO moved SELECT kid64_at('2026-11-01'), item FROM orders;
SELECT * FROM kid_check('moved');
DROP TABLE lines, orders, moved;

-- IDs in the future, and columns that are first in no index.
CREATE TABLE ahead (id kid64 PRIMARY KEY, other flake);
INSERT INTO ahead VALUES (kid64_make('2300-01-01', 5), flake_make('2100-01-01', 0, 0, 0)), (kid64_floor(now() + interval '30 min'), NULL);
SELECT * FROM kid_check('ahead');
SET kid.flake_epoch = 1500000000000;
TRUNCATE ahead; CREATE INDEX ON ahead (other); INSERT INTO ahead VALUES (kid64_floor(now()), 12);
SELECT column_name, problem FROM kid_check('ahead');
RESET kid.flake_epoch;
DROP TABLE ahead;

-- Columns of type uuid.
CREATE TABLE sevens (id uuid PRIMARY KEY DEFAULT kid_uuidv7());
INSERT INTO sevens SELECT id FROM unnest(ARRAY[kid_uuidv7_at('2300-01-01'), kid_uuidv7_at('1970-03-01'), gen_random_uuid()]) AS id;
SELECT column_name, regexp_replace(problem, '[0-9a-f-]{36}', 'ID') AS problem, remedy FROM kid_check('sevens');
-- Old random keys are no problem for the IDs that come after them. If all keys are random, the remedy says so.
TRUNCATE sevens;
INSERT INTO sevens SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING 'a' FROM 17)::uuid FROM generate_series(1, 20000) AS n;
SELECT column_name, problem, remedy FROM kid_check('sevens');
INSERT INTO sevens VALUES (DEFAULT);
SELECT column_name, problem FROM kid_check('sevens');
DROP TABLE sevens;

-- Defaults of another type, domains, and a misspelled name.
CREATE DOMAIN key AS kid64;
CREATE SEQUENCE s;
CREATE FUNCTION own_next() RETURNS kid64 LANGUAGE SQL AS 'SELECT kid_next()';
CREATE TABLE other (a key DEFAULT nextval('s'), b kid64 DEFAULT flake_next()::bigint, c kid64 DEFAULT 5, d kid64 DEFAULT kid64_at(now()), "E f" kid64 DEFAULT nextval('s'),
                    g kid64 DEFAULT own_next(), h flake DEFAULT own_next()::bigint);
SELECT column_name, problem, remedy FROM kid_check('other') WHERE problem NOT LIKE 'its IDs were%';
DROP TABLE other; DROP FUNCTION own_next; DROP DOMAIN key; DROP SEQUENCE s;
-- If the default of a referencing column refers to an existing row, it is not a missing generator.
CREATE TABLE referred (id kid64 PRIMARY KEY DEFAULT kid_next());
CREATE TABLE referring (id kid64 REFERENCES referred DEFAULT 5);
SELECT column_name, problem FROM kid_check('referring');
DROP TABLE referring, referred;
-- Foreign keys between a kid64 and a bigint column, in both directions.
CREATE TABLE numbers (id bigint PRIMARY KEY);
CREATE TABLE ids (id kid64 PRIMARY KEY, n bigint REFERENCES numbers);
CREATE TABLE pairs (a kid64, b bigint, UNIQUE (a, b));
CREATE TABLE to_pairs (a bigint, b bigint, FOREIGN KEY (a, b) REFERENCES pairs (a, b));
SELECT * FROM kid_check('ids');
SELECT * FROM kid_check('to_pairs');
DROP TABLE to_pairs, pairs, ids, numbers;

-- Partitions.
CREATE TABLE parted (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
CREATE TABLE parted_1970 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (kid64_floor('2000-01-01'));
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO parted VALUES (17), (kid64_make('2200-01-01', 0));
SELECT relation_name, problem FROM kid_check('parted');
DROP TABLE parted;

-- It looks at the IDs of the caller's tables alone, and does not run code that others wrote.
CREATE ROLE regress_kid_reader;
CREATE TABLE private (id kid64 PRIMARY KEY, what text);
INSERT INTO private VALUES (5);
GRANT SELECT ON private TO regress_kid_reader;
SET ROLE regress_kid_reader;
SELECT column_name, problem FROM kid_check('private');
RESET ROLE;
ALTER TABLE private OWNER TO regress_kid_reader;
CREATE FUNCTION trap(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_kid_reader' THEN RAISE EXCEPTION 'planted'; END IF; RETURN true; END $$;
ALTER FUNCTION trap OWNER TO regress_kid_reader;
CREATE INDEX ON private (id) WHERE what <> '';
SELECT column_name, problem FROM kid_check('private');
CREATE INDEX ON private (what) WHERE trap(text 'x');
SELECT FROM private;
SELECT column_name, problem FROM kid_check('private');
SET ROLE regress_kid_reader;
SELECT column_name, problem FROM kid_check('private');
RESET ROLE;
ALTER TABLE private ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_kid_reader;
SELECT column_name, problem FROM kid_check('private');
RESET ROLE;
DROP TABLE private; DROP FUNCTION trap;
DROP ROLE regress_kid_reader;

SELECT * FROM kid_check(NULL);
SELECT * FROM kid_check('absent');
SELECT * FROM kid_check('pg_class');
SELECT * FROM kid_check(0);
-- The extension is in another schema, and objects in public have the names that kid uses.
CREATE SCHEMA other;
CREATE TABLE t (id kid64 PRIMARY KEY DEFAULT 1);
CREATE FUNCTION public.kid_stored_forms(VARIADIC int[]) RETURNS SETOF record LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$;
CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$;
ALTER EXTENSION kid SET SCHEMA other;
SELECT column_name, remedy FROM other.kid_check('t');
ALTER EXTENSION kid SET SCHEMA public;
DROP FUNCTION public.kid_stored_forms(int[]), public.format(text, text);
DROP TABLE t, good; DROP SCHEMA other;
