-- partitions by time, in plain SQL, beside kid-ids. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid,kid_clocks. The role that runs it owns the logical clocks. To upgrade,
-- run it again, or a later version, as the same role: it replaces functions, and keeps clocks, types and keys, and the
-- rights on functions that this role granted to others.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, those in
-- PL/pgSQL in the caller's session: so they set the search_path or, where that would take too long, use no operator and
-- give every name its schema.

DO $kid$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');      -- the caller's, which end.sql sets again
    schema_name pg_catalog.text;        -- for schemas.sql.in
    what record;                        -- the rows of loops
    -- For revoke_rights.sql
    private pg_catalog.regnamespace;
    schemas pg_catalog.name[];
    functions pg_catalog.oid[];
    old_schemas pg_catalog.oid[] := ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace AS n);
    old_functions pg_catalog.oid[] := ARRAY(SELECT p.oid FROM pg_catalog.pg_proc AS p);
    -- For made_by_others.sql
    members pg_catalog.oid[];
    trusted pg_catalog.regnamespace[];
BEGIN
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- Creates the schemas that are missing. The others must belong to this role, and so must all that is in them: functions
-- that run as this role call it.
FOREACH schema_name IN ARRAY '{kid,kid_clocks}'::text[] LOOP
    IF to_regnamespace(schema_name) IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', schema_name);
    ELSIF EXISTS (SELECT FROM pg_namespace AS n, LATERAL (
                      SELECT n.nspowner
                      UNION ALL SELECT a.grantee FROM aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE'
                      UNION ALL SELECT c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid
                      UNION ALL SELECT t.typowner FROM pg_type AS t WHERE t.typnamespace = n.oid
                      UNION ALL SELECT p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
                      UNION ALL SELECT o.oprowner FROM pg_operator AS o WHERE o.oprnamespace = n.oid) AS o (role)
                   WHERE n.nspname = schema_name
                     AND o.role <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user)) THEN
        RAISE 'schema %, or something in it, belongs to another role', schema_name
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Run the script as the owner of the schema, and let no other role create objects there.';
    END IF;
END LOOP;

-- This module needs kid-ids of the same version.

IF to_regprocedure('kid.kid_version()') IS NULL THEN
    RAISE 'kid in plain SQL is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
ELSIF kid.kid_version() <> '1.0.0' THEN
    RAISE 'this is version 1.0.0 of a module, and kid-ids is of version %', kid.kid_version()
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
END IF;

-- What names without a schema mean from here on

PERFORM pg_catalog.set_config('search_path', 'kid, pg_temp', true);

-- uuid version 7: its time, and bounds of time
--
-- A comparison with a bound compares all uuids by their bytes, whatever their version is.

CREATE OR REPLACE FUNCTION kid_uuidv7_first() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '1970-01-01 00:00:00+00';
COMMENT ON FUNCTION kid_uuidv7_first() IS 'returns the first instant that a uuid of version 7 can have';
CREATE OR REPLACE FUNCTION kid_uuidv7_last() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '10889-08-02 05:31:50.655999+00';
COMMENT ON FUNCTION kid_uuidv7_last() IS 'returns the last instant that a uuid of version 7 can have';

CREATE OR REPLACE FUNCTION kid_uuidv7_millis(id uuid) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint;
COMMENT ON FUNCTION kid_uuidv7_millis(id uuid) IS 'returns the first 48 bits of a uuid';
CREATE OR REPLACE FUNCTION kid_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
            THEN kid_time(kid_uuidv7_millis(id) * 1000) END;
COMMENT ON FUNCTION kid_timestamp(id uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
CREATE OR REPLACE FUNCTION kid_uuidv7_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp(id);
COMMENT ON FUNCTION kid_uuidv7_timestamp(id uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE OR REPLACE FUNCTION kid_uuidv7_bound(ts timestamptz, below text) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(kid_micros(least(greatest(ts, kid_uuidv7_first()), kid_uuidv7_last())) / 1000), 12, '0')
        || below)::uuid;
COMMENT ON FUNCTION kid_uuidv7_bound(ts timestamptz, below text) IS
    'returns the uuid of the millisecond of an instant with the other 80 bits as given in hexadecimal';

