-- Partitions by time, which both editions have: test/t/plain.pl runs this file against that in plain SQL, too. So IDs are shown by
-- their times.
\set SHOW_CONTEXT never
SET TimeZone = 'Asia/Kolkata';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';
CREATE SCHEMA "Quoted schema";
-- The partitions that a query scans.
CREATE FUNCTION scanned(query text) RETURNS text LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
DECLARE
    line text;
    found text[] := '{}';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        found := found || ARRAY(SELECT m[1] FROM regexp_matches(line, ' on (\w+_\w+)') AS m);
    END LOOP;
    RETURN array_to_string(ARRAY(SELECT DISTINCT f FROM unnest(found) AS f ORDER BY f), ' ');
END $$;
-- Conditions, whatever the schema of kid is.
CREATE FUNCTION unqualified(condition text) RETURNS text LANGUAGE sql RETURN regexp_replace(condition, '\w+[.](?=kid_timestamp)', '', 'g');
CREATE FUNCTION bounds(parent regclass) RETURNS TABLE (name name, lower timestamptz, upper timestamptz) LANGUAGE sql SET TimeZone = 'UTC' AS $$
    SELECT c.relname, kid_timestamp(b[1]::kid64), kid_timestamp(b[2]::kid64)
      FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid, regexp_match(pg_get_expr(relpartbound, c.oid), '''(.*)''\) TO \(''(.*)''') AS b
     WHERE inhparent = parent ORDER BY 1
$$;

-- Months as width, up to a given time: whole months in UTC, whatever the time zone. Later calls create the missing partitions.
CREATE TABLE "Quoted schema"."Daily ""orders""" (id kid64 PRIMARY KEY DEFAULT kid_next(), item text CHECK (item <> ''), loud text GENERATED ALWAYS AS (upper(item)) STORED)
    PARTITION BY RANGE (id);
CREATE INDEX ON "Quoted schema"."Daily ""orders""" (item);
CREATE TABLE "Quoted schema".first PARTITION OF "Quoted schema"."Daily ""orders""" FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-09-01 00:00+00'));
SELECT kid_create_partitions('"Quoted schema"."Daily ""orders"""', '1 month', '2026-11-02 00:00+00') ORDER BY 1;
SELECT kid_create_partitions('"Quoted schema"."Daily ""orders"""', '1 month', '2026-11-02 00:00+00') ORDER BY 1;
SELECT kid_create_partitions('"Quoted schema"."Daily ""orders"""', '1 month', '2026-12-01 00:00+00');
SELECT kid_create_partitions('"Quoted schema"."Daily ""orders"""', '1 month', '2026-12-01 00:00:01+00');
SELECT * FROM bounds('"Quoted schema"."Daily ""orders"""');
SELECT a.attname, a.atttypid::regtype, a.attnotnull, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)
  FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
 WHERE a.attrelid = '"Quoted schema"."Daily ""orders""_p20261101"'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '"Quoted schema"."Daily ""orders""_p20261101"'::regclass AND contype <> 'n' ORDER BY 1;
SELECT indexdef FROM pg_indexes WHERE tablename = 'Daily "orders"_p20261101' ORDER BY 1;
INSERT INTO "Quoted schema"."Daily ""orders""" (id, item)
SELECT kid64_at(t), 'tea' FROM unnest('{2026-08-31 23:59:59.9999+00, 2026-09-01 00:00+00, 2026-09-30 23:59:59.9999+00, 2026-12-31 23:59:59.9999+00}'::timestamptz[]) AS t;
SELECT tableoid::regclass, count(*) FROM "Quoted schema"."Daily ""orders""" GROUP BY tableoid ORDER BY 1;

-- A dry run lists the partitions that would be dropped. A partition is dropped only if all of it is older.
SELECT kid_drop_partitions('"Quoted schema"."Daily ""orders"""', '2026-11-01 00:00+00');
SELECT count(*) FROM bounds('"Quoted schema"."Daily ""orders"""');
SELECT kid_drop_partitions('"Quoted schema"."Daily ""orders"""', '2026-10-31 23:59:59.99+00', dry_run => false);
SELECT kid_drop_partitions('"Quoted schema"."Daily ""orders"""', '2026-10-31 23:59:59.99+00', false);
SELECT tableoid::regclass, count(*) FROM "Quoted schema"."Daily ""orders""" GROUP BY tableoid ORDER BY 1;

-- Widths: where partitions begin, next to a partition that exists already.
CREATE TABLE p (id kid64) PARTITION BY RANGE (id);
CREATE PROCEDURE widths(width interval, since timestamptz, until timestamptz) LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE p;
    CREATE TABLE p (id kid64) PARTITION BY RANGE (id);
    EXECUTE format('CREATE TABLE p_0 PARTITION OF p FOR VALUES FROM (%L) TO (%L)', kid64_floor(since), kid64_floor(since + interval '1 second'));
    PERFORM kid_create_partitions('p', width, until);
END $$;
CALL widths('1 year', '2024-06-05 04:03:02+00', '2026-11-21'); SELECT * FROM bounds('p');
CALL widths('3 months', '2025-12-31 23:59:59+00', '2026-11-21'); SELECT * FROM bounds('p');
CALL widths('1 week', '2026-10-26 00:00+00', '2026-11-21 00:00+00'); SELECT * FROM bounds('p');
CALL widths('1 day', '2026-11-18 12:00+00', '2026-11-21 00:00+00'); SELECT * FROM bounds('p');
CALL widths('6 hours', '2026-11-20 00:00+00', '2026-11-21 00:00+00'); SELECT * FROM bounds('p');
CALL widths('00:00:10', '2026-11-20 23:59:30.125+00', '2026-11-21 00:00+00'); SELECT * FROM bounds('p');
-- Leap years, and days that have 23 or 25 hours in a zone with summer time.
SET TimeZone = 'Europe/Berlin';
CALL widths('1 day', '2024-02-28 00:00+00', '2024-03-02 00:00+00'); SELECT name FROM bounds('p');
CALL widths('1 day', '2025-10-25 00:00+00', '2025-10-27 12:00+00'); SELECT * FROM bounds('p');
SET TimeZone = 'UTC';

