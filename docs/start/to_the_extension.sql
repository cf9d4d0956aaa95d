-- From kid in plain SQL to the extension. from-plain-sql.md says when to run what. Each part begins with "----".

---- definitions: what compares an ID with another as a bigint. Create these again without the cast

SELECT 'view' AS kind, oid::regclass::text AS name FROM pg_class
 WHERE relkind IN ('v', 'm') AND oid >= 16384 AND pg_get_viewdef(oid) LIKE '%::bigint%'
UNION ALL
SELECT 'policy on ' || polrelid::regclass, polname FROM pg_policy
 WHERE concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) LIKE '%::bigint%'
UNION ALL
SELECT 'index', indexrelid::regclass::text FROM pg_index WHERE pg_get_indexdef(indexrelid) LIKE '%::bigint%'
UNION ALL
SELECT 'constraint of ' || conrelid::regclass, conname FROM pg_constraint
 WHERE conrelid <> 0 AND pg_get_constraintdef(oid) LIKE '%::bigint%' AND connamespace::regnamespace::text <> 'kid_workers'
UNION ALL
SELECT 'function', oid::regprocedure::text FROM pg_proc
 WHERE pg_get_function_sqlbody(oid) LIKE '%::bigint%' AND pronamespace::regnamespace::text NOT IN ('kid', 'kid_workers');

---- attach: prints the statements that attach partitions. The bounds of a key that is a kid64 are numbers without quotes

SELECT format('ALTER TABLE %I.%I ATTACH PARTITION %I.%I ', pn.nspname, p.relname, n.nspname, c.relname)
       || translate(pg_get_expr(c.relpartbound, c.oid), CASE WHEN a.atttypid IS NULL THEN '' ELSE '''' END, '') || ';'
  FROM pg_inherits AS i
       JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
       JOIN pg_class AS p ON p.oid = i.inhparent JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
       JOIN pg_partitioned_table AS k ON k.partrelid = p.oid
       LEFT JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attnum = k.partattrs[0] AND k.partnatts = 1
                                  AND a.atttypid = 'kid.kid64'::regtype;

---- in place: run this as the owner of the tables, with your tables and columns

BEGIN;
LOCK TABLE orders, payments;                                    -- all of them, in the order in which transactions write
ALTER TABLE payments DROP CONSTRAINT payments_order_id_fkey;
ALTER TABLE payments ALTER id DROP DEFAULT, ALTER order_id TYPE bigint;
ALTER TABLE orders ALTER id DROP DEFAULT, ALTER id TYPE bigint;
DROP SCHEMA IF EXISTS kid_workers CASCADE;
DO $$                                                           -- an error names what still depends on kid
BEGIN
    EXECUTE (SELECT 'DROP ROUTINE ' || string_agg(oid::regprocedure::text, ', ') FROM pg_proc
              WHERE pronamespace::regnamespace::text IN ('kid', 'kid_clocks', 'kid_seal', 'kid_seal_internal'));
END $$;
DROP DOMAIN kid.kid64;
DROP SCHEMA kid;
DROP SCHEMA kid_clocks CASCADE;
CREATE SCHEMA kid;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
CREATE EXTENSION kid SCHEMA kid;
ALTER TABLE orders ALTER id TYPE kid64, ALTER id SET DEFAULT kid_next();
ALTER TABLE payments ALTER id SET DEFAULT kid_uuidv7(), ALTER order_id TYPE kid64;
ALTER TABLE payments ADD FOREIGN KEY (order_id) REFERENCES orders;
SELECT * FROM kid.kid_observe_all();                            -- only if you are a superuser
COMMIT;

---- partitioned before: a table that is partitioned by an ID cannot change the type of it. Name such a table in LOCK TABLE, too.
---- Run this after the locks

CREATE TEMP TABLE parts ON COMMIT DROP AS
    SELECT format('%I.%I', n.nspname, c.relname) AS part,
           translate(pg_get_expr(c.relpartbound, c.oid), '''', '') AS bounds    -- numbers, if the key has no other column
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE i.inhparent = 'events'::regclass;
DO $$
DECLARE
    part text;
BEGIN
    FOR part IN SELECT p.part FROM parts AS p LOOP
        EXECUTE format('ALTER TABLE events DETACH PARTITION %s', part);
        EXECUTE format('ALTER TABLE %s ALTER id DROP DEFAULT, ALTER id TYPE bigint', part);
    END LOOP;
END $$;
DROP TABLE events;

---- partitioned after: run this after CREATE EXTENSION. Give the new parent all else that the old one had, such as privileges,
---- triggers and policies

CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), kind text) PARTITION BY RANGE (id);
DO $$
DECLARE
    part text;
    bounds text;
BEGIN
    FOR part, bounds IN SELECT p.part, p.bounds FROM parts AS p LOOP
        EXECUTE format('ALTER TABLE %s ALTER id TYPE kid64, ALTER id SET DEFAULT kid_next()', part);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %s %s', part, bounds);
    END LOOP;
END $$;

---- sealed before: with sealed IDs. Export the keys first. Run this as the first statement after BEGIN

DROP TABLE kid_seal_internal.keys, kid_seal_internal.forgotten;

---- sealed after: run this after CREATE EXTENSION kid, as the owner of the database, or as a superuser. Then import the
---- keys, name the one that seals, and repeat the GRANTs

DROP SCHEMA kid_seal, kid_seal_internal;
CREATE SCHEMA kid_seal;
CREATE EXTENSION kid_seal SCHEMA kid_seal;
