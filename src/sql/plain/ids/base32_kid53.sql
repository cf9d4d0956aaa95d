-- kid53 in base32

CREATE OR REPLACE FUNCTION kid53_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(substring(B'00' || kid53_checked(id)::bit(64) FROM 12));
COMMENT ON FUNCTION kid53_encode(id bigint, prefix text) IS 'writes a kid53 in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid53_decode(encoded text, prefix text DEFAULT '') RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN lpad(kid_decoded_bits(encoded, prefix, 'kid53', '7', 11), 64, '0')::bit(64)::bigint;
COMMENT ON FUNCTION kid53_decode(encoded text, prefix text) IS 'reads what kid53_encode() wrote with the same prefix';
