-- kid_seal: IDs in a text form that tells nothing.
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
SELECT count(*) = 0 AS without_pgcrypto FROM pg_available_extensions WHERE name = 'pgcrypto' \gset
\if :without_pgcrypto
\quit
\endif
SET client_min_messages = warning;
CREATE EXTENSION kid_seal CASCADE;
RESET client_min_messages;

-- Without a key.
SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord');
SELECT kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'ord');
SELECT * FROM kid_seal_keys();

-- What Node's crypto and typeid-js made with the key of the vectors. The three numbers of a row are equal. In upper case
-- no text opens.
SELECT kid_seal_import_key(1, encode(sha256('kid_seal'), 'hex'));
SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord');
SELECT kid_seal_use_key(1);
\set vectors `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/seal.tsv" | tail -n +2`
CREATE TABLE vectors AS
SELECT f[1] AS type, decode(f[2], 'hex') AS bytes, f[3] AS prefix, f[4] AS sealed
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT 'kid64' AS type, count(*), count(*) FILTER (WHERE kid_seal(bytes::kid64, prefix) = sealed) AS sealed,
       count(*) FILTER (WHERE kid64_unseal(sealed, prefix) = bytes::kid64) AS unsealed,
       count(*) FILTER (WHERE kid64_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL) AS upper
  FROM vectors WHERE type = 'kid64'
UNION ALL
SELECT 'flake', count(*), count(*) FILTER (WHERE kid_seal(bytes::flake, prefix) = sealed),
       count(*) FILTER (WHERE flake_unseal(sealed, prefix) = bytes::flake),
       count(*) FILTER (WHERE flake_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL)
  FROM vectors WHERE type = 'flake'
UNION ALL
SELECT 'sno', count(*), count(*) FILTER (WHERE kid_seal(bytes::sno, prefix) = sealed),
       count(*) FILTER (WHERE sno_unseal(sealed, prefix) = bytes::sno),
       count(*) FILTER (WHERE sno_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL)
  FROM vectors WHERE type = 'sno'
UNION ALL
SELECT 'kid96', count(*), count(*) FILTER (WHERE kid_seal(bytes::kid96, prefix) = sealed),
       count(*) FILTER (WHERE kid96_unseal(sealed, prefix) = bytes::kid96),
       count(*) FILTER (WHERE kid96_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL)
  FROM vectors WHERE type = 'kid96'
UNION ALL
SELECT 'flax', count(*), count(*) FILTER (WHERE kid_seal(bytes::flax, prefix) = sealed),
       count(*) FILTER (WHERE flax_unseal(sealed, prefix) = bytes::flax),
       count(*) FILTER (WHERE flax_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL)
  FROM vectors WHERE type = 'flax'
UNION ALL
SELECT 'kid53', count(*), count(*) FILTER (WHERE kid53_seal(number, prefix) = sealed),
       count(*) FILTER (WHERE kid53_unseal(sealed, prefix) = number),
       count(*) FILTER (WHERE kid53_unseal(left(sealed, -26) || upper(right(sealed, 26)), prefix, true) IS NOT NULL)
  FROM (SELECT *, ('x' || encode(bytes, 'hex'))::bit(64)::bigint AS number FROM vectors WHERE type = 'kid53') AS v
UNION ALL
SELECT 'kid64, uuid', count(*), count(*) FILTER (WHERE kid_seal_uuid(bytes::kid64, prefix) = sealed::uuid),
       count(*) FILTER (WHERE kid64_unseal_uuid(sealed::uuid, prefix) = bytes::kid64), 0
  FROM vectors WHERE type = 'kid64-uuid';

