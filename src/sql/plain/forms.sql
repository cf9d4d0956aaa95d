-- The types that IDs have here. A further type needs a line in each of these functions.
--
-- A bound is the text of an ID, with spaces before it, as a name: bounds sort by their bytes, and so as the IDs do.

CREATE FUNCTION kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN regtype 'kid64'::oid THEN kid64_floor(ts)::text
                WHEN regtype 'uuid'::oid THEN kid_uuidv7_floor(ts)::text
            END, 36)::name;
COMMENT ON FUNCTION kid_bound_at(type regtype, ts timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';

-- A bound of uuids need not be of version 7.
CREATE FUNCTION kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN regtype 'kid64'::oid THEN kid_timestamp(ltrim(bound::text)::kid64)
           WHEN regtype 'uuid'::oid THEN kid_timestamp((left(bound::text, 13) || text '-7000-8000-000000000000')::uuid)
       END;
COMMENT ON FUNCTION kid_bound_time(type regtype, bound name) IS 'returns when the time unit of a bound begins';

-- Returns the types of IDs: the clock, or null; the type; the prefix of its functions; the function that returns the
-- last ID of a time for kid_observe(); the generator; the type that a column with such IDs is stored as; and the schema
-- of its operators.
CREATE FUNCTION kid_stored_forms()
    RETURNS TABLE (clock text, type regtype, prefix text, past text, next text, stored_as regtype,
                   operators regnamespace)
    LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.clock, v.type, v.prefix, v.past, v.next, v.stored_as, t.typnamespace::regnamespace
      FROM (VALUES
           (text 'kid', regtype 'kid64', text 'kid64', text 'kid64_ceil', text 'kid_next', regtype 'bigint'),
           (text 'uuidv7', regtype 'uuid', text 'kid_uuidv7', text 'kid_uuidv7_ceil', text 'kid_uuidv7', regtype 'uuid')
           ) AS v (clock, type, prefix, past, next, stored_as)
           JOIN pg_type AS t ON t.oid = v.stored_as::oid;
END;
COMMENT ON FUNCTION kid_stored_forms() IS 'returns the types of IDs, and the types of columns that they are stored in';
