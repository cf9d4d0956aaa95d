-- New partitions: their tables, and then what PostgreSQL does not pass on to them

-- Takes pieces in the order of kid_missing_partitions(), with their names. `label` is what messages call the IDs.
--
-- A partitioned table has no storage parameters, so a partition is the pattern: the one with the greatest OID, which is
-- the one that was created last unless OIDs have begun anew. CREATE TABLE ... PARTITION OF would lock out readers and
-- writers of the parent.
CREATE FUNCTION @extschema@.kid_make_partitions(
    parent regclass, type regtype, key name, label text, width interval, at_most integer, pieces jsonb)
    RETURNS TABLE (n bigint, partition regclass)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    pattern record;
    piece record;
    full_name text;
    has_rows boolean;
    left_out timestamptz[] := '{}';
    made integer := 0;
BEGIN
    SELECT c.relnamespace::regnamespace AS schema, nullif(p.partdefid, 0)::regclass AS rest,
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
        ELSIF pattern.rest IS NOT NULL THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %1$s WHERE %2$I OPERATOR(%3$s.>=) $1::%4$s '
                           'AND %2$I OPERATOR(%3$s.<) $2::%4$s)', pattern.rest, key, pattern.operators, pattern.base)
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
        RAISE WARNING 'rows in default partition % keep partitions of % from being created', pattern.rest, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Partitions not created: %s, the first from %s on.', cardinality(left_out),
                                  (SELECT min(l.begins) FROM unnest(left_out) AS l (begins))),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and '
                         'attach it again when it is empty.';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_make_partitions(regclass, regtype, name, text, interval, integer, jsonb) IS
    'creates and attaches missing partitions, and returns their names';

-- A role that uses the parent needs no rights on partitions, and a REVOKE on the parent would not reach them. So this
-- takes away what default privileges grant. Row-level security without a policy hides all rows.
--
-- PostgreSQL does not pass on to a new partition: row-level security, replica identity, and what ANALYZE is told of
-- columns. The versions of PostgreSQL keep a mark of their own among the options of a column.
CREATE FUNCTION @extschema@.kid_finish_partition(
    parent regclass, partition regclass, type regtype, check_name name, time_check text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
BEGIN
    IF check_name IS NOT NULL AND time_check IS NULL THEN
        RAISE 'IDs of type % cannot have a constraint on their time', type USING ERRCODE = 'feature_not_supported';
    END IF;
    EXECUTE concat_ws('; ', (
        SELECT format('REVOKE ALL ON TABLE %s FROM %s CASCADE; GRANT ALL ON TABLE %1$s TO CURRENT_USER', partition,
                      concat_ws(', ', 'PUBLIC', string_agg(DISTINCT quote_ident(pg_get_userbyid(a.grantee)), ', ')
                                                    FILTER (WHERE a.grantee <> 0)))
          FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = partition), (
        SELECT format('ALTER TABLE %s %s', partition, string_agg(v.change, ', '))
          FROM (SELECT 'ENABLE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relrowsecurity
                UNION ALL
                SELECT 'FORCE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relforcerowsecurity
                UNION ALL
                SELECT format('REPLICA IDENTITY %s', CASE c.relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END)
                  FROM pg_class AS c WHERE c.oid = parent AND c.relreplident IN ('f', 'n')
                UNION ALL
                SELECT format('REPLICA IDENTITY USING INDEX %I', c.relname)
                  FROM pg_index AS r JOIN pg_inherits AS h ON h.inhparent = r.indexrelid
                       JOIN pg_index AS x ON x.indexrelid = h.inhrelid JOIN pg_class AS c ON c.oid = x.indexrelid
                 WHERE r.indrelid = parent AND r.indisreplident AND x.indrelid = partition
                UNION ALL
                SELECT format('ALTER %I SET %s', a.attname, o.setting)
                  FROM pg_attribute AS a, LATERAL (
                      SELECT 'STATISTICS ' || a.attstattarget WHERE a.attstattarget >= 0
                      UNION ALL
                      SELECT format('(%s)', string_agg(u.option, ', ')) FROM unnest(a.attoptions) AS u (option)
                       WHERE u.option NOT LIKE 'pg\_%' HAVING count(*) > 0) AS o (setting)
                 WHERE a.attrelid = parent AND a.attnum > 0 AND NOT a.attisdropped
                UNION ALL
                SELECT format('ADD CONSTRAINT %I CHECK (%s)', check_name, time_check)
                 WHERE check_name IS NOT NULL)
               AS v (change)
        HAVING count(*) > 0));
END $$;
COMMENT ON FUNCTION @extschema@.kid_finish_partition(regclass, regclass, regtype, name, text) IS
    'gives a new partition the rights and properties of its parent, and a constraint on the time of its IDs';
