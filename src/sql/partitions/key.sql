-- Partitions by time
--
-- An ID orders as its binary form does, so bounds are compared as bytea: one query serves all types. An extension that can be
-- moved to another schema finds its own by the catalog, and nothing else by a search_path that somebody chose.

-- Of IDs are the types for which there is a T_floor(), whoever made them. T, with its schema, is the prefix; send gives a value's
-- binary form.
CREATE FUNCTION kid_partition_key(parent regclass, OUT type regtype, OUT prefix text, OUT send regproc)
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
    END IF;
    SELECT p.prorettype, format('%s.%I', p.pronamespace::regnamespace, left(p.proname, -6)), t.typsend
      INTO type, prefix, send
      FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
           JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid JOIN pg_type t ON t.oid = p.prorettype
     WHERE e.extname = 'kid' AND d.deptype = 'e' AND right(p.proname, 6) = '_floor' AND p.pronargs = 1 AND p.prorettype = key.type;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is partitioned by column "%" of type %', parent, key.name, key.type::regtype
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type that kid makes IDs of.';
    END IF;
END $$;

COMMENT ON FUNCTION kid_partition_key(regclass) IS
    'type of the ID that a table is partitioned by, what the names of its functions begin with, and the one that gives its binary form; an error where it is not by range of one';

CREATE FUNCTION kid_bound_text(type regtype, bound bytea) RETURNS text
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_bound_time(type regtype, bound bytea) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_bound_text(regtype, bytea) IS 'text form of an ID of a type, of its binary form';
COMMENT ON FUNCTION kid_bound_time(regtype, bytea) IS
    'when the time unit begins that an ID of a type is of, of its binary form; of a uuid also where it is not of version 7';