CREATE OR REPLACE FUNCTION kid_uuidv7_floor(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts > kid_uuidv7_last() THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70008000000000000000') END;
COMMENT ON FUNCTION kid_uuidv7_floor(ts timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid_uuidv7_ceil(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < kid_uuidv7_first() THEN '00000000-0000-7000-8000-000000000000'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;
COMMENT ON FUNCTION kid_uuidv7_ceil(ts timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';

-- uuid: a range of time for both editions
--
-- In plain SQL no operator compares an ID with a time: one for kid64, a domain over bigint, would compare every
-- integer. If this function were STRICT, PostgreSQL would not inline it, and a condition would not become a range of
-- the key.
--
-- An instant that is NULL is unknown, as in the comparisons of which this function consists. For columns of type
-- bigint, kid53_within() and kid64_within() take it for no limit instead, because tools leave a filter that is not set
-- NULL.

CREATE OR REPLACE FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN id >= kid_uuidv7_floor(since) AND id < kid_uuidv7_floor(until);
COMMENT ON FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) IS
    'returns true if the time of an ID is at or after "since" and before "until"; '
    'infinity means no limit, NULL an unknown time';

-- Functions on tables, for both editions
--
-- Other roles may be able to create functions and operators in the schema of kid, and the owner of the schema can
-- rename it. So nothing here depends on what a name means when a function runs:
--
--   PostgreSQL looks up the names in functions in SQL when it creates them. They name objects of pg_catalog, and
--   objects of kid with their schema and with arguments of exactly the types of the parameters. Only functions in SQL
--   call functions of kid.
--
--   Functions in PL/pgSQL look up names when they run, in pg_catalog alone. They call no function of kid, but get what
--   they need as arguments. Where the text of a query has to name kid's schema, they read its name from the catalog
--   just before, and a superuser first locks the name. Only a superuser can. Where a statement creates or drops
--   something that they name, and may wait before it looks for the name, they then check what it found.

-- From here to the end of tables/parts.sql, names without a schema are those of pg_catalog.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Raises an error. A function in SQL, which has no IF, calls it for a condition under which it cannot go on:
--
--     SELECT kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
--
-- PostgreSQL calls it only if the condition is true, and not while it plans, because the function is VOLATILE.
CREATE OR REPLACE FUNCTION kid.kid_refuse(state text, message text, detail text DEFAULT '', hint text DEFAULT '')
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF detail <> '' AND hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail, HINT = hint;
    ELSIF detail <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail;
    ELSIF hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, HINT = hint;
    END IF;
    RAISE '%', message USING ERRCODE = state;
END $$;
COMMENT ON FUNCTION kid.kid_refuse(text, text, text, text) IS 'raises an error, for functions in SQL';

-- Raises the error for an argument that is null:
--
--     SELECT kid_refuse_null('parent') WHERE parent IS NULL;
--
-- A function that is called for what it does refuses null, unless that has a meaning of its own. Functions on worker
-- numbers and keys of kid_seal raise the same error themselves. What computes something from its arguments returns
-- null instead, as kid_timestamp() does. test/t/null_arguments.pl lists them.
CREATE OR REPLACE FUNCTION kid.kid_refuse_null(argument text, hint text DEFAULT '') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF hint <> '' THEN
        RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed', HINT = hint;
    END IF;
    RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed';
END $$;
COMMENT ON FUNCTION kid.kid_refuse_null(text, text) IS
    'raises an error for an argument that is null, for functions in SQL';

-- Raises an error at isolation levels at which later queries of a function would not see what others have committed
-- meanwhile. The function is in PL/pgSQL, which keeps the plan of its query for the next call.
CREATE OR REPLACE FUNCTION kid.kid_check_isolation(message text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE '%', message
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'At other levels, later statements do not see what was committed after the first one.',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_check_isolation(text) IS
    'raises an error if all statements of this transaction have the same snapshot';

-- The types of the edition in plain SQL, for functions on tables: bounds of partitions by time, and columns that
-- contain IDs
--
-- A bound is the text of an ID, with spaces before it, as a value of type name: such values sort by their bytes, and so
-- as the IDs do. With the spaces it has 36 characters, as many as a uuid, whose text is the longest.

CREATE OR REPLACE FUNCTION kid.kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN 'kid.kid64'::regtype::oid THEN kid.kid64_floor(ts)::text
                WHEN 'uuid'::regtype::oid THEN kid.kid_uuidv7_floor(ts)::text
                WHEN 'bigint'::regtype::oid THEN kid.kid53_floor(ts)::text
            END, 36)::name;
COMMENT ON FUNCTION kid.kid_bound_at(regtype, timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';

-- A bound of uuids need not be of version 7, so its first 48 bits, in 13 characters, become a uuid that is. A bound of
-- bigints can be above the greatest kid53, 9007199254740991.
CREATE OR REPLACE FUNCTION kid.kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN 'kid.kid64'::regtype::oid
           THEN kid.kid64_timestamp(ltrim(bound::text)::kid.kid64)
           WHEN 'uuid'::regtype::oid
           THEN kid.kid_uuidv7_timestamp((left(bound::text, 13) || '-7000-8000-000000000000')::uuid)
           WHEN 'bigint'::regtype::oid
           THEN kid.kid53_timestamp(CASE WHEN bound IS NOT NULL
                                         THEN least(ltrim(bound::text)::bigint, 9007199254740991) END)
       END;
COMMENT ON FUNCTION kid.kid_bound_time(regtype, name) IS 'returns when the time unit of a bound begins';

-- A column of bigints can contain IDs of another type with the same bits. Its bounds are numbers, which these functions
-- turn into bounds of that type, and back.
CREATE OR REPLACE FUNCTION kid.kid_bound_of(type regtype, stored_as regtype, stored text) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE WHEN type = stored_as THEN stored
                 WHEN type::oid = 'kid.kid64'::regtype::oid THEN stored::bigint::kid.kid64::text
            END, 36)::name;
COMMENT ON FUNCTION kid.kid_bound_of(regtype, regtype, text) IS
    'returns a bound from the text that the catalog has for it';
CREATE OR REPLACE FUNCTION kid.kid_stored_bound(type regtype, stored_as regtype, bound name) RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN type = stored_as THEN ltrim(bound::text)
            WHEN type::oid = 'kid.kid64'::regtype::oid THEN ltrim(bound::text)::kid.kid64::bigint::text
       END;
COMMENT ON FUNCTION kid.kid_stored_bound(regtype, regtype, name) IS
    'returns a bound as the text that a column takes';

-- Returns the types of IDs, in a row for each type that a column with such IDs can have:
--
--     clock       the logical clock from which the IDs are, or null
--     type        the type of the IDs
--     prefix      what the names of its functions begin with
--     past        the function that returns the last ID of a time
--     observe     the function that moves the clock past an ID, such as that one
--     time_of     the function that returns the time of an ID
--     next        the generator, or null
--     setting     the setting that the time in an ID depends on, or null
--     is_core     whether the type is one of PostgreSQL's, which has other values, too
--     stored_as   the type of the column
--
-- The generator of uuids, kid_uuidv7(), is in kid-uuid, which kid-tables does not need. So it is null here.
CREATE OR REPLACE FUNCTION kid.kid_stored_forms()
    RETURNS TABLE (clock text, type regtype, prefix text, past text, observe text, time_of text, next regprocedure,
                   setting text, is_core boolean, stored_as regtype)
    LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- The OIDs of PostgreSQL's own objects are below 16384.
    SELECT v.clock, v.type, v.prefix, v.past, v.observe, v.time_of, v.next, v.setting, v.type::oid < 16384, s.stored_as
      FROM (VALUES
               ('kid', 'kid.kid64'::regtype, 'kid64', 'kid64_ceil', 'kid_observe', 'kid_timestamp',
                'kid.kid_next()'::regprocedure, NULL, ARRAY['bigint']::regtype[]),
               ('uuidv7', 'uuid'::regtype, 'kid_uuidv7', 'kid_uuidv7_ceil', 'kid_observe', 'kid_timestamp',
                NULL, NULL, ARRAY['uuid']::regtype[]),
               ('kid53', 'bigint'::regtype, 'kid53', 'kid53_ceil', 'kid53_observe', 'kid53_timestamp',
                'kid.kid53_next()'::regprocedure, NULL, ARRAY['bigint']::regtype[])
           ) AS v (clock, type, prefix, past, observe, time_of, next, setting, stored_as),
           unnest(v.stored_as) AS s (stored_as);
END;
COMMENT ON FUNCTION kid.kid_stored_forms() IS
    'returns the types of IDs, and the types of columns that they are stored in';

-- Columns and domains whose default makes IDs. Only the default tells that a column of a core type contains IDs: values
-- of other columns of that type come from elsewhere. A default can do more than call a generator, such as
-- kid53_next() % 16, and then need not make IDs: `is_whole` is false. A clock moves past the values of such columns all
-- the same, to be safe.

-- Returns either `relid` and `attname` of a column, or `domain`, and null for the others. PostgreSQL creates partitions
-- with the defaults of their parent, but later defaults of the parent are also in force for them.
CREATE OR REPLACE FUNCTION kid.kid_default_ids()
    RETURNS TABLE (relid oid, attname name, domain oid, type regtype, is_whole boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    generators AS (
        -- Other roles can create functions in the schema of kid. The functions of kid are those of its owner.
        SELECT DISTINCT p.oid, f.type
          FROM kid.kid_stored_forms() AS f
               JOIN pg_proc AS k ON k.oid = 'kid.kid_stored_forms()'::regprocedure
               JOIN pg_proc AS p ON p.pronamespace = k.pronamespace AND p.proowner = k.proowner
                                AND p.prorettype = f.type::oid AND p.provolatile = 'v'
                                AND (NOT f.is_core OR starts_with(p.proname::text, f.prefix))
    ),
    -- `is_whole` is true of calls such as kid_next(), kid.sno_next(0), "my kid".kid53_next() and
    -- (kid64_next())::bigint, and false of (kid53_next() % 16).
    defaults (relid, attname, domain, type, is_whole) AS (
        SELECT a.attrelid, a.attname, CASE WHEN d.classid = 'pg_type'::regclass THEN d.objid END, g.type,
               coalesce(pg_get_expr(ad.adbin, ad.adrelid), pg_get_expr(t.typdefaultbin, 0))
               ~ '^[(]*("([^"]|"")+"[.]|[^"().]+[.]|)[a-z0-9_]+[(][0-9]*[)][)]*(::bigint|::uuid|)$'
          FROM generators AS g
               JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = g.oid
               LEFT JOIN pg_attrdef AS ad ON d.classid = 'pg_attrdef'::regclass AND ad.oid = d.objid
               LEFT JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
               LEFT JOIN pg_type AS t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
        UNION
        SELECT c.oid, d.attname, NULL, d.type, d.is_whole
          FROM defaults AS d JOIN pg_inherits AS i ON i.inhparent = d.relid
                             JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
    )
    SELECT d.relid, d.attname, d.domain, d.type, d.is_whole FROM defaults AS d
     WHERE d.relid IS NOT NULL OR d.domain IS NOT NULL;
END;
COMMENT ON FUNCTION kid.kid_default_ids() IS 'returns the columns and domains whose default makes IDs';

-- Tables that are partitioned by IDs: the column, and the IDs that it contains

-- Returns what a partition key can contain: the type of IDs, the column `name` and its type `stored_as`, the setting
-- that the time in IDs depends on, or null, and the call that returns the time, as SQL. A bigint contains the IDs that
-- its default makes, or, if that makes none, those that `ids` names by the prefix of their functions, such as kid53.
CREATE OR REPLACE FUNCTION kid.kid_key_ids(parent regclass, ids text)
    RETURNS TABLE (type regtype, name name, stored_as regtype, setting text, time_of text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- What the default of the column makes
    WITH told AS (
        SELECT d.type
          FROM pg_partitioned_table AS p
               JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
               JOIN kid.kid_default_ids() AS d
                 ON d.relid = p.partrelid AND d.attname = a.attname AND d.is_whole
         WHERE p.partrelid = parent)
    -- k has the schema of kid.
    SELECT DISTINCT f.type, a.attname, a.atttypid::regtype, f.setting,
           -- With the cast no function that another role has created for a bigint fits better.
           format(CASE WHEN f.type::oid = a.atttypid THEN '%s.%I(%I)' ELSE '%s.%I((%I)::%s)' END,
                  k.pronamespace::regnamespace,
                  CASE WHEN f.type::oid = a.atttypid THEN f.time_of ELSE f.prefix || '_timestamp' END,
                  a.attname, f.type)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
           JOIN kid.kid_stored_forms() AS f
             ON f.type::oid = a.atttypid OR f.stored_as = 'bigint'::regtype AND a.atttypid = 'bigint'::regtype::oid,
           pg_proc AS k
     WHERE p.partrelid = parent AND k.oid = 'kid.kid_stored_forms()'::regprocedure
           AND (ids IS NULL OR f.prefix = ids)
           -- If the default tells, nothing else does.
           AND (a.atttypid <> 'bigint'::regtype::oid OR f.type IN (SELECT t.type FROM told AS t)
                OR ids IS NOT NULL AND NOT EXISTS (SELECT FROM told));
END;
COMMENT ON FUNCTION kid.kid_key_ids(regclass, text) IS
    'returns the IDs that the partition key of a table contains; a part of kid_partition_key()';

-- Returns the row of kid_key_ids(). Raises an error if the table is not partitioned by range of one column, or if
-- kid_key_ids() does not return exactly one row, for example because kid makes no IDs of the column's type.
CREATE OR REPLACE FUNCTION kid.kid_partition_key(
    parent regclass, ids text, OUT type regtype, OUT name name, OUT stored_as regtype, OUT setting text,
    OUT time_of text)
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT kid.kid_refuse('42809', format('table %s is not partitioned by range of one column', parent))
     WHERE parent IS NOT NULL
           AND NOT EXISTS (SELECT FROM pg_partitioned_table AS p
                            WHERE p.partrelid = parent AND p.partstrat = 'r' AND p.partnatts = 1
                              AND p.partattrs[0] <> 0);
    SELECT kid.kid_refuse(
               '42809',
               format('table %s is partitioned by column "%s" of type %s', parent, a.attname, a.atttypid::regtype),
               CASE WHEN ids IS NOT NULL THEN format('The argument "ids" is "%s", which does not fit the column.', ids)
                    WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'The default of the column does not make IDs of one type, and nothing else says what it '
                         'contains.'
                    ELSE 'The column must be of a type for which kid makes IDs, and not of a domain.' END,
               CASE WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'Say what IDs the numbers are: ids => ''kid53'' or ids => ''kid64''.'
                    ELSE '' END)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent AND (SELECT count(*) FROM kid.kid_key_ids(parent, ids)) <> 1;
    SELECT k.type, k.name, k.stored_as, k.setting, k.time_of FROM kid.kid_key_ids(parent, ids) AS k;
END;
COMMENT ON FUNCTION kid.kid_partition_key(regclass, text) IS
    'returns the column that a table is partitioned by, and the IDs that it contains';

-- The bounds of partitions, as times and as a condition on the time

-- Returns all partitions but the default one. A bound is as in forms.sql, but empty for what is below all IDs:
-- MINVALUE, or a negative number. `upper` is null for MAXVALUE.
CREATE OR REPLACE FUNCTION kid.kid_partition_bounds(parent regclass, ids text)
    RETURNS TABLE (partition regclass, lower name, upper name, begins timestamptz, ends timestamptz, detaching boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- pg_get_expr() returns a text such as FOR VALUES FROM ('-5') TO ('100') or FOR VALUES FROM (MINVALUE) TO ('100').
    -- The regular expression takes both bounds out of it, without quotes, and matches no default partition.
    SELECT i.inhrelid::regclass, b.lower, b.upper,
           CASE WHEN b.lower = '' THEN '-infinity' ELSE kid.kid_bound_time(k.type, b.lower) END,
           CASE WHEN b.upper = '' THEN '-infinity'
                ELSE coalesce(kid.kid_bound_time(k.type, b.upper), 'infinity') END, i.inhdetachpending
      FROM kid.kid_partition_key(parent, ids) AS k,
           pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        'FROM [(]''*([^'')]+)''*[)] TO [(]''*([^'')]+)''*[)]') AS t (text),
           LATERAL (SELECT CASE WHEN t.text[1] ~ '^(MINVALUE|-[0-9]+)$' THEN ''
                                ELSE kid.kid_bound_of(k.type, k.stored_as, t.text[1]) END,
                           CASE WHEN t.text[2] ~ '^-[0-9]+$' THEN ''
                                WHEN t.text[2] <> 'MAXVALUE'
                                THEN kid.kid_bound_of(k.type, k.stored_as, t.text[2]) END)
                   AS b (lower, upper)
     WHERE i.inhparent = parent AND t.text IS NOT NULL;
END;
COMMENT ON FUNCTION kid.kid_partition_bounds(regclass, text) IS
    'returns the partitions of a table with their bounds and times';

-- Returns for example kid.kid_timestamp(id) >= '2021-01-01 00:00:00+00'::timestamptz AND kid.kid_timestamp(id) < ...
--
-- `time_of` is the call that returns the time of an ID, as SQL. Returns null if the time depends on a setting. A lower
-- bound made by hand can have components that no ID has. Then IDs above the bound have earlier times than the bound,
-- and the result is null, too.
CREATE OR REPLACE FUNCTION kid.kid_time_check(type regtype, time_of text, setting text, lower name, upper name)
    RETURNS text
    LANGUAGE SQL STABLE SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT nullif(concat_ws(
               ' AND ',
               CASE WHEN t.begins IS NOT NULL THEN format('%s >= %L::timestamptz', time_of, t.begins) END,
               CASE WHEN t.ends IS NOT NULL
                    THEN format('%s %s %L::timestamptz', time_of,
                                CASE WHEN upper = kid.kid_bound_at(type, t.ends) THEN '<' ELSE '<=' END,
                                t.ends) END), '')
      FROM (SELECT kid.kid_bound_time(type, nullif(lower, '')),
                   kid.kid_bound_time(type, nullif(upper, '')))
           AS t (begins, ends)
     WHERE setting IS NULL
           AND (lower = '' OR kid.kid_bound_at(type, t.begins - interval '1 microsecond') <= lower);
END;
COMMENT ON FUNCTION kid.kid_time_check(regtype, text, text, name, name) IS
    'returns the condition on the time of the IDs between two bounds, as SQL';

-- kid_partitions(): lists the partitions of a table, for both editions

-- For a partition that is itself partitioned, adds up its partitions. Keeps no lock, because there may be many of them.
CREATE OR REPLACE FUNCTION kid.kid_partitions(parent regclass, ids text DEFAULT NULL)
    RETURNS TABLE (partition regclass, begins timestamptz, ends timestamptz, rows bigint, bytes bigint,
                   detaching boolean, missing_check text)
    LANGUAGE SQL STABLE
    SET TimeZone = 'UTC' SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    -- An error even if there are no partitions
    SELECT kid.kid_partition_key(parent, ids);
    WITH RECURSIVE
         below AS (SELECT i.inhrelid AS partition, i.inhrelid AS oid FROM pg_inherits AS i WHERE i.inhparent = parent
                   UNION ALL
                   SELECT b.partition, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid),
         sums AS (SELECT b.partition, sum(pg_total_relation_size(c.oid)) AS bytes,
                         sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END)
                             FILTER (WHERE c.relkind <> 'p') AS rows
                    FROM below AS b JOIN pg_class AS c ON c.oid = b.oid GROUP BY b.partition),
         listed AS (SELECT b.partition, b.begins, b.ends, b.detaching,
                           kid.kid_time_check(k.type, k.time_of, k.setting, b.lower, b.upper) AS time_check
                      FROM kid.kid_partition_key(parent, ids) AS k,
                           kid.kid_partition_bounds(parent, ids) AS b
                    UNION ALL
                    SELECT p.partdefid::regclass, NULL, NULL, false, NULL
                      FROM pg_partitioned_table AS p WHERE p.partrelid = parent AND p.partdefid <> 0)
    SELECT t.partition, t.begins, t.ends, coalesce(s.rows, 0)::bigint, s.bytes::bigint, t.detaching,
           CASE WHEN NOT EXISTS (SELECT FROM pg_constraint AS c
                                  WHERE c.conrelid = t.partition AND c.contype = 'c' AND c.convalidated
                                    AND c.coninhcount = 0 AND c.conname ~ '^kid_time(_[0-9]+|)$')
                THEN t.time_check END
      FROM listed AS t LEFT JOIN sums AS s ON s.partition = t.partition
     ORDER BY t.begins;
END;
COMMENT ON FUNCTION kid.kid_partitions(regclass, text) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';

-- What comes before a change of partitions: locks, and what refuses it
--
-- A table, its constraints and its triggers can run code of the owner. So functions that change partitions work only
-- for the owner, who can do all of it without them.

-- Locks a table of the caller: other sessions wait to change its partitions, but not to read or write. `home` is the
-- OID of kid's schema. Later queries name this schema and that of the table, so a superuser locks both names until the
-- transaction ends. LOCK TABLE takes only a name, which another table can get while the command waits.
CREATE OR REPLACE FUNCTION kid.kid_lock_parent(home oid, parent regclass) RETURNS void
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
COMMENT ON FUNCTION kid.kid_lock_parent(oid, regclass) IS
    'locks a table and its name; a part of kid_lock_partitions()';

-- The caller's next statement sees all changes of partitions that came before.
CREATE OR REPLACE FUNCTION kid.kid_lock_partitions(parent regclass, ids text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT kid.kid_check_isolation('partitions can only be changed at READ COMMITTED');
    -- A table without a key is an error of kid_partition_key().
    SELECT kid.kid_lock_parent(p.pronamespace, parent)
      FROM kid.kid_partition_key(parent, ids) AS k, pg_proc AS p
     WHERE p.oid = 'kid.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION kid.kid_lock_partitions(regclass, text) IS
    'locks a table whose partitions are to be changed';

-- With another value of the setting, old rows seem to be new, and new rows seem to be old.
CREATE OR REPLACE FUNCTION kid.kid_check_partition_setting(setting text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    -- In the extension this loads the library, which defines the setting. The edition in plain SQL has no library.
    SELECT kid.kid64_floor(now());
    SELECT kid.kid_refuse(
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
COMMENT ON FUNCTION kid.kid_check_partition_setting(text) IS
    'raises an error if the times of partitions depend on a setting that differs between roles';

-- PostgreSQL cannot distinguish a detach that was interrupted from one that is running.
CREATE OR REPLACE FUNCTION kid.kid_report_detaching(parent regclass, partition regclass, is_for_new_rows boolean)
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
COMMENT ON FUNCTION kid.kid_report_detaching(regclass, regclass, boolean) IS
    'raises an error if a partition that is being detached is for new rows, and otherwise a warning';

-- The partitions that a table lacks: the gaps between its partitions, cut where periods begin
--
--     partitions                 [ A )           [ B )
--     gaps          ------------)     [---------)     [-------------------- ...
--     gaps to fill                    [---------)     [-------------------- ...
--     pieces                          [--)[---)[)     [-)[---)[---)[---)
--                                                                 ^ until
--
-- If the first partition begins at or before the present, all gaps after it are filled. Otherwise, or with `since`, all
-- gaps are filled from the period of the present, or of `since`, on. Months are counted from a January, all other
-- widths from Monday 2001-01-01.
--
-- A partition of no IDs is one whose upper bound is below all IDs, for negative numbers: see partition_bounds.sql.
--
-- A gap is cut into pieces where a period begins: at the lowest ID of that instant, or at the bound of the gap if that
-- is in the same time unit. Periods that begin in one time unit, which has up to 1,024 seconds, make one piece. Pieces
-- for new rows come first, because at_most may end the call.

CREATE OR REPLACE FUNCTION kid.kid_period(width interval, OUT months integer, OUT seconds numeric)
    LANGUAGE SQL IMMUTABLE
BEGIN ATOMIC
    -- From 17 on a width can be infinite.
    SELECT m.months, extract(epoch FROM width - make_interval(months => m.months))
      FROM (SELECT CASE WHEN isfinite(width)
                        THEN (extract(year FROM width) * 12 + extract(month FROM width))::integer END) AS m (months);
END;
COMMENT ON FUNCTION kid.kid_period(interval) IS
    'returns the months of a width, and its seconds without them, or NULL if it is infinite';

-- Returns the time from which on gaps are filled. `follows` is true if that is the end of a partition, the first one of
-- IDs, and only gaps that begin there or later are filled. Otherwise it is `since` or the present, also within a gap.
CREATE OR REPLACE FUNCTION kid.kid_partition_origin(
    parent regclass, ids text, type regtype, since timestamptz, OUT begins timestamptz, OUT follows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT coalesce(max(p.ends), since, now()), max(p.ends) IS NOT NULL
      FROM (SELECT b.* FROM kid.kid_partition_bounds(parent, ids) AS b
             WHERE NOT b.detaching AND b.upper IS DISTINCT FROM '' ORDER BY b.lower LIMIT 1) AS p
     WHERE since IS NULL AND p.lower <= kid.kid_bound_at(type, now());
END;
COMMENT ON FUNCTION kid.kid_partition_origin(regclass, text, regtype, timestamptz) IS
    'returns the time from which on partitions are wanted, and whether a partition ends there';

-- Returns the gaps to fill, as bounds and times, and when the first period in each begins. The last gap has no upper
-- bound. date_trunc() and extract() are those of UTC, because the caller sets the time zone.
CREATE OR REPLACE FUNCTION kid.kid_partition_gaps(
    parent regclass, ids text, type regtype, width interval, since timestamptz)
    RETURNS TABLE (lower name, begins timestamptz, upper name, ends timestamptz, first timestamptz)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps" of the diagram: from each partition to the next one, also if nothing is between them. A partition
    -- of no IDs comes first, so that there is a gap before the others.
    WITH gaps AS (SELECT p.upper AS lower, p.ends AS begins, lead(p.lower) OVER sorted AS upper,
                         coalesce(lead(p.begins) OVER sorted, 'infinity') AS ends
                    FROM (SELECT b.lower, b.upper, b.begins, b.ends
                            FROM kid.kid_partition_bounds(parent, ids) AS b
                          UNION ALL SELECT '', '', '-infinity', '-infinity') AS p
                  WINDOW sorted AS (ORDER BY p.lower, p.ends))
    SELECT g.*, CASE WHEN w.months = 0 THEN date_bin(width, t, '2001-01-01 00:00:00+00')
                     ELSE date_trunc('month', t) - make_interval(months => mod(
                         (extract(year FROM t) * 12 + extract(month FROM t) - 1)::integer, w.months))
                END
      FROM kid.kid_partition_origin(parent, ids, type, since) AS o, gaps AS g,
           kid.kid_period(width) AS w,
           kid.kid_bound_at(type, '-infinity'::timestamptz) AS least_id,
           greatest(g.begins, o.begins, kid.kid_bound_time(type, least_id)) AS t
     -- Nothing comes after a partition to MAXVALUE.
     WHERE g.lower IS NOT NULL AND g.lower IS DISTINCT FROM g.upper AND (g.begins >= o.begins OR NOT o.follows);
END;
COMMENT ON FUNCTION kid.kid_partition_gaps(regclass, text, regtype, interval, timestamptz) IS
    'returns the gaps between the partitions of a table that are to be filled';

-- Returns the partitions that are missing, those for new rows first. `lower` and `upper` are their bounds, `begins` is
-- when the period of a partition begins, or its gap if that is later, and `n` is their order.
--
-- If there would be more than about 10000 of them, returns only the first of each gap, with `are_too_many`, and
-- kid_make_partitions() raises an error for that: counting what would be made takes less time than making its bounds.
-- `is_beyond_range` is true of a partition that would end after the last time of the type, for which that function
-- raises an error as well. The time zone is that of kid_partition_gaps().
CREATE OR REPLACE FUNCTION kid.kid_missing_partitions(
    parent regclass, ids text, type regtype, width interval, until timestamptz, since timestamptz)
    RETURNS TABLE (n bigint, begins timestamptz, lower name, upper name, are_too_many boolean, is_beyond_range boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps to fill" of the diagram, without gaps whose first period begins after `until`. All of these rows
    -- have the same `are_too_many`: whether they have more than 10000 periods together.
    WITH counted AS (SELECT g.*, sum((extract(epoch FROM least(g.ends, until)) - extract(epoch FROM g.first))
                                     / extract(epoch FROM width)) OVER () > 10000 AS are_too_many
                       FROM kid.kid_partition_gaps(parent, ids, type, width, since) AS g
                      WHERE g.first <= least(g.ends, until)),
         -- Where the pieces of the diagram begin: a row for each time unit in which a period begins. Beyond `until` one
         -- more unit ends the last piece. The longest unit is that of a kid96 with the greatest neighborhood, 1024 s.
         -- For months, and a gap that begins on January 10 and ends on February 20, the rows are:
         --
         --     t            unit         id                          lower               begins
         --     January 1    January 1    the lowest of January 1     that of the gap     January 10
         --     February 1   February 1   the lowest of February 1    the same as id      February 1
         cuts AS (SELECT CASE WHEN unit <= c.begins THEN c.lower ELSE id END AS lower, c.upper, c.are_too_many,
                         coalesce(min(t) FILTER (WHERE unit > c.begins OR id = c.lower), c.begins) AS begins
                    FROM counted AS c,
                         generate_series(c.first, CASE WHEN c.are_too_many THEN c.first
                                                       ELSE least(c.ends, until + width + interval '1024 s') END,
                                         width) AS t,
                         kid.kid_bound_at(type, t) AS id, kid.kid_bound_time(type, id) AS unit
                   WHERE unit < c.ends OR unit <= c.begins
                   GROUP BY 1, c.upper, c.begins, c.are_too_many),
         -- The line "pieces" of the diagram, and pieces that begin at `until` or later
         pieces AS (SELECT c.begins, c.lower, c.are_too_many,
                           coalesce(lead(c.lower) OVER (PARTITION BY c.upper ORDER BY c.lower), c.upper) AS upper
                      FROM cuts AS c)
    SELECT row_number() OVER (ORDER BY coalesce(p.upper > kid.kid_bound_at(type, now()), true) DESC, p.lower),
           p.begins, p.lower, p.upper, p.are_too_many,
           p.upper IS NULL OR p.upper = kid.kid_bound_at(type, 'infinity'::timestamptz)
      FROM pieces AS p
     WHERE p.lower <= kid.kid_bound_at(type, until - interval '1 microsecond');
END;
COMMENT ON FUNCTION kid.kid_missing_partitions(regclass, text, regtype, interval, timestamptz, timestamptz) IS
    'returns the partitions that a table lacks until a time, those for new rows first';

-- Returns an unused name, which says when the partition begins, after `skipped` other unused ones: several partitions
-- can begin in one time unit, but one call of kid_create_partitions() creates at most 10000. For example,
-- parts_p20240101 is a partition of parts; if that name is used, the next one is parts_p20240101_1.
--
-- The width decides which zeros at the end of the digits are omitted. If the name of the table is too long, it is cut,
-- by the cast to type name, which cuts where a character ends. One byte is left for the "_" that the name of the array
-- type begins with. The time zone is that of kid_partition_gaps().
CREATE OR REPLACE FUNCTION kid.kid_partition_name(
    parent regclass, width interval, begins timestamptz, skipped bigint) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT n.partition
      FROM pg_class AS c, kid.kid_period(width) AS w,
           regexp_replace(to_char(begins, 'YYYYMMDD_HH24MISSUS'),
                          CASE WHEN mod(w.seconds, 86400) = 0 THEN '(_0{12}|0{8}|0{6})$'
                               WHEN mod(w.seconds, 60) = 0 THEN '(0{8}|0{6})$' ELSE '0{6}$' END, '') AS digits,
           -- In FROM, PostgreSQL would store all rows of generate_series() before it reads the first. In the list of a
           -- SELECT it makes one row at a time, until the LIMIT is reached.
           (SELECT generate_series(0, 2147483647)) AS a (again),
           concat('_p', digits, '_' || nullif(a.again, 0)) AS suffix,
           concat(substr(('_' || suffix || c.relname)::name, length(suffix) + 2), suffix) AS n (partition),
           format('%s.%I', c.relnamespace::regnamespace, n.partition) AS full_name
     WHERE c.oid = parent AND to_regclass(full_name) IS NULL AND to_regtype(full_name) IS NULL
    OFFSET least(skipped, 10000) LIMIT 1;
END;
COMMENT ON FUNCTION kid.kid_partition_name(regclass, interval, timestamptz, bigint) IS
    'returns an unused name for the partition of a table that begins at a time';

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
CREATE OR REPLACE FUNCTION kid.kid_make_partitions(
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
COMMENT ON FUNCTION kid.kid_make_partitions(regclass, regtype, name, text, interval, integer, jsonb) IS
    'creates and attaches missing partitions, and returns their names';

-- What PostgreSQL does not pass on to a new partition: row-level security, replica identity, and what ANALYZE is told
-- of columns

-- A role that uses the parent needs no rights on partitions, and a REVOKE on the parent would not reach them. So this
-- takes away what default privileges grant. Row-level security without a policy hides all rows from a role that reads
-- the partition itself.
--
-- Minor releases of PostgreSQL mark columns by options whose names begin with pg_, which ALTER TABLE does not take.
--
-- The first command sets rights, the second all the rest. They take only names, so their text is put together; the
-- second is null if nothing is to be changed.
CREATE OR REPLACE FUNCTION kid.kid_finish_partition(
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
COMMENT ON FUNCTION kid.kid_finish_partition(regclass, regclass, regtype, name, text) IS
    'gives a new partition the rights and properties of its parent, and a constraint on the time of its IDs';

-- kid_create_partitions(): creates the partitions that a table lacks, for both editions
--
--     kid_create_partitions()         checks its arguments
--       kid_period()                  missing_partitions.sql: the width as months and seconds
--       kid_lock_partitions()         lock_partitions.sql: refuses other tables, and a snapshot that may be old
--         kid_lock_parent()           lock_partitions.sql: refuses other roles, and locks the table
--       kid_partition_key()           partition_key.sql: returns the column
--         kid_key_ids()               partition_key.sql: and the IDs that it contains
--           kid_default_ids()         stored_ids/default_ids.sql: what the default of a bigint says
--       kid_check_partition_setting() lock_partitions.sql: refuses if the times of IDs are not known
--       kid_partition_origin()        missing_partitions.sql: from when on partitions are wanted
--       kid_partition_bounds()        partition_bounds.sql: what there is
--       kid_report_detaching()        lock_partitions.sql: refuses or warns if a partition is being detached
--       kid_missing_partitions()      missing_partitions.sql: what to create
--         kid_partition_gaps()        missing_partitions.sql: where nothing is; calls kid_partition_origin() and
--                                     kid_partition_bounds() again
--       kid_partition_name()          missing_partitions.sql
--       kid_make_partitions()         make_partitions.sql: creates and attaches the tables
--       kid_time_check()              partition_bounds.sql: the condition of the constraint
--       kid_finish_partition()        finish_partition.sql: rights, properties and constraint of each table
--
-- kid_bound_at() and kid_bound_time() of forms.sql turn times into bounds and back, for each type, kid_bound_of()
-- and kid_stored_bound() what the catalog has for a bound, and kid_stored_forms() lists the types. kid_refuse(),
-- kid_refuse_null() and kid_check_isolation() of common.sql raise errors. ATTACH PARTITION locks the default partition.

CREATE OR REPLACE FUNCTION kid.kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100,
    time_check boolean DEFAULT false, ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT kid.kid_refuse_null('width') WHERE width IS NULL;
    SELECT kid.kid_refuse_null('until') WHERE until IS NULL;
    SELECT kid.kid_refuse_null('time_check') WHERE time_check IS NULL;
    SELECT kid.kid_refuse(
               '22023', format('width of a partition cannot be "%s"', width),
               'A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: at least 1 '
               'second and at most 292,000 years.')
      FROM kid.kid_period(width) AS w
     WHERE (w.months > 0 AND w.seconds = 0
            OR w.months = 0 AND w.seconds BETWEEN 1 AND 9223372036854 AND w.seconds = trunc(w.seconds)) IS NOT TRUE;
    SELECT kid.kid_refuse('22023', 'partitions cannot be created until or since an infinite time')
     WHERE NOT (isfinite(until) AND isfinite(coalesce(since, until)));
    SELECT kid.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT kid.kid_lock_partitions(parent, ids);
    SELECT kid.kid_check_partition_setting(k.setting) FROM kid.kid_partition_key(parent, ids) AS k;
    SELECT kid.kid_refuse('42501', format('must be owner of table %s', d.oid::regclass))
      FROM pg_partitioned_table AS p JOIN pg_class AS d ON d.oid = p.partdefid
     WHERE p.partrelid = parent AND pg_get_userbyid(d.relowner) <> current_user;
    -- First those for which there could be new rows.
    SELECT kid.kid_report_detaching(parent, b.partition, b.ends > now())
      FROM kid.kid_partition_key(parent, ids) AS k,
           kid.kid_partition_origin(parent, ids, k.type, since) AS o,
           kid.kid_partition_bounds(parent, ids) AS b
     WHERE b.detaching AND b.begins < until AND b.ends > o.begins
     ORDER BY b.ends > now() DESC, b.lower;
    -- Each of these queries reads what the one before it returns, which is what keeps them in this order: first the
    -- tables, then what completes them.
    WITH key AS MATERIALIZED (
        SELECT k.* FROM kid.kid_partition_key(parent, ids) AS k
    ), pieces AS MATERIALIZED (
        SELECT m.*, kid.kid_partition_name(
                   parent, width, m.begins, row_number() OVER (PARTITION BY m.begins ORDER BY m.n) - 1) AS partition
          FROM key AS k, kid.kid_missing_partitions(parent, ids, k.type, width, until, since) AS m
    ), made AS MATERIALIZED (
        SELECT m.n, m.partition
          FROM key AS k JOIN pg_type AS t ON t.oid = k.type::oid, kid.kid_make_partitions(
                   parent, k.stored_as, k.name,
                   CASE WHEN k.type = 'bigint'::regtype THEN 'kid53' ELSE concat('type ', t.typname) END,
                   width, at_most, (
                   SELECT jsonb_agg(to_jsonb(p) || jsonb_build_object(
                                        'lower', kid.kid_stored_bound(k.type, k.stored_as, p.lower),
                                        'upper', kid.kid_stored_bound(k.type, k.stored_as, p.upper)))
                     FROM pieces AS p)) AS m
    ), finished AS MATERIALIZED (
        SELECT p.n, m.partition, kid.kid_finish_partition(
                   parent, m.partition, k.type, CASE WHEN time_check THEN c.name END,
                   kid.kid_time_check(k.type, k.time_of, k.setting, p.lower, p.upper))
          FROM key AS k, made AS m JOIN pieces AS p ON p.n = m.n,
               -- A name that no constraint of the table has: kid_time, or kid_time_1 and so on. concat() skips a null.
               -- The + binds more tightly than the ||.
               (SELECT concat('kid_time', '_' || max(coalesce(substring(o.conname, '[0-9]+'), '0')::numeric) + 1)::name
                  FROM pg_constraint AS o WHERE o.conrelid = parent AND o.conname ~ '^kid_time(_[0-9]+|)$') AS c (name)
    )
    SELECT f.partition::text FROM finished AS f ORDER BY f.n;
END;
COMMENT ON FUNCTION
    kid.kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer, boolean, text) IS
    'creates the missing partitions of a table until a time, and returns their names';

-- Which partitions are old, and how they are dropped

-- Returns the partitions of a table, except the default partition. `is_old` is true if all of their IDs are older than
-- `older_than`, and `is_for_new_rows` if the partition ends after the present, and also after `older_than`.
--
-- A sequence makes numbers below 10^13, which as IDs are of the first 30 days of the type. A partition that begins
-- there, and ends in the first year, is for such numbers, however new its rows are: `has_numbers`.
CREATE OR REPLACE FUNCTION kid.kid_partition_ages(parent regclass, ids text, older_than timestamptz)
    RETURNS TABLE (partition oid, lower name, detaching boolean, is_foreign boolean, is_old boolean,
                   has_numbers boolean, is_for_new_rows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT b.partition::oid, b.lower, b.detaching, c.relkind = 'f',
           b.upper > l.least_id AND b.upper <= kid.kid_bound_at(k.type, older_than),
           b.lower < kid.kid_bound_of(k.type, 'bigint'::regtype, '10000000000000'::text)
           AND b.ends <= kid.kid_bound_time(k.type, l.least_id) + interval '1 year',
           b.ends > greatest(now(), older_than)
      FROM kid.kid_partition_key(parent, ids) AS k,
           kid.kid_bound_at(k.type, '-infinity'::timestamptz) AS l (least_id),
           kid.kid_partition_bounds(parent, ids) AS b JOIN pg_class AS c ON c.oid = b.partition;
END;
COMMENT ON FUNCTION kid.kid_partition_ages(regclass, text, timestamptz) IS
    'returns the partitions of a table, and whether all of their IDs are older than a time';

CREATE OR REPLACE FUNCTION kid.kid_partition_doubt(parent regclass, ids text) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT CASE WHEN k.setting IS NOT NULL
                THEN format('The value of "%s" may not be the one with which the IDs of the table were made.',
                            k.setting)
                WHEN k.stored_as = 'bigint'::regtype
                THEN format('The numbers of column "%s" may be other IDs than those of %s.', k.name,
                            CASE WHEN k.type = k.stored_as THEN 'kid53'
                                 ELSE (SELECT t.typname FROM pg_type AS t WHERE t.oid = k.type::oid) END) END
      FROM kid.kid_partition_key(parent, ids) AS k;
END;
COMMENT ON FUNCTION kid.kid_partition_doubt(regclass, text) IS
    'returns why the times of the partitions of a table may be wrong, or NULL if they cannot be';

-- Each partition has a constraint of its own for a foreign key, so that of the parent tells whether there is one. A
-- table can refer to itself. So can one of which the parent is a partition.
CREATE OR REPLACE FUNCTION kid.kid_report_references(parent regclass) RETURNS void
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
COMMENT ON FUNCTION kid.kid_report_references(regclass) IS
    'reports the tables whose foreign keys refer to a table whose partitions are to be dropped';

-- Takes rows of kid_partition_ages(), except those of partitions whose detaching has begun. Drops the partitions that
-- are old, at most so many, the oldest first, unless `dry_run`. The commands take only names, so their text is put
-- together. DETACH looks for rows that refer to those of a partition, with the rights of the caller. If row-level
-- security hid such rows, they would then refer to nothing, so it raises an error instead.
CREATE OR REPLACE FUNCTION kid.kid_drop_old_partitions(
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
COMMENT ON FUNCTION kid.kid_drop_old_partitions(regclass, timestamptz, boolean, integer, jsonb) IS
    'drops those of the given partitions that are old, and returns their names';

-- kid_drop_partitions(): drops the partitions of a table that are old, for both editions

CREATE OR REPLACE FUNCTION kid.kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100,
    ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT kid.kid_refuse_null(
               'older_than', 'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE older_than IS NULL;
    SELECT kid.kid_refuse_null('dry_run') WHERE dry_run IS NULL;
    SELECT kid.kid_refuse(
               '22023', 'partitions older than an infinite time cannot be dropped', '',
               'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE NOT isfinite(older_than);
    SELECT kid.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT kid.kid_lock_partitions(parent, ids) WHERE NOT dry_run;
    SELECT kid.kid_check_partition_setting(k.setting) FROM kid.kid_partition_key(parent, ids) AS k;
    -- If the times are wrong, the partitions of today seem to be old. Then no partition is for new rows.
    SELECT kid.kid_refuse(
               '55000', format('no partition of %s would remain for new rows', parent), d.doubt,
               'If the times are right, create partitions for new rows first, or drop the old ones by name.')
      FROM kid.kid_partition_doubt(parent, ids) AS d (doubt)
     WHERE d.doubt IS NOT NULL
           AND (SELECT NOT bool_or(a.is_for_new_rows) AND NOT bool_and(a.detaching)
                  FROM kid.kid_partition_ages(parent, ids, older_than) AS a);
    SELECT kid.kid_report_detaching(parent, a.partition::regclass, false)
      FROM kid.kid_partition_ages(parent, ids, older_than) AS a
     WHERE a.detaching AND a.is_old
     ORDER BY a.lower;
    SELECT kid.kid_report_references(parent)
     WHERE dry_run AND EXISTS (SELECT FROM kid.kid_partition_ages(parent, ids, older_than) AS a
                                WHERE a.is_old AND NOT a.detaching AND NOT a.has_numbers);
    SELECT d.name
      FROM kid.kid_drop_old_partitions(
               parent, older_than, dry_run, at_most, (
               SELECT jsonb_agg(to_jsonb(a))
                 FROM kid.kid_partition_ages(parent, ids, older_than) AS a WHERE NOT a.detaching)) AS d (name);
END;
COMMENT ON FUNCTION kid.kid_drop_partitions(regclass, timestamptz, boolean, integer, text) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';

-- The latest time of an ID that kid_observe() accepts, for both editions
--
-- In the extension the call of kid64_floor() loads the library, which defines the setting. In plain SQL there is no
-- such setting, and kid_observe() accepts an hour.

CREATE OR REPLACE FUNCTION kid.kid_farthest() RETURNS timestamptz
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT kid.kid64_floor(now());
    SELECT clock_timestamp()
           + CASE WHEN true THEN '1 hour' ELSE current_setting('kid.max_observe'::text) END::interval;
END;
COMMENT ON FUNCTION kid.kid_farthest() IS 'returns the latest time of an ID that kid_observe() accepts';

-- The columns that contain IDs which move a logical clock

-- Returns those of `parent` and of its partitions, or of the whole database if `parent` is null; with `only_clock`,
-- those of that clock alone. A column is in several rows if it can contain IDs of several types. The first five columns
-- of the result are those of kid_stored_forms(); `problem` says why the IDs cannot be read, or is null.
--
-- In the whole database every column counts that may contain IDs, so that the clocks move past them. In one table a
-- column of a core type counts only if the default that is in force for it makes IDs and nothing else. Otherwise
-- kid_check() could report other numbers as wrong IDs. The default of a domain is in force only for columns of exactly
-- this domain that have no default of their own. PostgreSQL copies it to a domain that is created over this one.
CREATE OR REPLACE FUNCTION kid.kid_id_columns(only_clock text, parent regclass)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, stored_as regtype, relation regclass,
                   attname name, attnum smallint, atttypid oid, problem text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    forms AS MATERIALIZED (SELECT * FROM kid.kid_stored_forms() WHERE clock IS NOT NULL),
    -- Each type that a column can have, with those that it is a domain over, and itself
    layers (type, below) AS (
        SELECT f.type::oid, f.type::oid FROM forms AS f
        UNION SELECT f.stored_as::oid, f.stored_as::oid FROM forms AS f
        UNION
        SELECT t.oid, b.below
          FROM layers AS l JOIN pg_type AS t ON t.typbasetype = l.type AND t.typtype = 'd',
               LATERAL (VALUES (t.oid), (l.below)) AS b (below)
    ),
    -- `parent`, its partitions, and theirs
    family (oid) AS (
        SELECT parent::oid UNION SELECT i.inhrelid FROM family AS f JOIN pg_inherits AS i ON i.inhparent = f.oid
    ),
    defaults AS MATERIALIZED (SELECT * FROM kid.kid_default_ids())
    SELECT DISTINCT f.clock, f.type, f.prefix, f.past, f.stored_as, c.oid::regclass, a.attname, a.attnum, a.atttypid,
           CASE WHEN c.relkind = 'f' THEN 'its rows are on another server'
                WHEN c.relkind = 'm' THEN 'it is in a materialized view'
                WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is in a temporary table of another session'
                WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN 'its table belongs to another role'
           END
      FROM forms AS f
           JOIN layers AS s ON s.below = f.stored_as
           JOIN pg_attribute AS a ON a.atttypid = s.type AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'm', 'f')
     WHERE (f.clock = only_clock) IS NOT FALSE AND (parent IS NULL OR c.oid IN (SELECT oid FROM family))
       AND (NOT f.is_core AND (a.atttypid, f.type::oid) IN (SELECT l.type, l.below FROM layers AS l)
            OR (c.oid, a.attname, f.type) IN (SELECT d.relid, d.attname, d.type FROM defaults AS d
                                                    WHERE d.relid IS NOT NULL AND (d.is_whole OR parent IS NULL))
            OR (a.atttypid, f.type) IN (
                SELECT l.type, d.type FROM defaults AS d JOIN layers AS l ON l.below = d.domain
                 WHERE parent IS NULL OR d.is_whole AND d.domain = a.atttypid AND NOT a.atthasdef));
END;
COMMENT ON FUNCTION kid.kid_id_columns(text, regclass) IS
    'returns the columns that contain IDs, and why one cannot be read';

-- Before the IDs of a column are read: locks its table, and decides whether and by which index they can be read
--
-- It is one function because what it decides holds only under the lock.

-- Takes a row of kid_id_columns(), and whether the current user is a superuser, who can lock rows of the catalog.
-- Returns:
--
--     option    the bits of pg_index.indoption of an index that begins with the column. Null if the IDs cannot be read,
--               or if the column contains none
--     problem   why the IDs cannot be read, or null
--     passing   whether the problem passes, so that a later call could succeed
--
-- The owner of a schema could rename it, give its name to another one, and later do the reverse. So a superuser locks
-- the row of the schema until the table is locked. From then on nobody else can take the name of the table.
--
-- LOCK TABLE takes only names, so its text is put together.
CREATE OR REPLACE FUNCTION kid.kid_lock_column(
    source jsonb, can_lock boolean, OUT option smallint, OUT problem text, OUT passing boolean)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    relation oid := source ->> 'relation';
    name text;
BEGIN
    -- 1. The lock. A table that was dropped has no IDs.
    IF can_lock THEN
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation FOR KEY SHARE OF n;
    ELSE
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    END IF;
    IF name IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', name);
    -- 2. The index, and whether the column is still the one that was to be read. An index serves if its operators are
    -- the default ones of the type, and if it has all rows.
    option := (SELECT i.indoption[0]
                 FROM pg_index AS i
                      JOIN pg_opclass AS o ON o.oid = i.indclass[0]
                      JOIN pg_am AS m ON m.oid = o.opcmethod AND m.amname = 'btree'
                WHERE i.indrelid = relation AND i.indkey[0] = (source ->> 'attnum')::smallint AND i.indisvalid
                  AND i.indpred IS NULL AND o.opcdefault AND o.opcintype = (source ->> 'stored_as')::oid LIMIT 1);
    passing := to_regclass(name) IS DISTINCT FROM relation
               OR NOT EXISTS (SELECT FROM pg_attribute AS a
                               WHERE a.attrelid = relation AND a.attname = source ->> 'attname'
                                 AND a.attnum = (source ->> 'attnum')::smallint
                                 AND a.atttypid = (source ->> 'atttypid')::oid);
    IF passing THEN
        problem := 'it was changed meanwhile';
    ELSIF option IS NULL AND pg_relation_size(relation) > 0 THEN
        problem := 'no btree index begins with it';
    -- 3. Planning the query could run code of others.
    ELSIF EXISTS (
        SELECT FROM (SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = relation
                     UNION ALL
                     SELECT 'pg_statistic_ext'::regclass, e.oid FROM pg_statistic_ext AS e WHERE e.stxrelid = relation
                     UNION ALL
                     SELECT 'pg_attrdef'::regclass, ad.oid
                       FROM pg_attrdef AS ad JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
                      WHERE ad.adrelid = relation AND a.attgenerated = 'v') AS x (class, oid)
               JOIN pg_depend AS d ON d.classid = x.class AND d.objid = x.oid
               LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
               LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
               LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
               JOIN pg_roles AS r ON r.oid = coalesce(p.proowner, o.oprowner, t.typowner)
         WHERE NOT r.rolsuper AND r.rolname <> current_user) THEN
        problem := 'indexes, statistics or virtual columns of its table depend on code of another role';
    END IF;
    IF problem IS NOT NULL THEN
        option := NULL;
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_lock_column(jsonb, boolean) IS
    'locks the table of a column, and returns why its IDs cannot be read; a part of kid_read_columns()';

-- Reads the greatest IDs of one column
--
-- For a column `id` of type bigint with kid64 it runs these queries, the first of which returns the greatest ID up to
-- $1, the other two a later one. $2 is $1 in the second, and otherwise -infinity.
--
--     SELECT *
--       FROM (SELECT count(*) FROM (ROWS LIMIT 0) AS s) AS s (strangers)
--            LEFT JOIN (SELECT v::kid.kid64::text, t, kid.kid64_timestamp(kid.kid64_ceil(t)),
--                              t <= kid.kid64_timestamp(kid.kid64_ceil($1))
--                         FROM (ROWS LIMIT ALL) AS s, LATERAL kid.kid64_timestamp(v::kid.kid64) AS t
--                        WHERE t > $2 LIMIT 1) AS f (id, issued, latest, is_up_to) ON true
--
-- where ROWS is, with an index in ascending order, one after the other:
--
--     SELECT id::bigint AS v FROM ONLY public.t
--      WHERE id::bigint OPERATOR(pg_catalog.<=) kid.kid64_ceil($1)::bigint
--      ORDER BY id::bigint USING OPERATOR(pg_catalog.>) NULLS FIRST
--      WHERE id::bigint OPERATOR(pg_catalog.>=) kid.kid64_floor($1)::bigint ORDER BY ...
--      WHERE id::bigint OPERATOR(pg_catalog.<) 0 ORDER BY ...
--
-- Each begins at one end of a range of the index, and goes on only while values are no IDs.
--
-- For kid53 one more query returns a number that is no ID, because it is above all of them or negative. In plain SQL it
-- also does so for kid64, of which no negative number is an ID there.

-- Takes the OID of kid's schema, a row of kid_id_columns(), and the option of an index that kid_lock_column() returned
-- for it. If that is null, there are no IDs, or they cannot be read. Reads the name of the schema now, because it may
-- have changed while that function waited.
--
-- A stranger is a value that is no ID. A query passes over at most `most_strangers` of them.
--
-- The queries are text because they name a table and a column, and functions and operators of kid with their schema.
CREATE OR REPLACE FUNCTION kid.kid_read_ids(
    home oid, source jsonb, option smallint, OUT id text, OUT issued timestamptz, OUT latest timestamptz,
    OUT later text, OUT later_issued timestamptz, OUT stranger text, OUT problem text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    most_strangers CONSTANT integer := 1000;
    home_name name := (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home);
    relation regclass := (source ->> 'relation')::oid;
    type regtype := (source ->> 'type')::oid;
    stored_as regtype := (source ->> 'stored_as')::oid;
    since timestamptz := source ->> 'since';
    -- A column of type uuid can have any uuids, and a bigint is a kid53 only if it is in the range of kid53. But every
    -- bigint has the bits of some kid64 or flake.
    may_have_strangers boolean := stored_as = 'uuid'::regtype OR type = 'bigint'::regtype;
    -- In plain SQL, kid64 is a domain.
    is_plain boolean := (SELECT t.typtype = 'd' FROM pg_type AS t WHERE t.oid = type);
    -- INDOPTION_DESC and INDOPTION_NULLS_FIRST of PostgreSQL's pg_index.h
    is_descending boolean := option & 1 <> 0;
    are_nulls_first boolean := option & 2 <> 0;
    -- Pieces of the queries: the value of a row, the schema of its operators, and functions of kid
    value text := format('%I::%s', source ->> 'attname', stored_as);
    operators name := CASE WHEN stored_as IN ('uuid'::regtype, 'bigint'::regtype) THEN 'pg_catalog'
                           ELSE home_name END;
    floor_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_floor'));
    ceil_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_ceil'));
    time_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_timestamp'));
    part text;                          -- which of the queries
    condition text;                     -- what stands in ROWS after WHERE
    rows text;                          -- ROWS
    first_id text;                      -- the subquery f
    found record;                       -- what the query returned
BEGIN
    IF option IS NULL THEN
        RETURN;
    END IF;
    FOREACH part IN ARRAY '{up to since,later,negative}'::text[] LOOP
        -- As an ID of a type in C, a negative bigint is later than all others.
        CONTINUE WHEN part = 'negative' AND (may_have_strangers OR is_plain OR stored_as <> 'bigint'::regtype
                                             OR later IS NOT NULL);
        condition := CASE part
            WHEN 'up to since' THEN format('%s OPERATOR(%I.<=) %s($1)::%s', value, operators, ceil_of, stored_as)
            WHEN 'later' THEN format('%s OPERATOR(%I.>=) %s($1)::%s', value, operators, floor_of, stored_as)
            ELSE format('%s OPERATOR(%I.<) 0', value, operators) END;
        IF part = 'up to since' AND is_plain THEN
            condition := condition || format(' AND %s OPERATOR(%I.>=) 0', value, operators);
        ELSIF part = 'later' AND may_have_strangers THEN
            -- Strangers above the greatest ID must not be in the way of IDs.
            condition := condition || format(' AND %s OPERATOR(%I.<=) %s(timestamptz ''infinity'')::%s', value,
                                             operators, ceil_of, stored_as);
        END IF;
        rows := concat(format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, condition),
                       format(' ORDER BY %s USING OPERATOR(%I.>) NULLS %s', value, operators,
                              CASE WHEN is_descending = are_nulls_first THEN 'FIRST' ELSE 'LAST' END));
        first_id := format('SELECT v::%1$s::text, t, %2$s(%3$s(t)), t <= %2$s(%3$s($1)) '
                           'FROM (%4$s LIMIT %5$s) AS s, LATERAL %2$s(v::%1$s) AS t WHERE t > $2 LIMIT 1',
                           type, time_of, ceil_of, rows,
                           CASE WHEN may_have_strangers THEN most_strangers::text ELSE 'ALL' END);
        EXECUTE format('SELECT * FROM (SELECT count(*) FROM (%s LIMIT %s) AS s) AS s (strangers) '
                       'LEFT JOIN (%s) AS f (id, issued, latest, is_up_to) ON true',
                       rows, CASE WHEN may_have_strangers THEN most_strangers ELSE 0 END, first_id)
            INTO found USING since, CASE part WHEN 'later' THEN since ELSE '-infinity' END;
        IF part <> 'up to since' THEN
            later := found.id;
            later_issued := found.issued;
        ELSIF found.is_up_to THEN
            SELECT found.id, found.issued, found.latest INTO id, issued, latest;
        END IF;
        IF found.id IS NULL AND found.strangers >= (CASE part WHEN 'up to since' THEN 1 ELSE most_strangers END) THEN
            problem := 'it contains values that have no time';
        END IF;
    END LOOP;
    -- Numbers beyond the range of the type are strangers whatever else the column contains.
    IF type = 'bigint'::regtype OR is_plain THEN
        rows := format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, value);
        EXECUTE format('SELECT v::text FROM (%1$s > %2$s(timestamptz ''infinity'') UNION ALL %1$s < 0) AS s LIMIT 1',
                       rows, ceil_of)
            INTO stranger;
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_read_ids(oid, jsonb, smallint) IS
    'returns the greatest ID up to a time in a column, and a later one; a part of kid_read_columns()';

-- Reads the IDs of columns, one column after the other, each in a subtransaction that gives back its locks

-- Takes rows of kid_id_columns(), with two more columns: `n`, in the order of which they are read, and `since`, up to
-- which the greatest ID is sought. Returns what kid_stored_ids() returns.
--
-- `home` is the OID of kid's schema. A superuser locks the row of that schema, so that nobody can give its name to
-- another one while a query names it. The query is text because of that name, which can change between two columns.
--
-- The error KID00, which the function raises and catches, rolls back the subtransaction, and so gives back the locks.
-- The settings make each query read an index in its order, and keep constraints and policies from being evaluated.
CREATE OR REPLACE FUNCTION kid.kid_read_columns(home oid, columns jsonb)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, relation regclass, column_name text, id text,
                   issued timestamptz, latest timestamptz, later text, later_issued timestamptz, stranger text,
                   problem text, passing boolean)
    LANGUAGE plpgsql VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off
    SET constraint_exclusion = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off
    -- Longer than deadlock_timeout by default, so that autovacuum gives way.
    SET lock_timeout = '1500ms' AS $$
DECLARE
    -- The setting is_superuser does not tell, because a SECURITY DEFINER function does not change it.
    can_lock boolean := (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user);
    locked regclass := 0;               -- the last table that was locked; a table can have 1600 columns
    source record;
BEGIN
    FOR source IN
        SELECT c.* FROM jsonb_to_recordset(columns) AS c (
            n bigint, clock text, type oid, prefix text, past text, stored_as oid, relation oid, attname text,
            attnum smallint, atttypid oid, since timestamptz, problem text)
         ORDER BY c.n
    LOOP
        SELECT source.clock, source.type, source.prefix, source.past, source.relation, source.attname,
               CASE WHEN source.relation = locked THEN 'the table is locked' ELSE source.problem END,
               source.relation = locked
          INTO clock, type, prefix, past, relation, column_name, problem, passing;
        id := NULL; issued := NULL; latest := NULL; later := NULL; later_issued := NULL;
        stranger := NULL;
        IF problem IS NOT NULL THEN
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            IF can_lock THEN
                PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
            END IF;
            EXECUTE format('SELECT r.id, r.issued, r.latest, r.later, r.later_issued, r.stranger, '
                           'coalesce(l.problem, r.problem), l.passing FROM %1$I.kid_lock_column($1, $2) AS l, '
                           'LATERAL %1$I.kid_read_ids($3, $1, l.option) AS r',
                           (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home))
                INTO id, issued, latest, later, later_issued, stranger, problem, passing
                USING to_jsonb(source), can_lock, home;
            RAISE SQLSTATE 'KID00';
        EXCEPTION
            WHEN SQLSTATE 'KID00' THEN
                NULL;
            WHEN lock_not_available THEN
                problem := 'the table is locked';
                passing := true;
                locked := relation;
            WHEN OTHERS THEN
                problem := 'it cannot be read: ' || SQLERRM;
                -- Deadlocks and damage.
                passing := SQLSTATE ~ '^(40|XX|58)';
        END;
        IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid.kid_read_columns(oid, jsonb) IS
    'returns the highest ID up to a time in each of the given columns, a later one, and a number that is no ID';

-- kid_stored_ids(): the greatest IDs that tables contain, for both editions
--
-- As a superuser these functions run no code that an owner of a table wrote. Even planning a query can run such code,
-- because PostgreSQL evaluates the constant parts of index expressions, of predicates, and of statistics. So
-- kid_lock_column() first takes locks that keep the table, its indexes, its statistics and its name from being changed.
-- Then it refuses tables with objects that depend on code of others. The settings of kid_read_columns() keep
-- constraints from being evaluated and policies from being applied. Functions of kid and operators on IDs are named
-- with their schema, and operands have exactly their types, so that nothing of others in that schema fits better: a
-- cast removes domains.

-- Returns a row for each column of IDs that move a clock, of `parent` and of its partitions, or of the whole database
-- if `parent` is null; with `only_clock`, of that clock alone. If `after` is null, the end of the first 30 days of the
-- type takes its place: keys of a sequence below 10^13 have such times.
--
--     clock, past, prefix   those of the type in kid_stored_forms()
--     relation, column_name
--     id, issued            the greatest ID up to the end of the time unit of `after`, and its time
--     latest                no ID up to `id` has a later time. Of most types it is the end of the time unit of `id`
--     later, later_issued   the greatest ID with a time after `after`, and its time
--     stranger              a number in a column of kid53 that is negative or above all of them
--     problem               why IDs of the column were not read, or null
--     passing               whether the problem passes, so that a later call could succeed
CREATE OR REPLACE FUNCTION kid.kid_stored_ids(
    after timestamptz, only_clock text DEFAULT NULL, parent regclass DEFAULT NULL)
    RETURNS TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
                   latest timestamptz, later text, later_issued timestamptz, stranger text, problem text,
                   passing boolean)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    -- With the snapshot of an earlier statement, a query could see an index, or rows, as they were before the lock.
    SELECT kid.kid_check_isolation('stored IDs can only be read at READ COMMITTED');
    SELECT r.clock, r.past, r.prefix, r.relation, r.column_name, r.id, r.issued, r.latest, r.later, r.later_issued,
           r.stranger, r.problem, r.passing
      -- p has the schema of kid.
      FROM pg_proc AS p,
           kid.kid_read_columns(p.pronamespace, (
               SELECT jsonb_agg(to_jsonb(c))
                 FROM (SELECT row_number() OVER (ORDER BY c.relation, c.attnum) AS n, c.clock, c.type::oid, c.prefix,
                              c.past, c.stored_as::oid, c.relation::oid, c.attname, c.attnum, c.atttypid, c.problem,
                              coalesce(after, kid.kid_bound_time(
                                  c.type, kid.kid_bound_at(c.type, '-infinity'::timestamptz))
                                  + interval '30 days') AS since
                         FROM kid.kid_id_columns(only_clock, parent) AS c) AS c)) AS r
     WHERE p.oid = 'kid.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION kid.kid_stored_ids(timestamptz, text, regclass) IS
    'returns for each column of IDs the highest ID up to a time, the highest later ID, and a number that is no ID';

-- kid_observe_all(): moves the logical clocks past the IDs that tables contain

-- `observe` and `past` are names of functions of kid, and `home` is the OID of its schema. The call is text, so that
-- PostgreSQL looks them up when it runs: a role needs EXECUTE on kid_observe() only if its columns have IDs.
--
-- A superuser locks the name of kid's schema. The error KID00, which the function raises and catches, rolls back the
-- subtransaction, and so gives back the lock. The clock stays where kid_observe() has moved it: neither shared memory
-- nor, in plain SQL, a sequence is rolled back.
CREATE OR REPLACE FUNCTION kid.kid_move_clock(home oid, observe text, past text, moved_to timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
    END IF;
    EXECUTE format('SELECT %1$I.%2$I(%1$I.%3$I($1))', (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home),
                   observe, past) USING moved_to;
    RAISE SQLSTATE 'KID00';
EXCEPTION WHEN SQLSTATE 'KID00' THEN
    NULL;
END $$;
COMMENT ON FUNCTION kid.kid_move_clock(oid, text, text, timestamptz) IS
    'moves a logical clock past a time; a part of kid_observe_all()';

-- Moves a clock past the whole time unit of the greatest ID, because later IDs of the unit may have been issued. The
-- greatest kid96 of a neighborhood need not be the latest, so the clock moves past the neighborhood. That is the time
-- `latest` of kid_stored_ids(). IDs beyond the time `farthest` do not count, because kid_observe() rejects them, and so
-- they have rows of their own. Of all columns of a clock, the one with the latest IDs decides.
--
-- A column with IDs is not in the result for its problem, which then is only that it has strangers, too.
CREATE OR REPLACE FUNCTION kid.kid_observe_all()
    RETURNS TABLE (clock text, id text, issued timestamptz, relation regclass, column_name text, problem text)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10 SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT kid.kid_refuse('25006', 'cannot execute kid_observe_all() during recovery')
     WHERE pg_is_in_recovery();
    WITH farthest AS MATERIALIZED (SELECT kid.kid_farthest() AS time),
         stored AS MATERIALIZED (
             SELECT s.* FROM farthest AS t, kid.kid_stored_ids(t.time, NULL::text, NULL::regclass) AS s),
         deciding AS (
             SELECT DISTINCT ON (s.clock) s.*, least(s.latest, t.time) AS moved_to
               FROM stored AS s, farthest AS t WHERE s.id IS NOT NULL ORDER BY s.clock, least(s.latest, t.time) DESC),
         moved AS MATERIALIZED (
             SELECT d.*, kid.kid_move_clock(p.pronamespace, o.observe, d.past, d.moved_to)
               FROM deciding AS d
                    JOIN (SELECT DISTINCT f.past, f.observe FROM kid.kid_stored_forms() AS f) AS o
                      ON o.past = d.past,
                    pg_proc AS p
              WHERE p.oid = 'kid.kid_stored_forms()'::regprocedure)
    SELECT o.clock, o.id, o.issued, o.relation, o.column_name, o.problem
      FROM (SELECT f.clock, m.id, m.issued, m.relation, m.column_name, NULL AS problem
              FROM (SELECT DISTINCT f.clock FROM kid.kid_stored_forms() AS f WHERE f.clock IS NOT NULL) AS f
                   LEFT JOIN moved AS m ON m.clock = f.clock
            UNION ALL
            SELECT s.clock, NULL, NULL, s.relation, s.column_name, s.problem
              FROM stored AS s WHERE s.problem IS NOT NULL AND s.id IS NULL
            UNION ALL
            SELECT s.clock, s.later, s.later_issued, s.relation, s.column_name,
                   'it has IDs that are further ahead than kid_observe() accepts; this is the greatest'
              FROM stored AS s WHERE s.later IS NOT NULL) AS o
     ORDER BY o.problem IS NOT NULL, o.clock, o.relation::text, o.column_name;
END;
COMMENT ON FUNCTION kid.kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';
REVOKE ALL ON FUNCTION kid.kid_observe_all() FROM PUBLIC;

-- Finds columns of IDs whose default does not make IDs, for kid_check()
--
-- A column with a foreign key need not make IDs.

CREATE OR REPLACE FUNCTION kid.kid_check_defaults(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, is_generated, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.attgenerated <> '', a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid = relation
        UNION
        SELECT l.relid, l.attnum, l.attname, l.is_generated, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    )
    SELECT DISTINCT relation, l.attname::text,
           format('its default, %s, does not make a %s: IDs of new rows have wrong times, and may not be unique',
                  pg_get_expr(ad.adbin, ad.adrelid), f.type),
           format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s();', relation, l.attname, f.next::oid::regproc)
      FROM layers AS l
           JOIN kid.kid_stored_forms() AS f ON f.type::oid = l.type AND NOT f.is_core
           JOIN pg_attrdef AS ad ON ad.adrelid = l.relid AND ad.adnum = l.attnum
     WHERE NOT l.is_generated
       AND NOT EXISTS (SELECT FROM pg_depend AS d
                              JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass::oid AND p.oid = d.refobjid
                        WHERE d.classid = 'pg_attrdef'::regclass::oid AND d.objid = ad.oid
                          AND p.prorettype = f.type::oid AND p.provolatile = 'v')
       AND NOT EXISTS (SELECT FROM pg_constraint AS k
                        WHERE k.contype = 'f' AND k.conrelid = relation::oid AND l.attnum = ANY (k.conkey));
END;
COMMENT ON FUNCTION kid.kid_check_defaults(regclass) IS
    'returns the columns whose default does not make IDs; a part of kid_check()';

-- Finds foreign keys between IDs and other types, for kid_check()
--
-- For a foreign key from text PostgreSQL needs the collation of the parent's column, and IDs have none.

CREATE OR REPLACE FUNCTION kid.kid_check_foreign_keys(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    keys AS (SELECT k.conname, k.conrelid, k.confrelid, p.child, p.parent
               FROM pg_constraint AS k, unnest(k.conkey, k.confkey) AS p (child, parent)
              WHERE k.contype = 'f' AND k.conparentid = '0'::oid AND relation::oid IN (k.conrelid, k.confrelid)),
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid IN (SELECT relation::oid
                              UNION SELECT k.conrelid FROM keys AS k UNION SELECT k.confrelid FROM keys AS k)
        UNION
        SELECT l.relid, l.attnum, l.attname, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    ),
    sides AS (SELECT l.relid, l.attnum, l.relid::regclass AS name, l.attname, l.type, l.type::regtype AS type_name,
                     t.typcollation <> '0'::oid AS is_text,
                     l.type IN (SELECT s.type::oid FROM kid.kid_stored_forms() AS s
                                 WHERE NOT s.is_core) AS is_id
                FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype <> 'd')
    -- For example, of column order_id: foreign key "lines_order_id_fkey" compares it, of type text, with column "id" of
    -- shop.orders, of type kid64: every DELETE and key UPDATE of shop.orders fails
    SELECT c.name, c.attname::text,
           format(
               'foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
               k.conname, c.type_name, p.attname, p.name, p.type_name,
               CASE WHEN p.is_id AND c.is_text
                    THEN format('every DELETE and key UPDATE of %s fails', p.name)
                    ELSE 'no index can be used to look up the rows of a key' END),
           CASE WHEN p.is_id THEN format(r.form, c.name, c.attname, p.type_name)
                ELSE format(r.form, p.name, p.attname, c.type_name) END
      FROM keys AS k
           JOIN sides AS c ON c.relid = k.conrelid AND c.attnum = k.child
           JOIN sides AS p ON p.relid = k.confrelid AND p.attnum = k.parent,
           (VALUES ('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;')) AS r (form)
     WHERE c.type <> p.type AND (c.is_id OR p.is_id);
END;
COMMENT ON FUNCTION kid.kid_check_foreign_keys(regclass) IS
    'returns the foreign keys between IDs and other types; a part of kid_check()';

-- Finds partitions that evade rights and policies of their parent, for kid_check()
--
-- PostgreSQL checks the rights and the policies of the table that a query names, and of no partition below it. Foreign
-- tables have no row-level security. On a default partition FORCE would hide rows from kid_create_partitions().

CREATE OR REPLACE FUNCTION kid.kid_check_partitions(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    below (oid) AS (
        SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = relation::oid
        UNION SELECT i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid
    ),
    partitions AS (SELECT c.oid, c.oid::regclass AS name, c.relowner, c.relacl, t.oid AS parent,
                          t.oid::regclass AS parent_name, t.relowner AS parent_owner,
                          t.relrowsecurity AND c.relkind = "char" 'f' AS evades_policies,
                          t.relrowsecurity AND c.relkind <> "char" 'f' AND NOT c.relrowsecurity AS lacks_policies,
                          t.relrowsecurity AND t.relforcerowsecurity AND c.relkind <> "char" 'f'
                          AND NOT c.relforcerowsecurity
                          AND NOT EXISTS (SELECT FROM pg_partitioned_table AS d WHERE d.partdefid = c.oid)
                          AS lacks_force
                     FROM below AS b JOIN pg_class AS c ON c.oid = b.oid AND c.relispartition
                          JOIN pg_class AS t ON t.oid = relation::oid),
    -- Rights on tables, and on columns: those have a number.
    grants AS (SELECT p.oid, p.relacl AS acl, NULL::smallint AS parent_num FROM partitions AS p
               UNION ALL
               SELECT p.oid, c.attacl, u.attnum
                 FROM partitions AS p JOIN pg_attribute AS c ON c.attrelid = p.oid AND c.attacl IS NOT NULL
                      JOIN pg_attribute AS u ON u.attrelid = p.parent AND u.attname = c.attname),
    -- To take back what another role than the owner granted, the owner takes the right from that role, with CASCADE.
    strangers AS (SELECT p.name, p.parent_name, bool_or(r.oid = a.grantee) AS has_more,
                         CASE r.oid WHEN '0'::oid THEN text 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.oid)::text) END
                         AS role
                    FROM partitions AS p JOIN grants AS g ON g.oid = p.oid, aclexplode(g.acl) AS a,
                         LATERAL (VALUES (concat(a.privilege_type,
                                                 CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END)))
                                 AS o (privilege),
                         LATERAL (VALUES (a.grantor), (a.grantee)) AS r (oid)
                   WHERE a.grantee <> p.relowner AND r.oid <> p.relowner
                     AND (p.evades_policies
                          OR NOT CASE WHEN g.parent_num IS NULL
                                      THEN has_table_privilege(a.grantee, p.parent, o.privilege)
                                      ELSE has_column_privilege(a.grantee, p.parent, g.parent_num, o.privilege) END)
                   GROUP BY p.name, p.parent_name, r.oid)
    SELECT p.name, NULL::text, f.problem, f.remedy
      FROM partitions AS p,
           LATERAL (VALUES
               (NOT pg_has_role(p.relowner, p.parent_owner, text 'USAGE'),
                format('it belongs to another role than %s', p.parent_name),
                format('ALTER TABLE %s OWNER TO %I;', p.name, pg_get_userbyid(p.parent_owner))),
               (p.lacks_policies,
                format('it lacks the row-level security of %s: roles with rights on it see all rows', p.parent_name),
                format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY;', p.name)),
               (p.lacks_force,
                format('it does not force row-level security as %s does: its owner sees all rows', p.parent_name),
                format('ALTER TABLE %s FORCE ROW LEVEL SECURITY;', p.name)))
               AS f (is_found, problem, remedy)
     WHERE f.is_found
    UNION ALL
    SELECT s.name, NULL::text,
           format('roles have rights on it that they do not have through %s: %s', s.parent_name,
                  string_agg(s.role, text ', ' ORDER BY s.role) FILTER (WHERE s.has_more)),
           format('REVOKE ALL ON TABLE %s FROM %s CASCADE;', s.name, string_agg(s.role, text ', ' ORDER BY s.role))
      FROM strangers AS s GROUP BY s.name, s.parent_name;
END;
COMMENT ON FUNCTION kid.kid_check_partitions(regclass) IS
    'returns the partitions that evade rights and policies of their parent; a part of kid_check()';

-- kid_check(): finds what is wrong with the IDs of a table, and with the rights on its partitions, for both editions
--
-- Names in texts have their schema: the search_path has none.

CREATE OR REPLACE FUNCTION kid.kid_check(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL VOLATILE STRICT COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    WITH found (n, relation_name, column_name, problem, remedy) AS (
        SELECT 1, c.* FROM kid.kid_check_defaults(relation) AS c
        UNION ALL
        SELECT 2, c.* FROM kid.kid_check_foreign_keys(relation) AS c
        UNION ALL
        -- kid_stored_ids() runs twice: with null for IDs with times in the first 30 days of the type, and with the
        -- latest time that kid_observe() accepts for IDs that are later than that.
        SELECT 3, s.relation, s.column_name, f.problem, f.remedy
          FROM (VALUES (NULL), (kid.kid_farthest())) AS a (after),
               LATERAL kid.kid_stored_ids(a.after, NULL::text, relation) AS s,
               LATERAL (VALUES
                   (a.after IS NULL AND s.id IS NOT NULL,
                    format('IDs up to %s have times up to %s: they were plain numbers before', s.id, s.issued),
                    format('Do not use the times of these IDs, or give the rows, and the rows that refer to them, new '
                           'IDs with %s_at().', s.prefix)),
                   (a.after IS NOT NULL AND s.later IS NOT NULL,
                    format('IDs up to %s have times up to %s, further ahead of the system clock than '
                           'kid_observe() accepts', s.later, s.later_issued),
                    'Delete or correct these rows. If new IDs are as late, the clock was wrong: in the extension, see '
                    'kid_reset_clock().'),
                   (a.after IS NOT NULL AND s.stranger IS NOT NULL,
                    format('it contains numbers that are no %s and have no time, such as %s', s.prefix, s.stranger),
                    format('Correct or delete the rows of SELECT * FROM %s WHERE %I %s;', s.relation,
                           s.column_name, CASE s.prefix WHEN 'kid53' THEN 'NOT BETWEEN 0 AND 9007199254740991'
                                                        ELSE '< 0' END)),
                   (a.after IS NOT NULL AND s.problem IS NOT NULL AND s.id IS NULL AND s.stranger IS NULL,
                    format('its IDs were not examined: %s', s.problem),
                    format('As %s, look at the least and the greatest ID.',
                           CASE WHEN row_security_active(s.relation::oid)
                                THEN 'a superuser or a role with BYPASSRLS' ELSE 'the owner of the table' END)))
                   AS f (is_found, problem, remedy)
         WHERE f.is_found
        UNION ALL
        SELECT 4, c.* FROM kid.kid_check_partitions(relation) AS c
    )
    SELECT f.relation_name, f.column_name, f.problem, f.remedy FROM found AS f
     ORDER BY f.n, f.relation_name::text, f.column_name, f.problem;
END;
COMMENT ON FUNCTION kid.kid_check(regclass) IS
    'returns a row for each problem with the IDs and the partitions of a table, with its remedy';

-- Rights, whatever the default privileges of the role are
--
-- They are here and not beside each function, as in the extension, because the script can run again. First everybody
-- may call every routine, new ones among them. Then `functions` lists those that nobody may call but the owner, and the
-- roles to which the owner granted it since. A new function that moves a clock or shows what others do has to be added
-- there: test/t/plain.pl compares that with the extension.

GRANT USAGE ON TYPE kid.kid64 TO PUBLIC;
-- Routines on worker numbers have rights of their own: see plain/workers/rights.sql.
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace AND p.proname !~ 'worker' LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;

private := 'kid_clocks';
schemas := '{kid,kid_clocks}';
-- kid_observe() moves a clock. A role that calls kid64_at() or kid53_at() often can make it repeat IDs for others.
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace
                      AND p.proname IN ('kid_observe', 'kid53_observe', 'kid_observe_all', 'kid64_at', 'kid53_at',
                                        'kid_stats'));

-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`.
-- Outside `private`, other roles than PUBLIC keep what they have on `old_schemas` and `old_functions`, which were
-- there before the script ran: the owner granted it since.
FOR what IN
    WITH objects (kind, home, is_old, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.oid = ANY (old_schemas), n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, false,
               c.oid::regclass::text, c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'ROUTINE', p.pronamespace, p.oid = ANY (old_functions), p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR NOT o.is_old OR a.grantee = 0) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;

GRANT EXECUTE ON FUNCTION kid.kid_stats() TO pg_read_all_stats;
FOR what IN SELECT c.oid::regclass AS name FROM pg_class AS c
             WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname ~ '_clock$' LOOP
    -- For kid_track(). Nobody can name the clocks, but who knows their OID can read what kid_next() returned.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;

-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
