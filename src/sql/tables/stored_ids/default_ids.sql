-- Columns and domains whose default makes IDs. Only the default tells that a column of a core type contains IDs: values
-- of other columns of that type come from elsewhere. A default can do more than call a generator, such as
-- kid53_next() % 16, and then need not make IDs: `is_whole` is false. A clock moves past the values of such columns all
-- the same, to be safe.

-- Returns either `relid` and `attname` of a column, or `domain`, and null for the others. PostgreSQL creates partitions
-- with the defaults of their parent, but later defaults of the parent are also in force for them.
CREATE FUNCTION @extschema@.kid_default_ids()
    RETURNS TABLE (relid oid, attname name, domain oid, type regtype, is_whole boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    generators AS (
        -- Other roles can create functions in the schema of kid. The functions of kid are those of its owner.
        SELECT DISTINCT p.oid, f.type
          FROM @extschema@.kid_stored_forms() AS f
               JOIN pg_proc AS k ON k.oid = '@extschema@.kid_stored_forms()'::regprocedure
               JOIN pg_proc AS p ON p.pronamespace = k.pronamespace AND p.proowner = k.proowner
                                AND p.prorettype = f.type::oid AND p.provolatile = 'v'
                                AND (NOT f.is_core OR starts_with(p.proname::text, f.prefix))
    ),
    -- `is_whole` is true of calls such as kid_next(), kid.sno_next(0), "my kid".kid53_next() and
    -- (kid64_next())::bigint, and false of (kid53_next() % 16).
    defaults (relid, attname, domain, type, is_whole) AS (
        SELECT a.attrelid, a.attname, CASE WHEN d.classid = 'pg_type'::regclass THEN d.objid END, g.type,
               coalesce(pg_get_expr(ad.adbin, ad.adrelid), pg_get_expr(t.typdefaultbin, 0))
               ~ '^[(]*("([^"]|"")+"[.]|[^"().]+[.]|)[a-z0-9_]+[(][0-9]*[)][)]*(::bigint|::uuid|)$'
          FROM generators AS g
               JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = g.oid
               LEFT JOIN pg_attrdef AS ad ON d.classid = 'pg_attrdef'::regclass AND ad.oid = d.objid
               LEFT JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
               LEFT JOIN pg_type AS t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
        UNION
        SELECT c.oid, d.attname, NULL, d.type, d.is_whole
          FROM defaults AS d JOIN pg_inherits AS i ON i.inhparent = d.relid
                             JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
    )
    SELECT d.relid, d.attname, d.domain, d.type, d.is_whole FROM defaults AS d
     WHERE d.relid IS NOT NULL OR d.domain IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kid_default_ids() IS 'returns the columns and domains whose default makes IDs';
