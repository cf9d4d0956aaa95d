-- The default partition has taken rows for which there was no other, and keeps one from being attached that is to have them.
CREATE FUNCTION kid_move_rows(parent regclass, default_partition regclass, partition regclass, condition text) RETURNS void
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                      WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
    sources regclass[] := ARRAY(SELECT relid FROM pg_partition_tree(default_partition)); -- it may be partitioned itself
    obstacle text;
BEGIN
    -- As ATTACH does: what is moved is all that there is.
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', default_partition);
    SELECT format('foreign key "%s" of %s', conname, conrelid::regclass) INTO obstacle
      FROM pg_constraint
     WHERE contype = 'f' AND (confrelid = parent OR confrelid = ANY (sources)) AND (confdeltype NOT IN ('a', 'r') OR condeferred)
     ORDER BY confrelid = parent DESC, conname LIMIT 1;
    IF NOT FOUND THEN
        SELECT format('trigger "%s"', tgname) INTO obstacle
          FROM pg_trigger WHERE tgrelid = ANY (sources) AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 8 > 0 LIMIT 1;
    END IF;
    -- Replicas would be sent the deletion alone, as the other table is not published before it is attached.
    IF NOT FOUND THEN
        SELECT format('publication "%s"', pubname) INTO obstacle
          FROM pg_publication JOIN pg_publication_tables AS t USING (pubname)
         WHERE pubdelete AND (to_regclass(format('%I.%I', schemaname, tablename)) = ANY (sources)
                              OR to_regclass(format('%I.%I', schemaname, tablename)) IN (SELECT relid FROM pg_partition_ancestors(parent))) LIMIT 1;
    END IF;
    IF obstacle IS NOT NULL THEN
        RAISE EXCEPTION 'to % it would be a deletion', obstacle USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('WITH moved AS (DELETE FROM %s WHERE %s RETURNING %s) INSERT INTO %s (%3$s) SELECT * FROM moved',
                   default_partition, condition, columns, partition);
END $$;

COMMENT ON FUNCTION kid_move_rows(regclass, regclass, regclass, text) IS
    'moves rows of the default partition to a table that is about to be attached; an error where a trigger, a foreign key or a replica would act on a deletion';
