-- The types of the edition in plain SQL, for functions on tables: bounds of partitions by time, and columns that
-- contain IDs
--
-- A bound is the text of an ID, with spaces before it, as a value of type name: such values sort by their bytes, and so
-- as the IDs do. With the spaces it has 36 characters, as many as a uuid, whose text is the longest.

CREATE OR REPLACE FUNCTION kid.kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN 'kid.kid64'::regtype::oid THEN kid.kid64_floor(ts)::text
                WHEN 'uuid'::regtype::oid THEN kid.kid_uuidv7_floor(ts)::text
                WHEN 'bigint'::regtype::oid THEN kid.kid53_floor(ts)::text
            END, 36)::name;
COMMENT ON FUNCTION kid.kid_bound_at(regtype, timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';

-- A bound of uuids need not be of version 7, so its first 48 bits, in 13 characters, become a uuid that is. A bound of
-- bigints can be above the greatest kid53, 9007199254740991.
CREATE OR REPLACE FUNCTION kid.kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN 'kid.kid64'::regtype::oid
           THEN kid.kid64_timestamp(ltrim(bound::text)::kid.kid64)
           WHEN 'uuid'::regtype::oid
           THEN kid.kid_uuidv7_timestamp((left(bound::text, 13) || '-7000-8000-000000000000')::uuid)
           WHEN 'bigint'::regtype::oid
           THEN kid.kid53_timestamp(CASE WHEN bound IS NOT NULL
                                         THEN least(ltrim(bound::text)::bigint, 9007199254740991) END)
       END;
COMMENT ON FUNCTION kid.kid_bound_time(regtype, name) IS 'returns when the time unit of a bound begins';

-- A column of bigints can contain IDs of another type with the same bits. Its bounds are numbers, which these functions
-- turn into bounds of that type, and back.
CREATE OR REPLACE FUNCTION kid.kid_bound_of(type regtype, stored_as regtype, stored text) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE WHEN type = stored_as THEN stored
                 WHEN type::oid = 'kid.kid64'::regtype::oid THEN stored::bigint::kid.kid64::text
            END, 36)::name;
COMMENT ON FUNCTION kid.kid_bound_of(regtype, regtype, text) IS
    'returns a bound from the text that the catalog has for it';
CREATE OR REPLACE FUNCTION kid.kid_stored_bound(type regtype, stored_as regtype, bound name) RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN type = stored_as THEN ltrim(bound::text)
            WHEN type::oid = 'kid.kid64'::regtype::oid THEN ltrim(bound::text)::kid.kid64::bigint::text
       END;
COMMENT ON FUNCTION kid.kid_stored_bound(regtype, regtype, name) IS
    'returns a bound as the text that a column takes';

-- Returns the types of IDs, in a row for each type that a column with such IDs can have:
--
--     clock       the logical clock from which the IDs are, or null
--     type        the type of the IDs
--     prefix      what the names of its functions begin with
--     past        the function that returns the last ID of a time
--     observe     the function that moves the clock past an ID, such as that one
--     time_of     the function that returns the time of an ID
--     next        the generator, or null
--     setting     the setting that the time in an ID depends on, or null
--     is_core     whether the type is one of PostgreSQL's, which has other values, too
--     stored_as   the type of the column
--
-- The generator of uuids, kid_uuidv7(), is in kid-uuid, which kid-tables does not need. So it is null here.
CREATE OR REPLACE FUNCTION kid.kid_stored_forms()
    RETURNS TABLE (clock text, type regtype, prefix text, past text, observe text, time_of text, next regprocedure,
                   setting text, is_core boolean, stored_as regtype)
    LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- The OIDs of PostgreSQL's own objects are below 16384.
    SELECT v.clock, v.type, v.prefix, v.past, v.observe, v.time_of, v.next, v.setting, v.type::oid < 16384, s.stored_as
      FROM (VALUES
               ('kid', 'kid.kid64'::regtype, 'kid64', 'kid64_ceil', 'kid_observe', 'kid_timestamp',
                'kid.kid_next()'::regprocedure, NULL, ARRAY['bigint']::regtype[]),
               ('uuidv7', 'uuid'::regtype, 'kid_uuidv7', 'kid_uuidv7_ceil', 'kid_observe', 'kid_timestamp',
                NULL, NULL, ARRAY['uuid']::regtype[]),
               ('kid53', 'bigint'::regtype, 'kid53', 'kid53_ceil', 'kid53_observe', 'kid53_timestamp',
                'kid.kid53_next()'::regprocedure, NULL, ARRAY['bigint']::regtype[])
           ) AS v (clock, type, prefix, past, observe, time_of, next, setting, stored_as),
           unnest(v.stored_as) AS s (stored_as);
END;
COMMENT ON FUNCTION kid.kid_stored_forms() IS
    'returns the types of IDs, and the types of columns that they are stored in';
