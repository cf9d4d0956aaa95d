-- What comes before a change of partitions: locks, and what refuses it
--
-- A table, its constraints and its triggers can run code of the owner. So functions that change partitions work only
-- for the owner, who can do all of it without them.

-- Locks a table of the caller: other sessions wait to change its partitions, but not to read or write. `home` is the
-- OID of kid's schema. Later queries name this schema and that of the table, so a superuser locks both names until the
-- transaction ends. LOCK TABLE takes only a name, which another table can get while the command waits.
CREATE FUNCTION @extschema@.kid_lock_parent(home oid, parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    full_name text;
    owner name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = parent);
BEGIN
    IF owner <> current_user THEN
        RAISE 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Connect as %I. SET ROLE is enough if you trust all code of that role: the code can '
                                'reset the role.', owner);
    END IF;
    IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        PERFORM FROM pg_namespace AS n
          WHERE n.oid IN (home, (SELECT c.relnamespace FROM pg_class AS c WHERE c.oid = parent)) FOR KEY SHARE;
    END IF;
    full_name := parent;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', full_name);
    IF to_regclass(full_name) IS DISTINCT FROM parent THEN
        RAISE 'table % was renamed while its partitions were to be changed', full_name
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_lock_parent(oid, regclass) IS
    'locks a table and its name; a part of kid_lock_partitions()';

-- The caller's next statement sees all changes of partitions that came before.
CREATE FUNCTION @extschema@.kid_lock_partitions(parent regclass, ids text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid_check_isolation('partitions can only be changed at READ COMMITTED');
    -- A table without a key is an error of kid_partition_key().
    SELECT @extschema@.kid_lock_parent(p.pronamespace, parent)
      FROM @extschema@.kid_partition_key(parent, ids) AS k, pg_proc AS p
     WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION @extschema@.kid_lock_partitions(regclass, text) IS
    'locks a table whose partitions are to be changed';

-- With another value of the setting, old rows seem to be new, and new rows seem to be old.
CREATE FUNCTION @extschema@.kid_check_partition_setting(setting text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    -- In the extension this loads the library, which defines the setting. The edition in plain SQL has no library.
    SELECT @extschema@.kid64_floor(now());
    SELECT @extschema@.kid_refuse(
               '55000', format('roles of this database have different values of "%s"', setting),
               'The time of a partition depends on this setting, and kid cannot know which value the IDs of the table '
               'were made with.',
               'Give all roles the same value, written alike, or create and drop partitions by their bounds.')
     WHERE EXISTS (SELECT FROM pg_db_role_setting AS s CROSS JOIN unnest(s.setconfig) AS c (text)
                         LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
                    WHERE coalesce(d.datname, current_database()) = current_database()
                      AND lower(split_part(c.text, '=', 1)) = setting
                      AND substr(c.text, length(setting) + 2) <> current_setting(setting));
END;
COMMENT ON FUNCTION @extschema@.kid_check_partition_setting(text) IS
    'raises an error if the times of partitions depend on a setting that differs between roles';

-- PostgreSQL cannot distinguish a detach that was interrupted from one that is running.
CREATE FUNCTION @extschema@.kid_report_detaching(parent regclass, partition regclass, is_for_new_rows boolean)
    RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    detail text := 'The partition accepts no more rows, and no other can take its place until it is detached.';
    hint text := format('If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent,
                        partition);
BEGIN
    IF is_for_new_rows THEN
        RAISE 'detaching partition % from % is not complete', partition, parent
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING 'detaching partition % from % is not complete', partition, parent
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;
COMMENT ON FUNCTION @extschema@.kid_report_detaching(regclass, regclass, boolean) IS
    'raises an error if a partition that is being detached is for new rows, and otherwise a warning';