-- A text of another type, of another prefix, or changed in any of its 26 characters is an error. So is each of 100000 random
-- texts and uuids.
CREATE FUNCTION opens(call text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT ' || call;
    RETURN true;
EXCEPTION WHEN invalid_text_representation THEN
    RETURN false;
END $$;
SELECT v.type, f.name, count(*), count(*) FILTER (WHERE opens(format('%s_unseal(%L, %L)', f.name, v.sealed, v.prefix))) AS opened
  FROM vectors AS v, (VALUES ('kid64'), ('flake'), ('sno'), ('kid96'), ('flax'), ('kid53')) AS f (name) WHERE f.name <> v.type AND v.type <> 'kid64-uuid'
 GROUP BY v.type, f.name HAVING count(*) FILTER (WHERE opens(format('%s_unseal(%L, %L)', f.name, v.sealed, v.prefix))) > 0;
SELECT count(*), count(*) FILTER (WHERE opens(format('kid64_unseal(%L, %L)', 'other_' || right(sealed, 26), 'other'))) AS opened
  FROM vectors WHERE type = 'kid64';
SELECT count(*), count(*) FILTER (WHERE opens(format('kid64_unseal(%L, %L)', overlay(sealed PLACING digit FROM position FOR 1), 'ord'))) AS opened
  FROM vectors, generate_series(5, 30) AS position, unnest('{0,7,z}'::text[]) AS digit
 WHERE type = 'kid64' AND prefix = 'ord' AND substr(sealed, position, 1) <> digit;
SELECT count(*), count(*) FILTER (WHERE opens(format('kid53_unseal(%L, %L)', overlay(sealed PLACING digit FROM position FOR 1), 'ord'))) AS opened
  FROM vectors, generate_series(5, 30) AS position, unnest('{0,7,z}'::text[]) AS digit
 WHERE type = 'kid53' AND prefix = 'ord' AND substr(sealed, position, 1) <> digit;
SELECT count(*), count(*) FILTER (WHERE opens(format('flax_unseal(%L, %L)', kid_encode(md5(n::text)::uuid), ''))) AS flax,
       count(kid64_unseal_uuid(md5(n::text)::uuid, '', true)) AS uuid
  FROM generate_series(1, 100000) AS n;

-- A uuid with another prefix or a changed bit does not open, nor does the sealed text of the same bytes. Of the 4096 blocks of an
-- ID some 64 look like version 4. One opens.
SELECT count(*), count(kid64_unseal_uuid(sealed::uuid, 'other', true)) AS other,
       count(kid64_unseal(kid_encode(sealed::uuid, prefix), prefix, true)) AS text
  FROM vectors WHERE type = 'kid64-uuid';
SELECT count(*), count(kid64_unseal_uuid(encode(set_bit(uuid_send(sealed::uuid), bit, 1 - get_bit(uuid_send(sealed::uuid), bit)), 'hex')::uuid, 'ord', true)) AS opened
  FROM vectors, generate_series(0, 127) AS bit WHERE type = 'kid64-uuid' AND prefix = 'ord';
SELECT count(*), count(*) FILTER (WHERE block::text ~ '^(.{8}-.{4}-4.{3}-[89ab])') BETWEEN 32 AND 96 AS version_4, count(kid64_unseal_uuid(block, 'ord', true)) AS opened
  FROM generate_series(0, 4095) AS counter,
       LATERAL (SELECT encode(encrypt('\x8eab2da618a06daa' || int8send(counter),
                                      substr(hmac('kid64-uuid:ord', sha256('kid_seal'), 'sha256'), 1, 16), 'aes-ecb/pad:none'), 'hex')::uuid) AS tried (block);
SELECT count(*), count(*) FILTER (WHERE kid64_unseal_uuid(sealed, 'ord') = id) AS same, count(DISTINCT sealed) AS different,
       count(*) FILTER (WHERE sealed::text ~ '^.{8}-.{4}-4.{3}-[89ab]') AS version_4
  FROM (SELECT id, kid_seal_uuid(id, 'ord') AS sealed FROM (SELECT (n * 7919)::bigint::kid64 AS id FROM generate_series(1, 2000) AS n) AS ids OFFSET 0) AS s;

-- Errors.
SELECT kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'ord');
SELECT kid64_unseal('usr_01hwxnrzaefay8vvr14d2pf2db', 'ord');
SELECT kid64_unseal('ord_00w1knarhfg01', 'ord');
SELECT kid64_unseal('ord_81hwxnrzaefay8vvr14d2pf2db', 'ord');
SELECT sno_unseal('ord_01HWXNRZAEFAY8VVR14D2PF2DB', 'ord');
SELECT kid64_unseal('', '');
SELECT kid64_unseal_uuid('6f3b5c7d-4d4e-4abc-8def-0123456789ab', 'ord');
-- With missing_ok these texts are NULL. An invalid prefix is an error all the same.
SELECT sealed, kid64_unseal(sealed, 'ord', missing_ok => true)
  FROM unnest('{ord_01hwxnrzaefay8vvr14d2pf2db,usr_01hwxnrzaefay8vvr14d2pf2db,ord_00w1knarhfg01,ord_81hwxnrzaefay8vvr14d2pf2db,ord_01HWXNRZAEFAY8VVR14D2PF2DB,"ord_01hwxnrzaefay8vvr14d2pf2db ",ord,""}'::text[]) AS sealed;
