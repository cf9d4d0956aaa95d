-- uuid version 7: its time, and bounds of time
--
-- A comparison with a bound compares all uuids by their bytes, whatever their version is.

CREATE OR REPLACE FUNCTION kid_uuidv7_first() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '1970-01-01 00:00:00+00';
COMMENT ON FUNCTION kid_uuidv7_first() IS 'returns the first instant that a uuid of version 7 can have';
CREATE OR REPLACE FUNCTION kid_uuidv7_last() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '10889-08-02 05:31:50.655999+00';
COMMENT ON FUNCTION kid_uuidv7_last() IS 'returns the last instant that a uuid of version 7 can have';

CREATE OR REPLACE FUNCTION kid_uuidv7_millis(id uuid) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint;
COMMENT ON FUNCTION kid_uuidv7_millis(id uuid) IS 'returns the first 48 bits of a uuid';
CREATE OR REPLACE FUNCTION kid_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
            THEN kid_time(kid_uuidv7_millis(id) * 1000) END;
COMMENT ON FUNCTION kid_timestamp(id uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
CREATE OR REPLACE FUNCTION kid_uuidv7_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp(id);
COMMENT ON FUNCTION kid_uuidv7_timestamp(id uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE OR REPLACE FUNCTION kid_uuidv7_bound(ts timestamptz, below text) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(kid_micros(least(greatest(ts, kid_uuidv7_first()), kid_uuidv7_last())) / 1000), 12, '0')
        || below)::uuid;
COMMENT ON FUNCTION kid_uuidv7_bound(ts timestamptz, below text) IS
    'returns the uuid of the millisecond of an instant with the other 80 bits as given in hexadecimal';

CREATE OR REPLACE FUNCTION kid_uuidv7_floor(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts > kid_uuidv7_last() THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70008000000000000000') END;
COMMENT ON FUNCTION kid_uuidv7_floor(ts timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid_uuidv7_ceil(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < kid_uuidv7_first() THEN '00000000-0000-7000-8000-000000000000'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;
COMMENT ON FUNCTION kid_uuidv7_ceil(ts timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';

\set type uuid
\set prefix kid_uuidv7
\i within.sql.in
