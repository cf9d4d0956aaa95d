-- uuid version 7: its components

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
COMMENT ON FUNCTION kid_inspect(id uuid) IS 'lists the components of a uuid of version 7, most significant first';
