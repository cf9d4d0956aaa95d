-- from src/sql/seal/head.sql

\echo Use "CREATE EXTENSION kid_seal" to load this file. \quit

SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
BEGIN
    IF NOT pg_has_role((SELECT extowner FROM pg_extension WHERE extname = 'kid_seal'), 'pg_database_owner',
                       'USAGE') THEN
        RAISE 'must be owner of database %', current_database()
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = 'Dropping kid_seal drops the keys, and dumps need a right to them.';
    END IF;
END $$;

CREATE SCHEMA kid_seal_internal;
COMMENT ON SCHEMA kid_seal_internal IS 'keys of sealed IDs, and functions that nobody else calls';

-- from src/sql/seal/table.sql

-- A sealed ID is one block of AES-128, as a TypeID. For the ID ID of type TYPE with the prefix PREFIX:
--
--     subkey = the first 16 bytes of HMAC-SHA-256(key, 'TYPE:PREFIX')
--     block  = the binary form of ID, then zeros up to 16 bytes
--     text   = PREFIX, '_', base32 of AES-128(subkey, block)
--
-- The zeros are the proof that somebody with the key made the text: encode, then encipher (Bellare and Rogaway,
-- ASIACRYPT 2000). Who has no key and tries texts finds a valid one with probability 2 ^ -(bits of zeros): 64 for kid64
-- and flake, 48 for sno, 32 for kid96 and flax. A uuid has no room for zeros. There only the 6 bits of version and
-- variant are checked.
--
-- The functions run as their owner, in the extension a superuser. So nothing may be found by a name that somebody else
-- can give to an object of his: bodies in PL/pgSQL, which look names up when they run, name only objects of pg_catalog
-- and of kid_seal_internal, which this script creates, and in which nobody else has a right. Functions and types of kid
-- and of pgcrypto, whose schemas can be anybody's and can be renamed, are looked up once, below, for bodies that keep
-- what was found. In these bodies each argument has exactly the type of the parameter, so that no other function suits
-- better. The end of the script checks what was found.
--
-- No variable of PL/pgSQL holds a key, only a column of a query does. PL/pgSQL can make a variable a constant of a
-- plan, and any role can have plans printed (debug_print_plan).

CREATE TABLE kid_seal_internal.keys (
    n integer PRIMARY KEY,
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    made timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE kid_seal_internal.keys IS 'keys of sealed IDs: the key that was made last seals, all unseal';
COMMENT ON COLUMN kid_seal_internal.keys.key IS 'random, of 256 bits';

-- Without this ANALYZE would copy keys to pg_statistic. From there dumps of statistics take them, even dumps without
-- data, and a forgotten key would stay there until the next ANALYZE.
ALTER TABLE kid_seal_internal.keys ALTER COLUMN key SET STATISTICS 0;

-- from src/sql/seal/copies.sql

-- A dump can be restored into a database that has keys already. If the number of a key is taken, the key gets another
-- one. A key that is there already is not added. No expression here may have a key either: NEW is a variable.
CREATE FUNCTION kid_seal_internal.number_key() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM kid_seal_internal.keys AS k WHERE k.n = NEW.n) THEN
        NEW.n := (SELECT max(k.n) + 1 FROM kid_seal_internal.keys AS k);
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION kid_seal_internal.drop_copies() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM kid_seal_internal.keys AS k
          USING kid_seal_internal.keys AS same WHERE same.key = k.key AND same.n < k.n;
    RETURN NULL;
END $$;
CREATE TRIGGER number_key BEFORE INSERT ON kid_seal_internal.keys
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.number_key();
CREATE TRIGGER drop_copies AFTER INSERT ON kid_seal_internal.keys
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.drop_copies();
COMMENT ON FUNCTION kid_seal_internal.number_key() IS 'gives a key the next number if its own is taken';
COMMENT ON FUNCTION kid_seal_internal.drop_copies() IS 'deletes keys that are there with a lower number';
SELECT pg_extension_config_dump('kid_seal_internal.keys'::regclass, ''::text);

-- from src/sql/seal/cipher.sql

-- What is found in the schema of pgcrypto

SET LOCAL search_path = pg_catalog, pg_temp;
DO $$
BEGIN
    PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
       FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'pgcrypto';
END $$;

CREATE FUNCTION kid_seal_internal.new_key() RETURNS bytea
    LANGUAGE sql VOLATILE PARALLEL SAFE RETURN gen_random_bytes(32);
