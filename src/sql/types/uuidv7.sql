-- traits: base32 time time_comparison generators horizon observe
-- type: uuid
-- prefix: kid_uuidv7
-- base32: kid_uuid
-- next: kid_uuidv7
-- clock: uuid version 7

-- uuid version 7: what only it has
--
-- It has kid_within() instead of the operator <@, which would interfere with range types over uuid.

COMMENT ON FUNCTION kid_within(uuid, kid_span) IS 'tells whether a uuid, of whatever version, is in a range of time';

COMMENT ON FUNCTION kid_uuidv7() IS 'makes a uuid of version 7 greater than all that the cluster issued before';
COMMENT ON FUNCTION kid_uuidv7(bigint) IS 'makes n uuids of version 7, each greater than the one before it';
COMMENT ON FUNCTION kid_uuidv7_at(timestamptz) IS 'makes a uuid of version 7 with the millisecond of an old row';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
COMMENT ON FUNCTION kid_uuidv7_floor(timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
COMMENT ON FUNCTION kid_uuidv7_ceil(timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';

--- lists the components of a uuid of version 7, most significant first
CREATE FUNCTION kid_inspect(id uuid, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 6
BEGIN ATOMIC
    WITH parts AS (SELECT get_byte(b, 6) >> 4 AS version, (get_byte(b, 6) & 15) << 8 | get_byte(b, 7) AS fraction,
                          get_byte(b, 8) >> 6 AS variant, get_byte(b, 8) >> 2 & 15 AS count,
                          encode(set_byte(substr(b, 9), 0, get_byte(b, 8) & 3), 'hex') AS random
                     FROM uuid_send(id) AS b)
    SELECT c.component, c.bits, CASE WHEN c.always OR kid_timestamp(id) IS NOT NULL THEN c.value END
      FROM parts, LATERAL (VALUES ('timestamp', 48, kid_timestamp(id)::text, false),
                                  ('version', 4, version::text, true),
                                  ('fraction', 12, fraction::text, false),
                                  ('variant', 2, variant::text, true),
                                  ('count', 4, count::text, false),
                                  ('random', 58, random, false)) AS c (component, bits, value, always);
END;
