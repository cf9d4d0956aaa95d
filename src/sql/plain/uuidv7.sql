-- uuid version 7: its time, and bounds of time
--
-- A comparison with a range of time compares all uuids by their bytes, whatever their version is. Every uuid is later
-- than a time before 1970, and earlier than a time after the range.

CREATE FUNCTION kid_uuidv7_millis(id uuid) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint;
CREATE FUNCTION kid_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
            THEN kid_time(kid_uuidv7_millis(id) * 1000) END;
CREATE FUNCTION kid_uuidv7_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_timestamp(id);

COMMENT ON FUNCTION kid_uuidv7_millis(uuid) IS 'returns the first 48 bits of a uuid';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
COMMENT ON FUNCTION kid_uuidv7_timestamp(uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION kid_uuidv7_bound(ts timestamptz, below text) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(kid_micros(least(greatest(ts, timestamptz '1970-01-01 00:00:00+00'),
                                     timestamptz '10889-08-02 05:31:50.655999+00')) / 1000), 12, '0') || below)::uuid;
COMMENT ON FUNCTION kid_uuidv7_bound(timestamptz, text) IS
    'returns the uuid of the millisecond of an instant with the other 80 bits as given in hexadecimal';

-- Comparisons need the neighbors of the IDs of a millisecond, too. They are not of version 7.
CREATE FUNCTION kid_uuidv7_inline_floor(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70008000000000000000') END;
CREATE FUNCTION kid_uuidv7_inline_ceil(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts < timestamptz '1970-01-01 00:00:00+00' THEN '00000000-0000-7000-8000-000000000000'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;
CREATE FUNCTION kid_uuidv7_inline_before(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts < timestamptz '1970-01-01 00:00:00+00' THEN '00000000-0000-0000-0000-000000000000'
            WHEN ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70007fffffffffffffff') END;
CREATE FUNCTION kid_uuidv7_inline_last(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts < timestamptz '1970-01-01 00:00:00+00' THEN '00000000-0000-0000-0000-000000000000'
            WHEN ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;
CREATE FUNCTION kid_uuidv7_inline_lowest(range tstzrange) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isempty(range) OR lower(range) >= timestamptz '10889-08-02 05:31:50.656+00'
                 OR upper(range) < timestamptz '1970-01-01 00:00:00+00'
            THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
            WHEN lower_inf(range) OR lower(range) < timestamptz '1970-01-01 00:00:00+00'
            THEN '00000000-0000-0000-0000-000000000000'
            WHEN lower_inc(range) THEN kid_uuidv7_bound(lower(range), '70008000000000000000')
            ELSE kid_uuidv7_bound(lower(range), '7fffc000000000000000') END;
CREATE FUNCTION kid_uuidv7_inline_highest(range tstzrange) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isempty(range) OR lower(range) >= timestamptz '10889-08-02 05:31:50.656+00'
                 OR upper(range) < timestamptz '1970-01-01 00:00:00+00'
            THEN '00000000-0000-0000-0000-000000000000'
            WHEN upper_inf(range) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
            WHEN upper_inc(range) THEN kid_uuidv7_inline_last(upper(range))
            ELSE kid_uuidv7_inline_before(upper(range)) END;

COMMENT ON FUNCTION kid_uuidv7_inline_floor(timestamptz) IS 'body of kid_uuidv7_floor()';
COMMENT ON FUNCTION kid_uuidv7_inline_ceil(timestamptz) IS 'body of kid_uuidv7_ceil()';
COMMENT ON FUNCTION kid_uuidv7_inline_before(timestamptz) IS
    'returns the highest uuid that is earlier than an instant, or the lowest uuid if there is none';
COMMENT ON FUNCTION kid_uuidv7_inline_last(timestamptz) IS
    'returns the highest uuid that is not later than an instant, or the lowest uuid if there is none';
COMMENT ON FUNCTION kid_uuidv7_inline_lowest(tstzrange) IS 'body of kid_uuidv7_lowest()';
COMMENT ON FUNCTION kid_uuidv7_inline_highest(tstzrange) IS 'body of kid_uuidv7_highest()';
