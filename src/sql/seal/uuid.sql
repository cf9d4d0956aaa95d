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
