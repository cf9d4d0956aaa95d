-- kid_check() of what the extension alone has: its other types, foreign keys between types, and the schema. sql/check.sql has what both
-- editions do.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- A table with correct columns of each type.
CREATE TABLE good (a kid64 PRIMARY KEY DEFAULT kid_next(), b kid96 UNIQUE DEFAULT kid96_next(), c sno UNIQUE DEFAULT sno_next(7), d flake UNIQUE DEFAULT flake_next(),
    e flax UNIQUE DEFAULT flax_next(), h varchar(11) DEFAULT kid_next(), i varchar(20) DEFAULT flake_next(), j numeric(20) DEFAULT kid_next()::bigint);
INSERT INTO good DEFAULT VALUES;
SELECT * FROM kid_check('good');

-- The texts of IDs. The setting of a flake decides when its time began.
CREATE TABLE ahead (id kid64 PRIMARY KEY, other flake UNIQUE);
INSERT INTO ahead VALUES (kid64_make('2300-01-01', 5), flake_make('2100-01-01', 0, 0, 0)), ('.........03', NULL);
SELECT * FROM kid_check('ahead');
SET kid.flake_epoch = 1500000000000;
TRUNCATE ahead; INSERT INTO ahead VALUES (kid64_floor(now()), 12);
SELECT column_name, problem FROM kid_check('ahead');
RESET kid.flake_epoch;
DROP TABLE ahead;

-- Defaults of another type.
CREATE FUNCTION own_next() RETURNS kid64 LANGUAGE SQL AS 'SELECT kid_next()';
CREATE TABLE other (b kid64 DEFAULT flake_next()::bigint, g kid64 DEFAULT own_next(), h flake DEFAULT own_next()::bigint);
SELECT column_name, problem, remedy FROM kid_check('other') WHERE problem LIKE 'its default%';
DROP TABLE other; DROP FUNCTION own_next;

-- Foreign keys between a kid64 and a bigint column, in both directions. Each remedy removes its problem.
CREATE TABLE numbers (id bigint PRIMARY KEY);
CREATE TABLE ids (id kid64 PRIMARY KEY, n bigint REFERENCES numbers);
CREATE TABLE lines (order_id bigint REFERENCES ids, note text);
CREATE TABLE pairs (a kid64, b bigint, UNIQUE (a, b));
CREATE TABLE to_pairs (a bigint, b bigint, FOREIGN KEY (a, b) REFERENCES pairs (a, b));
SELECT * FROM kid_check('ids') WHERE problem LIKE 'foreign key%';
SELECT * FROM kid_check('to_pairs') WHERE problem LIKE 'foreign key%';
SELECT remedy FROM kid_check('lines') WHERE problem LIKE 'foreign key%' \gexec
SELECT * FROM kid_check('ids') WHERE problem LIKE 'foreign key%';
SELECT * FROM kid_check('lines');
DROP TABLE to_pairs, pairs, lines, ids, numbers;

-- The extension is in another schema, and objects in public have the names that kid uses.
SET client_min_messages = warning;
DROP EXTENSION kid CASCADE;
RESET client_min_messages;
CREATE SCHEMA "Other";
CREATE EXTENSION kid SCHEMA "Other";
CREATE TABLE t (id "Other".kid64 PRIMARY KEY DEFAULT 1);
CREATE FUNCTION public.kid_stored_forms(VARIADIC int[]) RETURNS SETOF record LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$;
CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$;
SELECT column_name, remedy FROM "Other".kid_check('t');
DROP FUNCTION public.kid_stored_forms(int[]), public.format(text, text);
SET client_min_messages = warning;
DROP EXTENSION kid CASCADE;
CREATE EXTENSION kid;
DROP TABLE t, good; DROP SCHEMA "Other";
