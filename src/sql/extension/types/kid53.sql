-- traits: base32 timestamp generators horizon observe sequence
-- type: bigint
-- own: bigint
-- clock: 'kid53'
-- stored_as: 'bigint'
-- bound: CASE WHEN bound IS NOT NULL THEN least(ltrim(bound::text)::bigint, 9007199254740991) END
-- timestamp: kid53_timestamp
-- encode: kid53_encode
-- observe: kid53_observe
-- sequence: kid53_sequence
-- inspect: kid53_inspect
-- seal: kid53_seal
-- size: 8
-- to_bytes: int8send(id)
-- from_bytes: ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint
-- last: 4095
-- components: ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text)

-- kid53: what only this type has
--
-- Every function has kid53 in its name, and no operator compares a bigint with a time. So kid changes the meaning of no
-- query on numbers.

COMMENT ON FUNCTION kid53_next() IS
    'makes a bigint from 0 to 2^53 - 1 that is greater than all that this function returned in the cluster before';
COMMENT ON FUNCTION kid53_next(n bigint) IS 'makes n kid53, each greater than the one before it';
COMMENT ON FUNCTION kid53_at(timestamptz) IS 'makes a kid53 with the time of an old row';
COMMENT ON FUNCTION kid53_timestamp(bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
COMMENT ON FUNCTION kid53_sequence(bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
COMMENT ON FUNCTION kid53_floor(timestamptz) IS 'returns the lowest kid53 of the millisecond that contains an instant';
COMMENT ON FUNCTION kid53_ceil(timestamptz) IS 'returns the highest kid53 of the millisecond that contains an instant';

CREATE FUNCTION kid53_make(ts timestamptz, sequence integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_make(ts timestamptz, sequence integer) IS
    'assembles a kid53 from an instant and a sequence, 0 to 4095';
