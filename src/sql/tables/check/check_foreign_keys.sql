-- Finds foreign keys between IDs and other types, for kid_check()
--
-- For a foreign key from text PostgreSQL needs the collation of the parent's column, and IDs have none.

CREATE FUNCTION @extschema@.kid_check_foreign_keys(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    keys AS (SELECT k.conname, k.conrelid, k.confrelid, p.child, p.parent
               FROM pg_constraint AS k, unnest(k.conkey, k.confkey) AS p (child, parent)
              WHERE k.contype = 'f' AND k.conparentid = '0'::oid AND relation::oid IN (k.conrelid, k.confrelid)),
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid IN (SELECT relation::oid
                              UNION SELECT k.conrelid FROM keys AS k UNION SELECT k.confrelid FROM keys AS k)
        UNION
        SELECT l.relid, l.attnum, l.attname, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    ),
    sides AS (SELECT l.relid, l.attnum, l.relid::regclass AS name, l.attname, l.type, l.type::regtype AS type_name,
                     t.typcollation <> '0'::oid AS is_text,
                     l.type IN (SELECT s.type::oid FROM @extschema@.kid_stored_forms() AS s
                                 WHERE NOT s.is_core) AS is_id
                FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype <> 'd')
    -- For example, of column order_id: foreign key "lines_order_id_fkey" compares it, of type text, with column "id" of
    -- shop.orders, of type kid64: every DELETE and key UPDATE of shop.orders fails
    SELECT c.name, c.attname::text,
           format(
               'foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
               k.conname, c.type_name, p.attname, p.name, p.type_name,
               CASE WHEN p.is_id AND c.is_text
                    THEN format('every DELETE and key UPDATE of %s fails', p.name)
                    ELSE 'no index can be used to look up the rows of a key' END),
           CASE WHEN p.is_id THEN format(r.form, c.name, c.attname, p.type_name)
                ELSE format(r.form, p.name, p.attname, c.type_name) END
      FROM keys AS k
           JOIN sides AS c ON c.relid = k.conrelid AND c.attnum = k.child
           JOIN sides AS p ON p.relid = k.confrelid AND p.attnum = k.parent,
           (VALUES ('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;')) AS r (form)
     WHERE c.type <> p.type AND (c.is_id OR p.is_id);
END;
COMMENT ON FUNCTION @extschema@.kid_check_foreign_keys(regclass) IS
    'returns the foreign keys between IDs and other types; a part of kid_check()';
