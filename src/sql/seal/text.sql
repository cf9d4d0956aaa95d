-- Texts of sealed IDs: their form, their errors, and the sealing of a block
--
-- The first three functions find those of kid when they are created. Those in PL/pgSQL in the schema kid_seal_internal
-- set no search_path, which would take time in each call: they have that of the functions for users, which set it, and
-- nobody else may call them. Only the trigger has to set it.

CREATE FUNCTION kid_seal_internal.to_text(block bytea, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(encode(block, 'hex'::text)::uuid, prefix);
COMMENT ON FUNCTION kid_seal_internal.to_text(block bytea, prefix text) IS 'a block as TypeID';
CREATE FUNCTION kid_seal_internal.checked_prefix(prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(kid_encode('00000000-0000-0000-0000-000000000000'::uuid, prefix), -26);
COMMENT ON FUNCTION kid_seal_internal.checked_prefix(prefix text) IS
    'returns what precedes the digits of a TypeID, and raises an error if the prefix is invalid';
-- One text for each block: unlike kid_uuid_decode(), this takes no upper case, whatever the collation of an argument.
-- It is not STRICT, so that PostgreSQL inlines it.
CREATE FUNCTION kid_seal_internal.from_text(sealed text, prefix text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN left(sealed, -26) = kid_seal_internal.checked_prefix(prefix) COLLATE "C"
                 AND right(sealed, 26) ~ '^[0-7][0-9a-hjkmnp-tv-z]{25}$'::text COLLATE "C"
                THEN uuid_send(kid_uuid_decode(sealed, prefix)) END;
COMMENT ON FUNCTION kid_seal_internal.from_text(sealed text, prefix text) IS
    'the block of a TypeID in lower case, NULL for other texts';

CREATE FUNCTION kid_seal_internal.missing_key() RETURNS bytea
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
CREATE FUNCTION kid_seal_internal.unopened() RETURNS bytea
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
CREATE FUNCTION kid_seal_internal.refuse(sealed text, block bytea, type text, prefix text) RETURNS void
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
CREATE FUNCTION kid_seal_internal.seal(block bytea, type text, prefix text) RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce((SELECT kid_seal_internal.encipher(block, kid_seal_internal.subkey(k.key, type, prefix))
                       FROM kid_seal_internal.keys AS k WHERE k.seals), kid_seal_internal.missing_key());
END $$;
COMMENT ON FUNCTION kid_seal_internal.seal(block bytea, type text, prefix text) IS
    'enciphers a block with the key that seals';
-- Most texts are of the key that seals, so it is tried before the others. With OFFSET 0 each block is deciphered once,
-- and not wherever `block` stands.
CREATE FUNCTION kid_seal_internal.unseal(sealed bytea, zeros bytea, type text, prefix text) RETURNS bytea
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
