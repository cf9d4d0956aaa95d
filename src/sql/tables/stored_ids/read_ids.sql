-- Reads the greatest IDs of one column
--
-- For a column `id` of type bigint with kid64 it runs these queries, the first of which returns the greatest ID up to
-- $1, the other two a later one. $2 is -infinity in the first, and otherwise $1.
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
-- For kid53 one more query returns a number that is no ID, because it is above all of them or negative.

-- Takes the OID of kid's schema, a row of kid_id_columns(), and what kid_lock_column() returned for it. If that is
-- null, there are no IDs. Reads the name of the schema now, because it may have changed while that function waited.
--
-- A value of a core type need not be an ID. A query passes over at most `most_strangers` values that are no IDs.
CREATE FUNCTION @extschema@.kid_read_ids(
    schema oid, source jsonb, option smallint, OUT id text, OUT issued timestamptz, OUT latest timestamptz,
    OUT later text, OUT later_issued timestamptz, OUT stranger text, OUT problem text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    most_strangers CONSTANT integer := 1000;
    home name := (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = schema);
    relation regclass := (source ->> 'relation')::oid;
    attname name := source ->> 'attname';
    type regtype := (source ->> 'type')::oid;
    stored_as regtype := (source ->> 'stored_as')::oid;
    time_of name := concat(source ->> 'prefix', '_timestamp');
    since timestamptz := source ->> 'since';
    -- kid96 and sno can be stored as uuid.
    is_core boolean := stored_as = 'uuid'::regtype OR type = 'bigint'::regtype;
    operators name := CASE WHEN stored_as IN ('uuid'::regtype, 'bigint'::regtype) THEN 'pg_catalog' ELSE home END;
    -- INDOPTION_DESC and INDOPTION_NULLS_FIRST of PostgreSQL's pg_index.h
    is_descending boolean := option & 1 <> 0;
    are_nulls_first boolean := option & 2 <> 0;
    condition text;
    rows text;
    found record;
BEGIN
    IF option IS NULL THEN
        RETURN;
    END IF;
    -- A negative bigint has the bits of an ID that is later than all others.
    FOREACH condition IN ARRAY '{<=,>=,<}'::text[] LOOP
        CONTINUE WHEN condition = '<' AND (is_core OR stored_as <> 'bigint'::regtype OR later IS NOT NULL);
        rows := concat(
            format('SELECT %1$I::%2$s AS v FROM ONLY %3$s WHERE %1$I::%2$s', attname, stored_as, relation),
            format(' OPERATOR(%I.%s) ', operators, condition),
            CASE condition WHEN '<' THEN '0' ELSE format('%I.%I($1)::%s', home, concat(
                source ->> 'prefix', CASE condition WHEN '<=' THEN '_ceil' ELSE '_floor' END), stored_as) END,
            -- Beyond the greatest ID a core type has other values, which must not be in the way of IDs.
            CASE WHEN condition = '>=' AND is_core
                 THEN format(' AND %I::%s OPERATOR(%I.<=) %I.%I(''infinity'')::%2$s', attname, stored_as, operators,
                             home, concat(source ->> 'prefix', '_ceil')) END,
            format(' ORDER BY %I::%s USING OPERATOR(%I.>) NULLS %s', attname, stored_as, operators,
                   CASE WHEN is_descending = are_nulls_first THEN 'FIRST' ELSE 'LAST' END));
        EXECUTE concat(
            format('SELECT * FROM (SELECT count(*) FROM (%s LIMIT %s) AS s) AS s (strangers) LEFT JOIN (', rows,
                   CASE WHEN is_core THEN most_strangers ELSE 0 END),
            format('SELECT v::%1$s::text, t, %2$I.%3$I(%2$I.%4$I(t)), t <= %2$I.%3$I(%2$I.%4$I($1)) ',
                   type, home, time_of, concat(source ->> 'prefix', '_ceil')),
            format('FROM (%s LIMIT %s) AS s, LATERAL %I.%I(v::%s) AS t WHERE t > $2 LIMIT 1)', rows,
                   CASE WHEN is_core THEN most_strangers::text ELSE 'ALL' END, home, time_of, type),
            ' AS f (id, issued, latest, is_up_to) ON true')
            INTO found USING since, CASE condition WHEN '>=' THEN since ELSE '-infinity' END;
        IF condition <> '<=' THEN
            later := found.id;
            later_issued := found.issued;
        ELSIF found.is_up_to THEN
            SELECT found.id, found.issued, found.latest INTO id, issued, latest;
        END IF;
        IF found.id IS NULL AND found.strangers >= (CASE condition WHEN '<=' THEN 1 ELSE most_strangers END) THEN
            problem := 'it contains values that have no time';
        END IF;
    END LOOP;
    IF type = 'bigint'::regtype THEN
        rows := format('SELECT %1$I::bigint AS v FROM ONLY %2$s WHERE %1$I::bigint ', attname, relation);
        EXECUTE concat('SELECT v::text FROM (', rows, format('> %I.%I(''infinity'')', home, source ->> 'past'),
                       ' UNION ALL ', rows, '< 0) AS s LIMIT 1') INTO stranger;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_read_ids(oid, jsonb, smallint) IS
    'returns the greatest ID up to a time in a column, and a later one; a part of kid_read_columns()';
