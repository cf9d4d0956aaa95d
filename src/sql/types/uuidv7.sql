-- traits: time time_comparison time_range generators observe reset_clock
-- type: uuid
-- prefix: kid_uuidv7
-- next: kid_uuidv7
-- clock: uuid version 7

-- uuid version 7: what only it has
--
-- No operator <@, but kid_within(): it would get in the way of range types over uuid.

COMMENT ON FUNCTION kid_within(uuid, kid_span) IS
    'whether a uuid is in a range of time, in milliseconds; one that is not of version 7 is where its bytes are';

COMMENT ON FUNCTION kid_uuidv7() IS
    'a new uuid of version 7, greater than every one that this function gave before in the cluster, also after a crash or a promotion: 48 bits of ms since 1970, 12 bits of the ms in 1/4096, a count of 4 bits, 58 random bits; waits, at most kid.max_wait, when the 64 of a microsecond are used up; an error during recovery';
COMMENT ON FUNCTION kid_uuidv7(bigint) IS
    'n new uuids of version 7, each greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION kid_uuidv7_at(timestamptz) IS
    'uuid of version 7 for a row from the past: the millisecond of the given time, 1970 to 10889, and 74 random bits';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'when the millisecond of a uuid of version 7 begins, whoever made it; null for other versions';
COMMENT ON FUNCTION kid_uuidv7_floor(timestamptz) IS
    'lowest uuid of version 7 of the millisecond that holds an instant; the lowest of all before 1970, the highest of all after 10889-08-02';
COMMENT ON FUNCTION kid_uuidv7_ceil(timestamptz) IS
    'highest uuid of version 7 of the millisecond that holds an instant; the lowest of all before 1970, the highest of all after 10889-08-02';
COMMENT ON FUNCTION kid_observe(uuid) IS
    'moves the logical clock of kid_uuidv7() past a uuid of version 7 from elsewhere, so that new ones are greater; an error when it is of another version, or further ahead of the system clock than kid.max_observe, except for superusers';

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
COMMENT ON FUNCTION kid_inspect(uuid) IS
    'components of a uuid of version 7, most significant first, with their widths in bits: fraction of the millisecond in 1/4096, and count, as kid_uuidv7() makes them; of other versions only version and variant, the others null';
