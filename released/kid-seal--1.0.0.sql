-- kid_seal, which seals IDs, in plain SQL, beside kid-ids and pgcrypto. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid,kid_seal,kid_seal_internal. The role that runs it owns the logical clocks. To upgrade,
-- run it again, or a later version, as the same role: it replaces functions, and keeps clocks, types and keys, and the
-- rights on functions that this role granted to others.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, those in
-- PL/pgSQL in the caller's session: so they set the search_path or, where that would take too long, use no operator and
-- give every name its schema.

DO $kid$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');      -- the caller's, which end.sql sets again
    schema_name pg_catalog.text;        -- for schemas.sql.in
    what record;                        -- the rows of loops
    -- For revoke_rights.sql
    private pg_catalog.regnamespace;
    schemas pg_catalog.name[];
    functions pg_catalog.oid[];
    old_schemas pg_catalog.oid[] := ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace AS n);
    old_functions pg_catalog.oid[] := ARRAY(SELECT p.oid FROM pg_catalog.pg_proc AS p);
    -- For made_by_others.sql
    members pg_catalog.oid[];
    trusted pg_catalog.regnamespace[];
BEGIN
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- Creates the schemas that are missing. The others must belong to this role, and so must all that is in them: functions
-- that run as this role call it.
FOREACH schema_name IN ARRAY '{kid,kid_seal,kid_seal_internal}'::text[] LOOP
    IF to_regnamespace(schema_name) IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', schema_name);
    ELSIF EXISTS (SELECT FROM pg_namespace AS n, LATERAL (
                      SELECT n.nspowner
                      UNION ALL SELECT a.grantee FROM aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE'
                      UNION ALL SELECT c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid
                      UNION ALL SELECT t.typowner FROM pg_type AS t WHERE t.typnamespace = n.oid
                      UNION ALL SELECT p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
                      UNION ALL SELECT o.oprowner FROM pg_operator AS o WHERE o.oprnamespace = n.oid) AS o (role)
                   WHERE n.nspname = schema_name
                     AND o.role <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user)) THEN
        RAISE 'schema %, or something in it, belongs to another role', schema_name
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Run the script as the owner of the schema, and let no other role create objects there.';
    END IF;
END LOOP;

-- This module needs kid-ids of the same version.

IF to_regprocedure('kid.kid_version()') IS NULL THEN
    RAISE 'kid in plain SQL is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
ELSIF kid.kid_version() <> '1.0.0' THEN
    RAISE 'this is version 1.0.0 of a module, and kid-ids is of version %', kid.kid_version()
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
END IF;

-- What names without a schema mean from here on

PERFORM pg_catalog.set_config('search_path', 'kid, pg_temp', true);

-- Nobody else may call the functions in the schema kid_seal until this role says so. Rights that it gave stay.

IF NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'pgcrypto') THEN
    RAISE 'extension "pgcrypto" is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'CREATE EXTENSION pgcrypto.';
END IF;

-- uuid in base32

