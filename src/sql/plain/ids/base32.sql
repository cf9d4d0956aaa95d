-- Crockford's base32, 5 bits in each character, after a prefix. src/core/base32.hpp has the rules.

CREATE OR REPLACE FUNCTION kid_base32(bits bit varying) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM i FOR 5)::bit(5)::integer + 1, 1),
                      '' ORDER BY i)
      FROM generate_series(1, length(bits), 5) AS i;
END;
COMMENT ON FUNCTION kid_base32(bits bit varying) IS 'returns bits, in groups of 5, as digits';

-- Returns a prefix and "_", or nothing if the prefix is empty. Raises an error for a prefix that no ID can have.
CREATE OR REPLACE FUNCTION kid_checked_prefix(prefix text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF prefix COLLATE "C" = '' THEN
        RETURN '';
    ELSIF prefix COLLATE "C" ~ '^[a-z]([a-z_]{0,61}[a-z]|)$' THEN
        RETURN prefix || '_';
    END IF;
    RAISE 'invalid prefix of an ID: "%"', prefix
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = 'A prefix has at most 63 characters of a-z_, and begins and ends with a letter.';
END $$;
COMMENT ON FUNCTION kid_checked_prefix(prefix text) IS 'returns what precedes the digits of an ID with a prefix';

-- Returns the bits of a text that is the prefix and `length` digits, the first of which is at most `first`. `label` is
-- what messages call the IDs.
CREATE OR REPLACE FUNCTION kid_decoded_bits(encoded text, prefix text, label text, first text, length integer)
    RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    checked text;
BEGIN
    checked := kid_checked_prefix(prefix);
    IF starts_with(encoded COLLATE "C", checked COLLATE "C") AND substr(encoded, length(checked) + 1) COLLATE "C"
       ~ format('^[0-%s][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{%s}$', first, length - 1) COLLATE "C" THEN
        RETURN (SELECT string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', lower(t.c COLLATE "C")) - 1)
                                  ::bit(5)::text, '' ORDER BY t.i)
                  FROM regexp_split_to_table(substr(encoded COLLATE "C", length(checked) + 1), '')
                       WITH ORDINALITY AS t (c, i));
    END IF;
    RAISE 'invalid input syntax for %: "%"', label, encoded
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = format('A value of %s is %s characters of 0-9a-hjkmnp-tv-z in base32, the first from "0" '
                              'to "%s", after the prefix "%s".', label, length, first, checked);
END $$;
COMMENT ON FUNCTION kid_decoded_bits(encoded text, prefix text, label text, first text, length integer) IS
    'returns the bits of an ID with a prefix, as text';

CREATE OR REPLACE FUNCTION kid_encode(id kid64, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(B'0' || id::bigint::bit(64));
COMMENT ON FUNCTION kid_encode(id kid64, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid64_decode(encoded text, prefix text DEFAULT '') RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(kid_decoded_bits(encoded, prefix, 'type kid64', '7', 13), 2)::bit(64)::bigint;
COMMENT ON FUNCTION kid64_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';
