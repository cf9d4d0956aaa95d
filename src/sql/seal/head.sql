\echo Use "CREATE EXTENSION kid_seal" to load this file. \quit

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
-- The functions run as the superuser that owns them. So nothing may be found by a name that somebody else can give to
-- an object of his: bodies in PL/pgSQL, which look names up when they run, name only objects of pg_catalog and of
-- kid_seal_internal, which this script creates, and in which nobody has a right. Functions and types of kid and of
-- pgcrypto, whose schemas can be anybody's and can be renamed, are looked up once, below, for bodies that keep what was
-- found. While they are, each argument has exactly the type of the parameter, so that no other function suits better.
-- The end of the script checks what was found.
--
-- No variable of PL/pgSQL holds a key, only a column of a query does. PL/pgSQL can make a variable a constant of a
-- plan, and any role can have plans printed (debug_print_plan).
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

CREATE TABLE kid_seal_internal.keys (
    n integer PRIMARY KEY,
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    made timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE kid_seal_internal.keys IS 'keys of sealed IDs: the key that was made last seals, all unseal';
COMMENT ON COLUMN kid_seal_internal.keys.key IS 'random, of 256 bits';

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

SELECT set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
  FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'pgcrypto';

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

SET LOCAL search_path = pg_catalog, pg_temp;
SELECT set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
  FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'kid';

CREATE FUNCTION kid_seal_internal.to_text(block bytea, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(encode(block, 'hex'::text)::uuid, prefix);
CREATE FUNCTION kid_seal_internal.from_text(sealed text, prefix text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN uuid_send(kid_uuid_decode(sealed, prefix));
CREATE FUNCTION kid_seal_internal.time_of(uuid bytea) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp(encode(uuid, 'hex'::text)::uuid);

COMMENT ON FUNCTION kid_seal_internal.new_key() IS '256 random bits';
COMMENT ON FUNCTION kid_seal_internal.subkey(bytea, text, text) IS 'the AES key for a type and a prefix';
COMMENT ON FUNCTION kid_seal_internal.encipher(bytea, bytea) IS 'AES-128 of one block';
COMMENT ON FUNCTION kid_seal_internal.decipher(bytea, bytea) IS 'the inverse of encipher()';
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