CREATE OR REPLACE FUNCTION kid_encode(id uuid, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(B'00' || ('x' || encode(uuid_send(id), 'hex'))::bit(128));
COMMENT ON FUNCTION kid_encode(id uuid, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid_uuid_decode(encoded text, prefix text DEFAULT '') RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    bits text;
BEGIN
    bits := kid_decoded_bits(encoded, prefix, 'type uuid', '7', 26);
    RETURN encode(int8send(substr(bits, 3, 64)::bit(64)::bigint) || int8send(substr(bits, 67)::bit(64)::bigint),
                  'hex')::uuid;
END $$;
COMMENT ON FUNCTION kid_uuid_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- Rights, whatever the default privileges of the role are
--
-- They are here and not beside each function, as in the extension, because the script can run again. First everybody
-- may call every routine, new ones among them. Then `functions` lists those that nobody may call but the owner, and the
-- roles to which the owner granted it since. A new function that moves a clock or shows what others do has to be added
-- there: test/t/plain.pl compares that with the extension.

GRANT USAGE ON TYPE kid.kid64 TO PUBLIC;
-- Routines on worker numbers have rights of their own: see plain/workers/rights.sql.
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace AND p.proname !~ 'worker' LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;

private := 'kid_clocks';
schemas := '{kid,kid_clocks}';
-- kid_observe() moves a clock. A role that calls kid64_at() or kid53_at() often can make it repeat IDs for others.
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace
                      AND p.proname IN ('kid_observe', 'kid53_observe', 'kid_observe_all', 'kid64_at', 'kid53_at',
                                        'kid_stats'));

-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`.
-- Outside `private`, other roles than PUBLIC keep what they have on `old_schemas` and `old_functions`, which were
-- there before the script ran: the owner granted it since.
FOR what IN
    WITH objects (kind, home, is_old, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.oid = ANY (old_schemas), n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, false,
               c.oid::regclass::text, c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'ROUTINE', p.pronamespace, p.oid = ANY (old_functions), p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR NOT o.is_old OR a.grantee = 0) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;

GRANT EXECUTE ON FUNCTION kid.kid_stats() TO pg_read_all_stats;
FOR what IN SELECT c.oid::regclass AS name FROM pg_class AS c
             WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname ~ '_clock$' LOOP
    -- For kid_track(). Nobody can name the clocks, but who knows their OID can read what kid_next() returned.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;

-- When the script runs again, it keeps the keys. A later version changes tables of an earlier one after END IF, as
-- plain/workers/tables.sql says.

IF to_regclass('kid_seal_internal.keys') IS NULL THEN

-- The tables of keys. A sealed ID is one block of AES-128, as a TypeID. For an ID of type TYPE with the prefix PREFIX:
--
--     subkey = the first 16 bytes of HMAC-SHA-256(key, 'TYPE:PREFIX')
--     block  = the binary form of the ID, then zeros up to 16 bytes
--     text   = PREFIX, '_', base32 of AES-128(subkey, block)
--
-- The zeros are the proof that somebody with the key made the text: encode, then encipher (Bellare and Rogaway,
-- ASIACRYPT 2000). Without the key, a text is valid with probability 2 ^ -(bits of zeros): 64 for kid64, kid53 and
-- flake, 48 for sno, 32 for kid96 and flax. A uuid has no room for zeros.
--
-- The functions run as their owner, in the extension a superuser. So no name may lead them to an object that another
-- role made. Bodies in PL/pgSQL look names up when they run. They name only objects of pg_catalog and of
-- kid_seal_internal, which this script creates, and in which no other role has a right. The schemas of kid and of
-- pgcrypto can be any role's, and can be renamed. So their functions and types are looked up once, below, by bodies in
-- SQL, which keep what they found. There each argument has exactly the type of the parameter, so that no other function
-- fits better. The end of the script checks what was found.
--
-- PL/pgSQL can make a variable a constant of a plan, and any role can have plans printed (debug_print_plan). So bodies
-- in PL/pgSQL read keys from columns of a query, and not from variables. The exception is kid_seal_import_key(), whose
-- parameter `key` is one. That function sets plan_cache_mode to force_generic_plan, so its plans contain the parameter
-- and not its value.

-- The replica identity is random, so that a row is never another server's. It is long and comes first, because an error
-- of COPY shows the first 100 bytes of a row, and dumps in plain SQL have this table. Keys are not updated: a
-- subscriber logs the columns of an update to a row that it does not have (PostgreSQL 18), and here one is the key.

CREATE TABLE kid_seal_internal.keys (
    row_id text PRIMARY KEY DEFAULT concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()),
    n integer NOT NULL UNIQUE,
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    made timestamptz NOT NULL DEFAULT now(),
    seals boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX keys_seals ON kid_seal_internal.keys (seals) WHERE seals;
COMMENT ON TABLE kid_seal_internal.keys IS 'keys of sealed IDs: one seals, all unseal';
COMMENT ON COLUMN kid_seal_internal.keys.key IS 'random, of 256 bits';

-- Without this ANALYZE would copy keys to pg_statistic. From there dumps of statistics take them, even dumps without
-- data, and a forgotten key would stay there until the next ANALYZE.
ALTER TABLE kid_seal_internal.keys ALTER COLUMN key SET STATISTICS 0;

-- The keys that were forgotten, so that an older export does not bring them back. Dumps have this table, which tells
-- nothing about a key. It has no unique column, because a dump of the data alone may be restored over it.
CREATE TABLE kid_seal_internal.forgotten (n integer NOT NULL, mark bytea NOT NULL);
ALTER TABLE kid_seal_internal.forgotten REPLICA IDENTITY FULL;
COMMENT ON TABLE kid_seal_internal.forgotten IS 'keys that kid_seal_forget_key() deleted';
COMMENT ON COLUMN kid_seal_internal.forgotten.mark IS 'an HMAC with the key';

END IF;

-- Keeps logical replication from the keys
--
-- A publication FOR ALL TABLES has the keys, and the forgotten ones, too. On a subscriber nothing of them arrives: each
-- server keeps its own keys, and no line of the log can show one of either side.
CREATE OR REPLACE FUNCTION kid_seal_internal.keep_keys() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'STATEMENT' THEN
        RAISE 'keys cannot be changed by %', TG_OP
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call the functions of kid_seal.';
    ELSIF current_setting('session_replication_role') = 'replica' THEN
        RETURN NULL;
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
COMMENT ON FUNCTION kid_seal_internal.keep_keys() IS
    'ignores changes of keys that come by replication, and refuses UPDATE and TRUNCATE';

-- From 18 on a subscriber logs an UPDATE of a row that it does not have, with its values.
CREATE OR REPLACE TRIGGER keep_keys BEFORE INSERT OR UPDATE OR DELETE ON kid_seal_internal.keys
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.keep_keys();
CREATE OR REPLACE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON kid_seal_internal.keys
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.keep_keys();
ALTER TABLE kid_seal_internal.keys ENABLE ALWAYS TRIGGER keep_keys, ENABLE ALWAYS TRIGGER refuse_change;
CREATE OR REPLACE TRIGGER keep_keys BEFORE INSERT OR UPDATE OR DELETE ON kid_seal_internal.forgotten
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.keep_keys();
CREATE OR REPLACE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON kid_seal_internal.forgotten
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.keep_keys();
ALTER TABLE kid_seal_internal.forgotten ENABLE ALWAYS TRIGGER keep_keys, ENABLE ALWAYS TRIGGER refuse_change;

-- Functions that find those of pgcrypto when they are created

SET LOCAL search_path = pg_catalog, pg_temp;
DO $$
BEGIN
    PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
       FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'pgcrypto';
END $$;

CREATE OR REPLACE FUNCTION kid_seal_internal.new_key() RETURNS bytea
    LANGUAGE sql VOLATILE PARALLEL SAFE RETURN gen_random_bytes(32);
COMMENT ON FUNCTION kid_seal_internal.new_key() IS '256 random bits';
-- To SQL_ASCII means without conversion; a valid prefix is in ASCII. STABLE, like convert_to(): PL/pgSQL calls a
-- function in SQL directly, three times as fast, only if what the function calls is not more volatile.
CREATE OR REPLACE FUNCTION kid_seal_internal.subkey(key bytea, type text, prefix text) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN substr(hmac(convert_to(type || ':'::text || prefix, 'SQL_ASCII'::name), key, 'sha256'::text), 1, 16);
COMMENT ON FUNCTION kid_seal_internal.subkey(key bytea, type text, prefix text) IS
    'the AES key for a type and a prefix';
CREATE OR REPLACE FUNCTION kid_seal_internal.mark(key bytea) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN hmac('forgotten'::bytea, key, 'sha256'::text);
COMMENT ON FUNCTION kid_seal_internal.mark(key bytea) IS
    'returns a mark by which a forgotten key is recognized, and which tells nothing about the key';
CREATE OR REPLACE FUNCTION kid_seal_internal.encipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encrypt(block, key, 'aes-ecb/pad:none'::text);
COMMENT ON FUNCTION kid_seal_internal.encipher(block bytea, key bytea) IS 'AES-128 of one block';
CREATE OR REPLACE FUNCTION kid_seal_internal.decipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN decrypt(block, key, 'aes-ecb/pad:none'::text);
COMMENT ON FUNCTION kid_seal_internal.decipher(block bytea, key bytea) IS 'the inverse of encipher()';

-- Where functions in SQL find those of kid when they are created, as kid_path.sql in the extension

SET LOCAL search_path = pg_catalog, kid, pg_temp;

-- Texts of sealed IDs: their form, their errors, and the sealing of a block
--
-- The first three functions find those of kid when they are created. Those in PL/pgSQL in the schema kid_seal_internal
-- set no search_path, which would take time in each call: they have that of the functions for users, which set it, and
-- nobody else may call them. Only the trigger has to set it.

CREATE OR REPLACE FUNCTION kid_seal_internal.to_text(block bytea, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(encode(block, 'hex'::text)::uuid, prefix);
COMMENT ON FUNCTION kid_seal_internal.to_text(block bytea, prefix text) IS 'a block as TypeID';
CREATE OR REPLACE FUNCTION kid_seal_internal.checked_prefix(prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(kid_encode('00000000-0000-0000-0000-000000000000'::uuid, prefix), -26);
COMMENT ON FUNCTION kid_seal_internal.checked_prefix(prefix text) IS
    'returns what precedes the digits of a TypeID, and raises an error if the prefix is invalid';
-- One text for each block: unlike kid_uuid_decode(), this takes no upper case, whatever the collation of an argument.
-- It is not STRICT, so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION kid_seal_internal.from_text(sealed text, prefix text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN left(sealed, -26) = kid_seal_internal.checked_prefix(prefix) COLLATE "C"
                 AND right(sealed, 26) ~ '^[0-7][0-9a-hjkmnp-tv-z]{25}$'::text COLLATE "C"
                THEN uuid_send(kid_uuid_decode(sealed, prefix)) END;
COMMENT ON FUNCTION kid_seal_internal.from_text(sealed text, prefix text) IS
    'the block of a TypeID in lower case, NULL for other texts';

CREATE OR REPLACE FUNCTION kid_seal_internal.missing_key() RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF EXISTS (SELECT FROM kid_seal_internal.keys) THEN
        RAISE 'no key seals IDs'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Export the keys, and call kid_seal_use_key() for the newest one.';
    END IF;
    RAISE 'there is no key to seal IDs with'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Call kid_seal_import_key() with the keys of an earlier database, or kid_seal_new_key() for the '
                     'first one.';
END $$;
COMMENT ON FUNCTION kid_seal_internal.missing_key() IS 'raises the error of sealing without a key';
-- Without this, a restored database would say of every good text that it is invalid, until its keys are imported.
CREATE OR REPLACE FUNCTION kid_seal_internal.unopened() RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kid_seal_internal.keys) THEN
        RAISE 'there is no key to open sealed IDs with'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Call kid_seal_import_key() with the keys of the database that sealed them, or '
                         'kid_seal_new_key() if none did.';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION kid_seal_internal.unopened() IS
    'returns NULL, for a text that no key opens, and raises an error if there are no keys';
CREATE OR REPLACE FUNCTION kid_seal_internal.refuse(sealed text, block bytea, type text, prefix text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RAISE 'invalid sealed ID of type %: "%"', type, sealed
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = CASE WHEN block IS NULL
                            THEN format('It is not the prefix "%s" and 16 bytes in base32, in lower case.', prefix)
                            ELSE format('No key opens it as an ID of type %s with the prefix "%s".', type, prefix) END;
END $$;
COMMENT ON FUNCTION kid_seal_internal.refuse(sealed text, block bytea, type text, prefix text) IS
    'raises the error of a text that no key opens';

-- The callers set plan_cache_mode: before the first ANALYZE PostgreSQL would plan these queries again in each call.
CREATE OR REPLACE FUNCTION kid_seal_internal.seal(block bytea, type text, prefix text) RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce((SELECT kid_seal_internal.encipher(block, kid_seal_internal.subkey(k.key, type, prefix))
                       FROM kid_seal_internal.keys AS k WHERE k.seals), kid_seal_internal.missing_key());
END $$;
COMMENT ON FUNCTION kid_seal_internal.seal(block bytea, type text, prefix text) IS
    'enciphers a block with the key that seals';
-- Most texts are of the key that seals, so it is tried before the others. With OFFSET 0 each block is deciphered once,
-- and not wherever `block` stands.
CREATE OR REPLACE FUNCTION kid_seal_internal.unseal(sealed bytea, zeros bytea, type text, prefix text) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    size integer := 16 - octet_length(zeros);
BEGIN
    RETURN coalesce(
        (SELECT substr(block, 1, size)
           FROM (SELECT k.key FROM kid_seal_internal.keys AS k ORDER BY k.seals DESC, k.n DESC) AS k,
                LATERAL (SELECT kid_seal_internal.decipher(sealed, kid_seal_internal.subkey(k.key, type, prefix))
                         OFFSET 0) AS opened (block)
          WHERE substr(block, size + 1) = zeros LIMIT 1),
        kid_seal_internal.unopened());
END $$;
COMMENT ON FUNCTION kid_seal_internal.unseal(sealed bytea, zeros bytea, type text, prefix text) IS
    'returns what stands before the zeros of a block, NULL if no key opens it';

-- The keys: to make, use, forget, list, export and import them

-- Each change of keys comes after all before it, so it must not go by an older snapshot. Changes in a session that
-- replicates would be ignored.
CREATE OR REPLACE FUNCTION kid_seal_internal.lock_keys() RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    IF current_setting('session_replication_role') = 'replica' THEN
        RAISE 'keys cannot be changed while session_replication_role is "replica"'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE 'keys can only be changed at READ COMMITTED'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
    LOCK TABLE kid_seal_internal.keys IN SHARE ROW EXCLUSIVE MODE;
END $$;
COMMENT ON FUNCTION kid_seal_internal.lock_keys() IS 'waits for other changes of keys';

-- A number stands for one key only, even after that key was forgotten.
CREATE OR REPLACE FUNCTION kid_seal_internal.free_number(wanted integer) RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN (SELECT CASE WHEN wanted IS NULL OR bool_or(t.n = wanted) THEN coalesce(max(t.n), 0) + 1 ELSE wanted END
              FROM (SELECT k.n FROM kid_seal_internal.keys AS k
                    UNION ALL SELECT f.n FROM kid_seal_internal.forgotten AS f) AS t);
END $$;
COMMENT ON FUNCTION kid_seal_internal.free_number(wanted integer) IS
    'returns the number that a key is to have, or the next one if that is NULL or taken';

-- Writes the row anew instead of updating it: see the table.
CREATE OR REPLACE FUNCTION kid_seal_internal.rewrite(n integer, seals boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    WITH old AS (DELETE FROM kid_seal_internal.keys AS k WHERE k.n = rewrite.n RETURNING k.*)
    INSERT INTO kid_seal_internal.keys (n, key, made, seals)
    SELECT old.n, old.key, old.made, rewrite.seals FROM old;
END $$;
COMMENT ON FUNCTION kid_seal_internal.rewrite(n integer, seals boolean) IS 'sets whether a key seals';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_new_key() RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made integer;
BEGIN
    PERFORM kid_seal_internal.lock_keys();
    INSERT INTO kid_seal_internal.keys (n, key)
    VALUES (kid_seal_internal.free_number(NULL), kid_seal_internal.new_key()) RETURNING n INTO made;
    RETURN made;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_new_key() IS
    'makes a random key, which unseals, and seals after kid_seal_use_key(); returns its number';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_use_key(n integer) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF n IS NULL THEN
        RAISE 'argument "n" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    PERFORM kid_seal_internal.rewrite(k.n, false) FROM kid_seal_internal.keys AS k WHERE k.seals;
    PERFORM kid_seal_internal.rewrite(k.n, true) FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_use_key.n;
    IF NOT FOUND THEN
        RAISE 'there is no key %', kid_seal_use_key.n USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_use_key(n integer) IS
    'makes a key the one that seals; the others still unseal';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_forget_key(n integer) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF n IS NULL THEN
        RAISE 'argument "n" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    IF EXISTS (SELECT FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_forget_key.n AND k.seals) THEN
        RAISE 'key % seals', kid_seal_forget_key.n
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Call kid_seal_use_key() for another one before.';
    END IF;
    WITH old AS (DELETE FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_forget_key.n RETURNING k.*)
    INSERT INTO kid_seal_internal.forgotten (n, mark) SELECT old.n, kid_seal_internal.mark(old.key) FROM old;
    IF NOT FOUND THEN
        RAISE 'there is no key %', kid_seal_forget_key.n USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_forget_key(n integer) IS
    'deletes a key for good, so that no text that it sealed can be unsealed; the key that seals cannot be deleted';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_keys(OUT n integer, OUT made timestamptz, OUT seals boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT k.n, k.made, k.seals FROM kid_seal_internal.keys AS k ORDER BY k.n;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_keys() IS 'lists the keys by their numbers, without their contents';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_export_keys(OUT n integer, OUT key text, OUT seals boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT k.n, encode(k.key, 'hex'), k.seals FROM kid_seal_internal.keys AS k ORDER BY k.n;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_export_keys() IS
    'returns the keys in hexadecimal, for kid_seal_import_key() in another database and for services that unseal';

-- A key is checked before it is inserted, because the error of a constraint shows the row. It does not seal: an export
-- can be older than the last change of keys.
CREATE OR REPLACE FUNCTION kid_seal.kid_seal_import_key(n integer, key text, forgotten_ok boolean DEFAULT false) RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    number integer;
BEGIN
    IF key IS NULL THEN
        RAISE 'argument "key" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF forgotten_ok IS NULL THEN
        RAISE 'argument "forgotten_ok" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF key !~ '^[0-9a-fA-F]{64}$' THEN
        RAISE 'a key has 64 hexadecimal digits' USING ERRCODE = 'invalid_parameter_value';
    ELSIF n > 1000000 THEN
        -- Later keys get greater numbers.
        RAISE 'the number of a key is at most 1000000' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    SELECT k.n INTO number
      FROM kid_seal_internal.keys AS k WHERE k.key = decode(kid_seal_import_key.key, 'hex');
    IF FOUND THEN
        RETURN number;
    END IF;
    SELECT f.n INTO number
      FROM kid_seal_internal.forgotten AS f
     WHERE f.mark = kid_seal_internal.mark(decode(kid_seal_import_key.key, 'hex')) LIMIT 1;
    IF FOUND AND NOT forgotten_ok THEN
        RAISE WARNING 'key % was forgotten, and is not imported', number
            USING HINT = 'To open its texts again, call kid_seal_import_key() with forgotten_ok => true.';
        RETURN NULL;
    END IF;
    DELETE FROM kid_seal_internal.forgotten AS f
     WHERE f.mark = kid_seal_internal.mark(decode(kid_seal_import_key.key, 'hex'));
    INSERT INTO kid_seal_internal.keys (n, key)
    VALUES (kid_seal_internal.free_number(kid_seal_import_key.n), decode(kid_seal_import_key.key, 'hex'))
    RETURNING keys.n INTO number;
    RETURN number;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_import_key(n integer, key text, forgotten_ok boolean) IS
    'adds a key, which unseals, and seals after kid_seal_use_key(); returns the number of the key, which is the next '
    'free one if n is taken, or NULL if the key was forgotten, unless forgotten_ok';

-- kid64: sealing and unsealing
--
-- The block that is enciphered is the binary form of an ID, and then as many zeros, in hexadecimal, as fill 16 bytes.

CREATE OR REPLACE FUNCTION kid_seal_internal.to_kid64(id bytea) RETURNS kid64
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint;
COMMENT ON FUNCTION kid_seal_internal.to_kid64(id bytea) IS 'the ID with the given binary form';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal(id kid64, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN kid_seal_internal.to_text(
        kid_seal_internal.seal(int8send(id) || decode('0000000000000000', 'hex'), 'kid64', prefix), prefix);
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal(id kid64, prefix text) IS
    'returns an ID as a text that only its unsealing function can read; until another key seals, the same ID and '
    'prefix give the same text';

CREATE OR REPLACE FUNCTION kid_seal.kid64_unseal(sealed text, prefix text, missing_ok boolean DEFAULT false) RETURNS kid64
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    sealed_block bytea;
    id bytea;
BEGIN
    sealed_block := kid_seal_internal.from_text(sealed, prefix);
    id := kid_seal_internal.unseal(sealed_block, decode('0000000000000000', 'hex'), 'kid64', prefix);
    IF id IS NULL AND NOT missing_ok THEN
        PERFORM kid_seal_internal.refuse(sealed, sealed_block, 'kid64', prefix);
    END IF;
    RETURN kid_seal_internal.to_kid64(id);
END $$;
COMMENT ON FUNCTION kid_seal.kid64_unseal(sealed text, prefix text, missing_ok boolean) IS
    'returns the ID that kid_seal() sealed with the same prefix; raises an error for any other text, or returns NULL if '
    'missing_ok';

-- Seals IDs of kid64 as uuids of version 4, for programs that accept no text. The binary form of the type has to have
-- 8 bytes. The block ends with a counter:
--
--     subkey = the first 16 bytes of HMAC-SHA-256(key, 'kid64-uuid:PREFIX')
--     block  = the 8 bytes of ID, then COUNTER as 8 bytes
--     uuid   = AES-128(subkey, block) for the least COUNTER, 0 to 4095, that gives the 6 bits of version 4
--
-- One of 64 blocks has these bits, so that 64 are tried on average, and none of 4096 has them with probability 2 ^ -93.
-- Another COUNTER than the least does not open: each ID has one uuid for each key, and one of 2 ^ 58 uuids is valid.

-- Takes the number of a key, because no variable may hold the key itself.
--
-- OFFSET 0 keeps PostgreSQL from merging a subquery into its outer query, where it would evaluate an expression
-- wherever its name stands: the subkey again for each counter, and the block up to three times.
CREATE OR REPLACE FUNCTION kid_seal_internal.uuid_block(n integer, id bytea, prefix text) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT block
              FROM (SELECT kid_seal_internal.subkey(k.key, 'kid64-uuid', prefix) FROM kid_seal_internal.keys AS k
                     WHERE k.n = uuid_block.n OFFSET 0) AS derived (subkey),
                   LATERAL (SELECT kid_seal_internal.encipher(id || int8send(counter), subkey)
                              FROM (SELECT generate_series(0::bigint, 4095)) AS counters (counter) OFFSET 0)
                           AS tried (block)
             WHERE get_byte(block, 6) >> 4 = 4 AND get_byte(block, 8) >> 6 = 2 LIMIT 1);
END $$;
COMMENT ON FUNCTION kid_seal_internal.uuid_block(n integer, id bytea, prefix text) IS
    'the block of an ID, enciphered with the key of the given number, that has the bits of version 4';

CREATE OR REPLACE FUNCTION kid_seal.kid_seal_uuid(id kid64, prefix text) RETURNS uuid
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM kid_seal_internal.checked_prefix(prefix);
    RETURN encode(coalesce((SELECT kid_seal_internal.uuid_block(k.n, int8send(id), prefix)
                              FROM kid_seal_internal.keys AS k WHERE k.seals),
                           kid_seal_internal.missing_key()), 'hex')::uuid;
END $$;
COMMENT ON FUNCTION kid_seal.kid_seal_uuid(id kid64, prefix text) IS
    'returns an ID as a uuid that looks random; until another key seals, the same ID and prefix give the same uuid';

CREATE OR REPLACE FUNCTION kid_seal.kid64_unseal_uuid(sealed uuid, prefix text, missing_ok boolean DEFAULT false)
    RETURNS kid64
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    sealed_block bytea := uuid_send(sealed);
    id bytea;
BEGIN
    PERFORM kid_seal_internal.checked_prefix(prefix);
    -- With OFFSET 0 each block is deciphered once, and not wherever `block` stands.
    SELECT substr(block, 1, 8) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block,
                                                      kid_seal_internal.subkey(k.key, 'kid64-uuid', prefix))
                    OFFSET 0) AS opened (block)
     WHERE CASE WHEN substr(block, 9, 6) = decode('000000000000', 'hex')
                THEN kid_seal_internal.uuid_block(k.n, substr(block, 1, 8), prefix) = sealed_block END
     ORDER BY k.seals DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.unopened();
        IF NOT missing_ok THEN
            PERFORM kid_seal_internal.refuse(sealed::text, sealed_block, 'kid64', prefix);
        END IF;
    END IF;
    RETURN kid_seal_internal.to_kid64(id);
END $$;
COMMENT ON FUNCTION kid_seal.kid64_unseal_uuid(sealed uuid, prefix text, missing_ok boolean) IS
    'returns the ID that kid_seal_uuid() sealed with this prefix; raises an error for any other uuid, or returns NULL '
    'if missing_ok';

-- kid53: sealing and unsealing
--
-- The block that is enciphered is the binary form of an ID, and then as many zeros, in hexadecimal, as fill 16 bytes.

CREATE OR REPLACE FUNCTION kid_seal_internal.to_kid53(id bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint;
COMMENT ON FUNCTION kid_seal_internal.to_kid53(id bytea) IS 'the ID with the given binary form';

CREATE OR REPLACE FUNCTION kid_seal.kid53_seal(id bigint, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN kid_seal_internal.to_text(
        kid_seal_internal.seal(int8send(id) || decode('0000000000000000', 'hex'), 'kid53', prefix), prefix);
END $$;
COMMENT ON FUNCTION kid_seal.kid53_seal(id bigint, prefix text) IS
    'returns an ID as a text that only its unsealing function can read; until another key seals, the same ID and '
    'prefix give the same text';

CREATE OR REPLACE FUNCTION kid_seal.kid53_unseal(sealed text, prefix text, missing_ok boolean DEFAULT false) RETURNS bigint
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    sealed_block bytea;
    id bytea;
BEGIN
    sealed_block := kid_seal_internal.from_text(sealed, prefix);
    id := kid_seal_internal.unseal(sealed_block, decode('0000000000000000', 'hex'), 'kid53', prefix);
    IF id IS NULL AND NOT missing_ok THEN
        PERFORM kid_seal_internal.refuse(sealed, sealed_block, 'kid53', prefix);
    END IF;
    RETURN kid_seal_internal.to_kid53(id);
END $$;
COMMENT ON FUNCTION kid_seal.kid53_unseal(sealed text, prefix text, missing_ok boolean) IS
    'returns the ID that kid53_seal() sealed with the same prefix; raises an error for any other text, or returns NULL if '
    'missing_ok';

-- Rights: only those that the owner grants in the schema kid_seal after the script has run for the first time. To seal
-- is not PUBLIC's either: a role that seals can find the ID of a text by trying the IDs of its time.
PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);

COMMENT ON SCHEMA kid_seal IS 'functions that seal and unseal IDs of kid';
COMMENT ON SCHEMA kid_seal_internal IS 'keys of sealed IDs, and functions that nobody else calls';

private := 'kid_seal_internal';
schemas := '{kid_seal,kid_seal_internal}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'kid_seal'::regnamespace);

-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`.
-- Outside `private`, other roles than PUBLIC keep what they have on `old_schemas` and `old_functions`, which were
-- there before the script ran: the owner granted it since.
FOR what IN
    WITH objects (kind, home, is_old, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.oid = ANY (old_schemas), n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, false,
               c.oid::regclass::text, c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'ROUTINE', p.pronamespace, p.oid = ANY (old_functions), p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR NOT o.is_old OR a.grantee = 0) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;

members := ARRAY(SELECT p.oid FROM pg_proc AS p
                  WHERE p.pronamespace IN ('kid_seal'::regnamespace, 'kid_seal_internal'::regnamespace));
trusted := '{kid,kid_seal_internal}';

-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Raises an error if one of the functions `members` uses what another role may have made, which a body in SQL found by
-- name. Only a superuser can have made functions in C and base types. What is in the schemas `trusted` is of this role,
-- and so are the functions themselves.
FOR what IN
    SELECT pg_describe_object(d.classid, d.objid, 0) AS name,
           pg_describe_object(d.refclassid, d.refobjid, 0) AS used
      FROM pg_depend AS d
           CROSS JOIN pg_identify_object(d.refclassid, d.refobjid, 0) AS o
           LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
           LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
     WHERE d.classid = 'pg_proc'::regclass AND d.objid = ANY (members) AND d.deptype = 'n'
       AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
       AND (to_regnamespace(o.schema) = ANY (trusted)) IS NOT TRUE
       AND (p.oid = ANY (members)) IS NOT TRUE
       AND p.prolang IS DISTINCT FROM (SELECT l.oid FROM pg_language AS l WHERE l.lanname = 'c')
       AND t.typtype IS DISTINCT FROM 'b' LOOP
    RAISE '% would depend on %, which another role may have made', what.name, what.used
        USING ERRCODE = 'invalid_object_definition';
END LOOP;

-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
