-- kid_drop_partitions(): drops the partitions of a table that are old, for both editions

CREATE FUNCTION @extschema@.kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100,
    ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT @extschema@.kid_refuse_null(
               'older_than', 'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE older_than IS NULL;
    SELECT @extschema@.kid_refuse_null('dry_run') WHERE dry_run IS NULL;
    SELECT @extschema@.kid_refuse(
               '22023', 'partitions older than an infinite time cannot be dropped', '',
               'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE NOT isfinite(older_than);
    SELECT @extschema@.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT @extschema@.kid_lock_partitions(parent, ids) WHERE NOT dry_run;
    SELECT @extschema@.kid_check_partition_setting(k.setting) FROM @extschema@.kid_partition_key(parent, ids) AS k;
    -- If the times are wrong, the partitions of today seem to be old. Then no partition is for new rows.
    SELECT @extschema@.kid_refuse(
               '55000', format('no partition of %s would remain for new rows', parent), d.doubt,
               'If the times are right, create partitions for new rows first, or drop the old ones by name.')
      FROM @extschema@.kid_partition_doubt(parent, ids) AS d (doubt)
     WHERE d.doubt IS NOT NULL
           AND (SELECT NOT bool_or(a.is_for_new_rows) AND NOT bool_and(a.detaching)
                  FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a);
    SELECT @extschema@.kid_report_detaching(parent, a.partition::regclass, false)
      FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a
     WHERE a.detaching AND a.is_old
     ORDER BY a.lower;
    SELECT @extschema@.kid_report_references(parent)
     WHERE dry_run AND EXISTS (SELECT FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a
                                WHERE a.is_old AND NOT a.detaching AND NOT a.has_numbers);
    SELECT d.name
      FROM @extschema@.kid_drop_old_partitions(
               parent, older_than, dry_run, at_most, (
               SELECT jsonb_agg(to_jsonb(a))
                 FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a WHERE NOT a.detaching)) AS d (name);
END;
COMMENT ON FUNCTION @extschema@.kid_drop_partitions(regclass, timestamptz, boolean, integer, text) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';