-- To SQL_ASCII means without conversion; a valid prefix is in ASCII. STABLE, like convert_to(): PL/pgSQL calls a
-- function in SQL directly, three times as fast, only if what the function calls is not more volatile.
CREATE FUNCTION kid_seal_internal.subkey(key bytea, type text, prefix text) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN substr(hmac(convert_to(type || ':'::text || prefix, 'SQL_ASCII'::name), key, 'sha256'::text), 1, 16);
CREATE FUNCTION kid_seal_internal.encipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encrypt(block, key, 'aes-ecb/pad:none'::text);
CREATE FUNCTION kid_seal_internal.decipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN decrypt(block, key, 'aes-ecb/pad:none'::text);

COMMENT ON FUNCTION kid_seal_internal.new_key() IS '256 random bits';
COMMENT ON FUNCTION kid_seal_internal.subkey(bytea, text, text) IS 'the AES key for a type and a prefix';
COMMENT ON FUNCTION kid_seal_internal.encipher(bytea, bytea) IS 'AES-128 of one block';
COMMENT ON FUNCTION kid_seal_internal.decipher(bytea, bytea) IS 'the inverse of encipher()';

-- from src/sql/seal/keys.sql.in

-- What is found in the schema of kid

SET LOCAL search_path = pg_catalog, pg_temp;
SELECT set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
  FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'kid';