-- There is neither gap nor overlap, wherever the existing partitions are. Every instant from the first partition on has exactly one.
CREATE TABLE q (id kid64) PARTITION BY RANGE (id);
CREATE TABLE q_a PARTITION OF q FOR VALUES FROM (kid64_make('2026-11-10 06:07:08.123', 99)) TO (kid64_make('2026-11-11 01:02:03', 5));
CREATE TABLE q_b PARTITION OF q FOR VALUES FROM (kid64_floor('2026-11-14')) TO (kid64_floor('2026-11-20'));
CREATE TABLE q_far PARTITION OF q FOR VALUES FROM (kid64_floor('2099-01-01')) TO (MAXVALUE);
CREATE TABLE q_rest PARTITION OF q DEFAULT;
SELECT kid_create_partitions('q', '1 day', '2026-11-23') ORDER BY 1;
SELECT kid_create_partitions('q', '1 day', '2026-11-23');
INSERT INTO q SELECT kid64_floor(t) FROM generate_series(timestamptz '2026-11-10 06:10', '2026-11-22 23:59', '1 minute') AS t;
INSERT INTO q SELECT kid64_make('2026-11-11 01:02:03', n) FROM generate_series(0, 10) AS n;
SELECT tableoid::regclass, count(*) FROM q GROUP BY tableoid ORDER BY min(id);
-- Up to the beginning of the last partition.
SELECT count(*), min(name), max(name) FROM kid_create_partitions('q', '10 years', '2120-01-01') AS name;
-- The default partition holds rows of a missing partition, so that partition is not created.
CREATE TABLE late (a int, id kid64 PRIMARY KEY, b text DEFAULT 'b', twice int GENERATED ALWAYS AS (2 * a) STORED) PARTITION BY RANGE (id);
CREATE TABLE late_0 PARTITION OF late FOR VALUES FROM (kid64_floor('2025-10-29')) TO (kid64_floor('2025-10-30'));
CREATE TABLE late_rest (twice int GENERATED ALWAYS AS (2 * a) STORED, gone int, b text DEFAULT 'b', id kid64 NOT NULL, a int);
ALTER TABLE late_rest DROP COLUMN gone;
ALTER TABLE late ATTACH PARTITION late_rest DEFAULT;
INSERT INTO late (a, id) SELECT n, kid64_at(timestamptz '2025-10-30 12:00' + n * interval '12 hours') FROM generate_series(1, 6) AS n;
SELECT kid_create_partitions('late', '1 day', '2025-11-04');
SELECT kid_create_partitions('late', '1 day', '2025-11-05');
-- Empty the default partition, as the hint says.
BEGIN;
ALTER TABLE late DETACH PARTITION late_rest;
SELECT kid_create_partitions('late', '1 day', '2025-11-05');
INSERT INTO late (a, id, b) SELECT a, id, b FROM late_rest;
TRUNCATE late_rest;
ALTER TABLE late ATTACH PARTITION late_rest DEFAULT;
COMMIT;
SELECT tableoid::regclass, a, b, twice, kid_timestamp(id) FROM late ORDER BY id;

-- kid_partitions(): the partitions with estimates, sizes, the default partition, and partitions of partitions.
CREATE TABLE listing (id kid64, n int) PARTITION BY RANGE (id);
CREATE TABLE listing_before PARTITION OF listing FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-11-01'));
CREATE TABLE listing_nov PARTITION OF listing FOR VALUES FROM (kid64_floor('2026-11-01')) TO (kid64_floor('2026-12-01')) PARTITION BY RANGE (n);
CREATE TABLE listing_nov_1 PARTITION OF listing_nov FOR VALUES FROM (0) TO (1000);
CREATE TABLE listing_nov_2 PARTITION OF listing_nov DEFAULT;
CREATE TABLE listing_after PARTITION OF listing FOR VALUES FROM (kid64_floor('2027-01-01')) TO (MAXVALUE);
CREATE TABLE listing_rest PARTITION OF listing DEFAULT;
INSERT INTO listing SELECT kid64_make('2026-11-10', n), n FROM generate_series(1, 3000) AS n;
INSERT INTO listing VALUES (kid64_floor('2026-12-24'), 1);
ANALYZE listing;
SELECT partition, begins, ends, rows, detaching FROM kid_partitions('listing');
SELECT bool_and(l.bytes = (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(l.partition))) AS bytes, sum(bytes) > 100000 AS all_bytes FROM kid_partitions('listing') l;
DROP TABLE listing;

-- Partitions for the past, next to existing ones, back to the beginning of the type's range.
CREATE TABLE past (id kid64) PARTITION BY RANGE (id);
SELECT kid_create_partitions('past', '1 day', '2020-01-06', since => '2020-01-04 12:00');
SELECT kid_create_partitions('past', '1 day', '2020-01-04', since => '2020-01-02');
SELECT kid_create_partitions('past', '1 day', '2020-01-06', since => '2020-01-01');
SELECT kid_create_partitions('past', '20 years', '2019-01-01', since => '1000-01-01');
SELECT partition, begins, ends FROM kid_partitions('past');

