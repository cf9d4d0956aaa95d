-- The tables of new partitions

-- Takes the rows of kid_missing_partitions(), with bounds as CREATE TABLE takes them, and with names. `label` is what
-- messages call the IDs. If the default partition has rows that belong to a new partition, warns, and does not make it.
--
-- A partitioned table has no storage parameters, so a partition is the pattern: the one with the greatest OID, which is
-- the one that was created last unless OIDs have begun anew. CREATE TABLE ... PARTITION OF would lock out readers and
-- writers of the parent.
--
-- These commands take only names, types and constants, so their text is put together. The query of the default
-- partition names the operators with their schema, which is that of kid if the type is.
CREATE FUNCTION @extschema@.kid_make_partitions(
    parent regclass, type regtype, key name, label text, width interval, at_most integer, pieces jsonb)
    RETURNS TABLE (n bigint, partition regclass)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    pattern record;                             -- what all new partitions have in common
    piece record;
    full_name text;
    has_rows boolean;
    left_out timestamptz[] := '{}';             -- when those begin that are not made
    made integer := 0;
BEGIN
    SELECT c.relnamespace::regnamespace AS schema, nullif(p.partdefid, 0)::regclass AS default_partition,
           concat(' USING ' || quote_ident(m.amname), ' WITH (' || l.options || ')',
                  ' TABLESPACE ' || quote_ident(s.spcname)) AS storage,
           -- The operators of a domain are those of its base type.
           b.oid::regtype AS base, b.typnamespace::regnamespace AS operators
      INTO pattern
      FROM pg_class AS c JOIN pg_partitioned_table AS p ON p.partrelid = c.oid
           JOIN pg_type AS t ON t.oid = kid_make_partitions.type
           JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
           LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS s ON s.oid = c.reltablespace
           LEFT JOIN LATERAL (
               SELECT (SELECT string_agg(o.option, ', ')
                         FROM (SELECT unnest(l.reloptions) UNION ALL SELECT 'toast.' || unnest(t.reloptions))
                              AS o (option))
                 FROM pg_inherits AS i JOIN pg_class AS l ON l.oid = i.inhrelid
                      LEFT JOIN pg_class AS t ON t.oid = l.reltoastrelid
                WHERE i.inhparent = c.oid AND l.relkind = 'r' AND l.oid <> p.partdefid ORDER BY l.oid DESC LIMIT 1)
               AS l (options) ON true
     WHERE c.oid = parent;
    FOR piece IN
        SELECT p.* FROM jsonb_to_recordset(pieces) AS p (
            n bigint, begins timestamptz, lower text, upper text, are_too_many boolean,
            is_beyond_range boolean, partition text)
         ORDER BY p.n
    LOOP
        IF piece.are_too_many THEN
            RAISE 'more than 10000 partitions of % would be created', parent USING ERRCODE = 'program_limit_exceeded';
        ELSIF piece.is_beyond_range THEN
            RAISE 'timestamp out of range for %', label
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        ELSIF pattern.default_partition IS NOT NULL THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %1$s WHERE %2$I OPERATOR(%3$s.>=) $1::%4$s '
                           'AND %2$I OPERATOR(%3$s.<) $2::%4$s)',
                           pattern.default_partition, key, pattern.operators, pattern.base)
                INTO has_rows USING piece.lower, piece.upper;
            IF has_rows THEN
                left_out := left_out || piece.begins;
                CONTINUE;
            END IF;
        END IF;
        IF made = at_most THEN
            RAISE NOTICE 'more partitions of % are missing', parent USING HINT = 'The next call creates them.';
            EXIT;
        END IF;
        full_name := format('%s.%I', pattern.schema, piece.partition);
        EXECUTE format('CREATE TABLE %1$s (LIKE %2$s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED '
                       'INCLUDING STORAGE INCLUDING COMPRESSION)%3$s; '
                       'ALTER TABLE %2$s ATTACH PARTITION %1$s FOR VALUES FROM (%4$L) TO (%5$L)',
                       full_name, parent, pattern.storage, piece.lower, piece.upper);
        made := made + 1;
        SELECT piece.n, full_name INTO n, partition;
        RETURN NEXT;
    END LOOP;
    IF left_out <> '{}' THEN
        RAISE WARNING 'rows in default partition % keep partitions of % from being created',
            pattern.default_partition, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Partitions not created: %s, the first from %s on.', cardinality(left_out),
                                  (SELECT min(l.begins) FROM unnest(left_out) AS l (begins))),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and '
                         'attach it again when it is empty.';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_make_partitions(regclass, regtype, name, text, interval, integer, jsonb) IS
    'creates and attaches missing partitions, and returns their names';
