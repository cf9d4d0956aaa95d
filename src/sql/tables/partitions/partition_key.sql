-- Tables that are partitioned by IDs: the column, and the IDs that it contains

-- Returns what a partition key can contain: the type of IDs, the column `name` and its type `stored_as`, the setting
-- that the time in IDs depends on, or null, and the call that returns the time, as SQL. A bigint contains the IDs that
-- its default makes, or, if that makes none, those that `ids` names by the prefix of their functions, such as kid53.
CREATE FUNCTION @extschema@.kid_key_ids(parent regclass, ids text)
    RETURNS TABLE (type regtype, name name, stored_as regtype, setting text, time_of text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- What the default of the column makes
    WITH told AS (
        SELECT d.type
          FROM pg_partitioned_table AS p
               JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
               JOIN @extschema@.kid_default_ids() AS d
                 ON d.relid = p.partrelid AND d.attname = a.attname AND d.is_whole
         WHERE p.partrelid = parent)
    -- k has the schema of kid.
    SELECT DISTINCT f.type, a.attname, a.atttypid::regtype, f.setting,
           -- With the cast no function that another role has created for a bigint fits better.
           format(CASE WHEN f.type::oid = a.atttypid THEN '%s.%I(%I)' ELSE '%s.%I((%I)::%s)' END,
                  k.pronamespace::regnamespace,
                  CASE WHEN f.type::oid = a.atttypid THEN f.time_of ELSE f.prefix || '_timestamp' END,
                  a.attname, f.type)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
           JOIN @extschema@.kid_stored_forms() AS f
             ON f.type::oid = a.atttypid OR f.stored_as = 'bigint'::regtype AND a.atttypid = 'bigint'::regtype::oid,
           pg_proc AS k
     WHERE p.partrelid = parent AND k.oid = '@extschema@.kid_stored_forms()'::regprocedure
           AND (ids IS NULL OR f.prefix = ids)
           -- If the default tells, nothing else does.
           AND (a.atttypid <> 'bigint'::regtype::oid OR f.type IN (SELECT t.type FROM told AS t)
                OR ids IS NOT NULL AND NOT EXISTS (SELECT FROM told));
END;
COMMENT ON FUNCTION @extschema@.kid_key_ids(regclass, text) IS
    'returns the IDs that the partition key of a table contains; a part of kid_partition_key()';

-- Returns the row of kid_key_ids(). Raises an error if the table is not partitioned by range of one column, or if
-- kid_key_ids() does not return exactly one row, for example because kid makes no IDs of the column's type.
CREATE FUNCTION @extschema@.kid_partition_key(
    parent regclass, ids text, OUT type regtype, OUT name name, OUT stored_as regtype, OUT setting text,
    OUT time_of text)
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse('42809', format('table %s is not partitioned by range of one column', parent))
     WHERE parent IS NOT NULL
           AND NOT EXISTS (SELECT FROM pg_partitioned_table AS p
                            WHERE p.partrelid = parent AND p.partstrat = 'r' AND p.partnatts = 1
                              AND p.partattrs[0] <> 0);
    SELECT @extschema@.kid_refuse(
               '42809',
               format('table %s is partitioned by column "%s" of type %s', parent, a.attname, a.atttypid::regtype),
               CASE WHEN ids IS NOT NULL THEN format('The argument "ids" is "%s", which does not fit the column.', ids)
                    WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'The default of the column does not make IDs of one type, and nothing else says what it '
                         'contains.'
                    ELSE 'The column must be of a type for which kid makes IDs, and not of a domain.' END,
               CASE WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'Say what IDs the numbers are: ids => ''kid53'' or ids => ''kid64''.'
                    ELSE '' END)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent AND (SELECT count(*) FROM @extschema@.kid_key_ids(parent, ids)) <> 1;
    SELECT k.type, k.name, k.stored_as, k.setting, k.time_of FROM @extschema@.kid_key_ids(parent, ids) AS k;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_key(regclass, text) IS
    'returns the column that a table is partitioned by, and the IDs that it contains';
