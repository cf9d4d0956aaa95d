-- Finds columns of IDs whose default does not make IDs, for kid_check()
--
-- A column with a foreign key need not make IDs.

CREATE FUNCTION @extschema@.kid_check_defaults(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, is_generated, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.attgenerated <> '', a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid = relation
        UNION
        SELECT l.relid, l.attnum, l.attname, l.is_generated, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    )
    SELECT DISTINCT relation, l.attname::text,
           format('its default, %s, does not make a %s: IDs of new rows have wrong times, and may not be unique',
                  pg_get_expr(ad.adbin, ad.adrelid), f.type),
           format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s();', relation, l.attname, f.next::oid::regproc)
      FROM layers AS l
           JOIN @extschema@.kid_stored_forms() AS f ON f.type::oid = l.type AND NOT f.is_core
           JOIN pg_attrdef AS ad ON ad.adrelid = l.relid AND ad.adnum = l.attnum
     WHERE NOT l.is_generated
       AND NOT EXISTS (SELECT FROM pg_depend AS d
                              JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass::oid AND p.oid = d.refobjid
                        WHERE d.classid = 'pg_attrdef'::regclass::oid AND d.objid = ad.oid
                          AND p.prorettype = f.type::oid AND p.provolatile = 'v')
       AND NOT EXISTS (SELECT FROM pg_constraint AS k
                        WHERE k.contype = 'f' AND k.conrelid = relation::oid AND l.attnum = ANY (k.conkey));
END;
COMMENT ON FUNCTION @extschema@.kid_check_defaults(regclass) IS
    'returns the columns whose default does not make IDs; a part of kid_check()';