SELECT kid64_unseal_uuid('6f3b5c7d-4d4e-4abc-8def-0123456789ab', 'ord', missing_ok => true);
SELECT kid64_unseal('ord', 'Ord', true);
SELECT kid_seal_uuid('.6.nef3Mk.3'::kid64, 'Ord');
SELECT kid64_unseal_uuid('6f3b5c7d-4d4e-4abc-8def-0123456789ab', 'Ord', true);
SELECT kid_seal('.6.nef3Mk.3'::kid64, 'Ord');

SELECT kid_seal('.6.nef3Mk.3'::kid64, U&'\00fcrd');
SELECT kid_seal(NULL::kid64, 'ord'), kid_seal('.6.nef3Mk.3'::kid64, NULL), kid64_unseal(NULL, 'ord'), kid64_unseal('x', NULL);
\set VERBOSITY sqlstate
SELECT kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'ord');
SELECT kid64_unseal('ord_00w1knarhfg01', 'ord');
\set VERBOSITY default

-- A query by a sealed text uses the key, and unseals once.
CREATE TABLE orders (id kid64 PRIMARY KEY);
INSERT INTO orders SELECT kid64_make('2026-11-21', n) FROM generate_series(0, 999) AS n;
ANALYZE orders;
SET plan_cache_mode = force_generic_plan;
PREPARE by_seal AS SELECT id FROM orders WHERE id = kid64_unseal($1, 'ord');
SELECT id, kid_seal(id, 'ord') AS sealed, kid_seal_uuid(id, 'ord') AS sealed_uuid FROM orders OFFSET 500 LIMIT 1 \gset
EXECUTE by_seal(:'sealed') \gset found_
SELECT :'found_id' = :'id' AS found;
EXPLAIN (COSTS OFF) EXECUTE by_seal(:'sealed');
SET track_functions = 'all';
SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset();
EXECUTE by_seal(:'sealed') \gset found_
SELECT pg_stat_force_next_flush();
SELECT funcname, calls FROM pg_stat_user_functions WHERE funcname LIKE 'kid64_unseal';
RESET track_functions;

-- Of a page, only the rows that are shown are sealed.
EXPLAIN (COSTS OFF, VERBOSE) SELECT kid_seal(id, 'ord') FROM orders ORDER BY id::text LIMIT 10;

-- In parallel workers, too.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT count(*) FROM orders WHERE kid64_unseal(kid_seal(id, 'ord'), 'ord') = id;
SELECT count(DISTINCT kid_seal(id, 'ord')) FROM orders WHERE kid64_unseal(kid_seal(id, 'ord'), 'ord') = id;

-- Keys: one seals, all unseal, and a forgotten one no longer. A new one seals when told to.
SELECT kid_seal_new_key();
SELECT kid_seal(:'id'::kid64, 'ord') = :'sealed' AS same_text;
SELECT kid_seal_use_key(2);
SELECT n, made = now() AS made_now, seals FROM kid_seal_keys();
SELECT kid_seal(:'id'::kid64, 'ord') <> :'sealed' AS other_text, kid64_unseal(:'sealed', 'ord') = :'id' AS old_opens,
       kid64_unseal(kid_seal(:'id'::kid64, 'ord'), 'ord') = :'id' AS new_opens;
SELECT kid_seal_uuid(:'id'::kid64, 'ord') <> :'sealed_uuid' AS other_uuid, kid64_unseal_uuid(:'sealed_uuid', 'ord') = :'id' AS old_opens,
       kid64_unseal_uuid(kid_seal_uuid(:'id'::kid64, 'ord'), 'ord') = :'id' AS new_opens;
SELECT kid_seal_new_key();
SELECT kid_seal_use_key(3);
SELECT kid_seal_use_key(3);
SELECT kid_seal_use_key(4);
SELECT kid_seal_forget_key(3);
SELECT kid_seal_forget_key(4);
SELECT kid_seal_forget_key(0);
SELECT kid_seal_forget_key(1);
SELECT kid_seal_forget_key(1);
SELECT kid64_unseal(:'sealed', 'ord', true) = :'id' AS old_opens, kid64_unseal_uuid(:'sealed_uuid', 'ord', true) = :'id' AS old_uuid_opens;
SELECT n, seals FROM kid_seal_keys();

