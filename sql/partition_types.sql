-- Partitions by time that the extension alone has: its types beside kid64 and uuid, settings that the time in an ID depends on,
-- and the schema. sql/partitions.sql has what both editions do.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';
\set SHOW_CONTEXT never
CREATE FUNCTION error(query text) RETURNS TABLE (code text, message text, detail text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN NEXT;
END $$;
CREATE TABLE listing96 (id kid96) PARTITION BY RANGE (id);
CREATE TABLE listing96_a PARTITION OF listing96 FOR VALUES FROM (kid96_floor('2026-11-01')) TO (kid96_floor('2026-11-02'));
SELECT begins = kid_timestamp(kid96_floor('2026-11-01')) AS begins, ends = kid_timestamp(kid96_floor('2026-11-02')) AS ends, rows FROM kid_partitions('listing96');
DROP TABLE listing96;
CREATE TABLE past_sno (id sno) PARTITION BY RANGE (id);
SELECT kid_create_partitions('past_sno', '1 year', '2012-01-01', since => '0001-01-01');
SELECT begins, ends FROM kid_partitions('past_sno');
-- Each type.
CREATE TABLE p96 (id kid96) PARTITION BY RANGE (id);
CREATE TABLE p96_a PARTITION OF p96 FOR VALUES FROM (kid96_floor('2026-11-01')) TO (kid96_floor('2026-11-02'));
CREATE TABLE psno (id sno) PARTITION BY RANGE (id);
CREATE TABLE psno_a PARTITION OF psno FOR VALUES FROM (sno_floor('2026-11-01')) TO (sno_floor('2026-11-02'));
CREATE TABLE pflake (id flake) PARTITION BY RANGE (id);
CREATE TABLE pflake_a PARTITION OF pflake FOR VALUES FROM (flake_floor('2026-11-01')) TO (flake_floor('2026-11-02'));
CREATE TABLE pflax (id flax) PARTITION BY RANGE (id);
CREATE TABLE pflax_a PARTITION OF pflax FOR VALUES FROM (flax_floor('2026-11-01')) TO (flax_floor('2026-11-02'));
SELECT kid_create_partitions(t, '1 day', '2026-11-04') FROM unnest('{p96,psno,pflake,pflax}'::regclass[]) AS t;
SELECT kid_create_partitions(t, '1 day', '2026-11-04') FROM unnest('{p96,psno,pflake,pflax}'::regclass[]) AS t;
SELECT pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (%L) TO (%L)', kid96_floor('2026-11-02'), kid96_floor('2026-11-03')) AS kid96 FROM pg_class WHERE relname = 'p96_p20261102';
SELECT pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (%L) TO (%L)', sno_floor('2026-11-03'), sno_floor('2026-11-04')) AS sno FROM pg_class WHERE relname = 'psno_p20261103';
SELECT pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (%L) TO (%L)', flake_floor('2026-11-03'), flake_floor('2026-11-04')) AS flake FROM pg_class WHERE relname = 'pflake_p20261103';
SELECT pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (%L) TO (%L)', flax_floor('2026-11-03'), flax_floor('2026-11-04')) AS flax FROM pg_class WHERE relname = 'pflax_p20261103';
-- Widths below the neighborhood of kid96, 256 s: there is a partition only where the bounds differ.
SELECT count(*), min(name), max(name) FROM kid_create_partitions('p96', '1 minute', '2026-11-05 01:00') AS name;
SELECT kid_drop_partitions('pflax', '2026-11-03', false);
-- The first flax begin with "-".
CREATE TABLE early_flax (id flax) PARTITION BY RANGE (id);
SELECT kid_create_partitions('early_flax', '1 month', '2015-04-01', '2015-01-01');
DROP TABLE early_flax_p20150201;
SELECT kid_create_partitions('early_flax', '1 month', '2015-04-01', '2015-01-01');
SELECT begins, ends FROM kid_partitions('early_flax');
DROP TABLE early_flax;

-- Also if periods up to the end and after it are in one neighborhood.
SELECT kid_create_partitions('p96', '1 minute', '2026-11-05 01:02');

-- All IDs up to a time have a partition, also those of kid96, which sort before their time.
SELECT kid_create_partitions('p96', '1 day', '2026-11-06');
INSERT INTO p96 SELECT kid96_at('2026-11-05 23:59:59.999');
SELECT tableoid::regclass, kid_timestamp(id) FROM p96;
-- The end of the range of a type.
SELECT * FROM error('SELECT kid_create_partitions(''pflax'', ''1 year'', ''2051-01-01'')');
-- Types whose time is exact and depends on no setting can have a constraint on it.
CREATE TABLE fseen (id flake PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE k96seen (id kid96 PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE sseen (id sno PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE xseen (id flax PRIMARY KEY) PARTITION BY RANGE (id);
SELECT kid_create_partitions(t::regclass, '1 month', '2026-02-01 00:00+00', since => '2026-01-01 00:00+00', time_check => t !~ '^[fk]') FROM unnest('{fseen,k96seen,sseen,xseen}'::text[]) AS t;
SELECT t, e.* FROM unnest('{fseen,k96seen}'::text[]) AS t, error(format('SELECT kid_create_partitions(%L, ''1 month'', ''2026-04-01 00:00+00'', since => ''2026-03-01 00:00+00'', time_check => true)', t)) AS e;
SELECT partition, missing_check FROM unnest('{fseen,k96seen,sseen,xseen}'::text[]) AS t, kid_partitions(t::regclass);
INSERT INTO sseen SELECT id FROM unnest('{2026-01-01 00:00+00,2026-01-31 23:59:59.999999+00}'::timestamptz[]) AS t, LATERAL (VALUES (sno_floor(t)), (sno_ceil(t))) AS ids (id);
INSERT INTO xseen SELECT id FROM unnest('{2026-01-01 00:00+00,2026-01-31 23:59:59.999999+00}'::timestamptz[]) AS t, LATERAL (VALUES (flax_floor(t)), (flax_ceil(t))) AS ids (id);

-- A type of IDs is recognized by its input function, not by its name.
CREATE DOMAIN pg_temp.kid96 AS bigint;
CREATE DOMAIN pg_temp.kid64 AS text;
CREATE DOMAIN pg_temp.flax AS bigint;
CREATE DOMAIN pg_temp.sno AS sno;
CREATE TYPE pg_temp.flake AS ENUM ('flake');
SELECT t::text AS type, kid_bound_at(t, now()) IS NOT NULL AS is_id FROM unnest('{pg_temp.kid96,pg_temp.kid64,pg_temp.flax,pg_temp.sno,pg_temp.flake,kid64[],public.kid64,public.kid96,public.sno,public.flake,public.flax,uuid,bigint}'::regtype[]) AS t;
CREATE TABLE named (id pg_temp.kid64) PARTITION BY RANGE (id);
SELECT code FROM error('SELECT kid_create_partitions(''named'', ''1 day'', ''2026-12-01'')');
SELECT code FROM error('SELECT * FROM kid_partitions(''named'')');
DROP TABLE named;
DROP DOMAIN pg_temp.kid96, pg_temp.kid64, pg_temp.flax, pg_temp.sno;
DROP TYPE pg_temp.flake;

-- The time of a flake depends on a setting of the session. No partition is dropped if roles have different values of
-- that setting, or if no remaining partition could take new rows.
CREATE ROLE regress_kid_epoch;
GRANT regress_kid_epoch TO CURRENT_USER;
SET kid.flake_epoch = '1577836800000';
CREATE TABLE fe (id flake) PARTITION BY RANGE (id);
SELECT count(*) > 0 AS made FROM kid_create_partitions('fe', '1 day', now() + interval '3 days', since => now() - interval '3 days');
SELECT count(*) > 0 AS old FROM kid_drop_partitions('fe', now() - interval '1 day');
RESET kid.flake_epoch;
SELECT * FROM error('SELECT kid_drop_partitions(''fe'', now() - interval ''90 days'', dry_run => false)');
-- The same if only past partitions would remain.
SELECT code FROM error('SELECT kid_drop_partitions(''fe'', now() - interval ''90 years'')');
ALTER ROLE regress_kid_epoch SET kid.flake_epoch = '1577836800000';
SELECT * FROM error('SELECT kid_drop_partitions(''fe'', now() - interval ''90 days'', dry_run => false)');
SELECT * FROM error('SELECT kid_create_partitions(''fe'', ''1 day'', now())');
SET kid.flake_epoch = '1577836800000';
SELECT count(*) > 0 AS dropped FROM kid_drop_partitions('fe', now() - interval '1 day', dry_run => false);
-- If the given time is in the future, a partition for later rows must remain.
SELECT code FROM error('SELECT kid_drop_partitions(''fe'', now() + interval ''1 year'')');
RESET kid.flake_epoch;
SELECT count(*) FROM kid_partitions('fe') WHERE partition::text LIKE '%' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD');
DROP TABLE fe;
DROP OWNED BY regress_kid_epoch; DROP ROLE regress_kid_epoch;
-- The case of a setting's name does not matter. If the library is not loaded, PostgreSQL stores the name as written; if it is preloaded, as kid defines it. A
-- role's setting for another database does not count.
\c -
CREATE ROLE regress_kid_epoch;
ALTER ROLE regress_kid_epoch SET "KID"."Flake_Epoch" = '1577836800000';
SELECT lower(unnest(setconfig)) FROM pg_db_role_setting WHERE setrole = 'regress_kid_epoch'::regrole;
CREATE TABLE fe (id flake) PARTITION BY RANGE (id);
SELECT code, message FROM error('SELECT kid_create_partitions(''fe'', ''1 day'', now())');
ALTER ROLE regress_kid_epoch RESET ALL;
ALTER ROLE regress_kid_epoch IN DATABASE template1 SET kid.flake_epoch = '1577836800000';
SELECT code, message FROM error('SELECT kid_create_partitions(''fe'', ''1 day'', now())');
SELECT current_database() AS this_database \gset
ALTER ROLE regress_kid_epoch IN DATABASE :"this_database" SET kid.flake_epoch = '1577836800000';
SELECT code, message FROM error('SELECT kid_create_partitions(''fe'', ''1 day'', now())');
ALTER ROLE regress_kid_epoch IN DATABASE :"this_database" SET kid.flake_epoch = '0';
-- Each type depends on its own setting, or on none.
ALTER ROLE regress_kid_epoch SET kid.neighborhood = 5;
SELECT t, code, message FROM unnest('{fe,p96,psno}'::text[]) AS t, error(format('SELECT kid_create_partitions(%L, ''1 day'', now())', t));
SELECT code, message FROM error('SELECT kid_drop_partitions(''p96'', now())');
DROP TABLE fe;
DROP ROLE regress_kid_epoch;
DROP TABLE p96, psno, pflake, pflax, past_sno, fseen, k96seen, sseen, xseen;
DROP FUNCTION error;

-- The extension is in another schema, and search_path is empty.
SET client_min_messages = warning;
DROP EXTENSION kid CASCADE;
RESET client_min_messages;
CREATE SCHEMA "Other";
CREATE EXTENSION kid SCHEMA "Other";
SET search_path = '';
CREATE TABLE public.n (id "Other".kid64) PARTITION BY RANGE (id);
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 AS made FROM "Other".kid_create_partitions('public.n', '1 day', pg_catalog.now() OPERATOR(pg_catalog.+) interval '3 days');
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 AS dropped FROM "Other".kid_drop_partitions('public.n', pg_catalog.now() OPERATOR(pg_catalog.+) interval '2 days', false);
RESET search_path;
DROP TABLE n; DROP EXTENSION kid; DROP SCHEMA "Other";
CREATE EXTENSION kid;
