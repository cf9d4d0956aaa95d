-- Partitions by time
--
-- An ID orders as its binary form does, so bounds are compared as bytea: one query serves all types. An extension that can be
-- moved to another schema finds its own by the catalog, and nothing else by a search_path that somebody chose.

CREATE FUNCTION kid_partition_key(parent regclass) RETURNS regtype
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    key record;
BEGIN
    SELECT p.partstrat = 'r' AND p.partnatts = 1 AND a.attnum IS NOT NULL AS is_range_of_column, a.attname AS name, a.atttypid AS type
      INTO key
      FROM pg_partitioned_table p LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is not a partitioned table', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT key.is_range_of_column THEN
        RAISE EXCEPTION '% is not partitioned by range of one column', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                       WHERE d.classid = 'pg_type'::regclass AND d.objid = key.type AND d.deptype = 'e' AND e.extname = 'kid') THEN
        RAISE EXCEPTION '% is partitioned by column "%" of type %', parent, key.name, key.type::regtype
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type of the extension kid.';
    END IF;
    RETURN key.type;
END $$;

COMMENT ON FUNCTION kid_partition_key(regclass) IS
    'type of the ID that a table is partitioned by; an error where it is not by range of one';