-- Exported and imported. A key is there once, under a free number, and which key seals does not change. A forgotten key is
-- imported only if that is asked for. Errors show no key.
CREATE TEMPORARY TABLE exported AS SELECT * FROM kid_seal_export_keys();
SELECT n, key = (SELECT encode(k.key, 'hex') FROM kid_seal_internal.keys AS k WHERE k.n = e.n) AS same, seals FROM exported AS e;
SELECT kid_seal_import_key(n + 10, upper(key)) FROM exported ORDER BY n;
SELECT kid_seal_import_key(n, md5(key) || md5('')) FROM exported ORDER BY n;
SELECT kid_seal_import_key(NULL, repeat('7f', 32)), kid_seal_import_key(-7, repeat('80', 32));
SELECT n, seals FROM kid_seal_keys();
SELECT kid_seal_forget_key(-7);
SELECT kid_seal_import_key(20, repeat('80', 32)), kid_seal_import_key(NULL, repeat('80', 32));
SELECT kid_seal_import_key(-7, repeat('80', 32), forgotten_ok => true);
SELECT kid_seal_forget_key(-7), kid_seal_import_key(-7, repeat('82', 32));
SELECT n FROM kid_seal_internal.forgotten ORDER BY n;
SELECT kid_seal_import_key(9, NULL);
SELECT kid_seal_import_key(1000001, repeat('83', 32));
SELECT kid_seal_import_key(9, repeat('7', 63));
SELECT kid_seal_import_key(9, repeat('7', 63) || 'g');
BEGIN;
SET LOCAL session_replication_role = replica;
SAVEPOINT s;
SELECT kid_seal_new_key();
ROLLBACK TO s;
SELECT kid_seal_import_key(9, repeat('81', 32));
ROLLBACK TO s;
SELECT kid_seal_use_key(2);
ROLLBACK TO s;
SELECT kid_seal_forget_key(2);
ROLLBACK;
TRUNCATE kid_seal_internal.keys;
UPDATE kid_seal_internal.forgotten SET n = 1;
SELECT kid_seal(:'id'::kid64, 'ord') AS resealed \gset
DROP EXTENSION kid_seal;
CREATE EXTENSION kid_seal;
SELECT kid_seal_import_key(n, key) FROM exported ORDER BY n;
SELECT kid_seal(:'id'::kid64, 'ord');
SELECT kid64_unseal(:'resealed', 'ord') = :'id' AS opens;
SELECT kid_seal_use_key(n) FROM exported WHERE seals;
SELECT kid_seal(:'id'::kid64, 'ord') = :'resealed' AS same_text;
DROP TABLE exported;

-- Everything of the extension has a comment and is nobody's but the database owner's. The functions that run as another role
-- pin search_path. Nothing else has rights.
SELECT pg_describe_object(d.classid, d.objid, 0) AS uncommented
  FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass
 WHERE e.extname = 'kid_seal' AND d.deptype = 'e' AND obj_description(d.objid, d.classid::regclass::name) IS NULL
   AND d.classid <> 'pg_type'::regclass
 ORDER BY 1;
SELECT p.oid::regprocedure AS function, p.prosecdef, p.provolatile, p.proparallel, p.proconfig, p.proacl::text = format('{%1$s=X/%1$s,pg_database_owner=X*/%1$s}', p.proowner::regrole) AS owners,
       p.proacl::text = format('{%1$s=X/%1$s}', p.proowner::regrole) AS nobodys
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       JOIN pg_extension e ON d.refobjid = e.oid
 WHERE e.extname = 'kid_seal' ORDER BY p.oid::regprocedure::text COLLATE "C";
SELECT nspname, a.grantee::regrole, a.privilege_type
  FROM pg_namespace, aclexplode(nspacl) AS a WHERE nspname = 'kid_seal_internal' AND a.grantee <> nspowner ORDER BY 2, 3;
SELECT relname, relkind, a.grantee::regrole, a.privilege_type
  FROM pg_class LEFT JOIN LATERAL aclexplode(relacl) AS a ON a.grantee <> relowner
 WHERE relnamespace = 'kid_seal_internal'::regnamespace ORDER BY 1, 4;

DROP EXTENSION kid_seal;
SELECT count(*) FROM pg_namespace WHERE nspname = 'kid_seal_internal';
DROP EXTENSION pgcrypto;
DROP FUNCTION opens(text);
DROP TABLE vectors, orders;
