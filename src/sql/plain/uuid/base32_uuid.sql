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