-- A call creates at most `at_most` partitions: those for new rows first, then the oldest. The next call continues.
CREATE TABLE many (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_create_partitions('many', '1 hour', '2020-01-05', since => '2020-01-01', at_most => 3);
SELECT kid_create_partitions('many', '1 hour', '2020-01-05', since => '2020-01-01', at_most => 2);
SELECT count(*) FROM kid_create_partitions('many', '1 hour', '2020-01-05', since => '2020-01-01', at_most => 91);
SELECT count(*) FROM kid_create_partitions('many', '1 hour', now() + interval '1 second', since => now() - interval '1 day', at_most => 1);
SELECT begins = date_trunc('hour', now()) AS has_the_present FROM kid_partitions('many') ORDER BY begins DESC LIMIT 1;
SELECT count(*) FROM kid_create_partitions('many', '1 hour', '2020-01-20', since => '2020-01-01');
SELECT count(*) FROM kid_create_partitions('many', '1 hour', '2020-01-20', since => '2020-01-01', at_most => NULL);
SELECT kid_drop_partitions('many', '2020-01-18', at_most => 2);
SELECT kid_drop_partitions('many', '2020-01-18', dry_run => false, at_most => 2);
SELECT count(*) FROM kid_drop_partitions('many', '2020-01-18', dry_run => false);
SELECT count(*) FROM kid_drop_partitions('many', '2020-01-18', dry_run => false, at_most => NULL);
SELECT min(begins) FROM kid_partitions('many');
-- The table is locked until the transaction ends, even if there was nothing to do.
BEGIN;
SELECT count(*) FROM kid_drop_partitions('many', '2000-01-01', dry_run => false);
SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'many'::regclass AND mode <> 'AccessShareLock';
COMMIT;

-- If no partition has begun yet, the first new one begins now.
CREATE TABLE n (id kid64 DEFAULT kid_next()) PARTITION BY RANGE (id);
SELECT count(*) FROM kid_create_partitions('n', '1 day', now() + interval '3 days');
INSERT INTO n DEFAULT VALUES;
SELECT tableoid::regclass::text = 'n_p' || to_char(now(), 'YYYYMMDD') AS today FROM n;
SELECT count(*) FROM kid_create_partitions('n', '1 day', 'today');
SELECT count(*) FROM kid_drop_partitions('n', now());

-- The range of a detached partition gets a new partition with another name. A name that a type has is not used either, as a table needs a row type.
CREATE TABLE renamed (id kid64) PARTITION BY RANGE (id);
CREATE TABLE renamed_a PARTITION OF renamed FOR VALUES FROM (kid64_floor('2026-11-01')) TO (kid64_floor('2026-11-02'));
SELECT count(*) FROM kid_create_partitions('renamed', '1 day', '2026-11-04');
ALTER TABLE renamed DETACH PARTITION renamed_p20261102;
SELECT kid_create_partitions('renamed', '1 day', '2026-11-05');
CREATE DOMAIN renamed_p20261105 AS int;
SELECT kid_create_partitions('renamed', '1 day', '2026-11-06');
DROP TABLE renamed_p20261105_1; DROP DOMAIN renamed_p20261105;
-- A partition is kept while another table refers to its rows, and dropped after those references are gone.
CREATE TABLE orders (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE orders_0 PARTITION OF orders FOR VALUES FROM (kid64_floor('2026-10-31')) TO (kid64_floor('2026-11-01'));
CREATE TABLE lines (order_id kid64 REFERENCES orders);
SELECT kid_create_partitions('orders', '1 day', '2026-11-03');
INSERT INTO orders VALUES (kid64_floor('2026-11-01 12:00'));
INSERT INTO lines SELECT id FROM orders;
-- A dry run tells that, and the error says what to do. The name of the constraint in it depends on the version.
SELECT kid_drop_partitions('orders', '2026-11-02');
DO $$
DECLARE
    hint text;
BEGIN
    PERFORM kid_drop_partitions('orders', '2026-11-02', false);
EXCEPTION WHEN foreign_key_violation THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE NOTICE '%', hint;
END $$;
TRUNCATE lines;
SELECT kid_drop_partitions('orders', '2026-11-02', false);
DROP TABLE lines, orders, renamed_p20261102;
-- A table that refers to itself, or to the table of which it is a partition, and an error that is not of a foreign key.
CREATE TABLE posts (id kid64 PRIMARY KEY, answered kid64 REFERENCES posts) PARTITION BY RANGE (id);
CREATE TABLE posts_0 PARTITION OF posts DEFAULT PARTITION BY RANGE (id);
CREATE TABLE likes (post_id kid64 REFERENCES posts);
SELECT count(*) FROM kid_create_partitions('posts_0', '1 day', '2026-11-03', '2026-11-01');
INSERT INTO posts VALUES (kid64_floor('2026-11-01 12:00'), NULL), (kid64_floor('2026-11-01 13:00'), kid64_floor('2026-11-01 12:00'));
SELECT kid_drop_partitions('posts_0', '2026-11-02');
DROP TABLE likes;
SELECT kid_drop_partitions('posts_0', '2026-11-02');
CREATE FUNCTION try_to_drop() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM kid_drop_partitions('posts_0', '2026-11-02', false);
EXCEPTION WHEN foreign_key_violation THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE NOTICE '%', hint;
END $$;
SELECT try_to_drop();
UPDATE posts SET answered = NULL;
CREATE FUNCTION keep() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'kept' USING ERRCODE = 'foreign_key_violation', HINT = 'Drop the event trigger.';
END $$;
CREATE EVENT TRIGGER keep ON sql_drop EXECUTE FUNCTION keep();
SELECT try_to_drop();
DROP EVENT TRIGGER keep;
SELECT kid_drop_partitions('posts_0', '2026-11-02', false);
DROP FUNCTION keep(), try_to_drop();
DROP TABLE posts;
-- Settings that change how names and literals are written and read.
SET quote_all_identifiers = on;
-- PostgreSQL 19 has standard literals only.
SELECT current_setting('server_version_num')::int < 190000 AS other_literals \gset
\if :other_literals
SET standard_conforming_strings = off;
SET escape_string_warning = off;
\endif
SELECT kid_create_partitions('renamed', '1 day', '2026-11-06');
SELECT kid_drop_partitions('renamed', '2026-11-02');
RESET quote_all_identifiers;
\if :other_literals
RESET standard_conforming_strings;
RESET escape_string_warning;
\endif
-- Only the owner may call it, because the table can run code of its owner. The error says how.
CREATE ROLE "Regress kid's owner";
CREATE TABLE owned (id kid64) PARTITION BY RANGE (id);
ALTER TABLE owned OWNER TO "Regress kid's owner";
SELECT kid_create_partitions('owned', '1 day', now() + interval '1 second');
SELECT kid_drop_partitions('owned', now(), dry_run => false);
GRANT CREATE ON SCHEMA public TO "Regress kid's owner";
SET ROLE "Regress kid's owner";
SELECT count(*) FROM kid_create_partitions('owned', '1 day', now() + interval '1 second');
RESET ROLE;
SELECT c.relowner::regrole FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'owned'::regclass;
-- A row that row-level security hides from the owner keeps its partition, too.
SET ROLE "Regress kid's owner";
CREATE TABLE referred (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM kid_create_partitions('referred', '1 day', '2026-11-03', '2026-11-01');
INSERT INTO referred VALUES (kid64_floor('2026-11-01 12:00'));
RESET ROLE;
CREATE TABLE hidden (referred_id kid64 REFERENCES referred);
INSERT INTO hidden SELECT id FROM referred;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON hidden TO "Regress kid's owner";
SET ROLE "Regress kid's owner";
\set VERBOSITY terse
SELECT kid_drop_partitions('referred', '2026-11-02', false);
\set VERBOSITY default
RESET ROLE;
DROP TABLE hidden, referred;
-- A transaction with a snapshot from before the lock could work on an old state.
SET SESSION AUTHORIZATION "Regress kid's owner";
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT kid_create_partitions('owned', '1 day', now() + interval '2 days');
ROLLBACK;
RESET SESSION AUTHORIZATION;
DROP TABLE owned;
REVOKE CREATE ON SCHEMA public FROM "Regress kid's owner";
DROP ROLE "Regress kid's owner";

-- Existing partitions do not count towards the limit, however many there are.
CREATE TABLE long (id kid64) PARTITION BY RANGE (id);
CREATE TABLE long_old PARTITION OF long FOR VALUES FROM (MINVALUE) TO (kid64_floor('2025-01-01'));
CREATE TABLE long_2025 PARTITION OF long FOR VALUES FROM (kid64_floor('2025-01-01')) TO (kid64_floor('2026-11-21'));
SELECT kid_create_partitions('long', '1 hour', '2026-11-21 02:00');
DROP TABLE long;

-- Long names, foreign tables, partitions of partitions.
CREATE TABLE "Ein sehr langer Name für eine Tabelle mit ßßßßßßßßßßßß" (id kid64) PARTITION BY RANGE (id);
CREATE TABLE long_a PARTITION OF "Ein sehr langer Name für eine Tabelle mit ßßßßßßßßßßßß" FOR VALUES FROM (kid64_floor('2026-11-20')) TO (kid64_floor('2026-11-21'));
-- psql's widths of these names depend on its locale.
\pset format unaligned
SELECT name, octet_length(name) - 7 - 2 <= 63 AS fits FROM kid_create_partitions('"Ein sehr langer Name für eine Tabelle mit ßßßßßßßßßßßß"', '12 hours', '2026-11-22') AS name;
\pset format aligned
-- All partitions of three months with truncated names, and their array types, whose names begin with "_".
CREATE TABLE a1234567890123456789012345678901234567890123456789012 (id kid64) PARTITION BY RANGE (id);
SELECT count(*) FROM kid_create_partitions('a1234567890123456789012345678901234567890123456789012', '1 day', now() + interval '95 days');
DROP TABLE a1234567890123456789012345678901234567890123456789012;
CREATE TABLE s (id kid64, n int) PARTITION BY RANGE (id);
CREATE TABLE s_1 PARTITION OF s FOR VALUES FROM (kid64_floor('2026-11-01')) TO (kid64_floor('2026-11-02')) PARTITION BY RANGE (n);
CREATE TABLE s_1_1 PARTITION OF s_1 DEFAULT;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE s_0 PARTITION OF s FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-11-01')) SERVER nowhere;
SELECT kid_drop_partitions('s', '2026-11-02', false);
SELECT to_regclass('s_1_1');
DROP FOREIGN DATA WRAPPER nothing CASCADE;

-- Errors.
CREATE TABLE plain (id kid64);
CREATE TABLE listed (id kid64) PARTITION BY LIST (id);
CREATE TABLE two (id kid64, n int) PARTITION BY RANGE (id, n);
CREATE TABLE expression (id kid64) PARTITION BY RANGE ((kid_timestamp(id)));
CREATE TABLE "of timestamptz" (id timestamptz) PARTITION BY RANGE (id);
CREATE FUNCTION error(query text) RETURNS TABLE (code text, message text, detail text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN NEXT;
END $$;
SELECT e.* FROM unnest('{plain,listed,two,expression,"\"of timestamptz\""}'::text[]) AS t, error(format('SELECT kid_create_partitions(%L, ''1 day'', ''2026-12-01'')', t)) AS e;
SELECT * FROM error('SELECT kid_drop_partitions(''plain'', ''2026-11-01'')');
SELECT * FROM error('SELECT kid_create_partitions(''absent'', ''1 day'', ''2026-12-01'')');
SELECT w, e.* FROM unnest('{0,-1 day,-1 month,1 month 1 day,1 month 01:00:00,1 month -30 days,0.5 seconds,1.5 seconds,200000000 days}'::text[]) AS w,
       error(format('SELECT kid_create_partitions(''n'', %L, ''2026-12-01'')', w)) AS e;
-- From PostgreSQL 17 on a width can be infinite.
SELECT code, regexp_replace(message, '".*"', 'that') AS message FROM error(format('SELECT kid_create_partitions(''n'', %L, ''2026-12-01'')',
    CASE WHEN current_setting('server_version_num')::int >= 170000 THEN 'infinity' ELSE '0' END));
SELECT * FROM error('SELECT kid_create_partitions(''n'', ''1 day'', ''infinity'')');
SELECT * FROM error('SELECT kid_create_partitions(''n'', NULL, ''2030-01-01'')');
SELECT code, message FROM error('SELECT kid_create_partitions(''n'', ''1 minute'', ''2031-01-01'')');
-- An interval that PostgreSQL 15 computes wrongly.
SELECT code, message FROM error('SELECT kid_create_partitions(''n'', ''1 second'', ''294276-12-31'', since => ''1970-01-01'')');
CREATE TABLE end_of_time (id uuid) PARTITION BY RANGE (id);
SELECT * FROM error('SELECT kid_create_partitions(''end_of_time'', ''1 year'', ''10890-01-01'', since => ''10888-01-01'')');
SELECT * FROM error('SELECT kid_drop_partitions(''n'', ''infinity'', false)');
SELECT * FROM error('SELECT kid_drop_partitions(''n'', NULL, false)');
-- The hints are for those who read them in the log of a job.
SELECT kid_drop_partitions('n', '-infinity', false);
SELECT kid_drop_partitions('n', NULL, false);
SELECT kid_drop_partitions('n', '2030-01-01', NULL);
SELECT * FROM error('SELECT kid_create_partitions(''n'', ''1 day'', ''2030-01-01'', since => ''-infinity'')');
SELECT * FROM error('SELECT kid_create_partitions(''n'', ''1 day'', ''2030-01-01'', at_most => 0)');
SELECT * FROM error('SELECT kid_drop_partitions(''n'', ''2030-01-01'', at_most => -1)');
SELECT * FROM error('SELECT kid_partitions(''plain'')');
CREATE TABLE y (id kid64) PARTITION BY RANGE (id);
CREATE TABLE y_0 PARTITION OF y FOR VALUES FROM (kid64_floor('2025-01-01')) TO (kid64_floor('2026-01-01'));
CREATE TABLE y_p20260101 (id kid64);
SELECT kid_create_partitions('y', '1 year', '2027-01-01');

-- The functions have only the caller's rights. They need the rights that the same DDL needs.
CREATE ROLE regress_kid_nobody;
GRANT USAGE ON SCHEMA "Quoted schema" TO regress_kid_nobody;
GRANT SELECT ON y TO regress_kid_nobody;
SET ROLE regress_kid_nobody;
SELECT kid_drop_partitions('y', '2026-01-01');
SELECT * FROM error('SELECT kid_drop_partitions(''y'', ''2026-01-01'', false)');
SELECT * FROM error('SELECT kid_create_partitions(''y'', ''1 month'', ''2026-03-01'')');
RESET ROLE;


-- Code that an owner attached to a table never runs as another role, which may be a superuser.
CREATE ROLE regress_kid_owner;
CREATE SCHEMA regress_kid_own AUTHORIZATION regress_kid_owner;
SET SESSION AUTHORIZATION regress_kid_owner;
CREATE TABLE regress_kid_own.log (who name);
CREATE FUNCTION regress_kid_own.note() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- The session user, whichever role runs this.
    BEGIN
        SET ROLE NONE;
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    SET search_path = regress_kid_own;
    INSERT INTO regress_kid_own.log VALUES (current_user);
END $$;
CREATE FUNCTION regress_kid_own.trap(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM regress_kid_own.note(); RETURN $1; END';
CREATE TABLE regress_kid_own.t (id kid64, n int, CHECK (regress_kid_own.trap(1) = 1 OR n > 0)) PARTITION BY RANGE (id);
CREATE INDEX ON regress_kid_own.t ((regress_kid_own.trap(n) + regress_kid_own.trap(1)));
CREATE TABLE regress_kid_own.rest PARTITION OF regress_kid_own.t DEFAULT;
RESET search_path;
RESET SESSION AUTHORIZATION;
SELECT kid_create_partitions('regress_kid_own.t', '1 day', now() + interval '3 days');
SELECT kid_drop_partitions('regress_kid_own.t', now() + interval '2 days', false);
SELECT * FROM kid_partitions('regress_kid_own.t') WHERE begins IS NOT NULL;
SELECT kid_drop_partitions('regress_kid_own.t', now() + interval '2 days');
SET SESSION AUTHORIZATION regress_kid_owner;
SELECT count(*) > 0 AS made FROM kid_create_partitions('regress_kid_own.t', '1 day', now() + interval '3 days');
RESET SESSION AUTHORIZATION;
RESET search_path;
SELECT DISTINCT who FROM regress_kid_own.log;
SELECT DISTINCT relowner::regrole FROM pg_class WHERE oid IN (SELECT partition FROM kid_partitions('regress_kid_own.t'));
-- A partition may have another owner than its parent. The owner of the parent then also needs the rights of that other owner.
ALTER TABLE regress_kid_own.rest OWNER TO CURRENT_USER;
SET ROLE regress_kid_owner;
SELECT code, message FROM error('SELECT kid_create_partitions(''regress_kid_own.t'', ''1 day'', now() + interval ''7 days'')');
RESET ROLE;
DROP TABLE regress_kid_own.rest;
SELECT partition AS oldest FROM kid_partitions('regress_kid_own.t') LIMIT 1 \gset
ALTER TABLE :oldest OWNER TO CURRENT_USER;
SET ROLE regress_kid_owner;
SELECT code, regexp_replace(message, '_p\d+', '') AS message FROM error('SELECT kid_drop_partitions(''regress_kid_own.t'', now() + interval ''4 days'', false)');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_kid_own CASCADE;
RESET client_min_messages;
DROP ROLE regress_kid_owner;

-- An owner's code drops the table during a call, despite the locks of its own session.
CREATE ROLE regress_kid_owner;
CREATE SCHEMA regress_kid_own AUTHORIZATION regress_kid_owner;
SET ROLE regress_kid_owner;
SET search_path = regress_kid_own, public, kid;
CREATE TABLE p (id kid64 NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE d PARTITION OF p DEFAULT;
INSERT INTO p VALUES (kid64_floor('2000-01-01'));
CREATE FUNCTION vanish() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE regress_kid_own.p DETACH PARTITION regress_kid_own.d;
    DROP TABLE regress_kid_own.p;
    RETURN false;
END $$;
ALTER TABLE d ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY vanish ON d USING (vanish());
SELECT code FROM public.error($$ SELECT kid_create_partitions('regress_kid_own.p', '1 day', '2000-01-03', since => '2000-01-01') $$);
SELECT to_regclass('regress_kid_own.p');
RESET search_path; RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_kid_own CASCADE;
RESET client_min_messages;
DROP ROLE regress_kid_owner;

-- A new partition gives no role but its owner any right on it, whatever default privileges say, and has the row-level security of its
-- parent: nobody reads or writes more through a partition than through the parent.
CREATE ROLE regress_kid_owner;
CREATE ROLE "Regress kid's ""reader""";
CREATE SCHEMA regress_kid_own AUTHORIZATION regress_kid_owner;
GRANT USAGE ON SCHEMA regress_kid_own TO PUBLIC;
GRANT SET ON PARAMETER session_replication_role TO regress_kid_owner;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_kid_owner REVOKE ALL ON TABLES FROM regress_kid_owner;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_kid_owner GRANT SELECT, DELETE ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_kid_owner IN SCHEMA regress_kid_own GRANT ALL ON TABLES TO regress_kid_nobody, "Regress kid's ""reader""" WITH GRANT OPTION;
CREATE FUNCTION opened(parent regclass) RETURNS TABLE (partition text, of_others boolean, of_owner boolean, columns boolean, secured boolean, forced boolean, policies bigint)
    LANGUAGE sql AS $$
    SELECT c.relname, EXISTS (SELECT FROM aclexplode(c.relacl) WHERE grantee <> c.relowner),
           (SELECT bool_and(has_table_privilege(c.relowner, c.oid, a.privilege_type)) FROM aclexplode(acldefault('r', c.relowner)) AS a),
           EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL), c.relrowsecurity, c.relforcerowsecurity,
           (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid)
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = parent ORDER BY 1
$$;
SET ROLE regress_kid_owner;
SET search_path = regress_kid_own, public, kid;
CREATE TABLE docs (id kid64 PRIMARY KEY, n int) PARTITION BY RANGE (id);
REVOKE ALL ON docs FROM PUBLIC, regress_kid_nobody, "Regress kid's ""reader""";
GRANT ALL ON docs TO regress_kid_owner;
GRANT SELECT (n), INSERT ON docs TO regress_kid_nobody;
CREATE TABLE docs_rest PARTITION OF docs DEFAULT;
REVOKE ALL ON docs_rest FROM PUBLIC, regress_kid_nobody, "Regress kid's ""reader""";
GRANT ALL ON docs_rest TO regress_kid_owner;
INSERT INTO docs SELECT kid64_floor(timestamptz '2026-11-21 12:00' + n * interval '1 day'), n FROM generate_series(0, 1) AS n;
SELECT kid_create_partitions('docs', '1 day', '2026-11-21', since => '2026-11-20');
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SELECT kid_create_partitions('docs', '1 day', '2026-11-20', since => '2026-11-19');
ALTER TABLE docs ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY odd ON docs USING (n % 2 = 1);
CREATE TEMP TABLE moved AS SELECT * FROM docs_rest;
DELETE FROM docs_rest;
SELECT kid_create_partitions('docs', '1 day', '2026-11-23', since => '2026-11-21');
INSERT INTO docs SELECT * FROM moved;
DROP TABLE moved;
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SELECT kid_create_partitions('docs', '1 day', '2026-11-24', since => '2026-11-23', time_check => true);
SELECT * FROM opened('docs');
-- The policies of the parent hold for all that goes through it, and nothing else is let through.
SELECT n FROM docs;
SELECT n FROM docs_p20261122;
GRANT SELECT ON docs TO "Regress kid's ""reader""";
SET ROLE "Regress kid's ""reader""";
SELECT n FROM docs;
SELECT n FROM docs_p20261121;
SELECT n FROM docs_p20261122;
DELETE FROM docs_p20261122;
SET ROLE regress_kid_nobody;
SELECT n FROM docs;
INSERT INTO docs VALUES (kid64_floor('2026-11-23 12:00'), 3);
INSERT INTO docs VALUES (kid64_floor('2026-11-23 13:00'), 4);
INSERT INTO docs_p20261123 VALUES (kid64_floor('2026-11-23 13:00'), 4);
TRUNCATE docs_p20261123;
SET ROLE regress_kid_owner;
-- A grant on all tables opens no partition.
GRANT SELECT ON ALL TABLES IN SCHEMA regress_kid_own TO "Regress kid's ""reader""";
SET ROLE "Regress kid's ""reader""";
SELECT n FROM docs ORDER BY n;
SELECT n FROM docs_p20261121 UNION ALL SELECT n FROM docs_p20261122 UNION ALL SELECT n FROM docs_p20261123;
RESET search_path; RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_kid_own CASCADE;
RESET client_min_messages;
DROP FUNCTION opened;
REVOKE SET ON PARAMETER session_replication_role FROM regress_kid_owner;
DROP OWNED BY regress_kid_owner;
DROP ROLE regress_kid_owner, "Regress kid's ""reader""";

-- Partitions are in the tablespace of their parent.
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_kid_space LOCATION '';
CREATE TABLE placed (id kid64) PARTITION BY RANGE (id) TABLESPACE regress_kid_space;
SELECT count(*) > 0 AS made FROM kid_create_partitions('placed', '1 day', now() + interval '1 day');
SELECT DISTINCT t.spcname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
 WHERE i.inhparent = 'placed'::regclass;
DROP TABLE placed;
DROP TABLESPACE regress_kid_space;

-- Functions in the same schema with names that kid uses, but written by another role, are not called.
DO $$
DECLARE
    name text; argument text;
BEGIN
    FOREACH name IN ARRAY ARRAY['kid64_floor', 'kid64_ceil', 'kid64_lowest', 'kid_timestamp', 'kid_partition_bounds', 'sum', 'coalesce', 'pg_total_relation_size', 'pg_stat_get_live_tuples', 'format', 'now', 'date_bin'] LOOP
        FOREACH argument IN ARRAY ARRAY['text', 'varchar', 'oid', 'name', 'anyelement', 'bytea', 'bigint', 'date', 'timestamp'] LOOP
            EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS text LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''planted''''; END''', name, argument);
        END LOOP;
    END LOOP;
END $$;
CREATE TABLE safe (id kid64) PARTITION BY RANGE (id);
SELECT count(*) > 0 AS made FROM kid_create_partitions('safe', '1 day', now() + interval '3 days');
CREATE TABLE safe_rest PARTITION OF safe DEFAULT;
INSERT INTO safe VALUES (kid64_floor(now() + interval '4 days'));
-- The detail has the date.
\set VERBOSITY terse
SELECT count(*) > 0 AS made FROM kid_create_partitions('safe', '1 day', now() + interval '5 days');
\set VERBOSITY default
SELECT count(*) > 5 AS listed FROM kid_partitions('safe');
SELECT count(*) > 0 AS dropped FROM kid_drop_partitions('safe', now() + interval '9 days', false);
DROP TABLE safe;
DO $$
DECLARE
    function regprocedure;
BEGIN
    FOR function IN SELECT oid FROM pg_proc WHERE prosrc LIKE '%planted%' AND pronamespace = 'public'::regnamespace LOOP
        EXECUTE format('DROP FUNCTION %s', function);
    END LOOP;
END $$;

-- A condition on kid_timestamp(id), as a view has it, prunes the partitions that have the constraint kid_time.
CREATE TABLE seen (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
CREATE TABLE seen_before PARTITION OF seen FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-01-01 00:00+00'));
CREATE TABLE seen_rest PARTITION OF seen DEFAULT;
SELECT kid_create_partitions('seen', '1 month', '2026-04-01 00:00+00', since => '2026-01-01 00:00+00', time_check => true);
SELECT partition, unqualified(missing_check) FROM kid_partitions('seen');
CREATE VIEW seen_at AS SELECT kid_timestamp(id) AS created_at, * FROM seen;
SELECT scanned($$SELECT * FROM seen_at WHERE created_at >= '2026-03-01 00:00+00'$$);
SELECT scanned($$SELECT * FROM seen_at WHERE created_at >= '2026-01-31 23:59:59+00' AND created_at < '2026-02-01 00:00+00'$$);
ALTER TABLE seen_before ADD CONSTRAINT kid_time CHECK (kid_timestamp(id) < '2026-01-01 00:00+00') NOT VALID;
SELECT partition, unqualified(missing_check) FROM kid_partitions('seen') LIMIT 1;
ALTER TABLE seen_before VALIDATE CONSTRAINT kid_time;
SELECT partition, unqualified(missing_check) FROM kid_partitions('seen') LIMIT 1;
ALTER TABLE seen_rest ADD CONSTRAINT kid_time CHECK (kid_timestamp(id) < '2026-01-01 00:00+00' OR kid_timestamp(id) >= '2026-04-01 00:00+00');
SELECT scanned($$SELECT * FROM seen_at WHERE created_at >= '2026-03-01 00:00+00'$$);
-- All IDs that a partition can have between its bounds have the times of the constraint: the first and the last of each, and
-- those of a partition that begins and ends in the middle of a unit.
CREATE TABLE seen_mid PARTITION OF seen FOR VALUES FROM (kid64_make('2026-05-01 00:00:00.5+00', 77)) TO (kid64_make('2026-05-01 00:00:00.5+00', 99));
SELECT kid_create_partitions('seen', '1 day', '2026-05-02 00:00+00', since => '2026-05-01 00:00+00', time_check => true);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'kid_time' AND conrelid::regclass::text LIKE 'seen_p202605%' ORDER BY 1;
INSERT INTO seen SELECT kid64_make('2026-05-01 00:00:00.5+00', n), n FROM unnest('{0,76,77,98,99,16383}'::int[]) AS n;
INSERT INTO seen SELECT id, 1 FROM unnest('{2026-01-01 00:00+00,2026-01-31 23:59:59.999999+00,2026-02-01 00:00+00,2026-03-31 23:59:59.999999+00,2026-05-01 23:59:59.999999+00}'::timestamptz[]) AS t,
    LATERAL (VALUES (kid64_floor(t)), (kid64_ceil(t))) AS ids (id);
SELECT tableoid::regclass, kid_timestamp(id), kid_sequence(id), n FROM seen ORDER BY id;
SELECT count(*) FROM seen_at WHERE created_at = '2026-05-01 00:00:00.499712+00';
-- A uuid without a time passes.
CREATE TABLE useen (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_create_partitions('useen', '1 month', '2026-02-01 00:00+00', since => '2026-01-01 00:00+00', time_check => true);
SELECT partition, missing_check FROM kid_partitions('useen');
INSERT INTO useen VALUES ('019b8000-0000-4000-8000-000000000000'), (kid_uuidv7_at('2026-01-31 23:59:59.999999+00'));
SELECT tableoid::regclass, kid_timestamp(id) FROM useen ORDER BY id;
DROP VIEW seen_at;
DROP TABLE seen, useen;
-- The conditions for partitions that have none, with bounds in a unit, at the ends, in any DateStyle, and beside constraints of
-- that name.
CREATE TABLE "Bare" ("I d" kid64, n int CONSTRAINT kid_time CHECK (n > 0)) PARTITION BY RANGE ("I d");
CREATE TABLE bare_old PARTITION OF "Bare" FOR VALUES FROM (MINVALUE) TO (kid64_make('2026-01-01 00:00+00', 500));
CREATE TABLE bare_mid PARTITION OF "Bare" FOR VALUES FROM (kid64_make('2026-01-01 00:00+00', 500)) TO (kid64_floor('2026-02-01 00:00+00'))
    PARTITION BY RANGE ("I d");
CREATE TABLE bare_default PARTITION OF "Bare" DEFAULT;
SELECT kid_create_partitions('"Bare"', '1 month', '2026-03-01 00:00+00', since => '2026-02-01 00:00+00', time_check => true);
SET DateStyle = 'SQL, DMY'; SET TimeZone = 'Asia/Kolkata';
SELECT partition, unqualified(missing_check) FROM kid_partitions('"Bare"');
SELECT format('ALTER TABLE %s ADD CONSTRAINT kid_time_1 CHECK (%s)', partition, unqualified(missing_check)) FROM kid_partitions('"Bare"') WHERE missing_check IS NOT NULL \gexec
SET DateStyle = 'ISO'; SET TimeZone = 'UTC';
SELECT partition, unqualified(missing_check) FROM kid_partitions('"Bare"');
SELECT kid_create_partitions('bare_mid', '7 days', '2026-01-08 00:00+00', since => '2026-01-02 00:00+00', at_most => 1, time_check => true);
SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid::regclass::text ~ 'Bare|bare' ORDER BY 1, 2;
INSERT INTO "Bare" VALUES (kid64_make('2026-01-01 00:00+00', 400), 1);
SELECT tableoid::regclass FROM "Bare" WHERE kid_timestamp("I d") = '2026-01-01 00:00+00';
DROP TABLE "Bare";
-- A bound with components that no ID has: IDs above it have an earlier time.
CREATE TABLE excess (id kid64) PARTITION BY RANGE (id);
CREATE TABLE excess_old PARTITION OF excess FOR VALUES FROM (MINVALUE) TO (kid64_from_text('.6.zZ5.....'));
SELECT kid_create_partitions('excess', '1 month', '2026-12-01 00:00+00', since => kid_timestamp(kid64_from_text('.6.zZ5.....')), at_most => 1, time_check => false);
SELECT partition, begins, unqualified(missing_check) FROM kid_partitions('excess');
INSERT INTO excess SELECT kid64_make(to_timestamp(1796000060), 1) RETURNING kid_timestamp(id), kid_timestamp(id) < kid_timestamp(kid64_from_text('.6.zZ5.....')) AS earlier;
DROP TABLE excess;

-- Queries prune by time, of both kinds of keys.
CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
SELECT kid_create_partitions('events', '1 day', '2026-11-14', since => '2026-11-10');
SELECT kid_create_partitions('events', '1 day', '2026-11-14', since => '2026-11-10');
INSERT INTO events SELECT kid64_at('2026-11-10'::timestamptz + g * interval '1 min'), g FROM generate_series(0, 5759) AS g;
SELECT count(*) FROM events WHERE kid_within(id, '2026-11-10 12:00', '2026-11-10 13:00');
SELECT count(*) FROM events WHERE id > kid64_ceil('2026-11-12') AND id <= kid64_ceil('2026-11-12 01:00');
SELECT count(*) FROM events WHERE id > kid64_ceil(now() - interval '50 years') AND NOT id < kid64_floor('2026-11-13');
SELECT count(*) FROM events WHERE kid_within(id, '2026-11-13', 'infinity');
SELECT tableoid::regclass, count(*), min(kid_timestamp(id)) FROM events GROUP BY 1 ORDER BY 1;
SELECT scanned($$SELECT FROM events WHERE id < kid64_floor('2026-11-11')$$), scanned($$SELECT FROM events WHERE id >= kid64_floor('2026-11-12')$$),
       scanned($$SELECT FROM events WHERE kid_within(id, '2026-11-11 12:00', '2026-11-12 12:00')$$);
ANALYZE events;
SELECT partition, begins, ends, rows, detaching FROM kid_partitions('events');
SELECT kid_drop_partitions('events', '2026-11-12 23:59:59.99');
SELECT kid_drop_partitions('events', '2026-11-12 23:59:59.99', dry_run => false);
SELECT partition FROM kid_partitions('events');

-- A partitioned table has no storage parameters: those of the last partition are taken over. The rest is the parent's.
CREATE TABLE kept (id kid64 PRIMARY KEY DEFAULT kid_next(), n int NOT NULL, t text, CONSTRAINT kept_both UNIQUE (id, n)) PARTITION BY RANGE (id);
ALTER TABLE kept REPLICA IDENTITY USING INDEX kept_both, ALTER t SET STATISTICS 7, ALTER t SET (n_distinct = 5);
CREATE TABLE kept_first PARTITION OF kept FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-01-01')) WITH (fillfactor = 70, toast.autovacuum_enabled = off);
CREATE TABLE kept_rest PARTITION OF kept DEFAULT;
SELECT kid_create_partitions('kept', '1 month', '2026-03-01', since => '2026-02-01');
SELECT p.relname, i.relname AS identity, p.reloptions, t.reloptions, a.attstattarget, 'n_distinct=5' = ANY (a.attoptions) AS options FROM pg_class AS p JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attname = 't'
       JOIN pg_class AS t ON t.oid = p.reltoastrelid
       JOIN pg_index AS r ON r.indrelid = p.oid AND r.indisreplident JOIN pg_class AS i ON i.oid = r.indexrelid WHERE p.relname LIKE 'kept\_p%';

CREATE TABLE by_uuid (id uuid PRIMARY KEY DEFAULT kid_uuidv7()) PARTITION BY RANGE (id);
SELECT kid_create_partitions('by_uuid', '1 month', '2026-03-01', since => '2026-01-15');
INSERT INTO by_uuid SELECT kid_uuidv7_at(t) FROM generate_series(timestamptz '2026-01-01', '2026-02-28 23:59:59.999', '1 day') AS t;
SELECT partition, begins, ends, (SELECT count(*) FROM by_uuid WHERE tableoid = partition) AS count FROM kid_partitions('by_uuid');
SELECT count(*) FROM kid_drop_partitions('by_uuid', '2026-02-01', false);
SET client_min_messages = warning;
DROP SCHEMA "Quoted schema" CASCADE;
DROP TABLE p, q, n, late, past, many, renamed, s, end_of_time, events, by_uuid, kept, y, y_p20260101, plain, listed, two, expression, "of timestamptz", "Ein sehr langer Name für eine Tabelle mit ßßßßßßßßßßßß";
DROP ROLE regress_kid_nobody;
DROP FUNCTION bounds, error, scanned, unqualified; DROP PROCEDURE widths;