CREATE FUNCTION kid_seal_internal.to_text(block bytea, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(encode(block, 'hex'::text)::uuid, prefix);
CREATE FUNCTION kid_seal_internal.from_text(sealed text, prefix text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN uuid_send(kid_uuid_decode(sealed, prefix));
CREATE FUNCTION kid_seal_internal.time_of(uuid bytea) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp(encode(uuid, 'hex'::text)::uuid);

COMMENT ON FUNCTION kid_seal_internal.to_text(bytea, text) IS 'a block as TypeID';
COMMENT ON FUNCTION kid_seal_internal.from_text(text, text) IS 'the block of a TypeID';
COMMENT ON FUNCTION kid_seal_internal.time_of(bytea) IS 'the time of a uuid of version 7, NULL for others';

CREATE FUNCTION kid_seal_internal.no_key() RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RAISE 'there is no key to seal IDs with'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_seal_new_key() once.';
END $$;
CREATE FUNCTION kid_seal_internal.refuse(sealed text, type text, prefix text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RAISE 'invalid sealed ID of type %: "%"', type, sealed
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = format('No key opens it as an ID of type %s with the prefix "%s".', type, prefix);
END $$;

COMMENT ON FUNCTION kid_seal_internal.no_key() IS 'raises the error of sealing without a key';
COMMENT ON FUNCTION kid_seal_internal.refuse(text, text, text) IS 'raises the error of a text that no key opens';

CREATE FUNCTION @extschema@.kid_seal_new_key() RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made integer;
BEGIN
    LOCK TABLE kid_seal_internal.keys IN SHARE ROW EXCLUSIVE MODE;
    -- Whatever the system clock says, the new key is the newest: at the same time, that with the greatest number.
    INSERT INTO kid_seal_internal.keys (n, key, made)
    SELECT coalesce(max(k.n), 0) + 1, kid_seal_internal.new_key(), greatest(max(k.made), now())
      FROM kid_seal_internal.keys AS k
    RETURNING n INTO made;
    RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_new_key() IS
    'makes a random key, which seals from then on, and returns its number; older keys go on unsealing';

-- The newest key stays: there is always one that seals.
CREATE FUNCTION @extschema@.kid_seal_forget_key(n integer) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    LOCK TABLE kid_seal_internal.keys IN SHARE ROW EXCLUSIVE MODE;
    IF kid_seal_forget_key.n
       = (SELECT k.n FROM kid_seal_internal.keys AS k ORDER BY k.made DESC, k.n DESC LIMIT 1) THEN
        RAISE 'key % is the newest, which seals', kid_seal_forget_key.n
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_seal_new_key() before.';
    END IF;
    DELETE FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_forget_key.n;
    IF NOT FOUND THEN
        RAISE 'there is no key %', kid_seal_forget_key.n USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_forget_key(integer) IS
    'deletes a key, and so ends every text that it sealed; the newest key cannot be deleted';

CREATE FUNCTION @extschema@.kid_seal_keys(OUT n integer, OUT made timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT k.n, k.made FROM kid_seal_internal.keys AS k ORDER BY k.n;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_keys() IS 'lists the keys by their numbers, without their contents';

-- from src/sql/seal/type.sql.in

-- kid64

CREATE FUNCTION kid_seal_internal.to_kid64(id bytea) RETURNS kid64
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id::kid64;
COMMENT ON FUNCTION kid_seal_internal.to_kid64(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id kid64, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    SELECT kid_seal_internal.encipher(id::bytea || decode('0000000000000000', 'hex'),
                                      kid_seal_internal.subkey(k.key, 'kid64', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(kid64, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.kid64_unseal(sealed text, prefix text) RETURNS kid64
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT substr(block, 1, 8) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'kid64', prefix))
                    OFFSET 0) AS opened (block)
     WHERE substr(block, 8 + 1) = decode('0000000000000000', 'hex')
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'kid64', prefix);
    END IF;
    RETURN kid_seal_internal.to_kid64(id);
END $$;
COMMENT ON FUNCTION @extschema@.kid64_unseal(text, text) IS
    'returns the ID that kid_seal() sealed with the same prefix; any other text is an error';

-- from src/sql/seal/type.sql.in

-- kid96

CREATE FUNCTION kid_seal_internal.to_kid96(id bytea) RETURNS kid96
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id::kid96;
COMMENT ON FUNCTION kid_seal_internal.to_kid96(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id kid96, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    SELECT kid_seal_internal.encipher(id::bytea || decode('00000000', 'hex'),
                                      kid_seal_internal.subkey(k.key, 'kid96', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(kid96, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.kid96_unseal(sealed text, prefix text) RETURNS kid96
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT substr(block, 1, 12) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'kid96', prefix))
                    OFFSET 0) AS opened (block)
     WHERE substr(block, 12 + 1) = decode('00000000', 'hex')
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'kid96', prefix);
    END IF;
    RETURN kid_seal_internal.to_kid96(id);
END $$;
COMMENT ON FUNCTION @extschema@.kid96_unseal(text, text) IS
    'returns the ID that kid_seal() sealed with the same prefix; any other text is an error';

-- from src/sql/seal/type.sql.in

-- sno

CREATE FUNCTION kid_seal_internal.to_sno(id bytea) RETURNS sno
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id::sno;
COMMENT ON FUNCTION kid_seal_internal.to_sno(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id sno, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    SELECT kid_seal_internal.encipher(id::bytea || decode('000000000000', 'hex'),
                                      kid_seal_internal.subkey(k.key, 'sno', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(sno, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.sno_unseal(sealed text, prefix text) RETURNS sno
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT substr(block, 1, 10) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'sno', prefix))
                    OFFSET 0) AS opened (block)
     WHERE substr(block, 10 + 1) = decode('000000000000', 'hex')
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'sno', prefix);
    END IF;
    RETURN kid_seal_internal.to_sno(id);
END $$;
COMMENT ON FUNCTION @extschema@.sno_unseal(text, text) IS
    'returns the ID that kid_seal() sealed with the same prefix; any other text is an error';

-- from src/sql/seal/type.sql.in

-- flake

CREATE FUNCTION kid_seal_internal.to_flake(id bytea) RETURNS flake
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id::flake;
COMMENT ON FUNCTION kid_seal_internal.to_flake(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id flake, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    SELECT kid_seal_internal.encipher(id::bytea || decode('0000000000000000', 'hex'),
                                      kid_seal_internal.subkey(k.key, 'flake', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(flake, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.flake_unseal(sealed text, prefix text) RETURNS flake
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT substr(block, 1, 8) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'flake', prefix))
                    OFFSET 0) AS opened (block)
     WHERE substr(block, 8 + 1) = decode('0000000000000000', 'hex')
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'flake', prefix);
    END IF;
    RETURN kid_seal_internal.to_flake(id);
END $$;
COMMENT ON FUNCTION @extschema@.flake_unseal(text, text) IS
    'returns the ID that kid_seal() sealed with the same prefix; any other text is an error';

-- from src/sql/seal/type.sql.in

-- flax

CREATE FUNCTION kid_seal_internal.to_flax(id bytea) RETURNS flax
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN id::flax;
COMMENT ON FUNCTION kid_seal_internal.to_flax(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id flax, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    SELECT kid_seal_internal.encipher(id::bytea || decode('00000000', 'hex'),
                                      kid_seal_internal.subkey(k.key, 'flax', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(flax, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.flax_unseal(sealed text, prefix text) RETURNS flax
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT substr(block, 1, 12) INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'flax', prefix))
                    OFFSET 0) AS opened (block)
     WHERE substr(block, 12 + 1) = decode('00000000', 'hex')
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'flax', prefix);
    END IF;
    RETURN kid_seal_internal.to_flax(id);
END $$;
COMMENT ON FUNCTION @extschema@.flax_unseal(text, text) IS
    'returns the ID that kid_seal() sealed with the same prefix; any other text is an error';

-- from src/sql/seal/uuid.sql.in

-- uuid, without zeros. Every key opens every text, and 1 of 64 results is a uuid of version 7. So the result with the
-- time nearest to now is taken. A wrong key gives a random time within 8900 years, so the nearest is nearly always
-- right.

CREATE FUNCTION kid_seal_internal.to_uuid(id bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encode(id, 'hex'::text)::uuid;
COMMENT ON FUNCTION kid_seal_internal.to_uuid(bytea) IS 'the ID with the given binary form';

CREATE FUNCTION @extschema@.kid_seal(id uuid, prefix text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    block bytea;
BEGIN
    IF kid_seal_internal.time_of(uuid_send(id)) IS NULL THEN
        RAISE 'uuid "%" is not of version 7', id
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'A random one, of version 4, tells nothing: use kid_encode().';
    END IF;
    SELECT kid_seal_internal.encipher(uuid_send(id), kid_seal_internal.subkey(k.key, 'uuid', prefix)) INTO block
      FROM kid_seal_internal.keys AS k
     ORDER BY k.made DESC, k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.no_key();
    END IF;
    RETURN kid_seal_internal.to_text(block, prefix);
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal(uuid, text) IS
    'returns an ID as a text that only its unsealing function can read; the same ID and prefix give the same text';

CREATE FUNCTION @extschema@.kid_uuid_unseal(sealed text, prefix text) RETURNS uuid
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealed_block bytea := kid_seal_internal.from_text(sealed, prefix);
    id bytea;
BEGIN
    SELECT block INTO id
      FROM kid_seal_internal.keys AS k,
           LATERAL (SELECT kid_seal_internal.decipher(sealed_block, kid_seal_internal.subkey(k.key, 'uuid', prefix))
                    OFFSET 0) AS opened (block),
           LATERAL (SELECT kid_seal_internal.time_of(block) - now() OFFSET 0) AS distance (distance)
     WHERE distance IS NOT NULL
     ORDER BY greatest(distance, -distance), k.n DESC
     LIMIT 1;
    IF NOT FOUND THEN
        PERFORM kid_seal_internal.refuse(sealed, 'uuid', prefix);
    END IF;
    RETURN kid_seal_internal.to_uuid(id);
END $$;
COMMENT ON FUNCTION @extschema@.kid_uuid_unseal(text, text) IS
    'returns the uuid of version 7 that kid_seal() sealed with the same prefix; most other texts are an error';

-- from src/sql/seal/foot.sql

-- Rights: the owner of the database grants them to others. To seal is not PUBLIC's either: who can seal can find the ID
-- of a text by trying those of its time.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    seal oid := (SELECT oid FROM pg_extension WHERE extname = 'kid_seal');
    what record;
BEGIN
    -- Besides PUBLIC, those to whom the superuser gives rights in all that is his (ALTER DEFAULT PRIVILEGES).
    FOR what IN
        WITH objects AS (
            SELECT 'SCHEMA' AS kind, nspname::text AS name, nspowner AS owner,
                   coalesce(nspacl, acldefault('n', nspowner)) AS acl
              FROM pg_namespace WHERE oid = 'kid_seal_internal'::regnamespace
            UNION ALL
            SELECT 'TABLE', c.oid::regclass::text, relowner, coalesce(relacl, acldefault('r', relowner))
              FROM pg_class AS c WHERE c.oid = 'kid_seal_internal.keys'::regclass
            UNION ALL
            SELECT 'FUNCTION', p.oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
              FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
             WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = seal AND d.deptype = 'e')
        SELECT DISTINCT kind, name,
               CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS grantee
          FROM objects, aclexplode(acl) WHERE grantee <> owner LOOP
        EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
    END LOOP;
    FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
                  JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                 WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = seal AND d.deptype = 'e'
                   AND p.pronamespace <> 'kid_seal_internal'::regnamespace LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_database_owner WITH GRANT OPTION', what.name);
    END LOOP;
END $$;

-- What was found by name in the schemas of kid and pgcrypto: only a superuser can have made functions in C and base
-- types.
DO $$
DECLARE
    stranger text := (
        SELECT pg_describe_object(d.refclassid, d.refobjid, 0)
          FROM pg_extension AS e
          JOIN pg_depend AS member ON member.refclassid = 'pg_extension'::regclass AND member.refobjid = e.oid
          JOIN pg_depend AS d ON d.classid = member.classid AND d.objid = member.objid AND d.deptype = 'n'
          LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
          LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
         WHERE e.extname = 'kid_seal' AND member.deptype = 'e'
           AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
           AND NOT EXISTS (SELECT FROM pg_depend AS own WHERE own.classid = d.refclassid AND own.objid = d.refobjid
                              AND own.refclassid = 'pg_extension'::regclass AND own.refobjid = e.oid
                              AND own.deptype = 'e')
           AND p.prolang IS DISTINCT FROM (SELECT oid FROM pg_language WHERE lanname = 'c')
           AND t.typtype IS DISTINCT FROM 'b'
         LIMIT 1);
BEGIN
    IF stranger IS NOT NULL THEN
        RAISE 'kid_seal would depend on %, which is not of kid or pgcrypto', stranger
            USING ERRCODE = 'invalid_object_definition';
    END IF;
END $$;
