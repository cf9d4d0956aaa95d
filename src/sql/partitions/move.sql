-- The default partition has taken rows for which there was no other, and keeps one from being attached that is to have them.
CREATE FUNCTION kid_move_rows(parent regclass, default_partition regclass, partition regclass, condition text) RETURNS void
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                      WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
    obstacle text;
BEGIN
    -- As ATTACH does: what is moved is all that there is.
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', default_partition);
    SELECT format('foreign key "%s" of %s', conname, conrelid::regclass) INTO obstacle
      FROM pg_constraint WHERE contype = 'f' AND confrelid = parent AND (confdeltype NOT IN ('a', 'r') OR condeferred);
    IF NOT FOUND THEN
        SELECT format('trigger "%s"', tgname) INTO obstacle
          FROM pg_trigger WHERE tgrelid = default_partition AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & 8 > 0;
    END IF;
    IF obstacle IS NOT NULL THEN
        RAISE EXCEPTION 'to % it would be a deletion', obstacle USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('WITH moved AS (DELETE FROM %s WHERE %s RETURNING %s) INSERT INTO %s (%3$s) SELECT * FROM moved',
                   default_partition, condition, columns, partition);
END $$;

COMMENT ON FUNCTION kid_move_rows(regclass, regclass, regclass, text) IS
    'moves rows of the default partition to a table that is about to be attached; an error where a trigger or a foreign key would act on a deletion';
