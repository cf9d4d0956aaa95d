-- Before the IDs of a column are read: locks its table, and decides whether and by which index they can be read
--
-- It is one function because what it decides holds only under the lock.

-- Takes a row of kid_id_columns(), and whether the current user is a superuser, who can lock rows of the catalog.
-- Returns:
--
--     option    the bits of pg_index.indoption of an index that begins with the column. Null if the IDs cannot be read,
--               or if the column contains none
--     problem   why the IDs cannot be read, or null
--     passing   whether the problem passes, so that a later call could succeed
--
-- The owner of a schema could rename it, give its name to another one, and later do the reverse. So a superuser locks
-- the row of the schema until the table is locked. From then on nobody else can take the name of the table.
--
-- LOCK TABLE takes only names, so its text is put together.
CREATE FUNCTION @extschema@.kid_lock_column(
    source jsonb, can_lock boolean, OUT option smallint, OUT problem text, OUT passing boolean)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    relation oid := source ->> 'relation';
    name text;
BEGIN
    -- 1. The lock. A table that was dropped has no IDs.
    IF can_lock THEN
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation FOR KEY SHARE OF n;
    ELSE
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    END IF;
    IF name IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', name);
    -- 2. The index, and whether the column is still the one that was to be read. An index serves if its operators are
    -- the default ones of the type, and if it has all rows.
    option := (SELECT i.indoption[0]
                 FROM pg_index AS i
                      JOIN pg_opclass AS o ON o.oid = i.indclass[0]
                      JOIN pg_am AS m ON m.oid = o.opcmethod AND m.amname = 'btree'
                WHERE i.indrelid = relation AND i.indkey[0] = (source ->> 'attnum')::smallint AND i.indisvalid
                  AND i.indpred IS NULL AND o.opcdefault AND o.opcintype = (source ->> 'stored_as')::oid LIMIT 1);
    passing := to_regclass(name) IS DISTINCT FROM relation
               OR NOT EXISTS (SELECT FROM pg_attribute AS a
                               WHERE a.attrelid = relation AND a.attname = source ->> 'attname'
                                 AND a.attnum = (source ->> 'attnum')::smallint
                                 AND a.atttypid = (source ->> 'atttypid')::oid);
    IF passing THEN
        problem := 'it was changed meanwhile';
    ELSIF option IS NULL AND pg_relation_size(relation) > 0 THEN
        problem := 'no btree index begins with it';
    -- 3. Planning the query could run code of others.
    ELSIF EXISTS (
        SELECT FROM (SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = relation
                     UNION ALL
                     SELECT 'pg_statistic_ext'::regclass, e.oid FROM pg_statistic_ext AS e WHERE e.stxrelid = relation
                     UNION ALL
                     SELECT 'pg_attrdef'::regclass, ad.oid
                       FROM pg_attrdef AS ad JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
                      WHERE ad.adrelid = relation AND a.attgenerated = 'v') AS x (class, oid)
               JOIN pg_depend AS d ON d.classid = x.class AND d.objid = x.oid
               LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
               LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
               LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
               JOIN pg_roles AS r ON r.oid = coalesce(p.proowner, o.oprowner, t.typowner)
         WHERE NOT r.rolsuper AND r.rolname <> current_user) THEN
        problem := 'indexes, statistics or virtual columns of its table depend on code of another role';
    END IF;
    IF problem IS NOT NULL THEN
        option := NULL;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_lock_column(jsonb, boolean) IS
    'locks the table of a column, and returns why its IDs cannot be read; a part of kid_read_columns()';
