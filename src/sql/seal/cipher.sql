-- Functions that find those of pgcrypto when they are created

SET LOCAL search_path = pg_catalog, pg_temp;
DO $$
BEGIN
    PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
       FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'pgcrypto';
END $$;

CREATE FUNCTION kid_seal_internal.new_key() RETURNS bytea
    LANGUAGE sql VOLATILE PARALLEL SAFE RETURN gen_random_bytes(32);
COMMENT ON FUNCTION kid_seal_internal.new_key() IS '256 random bits';
-- To SQL_ASCII means without conversion; a valid prefix is in ASCII. STABLE, like convert_to(): PL/pgSQL calls a
-- function in SQL directly, three times as fast, only if what the function calls is not more volatile.
CREATE FUNCTION kid_seal_internal.subkey(key bytea, type text, prefix text) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN substr(hmac(convert_to(type || ':'::text || prefix, 'SQL_ASCII'::name), key, 'sha256'::text), 1, 16);
COMMENT ON FUNCTION kid_seal_internal.subkey(key bytea, type text, prefix text) IS
    'the AES key for a type and a prefix';
CREATE FUNCTION kid_seal_internal.mark(key bytea) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN hmac('forgotten'::bytea, key, 'sha256'::text);
COMMENT ON FUNCTION kid_seal_internal.mark(key bytea) IS
    'returns a mark by which a forgotten key is recognized, and which tells nothing about the key';
CREATE FUNCTION kid_seal_internal.encipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encrypt(block, key, 'aes-ecb/pad:none'::text);
COMMENT ON FUNCTION kid_seal_internal.encipher(block bytea, key bytea) IS 'AES-128 of one block';
CREATE FUNCTION kid_seal_internal.decipher(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN decrypt(block, key, 'aes-ecb/pad:none'::text);
COMMENT ON FUNCTION kid_seal_internal.decipher(block bytea, key bytea) IS 'the inverse of encipher()';
