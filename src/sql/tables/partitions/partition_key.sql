-- Tables that are partitioned by IDs: the key, the bounds as times, and what a change of partitions needs
--
-- A table, its constraints and its triggers can run code of the owner. So functions that change partitions work only
-- for the owner, who can do all of it without them.

-- Returns what a partition key can contain: the type of IDs, the column and its type, the setting that the time in IDs
-- depends on, and the call that returns the time, as SQL. A bigint contains the IDs that its default makes, or, if that
-- makes none, those that `ids` names by the prefix of their functions, such as kid53.
CREATE FUNCTION @extschema@.kid_key_ids(parent regclass, ids text)
    RETURNS TABLE (type regtype, name name, stored_as regtype, setting text, time_of text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH told AS (
        SELECT d.type
          FROM pg_partitioned_table AS p
               JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
               JOIN @extschema@.kid_default_ids() AS d
                 ON d.relid = p.partrelid AND d.attname = a.attname AND d.is_whole
         WHERE p.partrelid = parent)
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
               CASE WHEN ids IS NOT NULL THEN format('The column contains no IDs that "%s" names.', ids)
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

-- `lower` and `upper` are empty for what is below all IDs: MINVALUE, or a negative number. `upper` is null for
-- MAXVALUE. Without the default partition.
CREATE FUNCTION @extschema@.kid_partition_bounds(parent regclass, ids text)
    RETURNS TABLE (partition regclass, lower name, upper name, begins timestamptz, ends timestamptz, detaching boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- pg_get_expr() returns a text such as FOR VALUES FROM ('-5') TO ('100') or FOR VALUES FROM (MINVALUE) TO ('100').
    -- The regular expression takes both bounds out of it, without quotes, and matches no default partition.
    SELECT i.inhrelid::regclass, b.lower, b.upper,
           CASE WHEN b.lower = '' THEN '-infinity' ELSE @extschema@.kid_bound_time(k.type, b.lower) END,
           CASE WHEN b.upper = '' THEN '-infinity'
                ELSE coalesce(@extschema@.kid_bound_time(k.type, b.upper), 'infinity') END, i.inhdetachpending
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        'FROM [(]''*([^'')]+)''*[)] TO [(]''*([^'')]+)''*[)]') AS t (text),
           LATERAL (SELECT CASE WHEN t.text[1] ~ '^(MINVALUE|-[0-9]+)$' THEN ''
                                ELSE @extschema@.kid_bound_of(k.type, k.stored_as, t.text[1]) END,
                           CASE WHEN t.text[2] ~ '^-[0-9]+$' THEN ''
                                WHEN t.text[2] <> 'MAXVALUE'
                                THEN @extschema@.kid_bound_of(k.type, k.stored_as, t.text[2]) END)
                   AS b (lower, upper)
     WHERE i.inhparent = parent AND t.text IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_bounds(regclass, text) IS
    'returns the partitions of a table with their bounds and times';

-- Returns for example kid.kid_timestamp(id) >= '2021-01-01 00:00:00+00'::timestamptz AND kid.kid_timestamp(id) < ...
--
-- Null if the time depends on a setting. A lower bound made by hand can have components that no ID has. Then IDs above
-- the bound have earlier times than the bound, and there is no condition either.
CREATE FUNCTION @extschema@.kid_time_check(type regtype, time_of text, setting text, lower name, upper name)
    RETURNS text
    LANGUAGE SQL STABLE SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT nullif(concat_ws(
               ' AND ',
               CASE WHEN t.begins IS NOT NULL THEN format('%s >= %L::timestamptz', time_of, t.begins) END,
               CASE WHEN t.ends IS NOT NULL
                    THEN format('%s %s %L::timestamptz', time_of,
                                CASE WHEN upper = @extschema@.kid_bound_at(type, t.ends) THEN '<' ELSE '<=' END,
                                t.ends) END), '')
      FROM (SELECT @extschema@.kid_bound_time(type, nullif(lower, '')),
                   @extschema@.kid_bound_time(type, nullif(upper, '')))
           AS t (begins, ends)
     WHERE setting IS NULL
           AND (lower = '' OR @extschema@.kid_bound_at(type, t.begins - interval '1 microsecond') <= lower);
END;
COMMENT ON FUNCTION @extschema@.kid_time_check(regtype, text, text, name, name) IS
    'returns the condition on the time of the IDs between two bounds, as SQL';

-- Locks a table of the caller: other sessions wait to change its partitions, but not to read or write. `home` is the
-- OID of kid's schema. Later queries name this schema and that of the table, so a superuser locks both names until the
-- transaction ends.
CREATE FUNCTION @extschema@.kid_lock_parent(home oid, parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    full_name text;
    owner name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = parent);
BEGIN
    IF owner <> current_user THEN
        RAISE 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Connect as %I. SET ROLE does as well if you trust all code of that role: the code can '
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
    -- Loads the library, which defines the setting.
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
    'raises an error if the times of partitions depend on a setting that roles have different values of';
