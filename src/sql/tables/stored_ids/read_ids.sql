-- Reads the greatest IDs of one column
--
-- For a column `id` of type bigint with kid64 it runs these queries, the first of which returns the greatest ID up to
-- $1, the other two a later one. $2 is $1 in the second, and otherwise -infinity.
--
--     SELECT *
--       FROM (SELECT count(*) FROM (ROWS LIMIT 0) AS s) AS s (strangers)
--            LEFT JOIN (SELECT v::kid.kid64::text, t, kid.kid64_timestamp(kid.kid64_ceil(t)),
--                              t <= kid.kid64_timestamp(kid.kid64_ceil($1))
--                         FROM (ROWS LIMIT ALL) AS s, LATERAL kid.kid64_timestamp(v::kid.kid64) AS t
--                        WHERE t > $2 LIMIT 1) AS f (id, issued, latest, is_up_to) ON true
--
-- where ROWS is, with an index in ascending order, one after the other:
--
--     SELECT id::bigint AS v FROM ONLY public.t
--      WHERE id::bigint OPERATOR(pg_catalog.<=) kid.kid64_ceil($1)::bigint
--      ORDER BY id::bigint USING OPERATOR(pg_catalog.>) NULLS FIRST
--      WHERE id::bigint OPERATOR(pg_catalog.>=) kid.kid64_floor($1)::bigint ORDER BY ...
--      WHERE id::bigint OPERATOR(pg_catalog.<) 0 ORDER BY ...
--
-- Each begins at one end of a range of the index, and goes on only while values are no IDs.
--
-- For kid53 one more query returns a number that is no ID, because it is above all of them or negative. In plain SQL it
-- also does so for kid64, of which no negative number is an ID there.

-- Takes the OID of kid's schema, a row of kid_id_columns(), and the option of an index that kid_lock_column() returned
-- for it. If that is null, there are no IDs, or they cannot be read. Reads the name of the schema now, because it may
-- have changed while that function waited.
--
-- A stranger is a value that is no ID. A query passes over at most `most_strangers` of them.
--
-- The queries are text because they name a table and a column, and functions and operators of kid with their schema.
CREATE FUNCTION @extschema@.kid_read_ids(
    home oid, source jsonb, option smallint, OUT id text, OUT issued timestamptz, OUT latest timestamptz,
    OUT later text, OUT later_issued timestamptz, OUT stranger text, OUT problem text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    most_strangers CONSTANT integer := 1000;
    home_name name := (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home);
    relation regclass := (source ->> 'relation')::oid;
    type regtype := (source ->> 'type')::oid;
    stored_as regtype := (source ->> 'stored_as')::oid;
    since timestamptz := source ->> 'since';
    -- A column of type uuid can have any uuids, and a bigint is a kid53 only if it is in the range of kid53. But every
    -- bigint has the bits of some kid64 or flake.
    may_have_strangers boolean := stored_as = 'uuid'::regtype OR type = 'bigint'::regtype;
    -- In plain SQL, kid64 is a domain.
    is_plain boolean := (SELECT t.typtype = 'd' FROM pg_type AS t WHERE t.oid = type);
    -- INDOPTION_DESC and INDOPTION_NULLS_FIRST of PostgreSQL's pg_index.h
    is_descending boolean := option & 1 <> 0;
    are_nulls_first boolean := option & 2 <> 0;
    -- Pieces of the queries: the value of a row, the schema of its operators, and functions of kid
    value text := format('%I::%s', source ->> 'attname', stored_as);
    operators name := CASE WHEN stored_as IN ('uuid'::regtype, 'bigint'::regtype) THEN 'pg_catalog'
                           ELSE home_name END;
    floor_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_floor'));
    ceil_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_ceil'));
    time_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_timestamp'));
    part text;                          -- which of the queries
    condition text;                     -- what stands in ROWS after WHERE
    rows text;                          -- ROWS
    first_id text;                      -- the subquery f
    found record;                       -- what the query returned
BEGIN
    IF option IS NULL THEN
        RETURN;
    END IF;
    FOREACH part IN ARRAY '{up to since,later,negative}'::text[] LOOP
        -- As an ID of a type in C, a negative bigint is later than all others.
        CONTINUE WHEN part = 'negative' AND (may_have_strangers OR is_plain OR stored_as <> 'bigint'::regtype
                                             OR later IS NOT NULL);
        condition := CASE part
            WHEN 'up to since' THEN format('%s OPERATOR(%I.<=) %s($1)::%s', value, operators, ceil_of, stored_as)
            WHEN 'later' THEN format('%s OPERATOR(%I.>=) %s($1)::%s', value, operators, floor_of, stored_as)
            ELSE format('%s OPERATOR(%I.<) 0', value, operators) END;
        IF part = 'up to since' AND is_plain THEN
            condition := condition || format(' AND %s OPERATOR(%I.>=) 0', value, operators);
        ELSIF part = 'later' AND may_have_strangers THEN
            -- Strangers above the greatest ID must not be in the way of IDs.
            condition := condition || format(' AND %s OPERATOR(%I.<=) %s(timestamptz ''infinity'')::%s', value,
                                             operators, ceil_of, stored_as);
        END IF;
        rows := concat(format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, condition),
                       format(' ORDER BY %s USING OPERATOR(%I.>) NULLS %s', value, operators,
                              CASE WHEN is_descending = are_nulls_first THEN 'FIRST' ELSE 'LAST' END));
        first_id := format('SELECT v::%1$s::text, t, %2$s(%3$s(t)), t <= %2$s(%3$s($1)) '
                           'FROM (%4$s LIMIT %5$s) AS s, LATERAL %2$s(v::%1$s) AS t WHERE t > $2 LIMIT 1',
                           type, time_of, ceil_of, rows,
                           CASE WHEN may_have_strangers THEN most_strangers::text ELSE 'ALL' END);
        EXECUTE format('SELECT * FROM (SELECT count(*) FROM (%s LIMIT %s) AS s) AS s (strangers) '
                       'LEFT JOIN (%s) AS f (id, issued, latest, is_up_to) ON true',
                       rows, CASE WHEN may_have_strangers THEN most_strangers ELSE 0 END, first_id)
            INTO found USING since, CASE part WHEN 'later' THEN since ELSE '-infinity' END;
        IF part <> 'up to since' THEN
            later := found.id;
            later_issued := found.issued;
        ELSIF found.is_up_to THEN
            SELECT found.id, found.issued, found.latest INTO id, issued, latest;
        END IF;
        IF found.id IS NULL AND found.strangers >= (CASE part WHEN 'up to since' THEN 1 ELSE most_strangers END) THEN
            problem := 'it contains values that have no time';
        END IF;
    END LOOP;
    -- Numbers beyond the range of the type are strangers whatever else the column contains.
    IF type = 'bigint'::regtype OR is_plain THEN
        rows := format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, value);
        EXECUTE format('SELECT v::text FROM (%1$s > %2$s(timestamptz ''infinity'') UNION ALL %1$s < 0) AS s LIMIT 1',
                       rows, ceil_of)
            INTO stranger;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_read_ids(oid, jsonb, smallint) IS
    'returns the greatest ID up to a time in a column, and a later one; a part of kid_read_columns()';
