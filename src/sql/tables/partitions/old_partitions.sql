-- Which partitions are old, and how they are dropped

-- Returns the partitions of a table, except the default partition. `is_old` is true if all of their IDs are older than
-- `older_than`, and `is_for_new_rows` if the partition ends after the present, and also after `older_than`.
--
-- A sequence makes numbers below 10^13, which as IDs are of the first 30 days of the type. A partition that begins
-- there, and ends in the first year, is for such numbers, however new its rows are: `has_numbers`.
CREATE FUNCTION @extschema@.kid_partition_ages(parent regclass, ids text, older_than timestamptz)
    RETURNS TABLE (partition oid, lower name, detaching boolean, is_foreign boolean, is_old boolean,
                   has_numbers boolean, is_for_new_rows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT b.partition::oid, b.lower, b.detaching, c.relkind = 'f',
           b.upper > l.least_id AND b.upper <= @extschema@.kid_bound_at(k.type, older_than),
           b.lower < @extschema@.kid_bound_of(k.type, 'bigint'::regtype, '10000000000000'::text)
           AND b.ends <= @extschema@.kid_bound_time(k.type, l.least_id) + interval '1 year',
           b.ends > greatest(now(), older_than)
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           @extschema@.kid_bound_at(k.type, '-infinity'::timestamptz) AS l (least_id),
           @extschema@.kid_partition_bounds(parent, ids) AS b JOIN pg_class AS c ON c.oid = b.partition;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_ages(regclass, text, timestamptz) IS
    'returns the partitions of a table, and whether all of their IDs are older than a time';

CREATE FUNCTION @extschema@.kid_partition_doubt(parent regclass, ids text) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT CASE WHEN k.setting IS NOT NULL
                THEN format('The value of "%s" may not be the one with which the IDs of the table were made.',
                            k.setting)
                WHEN k.stored_as = 'bigint'::regtype
                THEN format('The numbers of column "%s" may be other IDs than those of %s.', k.name,
                            CASE WHEN k.type = k.stored_as THEN 'kid53'
                                 ELSE (SELECT t.typname FROM pg_type AS t WHERE t.oid = k.type::oid) END) END
      FROM @extschema@.kid_partition_key(parent, ids) AS k;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_doubt(regclass, text) IS
    'returns why the times of the partitions of a table may be wrong, or NULL if they cannot be';

-- Each partition has a constraint of its own for a foreign key, so that of the parent tells whether there is one. A
-- table can refer to itself. So can one of which the parent is a partition.
CREATE FUNCTION @extschema@.kid_report_references(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    referring text;
    others text;
    itself text;
BEGIN
    SELECT string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text),
           string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text)
               FILTER (WHERE k.conrelid NOT IN (SELECT a.relid::oid FROM pg_partition_ancestors(parent) AS a)),
           string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text)
               FILTER (WHERE k.conrelid IN (SELECT a.relid::oid FROM pg_partition_ancestors(parent) AS a))
      INTO referring, others, itself
      FROM pg_constraint AS k LEFT JOIN pg_constraint AS above ON above.oid = k.conparentid
     WHERE k.contype = 'f' AND k.confrelid = parent
           -- Partitions of a table that refers have the foreign key from it.
           AND (above.oid IS NULL OR above.conrelid = k.conrelid)
           -- From PostgreSQL 18 on, a foreign key can be NOT ENFORCED.
           AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true);
    IF referring IS NOT NULL THEN
        RAISE NOTICE 'foreign keys of % refer to %', referring, parent
            USING DETAIL = 'A partition cannot be dropped while a row refers to one of its rows.',
                  HINT = concat_ws(' ',
                      'First delete the rows of ' || others || format(
                          ' that refer to old rows of %s. If a table that refers is partitioned by the same IDs, drop '
                          'its old partitions instead.', parent),
                      'First set the references of ' || itself || format(
                          ' to old rows of %s to NULL, also in its old rows.', parent));
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_report_references(regclass) IS
    'reports the tables whose foreign keys refer to a table whose partitions are to be dropped';

-- Takes rows of kid_partition_ages(), except those of partitions whose detaching has begun. Drops the partitions that
-- are old, at most so many, the oldest first, unless `dry_run`. The commands take only names, so their text is put
-- together. DETACH looks for rows that refer to those of a partition, with the rights of the caller. If row-level
-- security hid such rows, they would then refer to nothing, so it raises an error instead.
CREATE FUNCTION @extschema@.kid_drop_old_partitions(
    parent regclass, older_than timestamptz, dry_run boolean, at_most integer, partitions jsonb)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off AS $$
DECLARE
    dropped record;
    count integer := 0;
    message text;
    detail text;
    referring_schema text;
    referring text;
    key text;
    referring_table regclass;
BEGIN
    FOR dropped IN
        SELECT p.*, p.partition::regclass::text AS name
          FROM jsonb_to_recordset(partitions) AS p (
                   partition oid, lower text, is_foreign boolean, is_old boolean, has_numbers boolean)
         WHERE p.is_old
         ORDER BY p.lower COLLATE "C"
    LOOP
        IF dropped.has_numbers THEN
            RAISE WARNING 'partition % of % may have keys of a sequence, and is not dropped', dropped.name, parent
                USING DETAIL = 'Such keys are small numbers, which as IDs would be older than all others.',
                      HINT = format('If its rows are old, run ALTER TABLE %s DETACH PARTITION %s; DROP TABLE %2$s.',
                                    parent, dropped.name);
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than
                USING HINT = 'The next call drops them.';
            EXIT;
        END IF;
        IF NOT dry_run THEN
            BEGIN
                -- A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to
                -- no row of the partition.
                EXECUTE format('ALTER TABLE %s DETACH PARTITION %s; DROP %s %2$s', parent, dropped.name,
                               CASE WHEN dropped.is_foreign THEN 'FOREIGN TABLE' ELSE 'TABLE' END);
            EXCEPTION WHEN foreign_key_violation THEN
                GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                    referring_schema = SCHEMA_NAME, referring = TABLE_NAME, key = CONSTRAINT_NAME;
                referring_table := (SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                                     WHERE c.relname = referring AND n.nspname = referring_schema);
                -- An event trigger can raise this error, too.
                IF referring_table IS NULL THEN
                    RAISE;
                END IF;
                RAISE '%', message
                    USING ERRCODE = 'foreign_key_violation', DETAIL = detail,
                          SCHEMA = referring_schema, TABLE = referring, CONSTRAINT = key,
                          HINT = format(
                              CASE WHEN referring_table IN (SELECT a.relid FROM pg_partition_ancestors(parent) AS a)
                                   THEN 'First set the references of %1$s to old rows of %2$s to NULL, also in its old '
                                        'rows.'
                                   ELSE 'First delete the rows of %1$s that refer to old rows of %2$s. If %1$s is '
                                        'partitioned by the same IDs, drop its old partitions instead.' END,
                              referring_table, parent);
            END;
            IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = dropped.partition) THEN
                RAISE 'table % was renamed while its partitions were to be changed', dropped.name
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.kid_drop_old_partitions(regclass, timestamptz, boolean, integer, jsonb) IS
    'drops those of the given partitions that are old, and returns their names';
