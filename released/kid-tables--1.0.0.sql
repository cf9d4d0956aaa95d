-- partitions by time, in plain SQL, beside kid-ids. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid, kid_clocks. The role that runs it owns the logical clocks. To
-- upgrade, run it again, or a later version, as the same role: it replaces functions, and keeps clocks, types and keys.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, those in
-- PL/pgSQL in the caller's session: so they set the search_path or, where that would take too long, use no operator and
-- give every name its schema.

DO $kid$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    home pg_catalog.text;
    what record;
BEGIN
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- Creates the schemas that are missing. The others must belong to this role, and so must all that is in them: functions
-- that run as this role call it.
FOREACH home IN ARRAY '{kid,kid_clocks}'::text[] LOOP
    IF to_regnamespace(home) IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', home);
    ELSIF EXISTS (SELECT FROM pg_namespace AS n, LATERAL (
                      SELECT n.nspowner
                      UNION ALL SELECT a.grantee FROM aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE'
                      UNION ALL SELECT c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid
                      UNION ALL SELECT t.typowner FROM pg_type AS t WHERE t.typnamespace = n.oid
                      UNION ALL SELECT p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
                      UNION ALL SELECT o.oprowner FROM pg_operator AS o WHERE o.oprnamespace = n.oid) AS o (role)
                   WHERE n.nspname = home AND o.role <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user)) THEN
        RAISE 'schema %, or something in it, belongs to another role', home
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Run the script as the owner of the schema, and let no other role create objects there.';
    END IF;
END LOOP;

IF to_regprocedure('kid.kid_version()') IS NULL THEN
    RAISE 'kid in plain SQL is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
ELSIF kid.kid_version() <> '1.0.0' THEN
    RAISE 'this is version 1.0.0 of a module, and kid-ids is of version %', kid.kid_version()
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run kid-ids--1.0.0.sql first.';
END IF;
PERFORM set_config('search_path', 'kid, pg_temp', true);

-- uuid version 7: its time, and bounds of time
--
-- A comparison with a bound compares all uuids by their bytes, whatever their version is.

CREATE OR REPLACE FUNCTION kid_uuidv7_millis(id uuid) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint;
CREATE OR REPLACE FUNCTION kid_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
            THEN kid_time(kid_uuidv7_millis(id) * 1000) END;
CREATE OR REPLACE FUNCTION kid_uuidv7_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp(id);

CREATE OR REPLACE FUNCTION kid_uuidv7_bound(ts timestamptz, below text) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex(kid_micros(least(greatest(ts, timestamptz '1970-01-01 00:00:00+00'),
                                     timestamptz '10889-08-02 05:31:50.655999+00')) / 1000), 12, '0') || below)::uuid;

CREATE OR REPLACE FUNCTION kid_uuidv7_floor(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70008000000000000000') END;
CREATE OR REPLACE FUNCTION kid_uuidv7_ceil(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < timestamptz '1970-01-01 00:00:00+00' THEN '00000000-0000-7000-8000-000000000000'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;

COMMENT ON FUNCTION kid_uuidv7_millis(id uuid) IS 'returns the first 48 bits of a uuid';
COMMENT ON FUNCTION kid_timestamp(id uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
COMMENT ON FUNCTION kid_uuidv7_timestamp(id uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';
COMMENT ON FUNCTION kid_uuidv7_bound(ts timestamptz, below text) IS
    'returns the uuid of the millisecond of an instant with the other 80 bits as given in hexadecimal';
COMMENT ON FUNCTION kid_uuidv7_floor(ts timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
COMMENT ON FUNCTION kid_uuidv7_ceil(ts timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';

-- uuid: a range of time for both editions
--
-- In plain SQL no operator compares an ID with a time: one for kid64, a domain over bigint, would compare every integer.
-- If this function were STRICT, PostgreSQL would not inline it, and a condition would not become a range of the key.

CREATE OR REPLACE FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN id >= kid_uuidv7_floor(since) AND id < kid_uuidv7_floor(until);

COMMENT ON FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) IS
    'tells whether an ID is of an instant or later, and earlier than another';

-- Partitions by time, for both editions
--
-- A table, its constraints and its triggers can run code of the owner. So these functions work only for the owner, who
-- can do all of it without them.
--
-- Functions in SQL are bound when they are created, and each operand has exactly the type of its operator: others may
-- be able to create functions and operators in the schema of kid. Functions in PL/pgSQL look up names when they run, in
-- pg_catalog alone, and name kid's schema where they call kid's functions.
--
-- A bound is the text of an ID, with spaces before it, as a name: bounds sort by their bytes, and so as the IDs do.

CREATE OR REPLACE FUNCTION kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN regtype 'kid64'::oid THEN kid64_floor(ts)::text
                WHEN regtype 'uuid'::oid THEN kid_uuidv7_floor(ts)::text
            END, 36)::name;
CREATE OR REPLACE FUNCTION kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN regtype 'kid64'::oid THEN kid_timestamp(ltrim(bound::text)::kid64)
           WHEN regtype 'uuid'::oid THEN kid_timestamp((left(bound::text, 13) || text '-7000-8000-000000000000')::uuid)
       END;

-- Returns the column that a table is partitioned by, and the setting that the time in its IDs depends on. `change` is
-- null to list partitions, false to tell what a change would do, and true for a change: then other sessions wait to
-- change the partitions, but not to read or write.
CREATE OR REPLACE FUNCTION kid_partition_key(parent regclass, change boolean, OUT type regtype, OUT name name, OUT setting text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    full_name text := parent;
    owner name;
    is_id boolean;
BEGIN
    SELECT pg_get_userbyid(c.relowner), a.atttypid, a.attname, NULL INTO owner, type, name, setting
      FROM pg_class AS c
           JOIN pg_partitioned_table AS p ON p.partrelid = c.oid AND p.partstrat = 'r' AND p.partnatts = 1
           JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
           JOIN pg_type AS t ON t.oid = a.atttypid
     WHERE c.oid = parent;
    EXECUTE format('SELECT %s.kid_bound_at($1, now()) IS NOT NULL', 'kid') INTO is_id USING type;
    IF type IS NULL THEN
        RAISE 'table % is not partitioned by range of one column', full_name USING ERRCODE = 'wrong_object_type';
    ELSIF NOT is_id THEN
        RAISE 'table % is partitioned by column "%" of type %', full_name, name, type
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type for which kid makes IDs.';
    ELSIF change AND owner <> current_user THEN
        RAISE 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Connect as %I. SET ROLE does as well if you trust all code of that role: the code can '
                                'reset the role.', owner);
    ELSIF change AND current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        -- Otherwise what follows could read a state from before the lock.
        RAISE 'partitions can only be changed at READ COMMITTED'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    ELSIF change THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', full_name);
        IF to_regclass(full_name) IS DISTINCT FROM parent THEN
            RAISE 'table % was renamed while its partitions were to be changed', full_name
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
    END IF;
    -- With another value of the setting, old rows seem to be new, and new rows seem to be old.
    IF change IS NOT NULL
       AND EXISTS (SELECT FROM pg_db_role_setting AS s CROSS JOIN unnest(s.setconfig) AS c (text)
                         LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
                    WHERE coalesce(d.datname, current_database()) = current_database()
                      AND lower(split_part(c.text, '=', 1)) = setting
                      AND substr(c.text, length(setting) + 2) <> current_setting(setting)) THEN
        RAISE 'roles of this database have different values of "%"', setting
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The time of a partition depends on this setting, and kid cannot know which value the IDs '
                           'of the table were made with.',
                  HINT = 'Give all roles the same value, written alike, or create and drop partitions by their bounds.';
    END IF;
END $$;

-- `lower` is empty for MINVALUE, and for what is below all IDs. `upper` is null for MAXVALUE. Without the default
-- partition.
CREATE OR REPLACE FUNCTION kid_partition_bounds(parent regclass)
    RETURNS TABLE (partition regclass, lower name, upper name, begins timestamptz, ends timestamptz, detaching boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT i.inhrelid::regclass, b.lower, b.upper,
           CASE WHEN b.lower = name '' THEN timestamptz '-infinity' ELSE kid_bound_time(k.type, b.lower) END,
           coalesce(kid_bound_time(k.type, b.upper), timestamptz 'infinity'), i.inhdetachpending
      FROM kid_partition_key(parent, NULL::boolean) AS k,
           pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        text 'FROM [(]''*([^'')]+)''*[)] TO [(]''*([^'')]+)''*[)]') AS t (text),
           LATERAL (SELECT CASE WHEN t.text[1] ~ text '^(MINVALUE|-[0-9]+)$' THEN name ''
                                ELSE lpad(t.text[1], 36)::name END,
                           CASE WHEN t.text[2] <> text 'MAXVALUE' THEN lpad(t.text[2], 36)::name END)
                   AS b (lower, upper)
     WHERE i.inhparent = parent::oid AND t.text IS NOT NULL;
END;

-- For a partition that is itself partitioned, adds up its partitions. Keeps no lock, because there may be many of them.
--
-- A lower bound made by hand can have components that no ID has. Then IDs above the bound have earlier times than the
-- bound, and there is no condition for a constraint.
CREATE OR REPLACE FUNCTION kid_partitions(parent regclass)
    RETURNS TABLE (partition regclass, begins timestamptz, ends timestamptz, rows bigint, bytes bigint,
                   detaching boolean, missing_check text)
    LANGUAGE SQL STABLE STRICT
    SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    WITH RECURSIVE
         below AS (SELECT i.inhrelid AS partition, i.inhrelid AS oid FROM pg_inherits i WHERE i.inhparent = parent::oid
                   UNION ALL
                   SELECT b.partition, i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.oid),
         sums AS (SELECT b.partition, sum(pg_total_relation_size(c.oid::regclass)) AS bytes,
                         sum(CASE WHEN c.reltuples >= real '0' THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END)
                             FILTER (WHERE c.relkind <> 'p') AS rows
                    FROM below b JOIN pg_class c ON c.oid = b.oid GROUP BY b.partition),
         listed AS (SELECT b.partition, b.begins, b.ends, b.detaching,
                           CASE WHEN k.setting IS NULL
                                     AND (b.lower = name ''
                                          OR kid_bound_at(k.type, b.begins - interval '1 microsecond') <= b.lower)
                                THEN pg_catalog.concat_ws(
                                    text ' AND ',
                                    CASE WHEN b.lower <> name ''
                                         THEN pg_catalog.format(text '%s >= %L::timestamptz', f.call, b.begins) END,
                                    CASE WHEN b.upper = kid_bound_at(k.type, b.ends)
                                         THEN pg_catalog.format(text '%s < %L::timestamptz', f.call, b.ends)
                                         WHEN b.upper IS NOT NULL
                                         THEN pg_catalog.format(text '%s <= %L::timestamptz', f.call, b.ends) END) END
                           AS time_check
                      FROM kid_partition_key(parent, NULL::boolean) AS k, kid_partition_bounds(parent) AS b,
                           pg_catalog.format(text '%s.kid_timestamp(%I)', 'kid', k.name) AS f (call)
                    UNION ALL
                    SELECT p.partdefid::regclass, NULL, NULL, false, NULL
                      FROM pg_partitioned_table AS p WHERE p.partrelid = parent::oid AND p.partdefid <> oid '0')
    SELECT t.partition, t.begins, t.ends, coalesce(s.rows, double precision '0')::bigint, s.bytes::bigint, t.detaching,
           CASE WHEN NOT EXISTS (SELECT FROM pg_constraint c
                                  WHERE c.conrelid = t.partition::oid AND c.contype = "char" 'c' AND c.convalidated
                                    AND c.coninhcount = 0 AND c.conname ~ text '^kid_time(_[0-9]+|)$')
                THEN nullif(t.time_check, text '') END
      FROM listed AS t LEFT JOIN sums s ON s.partition = t.partition::oid
     ORDER BY t.begins;
END;

CREATE OR REPLACE FUNCTION kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100,
    time_check boolean DEFAULT false)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off AS $$
DECLARE
    home text := 'kid';
    months integer;                 -- of the width: either these
    seconds numeric;                -- or these
    key record;
    tab record;
    piece record;
    detail text := 'The partition accepts no more rows, and no other can take its place until it is detached.';
    hint text;
    has_rows boolean;
    suffix text;
    partition text;
    others text;
    changes text;
    left_out timestamptz[] := '{}';
    made regclass[] := '{}';
    check_name name;
BEGIN
    IF num_nulls(parent, width, until, time_check) > 0 THEN
        RAISE 'arguments of kid_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    -- From 17 on a width can be infinite.
    IF isfinite(width) THEN
        months := extract(year FROM width) * 12 + extract(month FROM width);
        seconds := extract(epoch FROM width - make_interval(months => months));
    END IF;
    IF (months > 0 AND seconds = 0 OR months = 0 AND seconds BETWEEN 1 AND 9223372036854 AND seconds = trunc(seconds))
       IS NOT TRUE THEN
        RAISE 'width of a partition cannot be "%"', width
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: '
                           'at least 1 second and at most 292,000 years.';
    ELSIF NOT (isfinite(until) AND isfinite(coalesce(since, until))) THEN
        RAISE 'partitions cannot be created until or since an infinite time' USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT * FROM %s.kid_partition_key($1, true)', home) INTO key USING parent;
    SELECT c.relname::text, c.relnamespace::regnamespace AS schema, c.relreplident, c.relrowsecurity,
           c.relforcerowsecurity, d.relowner, d.oid::regclass AS rest,
           -- A partitioned table has no storage parameters, so the partition that was created last is the pattern.
           concat(' USING ' || quote_ident(m.amname), ' WITH (' || l.options || ')',
                  ' TABLESPACE ' || quote_ident(s.spcname)) AS storage,
           -- Finds rows of a piece in the default partition. The operators of a domain are those of its base type.
           format('SELECT EXISTS (SELECT FROM %s WHERE %2$I OPERATOR(%3$s.>=) $1::%4$s '
                  'AND %2$I OPERATOR(%3$s.<) $2::%4$s)',
                  d.oid::regclass, key.name, b.typnamespace::regnamespace, b.oid::regtype) AS find_rows
      INTO tab
      FROM pg_class AS c JOIN pg_partitioned_table AS p ON p.partrelid = c.oid
           JOIN pg_type AS t ON t.oid = key.type
           JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
           LEFT JOIN pg_class AS d ON d.oid = p.partdefid
           LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS s ON s.oid = c.reltablespace
           LEFT JOIN LATERAL (
               SELECT (SELECT string_agg(o.option, ', ')
                         FROM (SELECT unnest(l.reloptions) UNION ALL SELECT 'toast.' || unnest(t.reloptions)) AS o (option))
                 FROM pg_inherits AS i JOIN pg_class AS l ON l.oid = i.inhrelid
                      LEFT JOIN pg_class AS t ON t.oid = l.reltoastrelid
                WHERE i.inhparent = c.oid AND l.relkind = 'r' AND l.oid <> p.partdefid ORDER BY l.oid DESC LIMIT 1)
               AS l (options) ON true
     WHERE c.oid = parent;
    IF pg_get_userbyid(tab.relowner) <> current_user THEN
        RAISE 'must be owner of table %', tab.rest USING ERRCODE = 'insufficient_privilege';
    END IF;

    -- If the first partition begins at or before the present, all gaps after it are filled. Otherwise the present
    -- period is the first. Months are counted from a January, all other widths from Monday 2001-01-01.
    --
    -- A gap is cut into pieces where a period begins: at the lowest ID of that instant, or at the bound of the gap if
    -- that is in the same time unit. Periods that begin in one time unit, which has up to 1,024 seconds, make one
    -- piece. Pieces for new rows come first, because at_most may end the call.
    FOR piece IN EXECUTE format($query$
        WITH partitions AS (SELECT * FROM %1$s.kid_partition_bounds($1)),
             origin AS (SELECT coalesce(max(p.ends), $3, now()) AS begins, max(p.ends) IS NOT NULL AS follows
                          FROM (SELECT * FROM partitions WHERE NOT detaching ORDER BY lower LIMIT 1) AS p
                         WHERE $3 IS NULL AND p.lower <= %1$s.kid_bound_at($2, now())),
             gaps AS (SELECT p.upper AS lower, p.ends AS begins, lead(p.lower) OVER sorted AS upper,
                             coalesce(lead(p.begins) OVER sorted, 'infinity') AS ends
                        FROM (SELECT lower, upper, begins, ends FROM partitions
                              UNION ALL SELECT '', '', '-infinity', '-infinity') AS p
                      WINDOW sorted AS (ORDER BY p.lower, p.ends)),
             clipped AS (SELECT g.*, CASE WHEN $6 = 0 THEN date_bin($5, t, '2001-01-01 00:00:00+00')
                                          ELSE date_trunc('month', t) - make_interval(months => mod(
                                              (extract(year FROM t) * 12 + extract(month FROM t) - 1)::integer, $6))
                                     END AS first
                           FROM origin AS o, gaps AS g, %1$s.kid_bound_at($2, timestamptz '-infinity') AS least_id,
                                greatest(g.begins, o.begins, %1$s.kid_bound_time($2, least_id)) AS t
                          WHERE g.lower <> coalesce(g.upper, '-') AND (g.begins >= o.begins OR NOT o.follows)),
             counted AS (SELECT c.*, sum((extract(epoch FROM least(c.ends, $4)) - extract(epoch FROM c.first))
                                         / extract(epoch FROM $5)) OVER () > 10000 AS are_too_many
                           FROM clipped AS c WHERE c.first <= least(c.ends, $4)),
             pieces AS (SELECT CASE WHEN unit <= c.begins THEN c.lower ELSE id END AS lower, c.upper, c.are_too_many,
                               coalesce(min(t) FILTER (WHERE unit > c.begins OR id = c.lower), c.begins) AS begins
                          FROM counted AS c,
                               generate_series(c.first, CASE WHEN c.are_too_many THEN c.first
                                                             ELSE least(c.ends, $4 + $5 + interval '1024 s') END,
                                               $5) AS t,
                               %1$s.kid_bound_at($2, t) AS id, %1$s.kid_bound_time($2, id) AS unit
                         WHERE unit < c.ends OR unit <= c.begins
                         GROUP BY 1, c.upper, c.begins, c.are_too_many),
             bounded AS (SELECT p.lower, p.begins, p.are_too_many,
                                coalesce(lead(p.lower) OVER (PARTITION BY p.upper ORDER BY p.lower), p.upper) AS upper
                           FROM pieces AS p)
        SELECT NULL::regclass AS detaching, b.begins, b.lower, b.upper, b.are_too_many,
               b.upper IS NULL OR b.upper = %1$s.kid_bound_at($2, timestamptz 'infinity') AS is_beyond_range,
               coalesce(b.upper > %1$s.kid_bound_at($2, now()), true) AS is_for_new_rows
          FROM bounded AS b WHERE b.lower <= %1$s.kid_bound_at($2, $4 - interval '1 microsecond')
        UNION ALL
        SELECT p.partition, p.begins, p.lower, p.upper, false, false, p.ends > now()
          FROM partitions AS p, origin AS o WHERE p.detaching AND p.begins < $4 AND p.ends > o.begins
         ORDER BY detaching, is_for_new_rows DESC, lower $query$, home)
        USING parent, key.type, since, until, width, months
    LOOP
        IF piece.detaching IS NOT NULL THEN
            -- PostgreSQL cannot distinguish a detach that was interrupted from one that is running.
            hint := format('If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s FINALIZE.',
                           parent, piece.detaching);
            IF piece.is_for_new_rows THEN
                RAISE 'detaching partition % from % is not complete', piece.detaching, parent
                    USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
            END IF;
            RAISE WARNING 'detaching partition % from % is not complete', piece.detaching, parent
                USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
            CONTINUE;
        ELSIF piece.are_too_many THEN
            RAISE 'more than 10000 partitions of % would be created', parent USING ERRCODE = 'program_limit_exceeded';
        ELSIF piece.is_beyond_range THEN
            RAISE 'timestamp out of range for type %', (SELECT t.typname FROM pg_type AS t WHERE t.oid = key.type)
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        ELSIF tab.rest IS NOT NULL THEN
            EXECUTE tab.find_rows INTO has_rows USING ltrim(piece.lower), ltrim(piece.upper);
            IF has_rows THEN
                left_out := left_out || piece.begins;
                CONTINUE;
            END IF;
        END IF;
        IF cardinality(made) = at_most THEN
            RAISE NOTICE 'more partitions of % are missing', parent USING HINT = 'The next call creates them.';
            EXIT;
        END IF;
        -- An unused name, which tells when the partition begins. The width decides which zeros at its end are omitted.
        -- A value of type name is cut where a character ends. One byte is left for the "_" that the name of the array
        -- type begins with.
        FOR again IN 0 .. 2147483647 LOOP
            suffix := concat(
                '_p', regexp_replace(to_char(piece.begins, 'YYYYMMDD_HH24MISSUS'),
                                     CASE WHEN mod(seconds, 86400) = 0 THEN '(_0{12}|0{8}|0{6})$'
                                          WHEN mod(seconds, 60) = 0 THEN '(0{8}|0{6})$' ELSE '0{6}$' END, ''),
                '_' || nullif(again, 0));
            partition := format('%s.%I', tab.schema,
                                substr(('_' || suffix || tab.relname)::name, length(suffix) + 2) || suffix);
            EXIT WHEN to_regclass(partition) IS NULL AND to_regtype(partition) IS NULL;
        END LOOP;
        -- CREATE TABLE ... PARTITION OF would lock out readers and writers of the parent.
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED '
                       'INCLUDING STORAGE INCLUDING COMPRESSION)%s', partition, parent, tab.storage);
        -- A role that uses the parent needs no rights on partitions, and a REVOKE on the parent would not reach them.
        -- So this takes away what default privileges grant. Row-level security without a policy hides all rows.
        SELECT concat_ws(', ', 'PUBLIC', string_agg(DISTINCT quote_ident(pg_get_userbyid(a.grantee)), ', ')
                                         FILTER (WHERE a.grantee <> 0))
          INTO others FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = partition::regclass;
        EXECUTE format('REVOKE ALL ON TABLE %s FROM %s CASCADE', partition, others);
        EXECUTE format('GRANT ALL ON TABLE %s TO CURRENT_USER', partition);
        IF tab.relrowsecurity THEN
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', partition);
        END IF;
        IF tab.relforcerowsecurity THEN
            EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', partition);
        END IF;
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition,
                       ltrim(piece.lower), ltrim(piece.upper));
        -- PostgreSQL does not pass these on: replica identity, and what ANALYZE is told of columns. The versions of PostgreSQL
        -- keep a mark of their own among the options of a column.
        SELECT 'ALTER TABLE ' || partition || ' ' || string_agg(v.change, ', ') INTO changes FROM (
            SELECT 'REPLICA IDENTITY ' || CASE tab.relreplident WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' END
            UNION ALL
            SELECT format('REPLICA IDENTITY USING INDEX %I', c.relname)
              FROM pg_index AS r JOIN pg_inherits AS h ON h.inhparent = r.indexrelid
                   JOIN pg_index AS x ON x.indexrelid = h.inhrelid JOIN pg_class AS c ON c.oid = x.indexrelid
             WHERE r.indrelid = parent AND r.indisreplident AND x.indrelid = partition::regclass
            UNION ALL
            SELECT format('ALTER %I SET %s', a.attname, o.setting)
              FROM pg_attribute AS a, LATERAL (
                  SELECT 'STATISTICS ' || a.attstattarget WHERE a.attstattarget >= 0
                  UNION ALL
                  SELECT format('(%s)', string_agg(u.option, ', ')) FROM unnest(a.attoptions) AS u (option)
                   WHERE u.option NOT LIKE 'pg\_%' HAVING count(*) > 0) AS o (setting)
             WHERE a.attrelid = parent AND a.attnum > 0 AND NOT a.attisdropped) AS v (change);
        IF changes IS NOT NULL THEN
            EXECUTE changes;
        END IF;
        made := made || partition::regclass;
        RETURN NEXT partition;
    END LOOP;
    IF time_check THEN
        SELECT concat('kid_time', '_' || max(coalesce(substring(c.conname, '[0-9]+'), '0')::numeric) + 1)
          INTO check_name
          FROM pg_constraint AS c WHERE c.conrelid = parent AND c.conname ~ '^kid_time(_[0-9]+|)$';
        FOR piece IN EXECUTE format('SELECT * FROM %s.kid_partitions($1) WHERE partition = ANY ($2)', home)
                     USING parent, made LOOP
            IF piece.missing_check IS NULL THEN
                RAISE 'IDs of type % cannot have a constraint on their time', key.type
                    USING ERRCODE = 'feature_not_supported';
            END IF;
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s)', piece.partition, check_name,
                           piece.missing_check);
        END LOOP;
    END IF;
    IF left_out <> '{}' THEN
        RAISE WARNING 'rows in default partition % keep partitions of % from being created', tab.rest, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Partitions not created: %s, the first from %s on.', cardinality(left_out),
                                  (SELECT min(l.begins) FROM unnest(left_out) AS l (begins))),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and '
                         'attach it again when it is empty.';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off AS $$
DECLARE
    home text := 'kid';
    key record;
    dropped record;
    count integer := 0;
BEGIN
    IF num_nulls(parent, older_than, dry_run) > 0 THEN
        RAISE 'arguments of kid_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT isfinite(older_than) THEN
        RAISE 'partitions older than an infinite time cannot be dropped' USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT * FROM %s.kid_partition_key($1, $2)', home) INTO key USING parent, NOT dry_run;
    FOR dropped IN EXECUTE format($query$
        SELECT b.partition, b.partition::text AS name, b.detaching,
               CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind,
               b.upper <= %1$s.kid_bound_at($2, $3) AS is_old,
               bool_or(b.ends > greatest(now(), $3)) OVER () AS others_stay
          FROM %1$s.kid_partition_bounds($1) AS b JOIN pg_class AS c ON c.oid = b.partition
         ORDER BY b.lower $query$, home) USING parent, key.type, older_than
    LOOP
        -- If the value of the setting is not the one with which the IDs were made, new rows may seem to be years old.
        IF key.setting IS NOT NULL AND NOT dropped.others_stay THEN
            RAISE 'no partition of % would remain for new rows', parent
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = format('The value of "%s" may not be the one with which the IDs of the table were made.',
                                      key.setting),
                      HINT = format('Check "%s". If it is right, create partitions for new rows first, or drop the old '
                                    'ones by name.', key.setting);
        ELSIF dropped.is_old IS NOT TRUE THEN
            CONTINUE;
        ELSIF dropped.detaching THEN
            RAISE WARNING 'detaching partition % from % is not complete', dropped.partition, parent
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = format('If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s '
                                    'FINALIZE.', parent, dropped.partition);
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than
                USING HINT = 'The next call drops them.';
            EXIT;
        END IF;
        IF NOT dry_run THEN
            -- A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to no
            -- row of the partition.
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, dropped.name);
            IF to_regclass(dropped.name) IS DISTINCT FROM dropped.partition THEN
                RAISE 'table % was renamed while its partitions were to be changed', dropped.name
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
            EXECUTE format('DROP %s %s', dropped.kind, dropped.name);
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;

COMMENT ON FUNCTION kid_bound_at(type regtype, ts timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';
COMMENT ON FUNCTION kid_bound_time(type regtype, bound name) IS 'returns when the time unit of a bound begins';
COMMENT ON FUNCTION kid_partition_key(parent regclass, change boolean) IS
    'returns the column that a table is partitioned by; locks the table if its partitions are to be changed';
COMMENT ON FUNCTION kid_partition_bounds(parent regclass) IS
    'returns the partitions of a table with their bounds and times';
COMMENT ON FUNCTION kid_partitions(parent regclass) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';
COMMENT ON FUNCTION kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz, at_most integer, time_check boolean) IS
    'creates the missing partitions of a table until a time, and returns their names';
COMMENT ON FUNCTION kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean, at_most integer) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';

-- The IDs that tables contain, and kid_observe_all(), for both editions
--
-- As a superuser these functions run no code that an owner of a table wrote. Even planning a query can run such code,
-- because PostgreSQL evaluates the constant parts of index expressions, of predicates, and of statistics. So
-- kid_stored_ids() first takes locks that keep the table, its indexes, its statistics and its name from being changed.
-- Then it refuses tables with objects that depend on code of others. Its settings keep constraints from being evaluated
-- and policies from being applied. Functions of kid and operators on IDs are named with their schema, and operands
-- have exactly their types, so that nothing of others in that schema fits better: a cast removes domains.

-- Returns the types of IDs: the clock, or null; the type; the prefix of its functions; the function that returns the
-- last ID of a time for kid_observe(); the generator; the type that a column with such IDs is stored as; and the schema
-- of its operators.
CREATE OR REPLACE FUNCTION kid_stored_forms()
    RETURNS TABLE (clock text, type regtype, prefix text, past text, next text, stored_as regtype,
                   operators regnamespace)
    LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.clock, v.type, v.prefix, v.past, v.next, v.stored_as, t.typnamespace::regnamespace
      FROM (VALUES
           (text 'kid', regtype 'kid64', text 'kid64', text 'kid64_ceil', text 'kid_next', regtype 'bigint'),
           (text 'uuidv7', regtype 'uuid', text 'kid_uuidv7', text 'kid_uuidv7_ceil', text 'kid_uuidv7', regtype 'uuid')
           ) AS v (clock, type, prefix, past, next, stored_as)
           JOIN pg_type AS t ON t.oid = v.stored_as::oid;
END;

-- Returns a row for each column of IDs that move a clock, of `parent` and of its partitions, or of the whole database
-- if `parent` is null. `id` is the greatest ID up to the end of the time unit of `after`. No ID up to it has a time
-- after `latest`. `later` is the greatest ID with a time after `after`. If `after` is null, the end of the first year
-- of the type takes its place.
CREATE OR REPLACE FUNCTION kid_stored_ids(after timestamptz, only_clock text DEFAULT NULL, parent regclass DEFAULT NULL)
    RETURNS TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
                   latest timestamptz, later text, later_issued timestamptz, problem text, passing boolean)
    LANGUAGE plpgsql VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off
    SET constraint_exclusion = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off
    -- Longer than deadlock_timeout: autovacuum gives way.
    SET lock_timeout = '1500ms' AS $$
DECLARE
    home text := 'kid';
    -- The setting is_superuser does not tell, because a SECURITY DEFINER function does not change it.
    locking text := CASE WHEN (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)
                         THEN 'FOR KEY SHARE OF n' END;
    most_strangers integer := 1000;
    locked regclass := 0;               -- the last table that was locked; a table can have 1600 columns
    source record;
    name text;
    option smallint;
    since timestamptz;
    condition text;
    rows text;
    found text;
    found_time timestamptz;
    strangers bigint;
BEGIN
    -- Otherwise a query could see an index that is older than the lock, or rows that are.
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE 'stored IDs can only be read at READ COMMITTED'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
    FOR source IN EXECUTE format($query$
        WITH RECURSIVE
        forms AS MATERIALIZED (SELECT * FROM %1$s.kid_stored_forms() WHERE clock IS NOT NULL),
        -- Each type with those that it is a domain over, and itself.
        layers (type, below) AS (
            SELECT f.type::oid, f.type::oid FROM forms AS f
            UNION SELECT f.stored_as::oid, f.stored_as::oid FROM forms AS f
            UNION
            SELECT t.oid, b.below
              FROM layers AS l JOIN pg_type AS t ON t.typbasetype = l.type AND t.typtype = 'd',
                   LATERAL (VALUES (t.oid), (l.below)) AS b (below)
        ),
        family (oid) AS (
            SELECT $2::oid UNION SELECT i.inhrelid FROM family AS f JOIN pg_inherits AS i ON i.inhparent = f.oid
        ),
        -- Columns, also of partitions, and domains whose default calls a generator. Others may make uuids elsewhere.
        defaults (relid, attname, domain, type) AS (
            SELECT a.attrelid, a.attname, CASE WHEN d.classid = 'pg_type'::regclass THEN d.objid END, p.prorettype
              FROM pg_proc AS p
                   JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
                   LEFT JOIN pg_attrdef AS ad ON d.classid = 'pg_attrdef'::regclass AND ad.oid = d.objid
                   LEFT JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
             WHERE p.pronamespace = to_regnamespace($3) AND p.provolatile = 'v'
               AND (p.prorettype <> 'uuid'::regtype OR p.proname LIKE 'kid\_uuidv7%%')
            UNION
            SELECT c.oid, d.attname, NULL, d.type
              FROM defaults AS d JOIN pg_inherits AS i ON i.inhparent = d.relid
                                 JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
        )
        SELECT DISTINCT f.*, c.oid::regclass AS relation, a.attname, a.attnum, a.atttypid, c.relkind,
               CASE WHEN c.relkind = 'f' THEN 'its rows are on another server'
                    WHEN c.relkind = 'm' THEN 'it is in a materialized view'
                    WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is in a temporary table of another session'
                    WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN 'its table belongs to another role'
               END AS problem
          FROM forms AS f
               JOIN layers AS s ON s.below = f.stored_as
               JOIN pg_attribute AS a ON a.atttypid = s.type AND a.attnum > 0 AND NOT a.attisdropped
               JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'm', 'f')
         WHERE (f.clock = $1) IS NOT FALSE AND ($2 IS NULL OR c.oid IN (SELECT oid FROM family))
           AND (f.type <> 'uuid'::regtype AND (a.atttypid, f.type::oid) IN (SELECT l.type, l.below FROM layers AS l)
                OR (c.oid, a.attname, f.type::oid) IN (SELECT d.relid, d.attname, d.type FROM defaults AS d
                                                        WHERE d.relid IS NOT NULL)
                OR (a.atttypid, f.type::oid) IN (SELECT l.type, d.type
                                                   FROM defaults AS d JOIN layers AS l ON l.below = d.domain))
         ORDER BY c.oid::regclass, a.attnum $query$, home) USING only_clock, parent, home
    LOOP
        SELECT source.clock, source.past, source.prefix, source.relation, source.attname,
               CASE WHEN source.relation = locked THEN 'the table is locked' ELSE source.problem END,
               source.relation = locked
          INTO clock, past, prefix, relation, column_name, problem, passing;
        id := NULL; issued := NULL; latest := NULL; later := NULL; later_issued := NULL;
        IF problem IS NOT NULL THEN
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            -- The owner of the schema could rename it, and give its name to another one, and back again. Only a
            -- superuser can lock its row. The locked table then keeps its name to itself.
            EXECUTE concat_ws(' ', 'SELECT format(''%I.%I'', n.nspname, c.relname) FROM pg_class AS c JOIN '
                                   'pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = $1', locking)
                INTO name USING relation;
            CONTINUE WHEN name IS NULL;
            EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', name);
            option := (SELECT i.indoption[0]
                         FROM pg_index AS i
                              JOIN pg_opclass AS o ON o.oid = i.indclass[0]
                              JOIN pg_am AS m ON m.oid = o.opcmethod AND m.amname = 'btree'
                        WHERE i.indrelid = relation AND i.indkey[0] = source.attnum AND i.indisvalid
                          AND i.indpred IS NULL AND o.opcdefault AND o.opcintype = source.stored_as LIMIT 1);
            passing := to_regclass(name) IS DISTINCT FROM relation
                       OR NOT EXISTS (SELECT FROM pg_attribute AS a
                                       WHERE a.attrelid = relation AND a.attname = column_name
                                         AND a.attnum = source.attnum AND a.atttypid = source.atttypid);
            IF passing THEN
                problem := 'it was changed meanwhile';
            ELSIF option IS NULL AND pg_relation_size(relation) > 0 THEN
                problem := 'no btree index begins with it';
            ELSIF EXISTS (
                SELECT FROM (SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = relation
                             UNION ALL
                             SELECT 'pg_statistic_ext'::regclass, e.oid FROM pg_statistic_ext AS e
                              WHERE e.stxrelid = relation
                             UNION ALL
                             SELECT 'pg_attrdef'::regclass, ad.oid
                               FROM pg_attrdef AS ad JOIN pg_attribute AS a ON a.attrelid = ad.adrelid
                                                                               AND a.attnum = ad.adnum
                              WHERE ad.adrelid = relation AND a.attgenerated = 'v') AS x (class, oid)
                       JOIN pg_depend AS d ON d.classid = x.class AND d.objid = x.oid
                       LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
                       LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
                       LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
                       JOIN pg_roles AS r ON r.oid = coalesce(p.proowner, o.oprowner, t.typowner)
                 WHERE NOT r.rolsuper AND r.rolname <> current_user) THEN
                problem := 'indexes, statistics or virtual columns of its table depend on code of another role';
            ELSIF option IS NOT NULL THEN
                EXECUTE format('SELECT coalesce($1, %1$s.kid_timestamp(%1$s.%2$I($2)) + $3)', home, prefix || '_floor')
                    INTO since USING after, timestamptz '-infinity', interval '365 days';
                -- A negative bigint has the bits of an ID that is later than all others.
                FOREACH condition IN ARRAY '{<=,>=,<}'::text[] LOOP
                    CONTINUE WHEN condition = '<' AND (source.stored_as <> 'bigint'::regtype OR later IS NOT NULL);
                    rows := format(
                        '%1$I::%2$s AS v FROM ONLY %3$s WHERE %1$I::%2$s OPERATOR(%4$s.%5$s) %6$s '
                        'ORDER BY %1$I::%2$s USING OPERATOR(%4$s.>) NULLS %7$s LIMIT %8$s',
                        column_name, source.stored_as, name, source.operators, condition,
                        CASE condition WHEN '<' THEN '0'
                                       ELSE format('%s.%I($1)::%s', home,
                                                   prefix || CASE condition WHEN '<=' THEN '_ceil' ELSE '_floor' END,
                                                   source.stored_as) END,
                        CASE WHEN option IN (1, 2) THEN 'LAST' ELSE 'FIRST' END,
                        CASE source.stored_as WHEN 'uuid'::regtype THEN most_strangers::text ELSE 'ALL' END);
                    EXECUTE format('SELECT v::%1$s::text, %2$s.kid_timestamp(v::%1$s) FROM (SELECT %3$s) AS s '
                                   'WHERE %2$s.kid_timestamp(v::%1$s) > $2 LIMIT 1', source.type, home, rows)
                        INTO found, found_time
                        USING since, CASE condition WHEN '>=' THEN since ELSE '-infinity' END;
                    IF condition = '<=' THEN
                        EXECUTE format('SELECT $1, $2, %1$s.kid_timestamp(%1$s.%2$I($2)) '
                                       'WHERE $2 <= %1$s.kid_timestamp(%1$s.%2$I($3))', home, prefix || '_ceil')
                            INTO id, issued, latest USING found, found_time, since;
                    ELSE
                        later := found;
                        later_issued := found_time;
                    END IF;
                    IF found IS NULL AND source.stored_as = 'uuid'::regtype THEN
                        EXECUTE format('SELECT count(*) FROM (SELECT %s) AS s', rows) INTO strangers USING since;
                        IF strangers >= (CASE condition WHEN '<=' THEN 1 ELSE most_strangers END) THEN
                            problem := 'it contains values other than ' || source.type || ' with a time';
                        END IF;
                    END IF;
                END LOOP;
            END IF;
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

-- Moves a clock past the whole time unit of the greatest ID, because later IDs of the unit may have been issued. The
-- greatest kid96 of a neighborhood need not be the latest, so the clock moves past the neighborhood.
CREATE OR REPLACE FUNCTION kid_observe_all()
    RETURNS TABLE (clock text, id text, issued timestamptz, relation regclass, column_name text, problem text)
    LANGUAGE plpgsql VOLATILE COST 10000 ROWS 10 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    home text := 'kid';
    until timestamptz;
    moved_to timestamptz;
    past text;
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'cannot execute kid_observe_all() during recovery' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    -- The call loads the library, which defines the setting.
    EXECUTE format('SELECT %s.kid64_floor(now())', home);
    until := clock_timestamp() + coalesce(current_setting('kid.max_observe', true), '1 hour')::interval;
    FOR clock, id, issued, relation, column_name, problem, moved_to, past IN EXECUTE format($query$
        WITH stored AS MATERIALIZED (SELECT * FROM %1$s.kid_stored_ids($1, NULL::text, NULL::regclass)),
             deciding AS (SELECT DISTINCT ON (s.clock) s.*, least(s.latest, $1) AS moved_to
                            FROM stored AS s WHERE s.id IS NOT NULL ORDER BY s.clock, least(s.latest, $1) DESC)
        SELECT * FROM (
        SELECT f.clock, d.id, d.issued, d.relation, d.column_name, NULL AS problem, d.moved_to, d.past
          FROM (SELECT DISTINCT f.clock FROM %1$s.kid_stored_forms() AS f WHERE f.clock IS NOT NULL) AS f
               LEFT JOIN deciding AS d ON d.clock = f.clock
        UNION ALL
        -- Values that are no IDs do not matter beside IDs.
        SELECT s.clock, NULL, NULL, s.relation, s.column_name, s.problem, NULL, NULL
          FROM stored AS s WHERE s.problem IS NOT NULL AND s.id IS NULL
        UNION ALL
        SELECT s.clock, s.later, s.later_issued, s.relation, s.column_name,
               'it has IDs that are further ahead of the system clock than kid.max_observe; this is the greatest', NULL,
               NULL
          FROM stored AS s WHERE s.later IS NOT NULL) AS o
         ORDER BY o.problem IS NOT NULL, o.clock, o.relation::text, o.column_name $query$, home) USING until
    LOOP
        IF moved_to IS NOT NULL THEN
            EXECUTE format('SELECT %1$s.kid_observe(%1$s.%2$I($1))', home, past) USING moved_to;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION kid_observe_all() FROM PUBLIC;

COMMENT ON FUNCTION kid_stored_forms() IS 'returns the types of IDs, and the types of columns that they are stored in';
COMMENT ON FUNCTION kid_stored_ids(after timestamptz, only_clock text, parent regclass) IS
    'returns the columns of IDs, the greatest ID of each up to a time, and a later one';
COMMENT ON FUNCTION kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';

-- kid_check(): finds what is wrong with the IDs of a table, and with the rights on its partitions, for both editions
--
-- This function is bound as partitions.sql.in says. Names in texts have their schema: the search_path has none.

-- A column with a foreign key need not make IDs. For a foreign key from text PostgreSQL needs the collation of the
-- parent's column, and IDs have none. The call of kid64_floor() loads the library, which defines the setting.
--
-- PostgreSQL checks the rights and the policies of the table that a query names, and of no partition below it. Foreign
-- tables have no row-level security. On a default partition FORCE would hide rows from kid_create_partitions().
CREATE OR REPLACE FUNCTION kid_check(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL VOLATILE STRICT COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    SELECT kid64_floor(now());
    WITH RECURSIVE
    keys AS (SELECT k.conname, k.conrelid, k.confrelid, p.child, p.parent
               FROM pg_constraint AS k, unnest(k.conkey, k.confkey) AS p (child, parent)
              WHERE k.contype = 'f' AND k.conparentid = '0'::oid AND relation::oid IN (k.conrelid, k.confrelid)),
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, is_generated, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.attgenerated <> '', a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid IN (SELECT relation::oid
                              UNION SELECT k.conrelid FROM keys AS k UNION SELECT k.confrelid FROM keys AS k)
        UNION
        SELECT l.relid, l.attnum, l.attname, l.is_generated, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    ),
    sides AS (SELECT l.relid, l.attnum, l.relid::regclass AS name, l.attname, l.type, l.type::regtype AS type_name,
                     t.typcollation <> '0'::oid AS is_text, l.type <> 'uuid'::regtype::oid
                     AND l.type IN (SELECT s.type::oid FROM kid_stored_forms() AS s) AS is_id
                FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype <> 'd'),
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
                         LATERAL (VALUES (pg_catalog.concat(a.privilege_type, CASE WHEN a.is_grantable
                                                                                THEN ' WITH GRANT OPTION' END)))
                                 AS o (privilege),
                         LATERAL (VALUES (a.grantor), (a.grantee)) AS r (oid)
                   WHERE a.grantee <> p.relowner AND r.oid <> p.relowner
                     AND (p.evades_policies
                          OR NOT CASE WHEN g.parent_num IS NULL
                                      THEN has_table_privilege(a.grantee, p.parent, o.privilege)
                                      ELSE has_column_privilege(a.grantee, p.parent, g.parent_num, o.privilege) END)
                   GROUP BY p.name, p.parent_name, r.oid),
    found (n, relation_name, column_name, problem, remedy) AS (
        SELECT DISTINCT 1, relation, l.attname::text,
               pg_catalog.format('its default, %s, does not make a %s: IDs of new rows have wrong times, and may not '
                                 'be unique', pg_get_expr(ad.adbin, ad.adrelid), f.type),
               pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s.%I();', relation, l.attname, 'kid',
                                 f.next)
          FROM layers AS l
               JOIN kid_stored_forms() AS f ON f.type::oid = l.type AND f.type::oid <> 'uuid'::regtype::oid
               JOIN pg_attrdef AS ad ON ad.adrelid = l.relid AND ad.adnum = l.attnum
         WHERE l.relid = relation::oid AND NOT l.is_generated
           AND NOT EXISTS (SELECT FROM pg_depend AS d
                                  JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass::oid AND p.oid = d.refobjid
                            WHERE d.classid = 'pg_attrdef'::regclass::oid AND d.objid = ad.oid
                              AND p.prorettype = f.type::oid AND p.provolatile = 'v')
           AND NOT EXISTS (SELECT FROM pg_constraint AS k
                            WHERE k.contype = 'f' AND k.conrelid = relation::oid AND l.attnum = ANY (k.conkey))
        UNION ALL
        SELECT 2, c.name, c.attname::text,
               pg_catalog.format(
                   'foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
                   k.conname, c.type_name, p.attname, p.name, p.type_name,
                   CASE WHEN p.is_id AND c.is_text
                        THEN pg_catalog.format('every DELETE and key UPDATE of %s fails', p.name)
                        ELSE 'no index can be used to look up the rows of a key' END),
               CASE WHEN p.is_id THEN pg_catalog.format(r.form, c.name, c.attname, p.type_name)
                    ELSE pg_catalog.format(r.form, p.name, p.attname, c.type_name) END
          FROM keys AS k
               JOIN sides AS c ON c.relid = k.conrelid AND c.attnum = k.child
               JOIN sides AS p ON p.relid = k.confrelid AND p.attnum = k.parent,
               (VALUES ('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;')) AS r (form)
         WHERE c.type <> p.type AND (c.is_id OR p.is_id)
        UNION ALL
        SELECT 3, s.relation, s.column_name, f.problem, f.remedy
          FROM (VALUES (NULL), (clock_timestamp()
                                + coalesce(current_setting('kid.max_observe'::text, true), '1 hour')::interval))
                   AS a (after),
               LATERAL kid_stored_ids(a.after, NULL::text, relation) AS s,
               LATERAL (VALUES
                   (a.after IS NULL AND s.id IS NOT NULL,
                    pg_catalog.format('IDs up to %s have times up to %s: they were plain numbers before', s.id,
                                      s.issued),
                    pg_catalog.format('Do not use the times of these IDs, or give the rows, and the rows that refer to '
                                      'them, new IDs with %s_at().', s.prefix)),
                   (a.after IS NOT NULL AND s.later IS NOT NULL,
                    pg_catalog.format('IDs up to %s have times up to %s, further ahead of the system clock than '
                                      'kid.max_observe', s.later, s.later_issued),
                    'Delete or correct these rows; if new IDs are as late, see kid_reset_clock().'),
                   (a.after IS NOT NULL AND s.problem IS NOT NULL AND s.id IS NULL,
                    pg_catalog.format('its IDs were not examined: %s', s.problem),
                    pg_catalog.format('As %s, look at the least and the greatest ID.',
                                      CASE WHEN row_security_active(s.relation::oid)
                                           THEN 'a superuser or a role with BYPASSRLS'
                                           ELSE 'the owner of the table' END)))
                   AS f (is_found, problem, remedy)
         WHERE f.is_found
        UNION ALL
        SELECT 4, p.name, NULL::text, f.problem, f.remedy
          FROM partitions AS p,
               LATERAL (VALUES
                   (NOT pg_has_role(p.relowner, p.parent_owner, text 'USAGE'),
                    pg_catalog.format('it belongs to another role than %s', p.parent_name),
                    pg_catalog.format('ALTER TABLE %s OWNER TO %I;', p.name, pg_get_userbyid(p.parent_owner))),
                   (p.lacks_policies,
                    pg_catalog.format('it lacks the row-level security of %s: roles with rights on it see all rows',
                                      p.parent_name),
                    pg_catalog.format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY;', p.name)),
                   (p.lacks_force,
                    pg_catalog.format('it does not force row-level security as %s does: its owner sees all rows',
                                      p.parent_name),
                    pg_catalog.format('ALTER TABLE %s FORCE ROW LEVEL SECURITY;', p.name)))
                   AS f (is_found, problem, remedy)
         WHERE f.is_found
        UNION ALL
        SELECT 4, s.name, NULL::text,
               pg_catalog.format('roles have rights on it that they do not have through %s: %s', s.parent_name,
                                 string_agg(s.role, text ', ' ORDER BY s.role) FILTER (WHERE s.has_more)),
               pg_catalog.format('REVOKE ALL ON TABLE %s FROM %s CASCADE;', s.name,
                                 string_agg(s.role, text ', ' ORDER BY s.role))
          FROM strangers AS s GROUP BY s.name, s.parent_name
    )
    SELECT f.relation_name, f.column_name, f.problem, f.remedy FROM found AS f
     ORDER BY f.n, f.relation_name::text, f.column_name, f.problem;
END;

COMMENT ON FUNCTION kid_check(relation regclass) IS
    'returns a row for each problem with the IDs and the partitions of a table, with its remedy';

-- What hangs on columns, for scripts that change a table, for both editions
--
-- These functions read the catalog and need no other right. PostgreSQL's own functions print the objects, with their
-- schema, as the search_path contains none.

-- Prints what CREATE leaves to other statements: of a column its privileges, comment, statistics target and options; if
-- `num` is 0, of a relation the same of each column, its owner, privileges and comment.
CREATE OR REPLACE FUNCTION kid_details(tab oid, num smallint) RETURNS text
    LANGUAGE SQL STABLE STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
    WITH c AS (SELECT c.*, c.oid::regclass AS name,
                      CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind
                 FROM pg_class AS c WHERE c.oid = tab),
    a AS (SELECT a.*, format('%I', a.attname) AS name FROM pg_attribute AS a
           WHERE a.attrelid = tab AND NOT a.attisdropped AND (a.attnum = num OR num = 0 AND a.attnum > 0))
    SELECT string_agg(l.line, E'\n' ORDER BY l.n, l.m, l.line) FROM c, LATERAL (
        SELECT 1, 0::bigint, format('ALTER %s %s OWNER TO %s;', c.kind, c.name, c.relowner::regrole) WHERE num = 0
        UNION ALL
        SELECT DISTINCT 2, 0, format('REVOKE ALL ON %s FROM %s;', c.name, g.name)
          FROM pg_default_acl AS f, aclexplode(f.defaclacl) AS d,
               coalesce(nullif(d.grantee::regrole::text, '-'), 'PUBLIC') AS g (name)
         WHERE num = 0 AND d.grantee <> c.relowner AND f.defaclobjtype = 'r'
               AND f.defaclnamespace IN (0, c.relnamespace)
        UNION ALL
        SELECT 3, min(d.n), format('GRANT %s ON %s TO %s%s;',
                                   string_agg(d.privilege_type || o.columns, ', ' ORDER BY d.privilege_type), c.name,
                                   coalesce(nullif(d.grantee::regrole::text, '-'), 'PUBLIC'),
                                   CASE WHEN d.is_grantable THEN ' WITH GRANT OPTION' END)
          FROM (SELECT c.relacl, '' WHERE num = 0
                UNION ALL SELECT a.attacl, format(' (%s)', a.name) FROM a) AS o (acl, columns),
               aclexplode(o.acl) WITH ORDINALITY AS d (grantor, grantee, privilege_type, is_grantable, n)
         GROUP BY o.columns, d.grantee, d.is_grantable
        UNION ALL
        SELECT 4, 0, format('COMMENT ON %s %s IS %L;', c.kind, c.name, obj_description(tab, 'pg_class'))
         WHERE num = 0 AND obj_description(tab, 'pg_class') <> ''
        UNION ALL
        SELECT 4, a.attnum, format('COMMENT ON COLUMN %s.%s IS %L;', c.name, a.name, col_description(tab, a.attnum))
          FROM a WHERE col_description(tab, a.attnum) <> ''
        UNION ALL
        -- Minor versions keep a mark of their own among the options.
        SELECT 5, a.attnum, format('ALTER %s %s ALTER COLUMN %s SET %s;', c.kind, c.name, a.name, s.setting)
          FROM a, LATERAL (SELECT 'STATISTICS ' || a.attstattarget WHERE a.attstattarget >= 0 AND c.relkind <> 'v'
                           UNION ALL
                           SELECT format('(%s)', string_agg(o.option, ', ')) FROM unnest(a.attoptions) AS o (option)
                            WHERE o.option NOT LIKE 'pg\_%' HAVING count(*) > 0) AS s (setting)) AS l (n, m, line)
$$;

-- Returns what keeps columns from being replaced, in the order in which to make it again: views that show them, views
-- on these, rules, policies, triggers, statistics and exclusion constraints. Drop them in the opposite order. For what
-- goes with its view `remove` is null. Leaves to the caller indexes of tables, other constraints, and defaults and
-- sequences of the columns. Anything else is an error that names it.
CREATE OR REPLACE FUNCTION kid_remade(tabs oid[], nums smallint[])
    RETURNS TABLE (label text, owner oid, remove text, make text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off AS $$
DECLARE
    remade_view oid;
    other text;
    others text[];
BEGIN
    FOR label, owner, remove, make, remade_view, other IN
        WITH RECURSIVE hanging AS (
            -- On columns, on the type of rows if `num` is 0, and by GROUP BY on a primary key
            SELECT d.classid, d.objid, d.objsubid, 1 AS level
              FROM unnest(tabs, nums) AS c (tab, num),
                   LATERAL (SELECT 'pg_class'::regclass, c.tab, c.num
                            UNION ALL
                            SELECT 'pg_type'::regclass, unnest(ARRAY[t.oid, t.typarray]), 0 FROM pg_type AS t
                             WHERE t.typrelid = c.tab AND c.num = 0
                            UNION ALL
                            SELECT 'pg_constraint'::regclass, k.oid, 0 FROM pg_constraint AS k
                             WHERE k.conrelid = c.tab AND c.num = ANY (k.conkey)) AS o (class, oid, num)
                   JOIN pg_depend AS d ON d.refclassid = o.class AND d.refobjid = o.oid AND d.refobjsubid = o.num
             WHERE d.deptype <> 'i' AND (o.class <> 'pg_constraint'::regclass OR d.classid = 'pg_rewrite'::regclass)
            UNION
            -- On whole rows
            SELECT d.classid, d.objid, d.objsubid, 1
              FROM pg_depend AS d JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
             WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (tabs)
                   AND r.ev_action::text LIKE '%varattno 0 %'
            UNION
            SELECT d.classid, d.objid, d.objsubid, h.level + 1
              FROM hanging AS h JOIN pg_rewrite AS r ON r.oid = h.objid JOIN pg_class AS v ON v.oid = r.ev_class
                   JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
                                          OR d.refclassid = 'pg_type'::regclass AND d.refobjid = v.reltype
             WHERE h.classid = 'pg_rewrite'::regclass AND r.rulename = '_RETURN'
                   AND d.deptype <> 'i' AND (d.classid, d.objid) <> (h.classid, h.objid)
        ),
        views AS (SELECT c.*, v.level, CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END || 'VIEW' AS kind
                    FROM (SELECT r.ev_class, max(h.level) FROM hanging AS h JOIN pg_rewrite AS r ON r.oid = h.objid
                           WHERE h.classid = 'pg_rewrite'::regclass AND r.rulename = '_RETURN' GROUP BY r.ev_class)
                         AS v (oid, level) JOIN pg_class AS c ON c.oid = v.oid),
        state (enabled, words) AS (VALUES ('D'::"char", 'DISABLE'), ('R', 'ENABLE REPLICA'), ('A', 'ENABLE ALWAYS'))
        SELECT DISTINCT ON (v.level, h.classid, h.objid)
               l.label, c.relowner,
               CASE WHEN v.oid IS NULL AND c.oid IN (SELECT o.oid FROM views AS o) THEN NULL
                    WHEN x.relname = 'pg_constraint' THEN format('ALTER TABLE %s DROP %s;', c.oid::regclass, m.name)
                    ELSE format('DROP %s;', l.label) END,
               m.definition || concat(';', format(E'\nALTER TABLE %s ', m.home) || s.words || format(' %s;', m.name),
                                      format(E'\nCOMMENT ON %s IS ', l.label) || quote_literal(d.comment) || ';'),
               v.oid,
               CASE WHEN x.relname IN ('pg_constraint', 'pg_rewrite', 'pg_trigger')
                         OR EXISTS (SELECT FROM pg_class AS c
                                     WHERE (h.classid, h.objid) = (c.tableoid, c.oid) AND c.relkind IN ('i', 'I', 'S'))
                         OR EXISTS (SELECT FROM pg_attrdef AS f
                                     WHERE (h.classid, h.objid) = (f.tableoid, f.oid)
                                           AND (f.adrelid, f.adnum) IN (SELECT c.* FROM unnest(tabs, nums) AS c))
                    THEN NULL ELSE pg_describe_object(h.classid, h.objid, h.objsubid) END
          FROM (SELECT h.classid, h.objid, h.objsubid FROM hanging AS h
                UNION SELECT 'pg_class'::regclass, v.oid, 0 FROM views AS v) AS h
               JOIN pg_class AS x ON x.oid = h.classid
               LEFT JOIN views AS v ON (x.oid, h.objid) = ('pg_class'::regclass, v.oid)
               LEFT JOIN LATERAL (
                SELECT v.oid::regclass, false, v.kind || ' ' || v.oid::regclass, NULL::"char",
                       format('CREATE %s %s%s%s%s AS%s%s', v.kind, v.oid::regclass,
                              ' USING ' || (SELECT quote_ident(a.amname) FROM pg_am AS a WHERE a.oid = v.relam),
                              ' WITH (' || array_to_string(v.reloptions, ', ') || ')',
                              ' TABLESPACE ' || (SELECT quote_ident(s.spcname) FROM pg_tablespace AS s
                                                  WHERE s.oid = v.reltablespace),
                              E'\n' || rtrim(pg_get_viewdef(v.oid), ';'),
                              CASE WHEN v.relkind = 'm' AND NOT v.relispopulated THEN ' WITH NO DATA' END)
                 WHERE v.oid <> 0
                UNION ALL
                SELECT o.oid::regclass, false, format('COLUMN %s.%I', o.oid::regclass, a.attname), NULL,
                       format('ALTER VIEW %s ALTER %I SET DEFAULT %s', o.oid::regclass, a.attname,
                              pg_get_expr(f.adbin, o.oid))
                  FROM pg_attrdef AS f JOIN views AS o ON o.oid = f.adrelid
                       JOIN pg_attribute AS a ON a.attrelid = o.oid AND a.attnum = f.adnum
                 WHERE (h.classid, h.objid) = (f.tableoid, f.oid)
                UNION ALL
                SELECT o.oid::regclass, false, format('INDEX %s', c.oid::regclass), NULL,
                       concat(pg_get_indexdef(c.oid), CASE WHEN i.indisclustered THEN format(
                           E';\nALTER MATERIALIZED VIEW %s CLUSTER ON %I', o.oid::regclass, c.relname) END)
                  FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid JOIN views AS o ON o.oid = i.indrelid
                 WHERE (h.classid, h.objid) = (c.tableoid, c.oid)
                UNION ALL
                SELECT r.ev_class, true, format('RULE %I', r.rulename), r.ev_enabled, rtrim(pg_get_ruledef(r.oid), ';')
                  FROM pg_rewrite AS r
                 WHERE (h.classid, h.objid) = (r.tableoid, r.oid) AND r.rulename <> '_RETURN'
                UNION ALL
                SELECT t.tgrelid, true, format('TRIGGER %I', t.tgname), t.tgenabled, pg_get_triggerdef(t.oid)
                  FROM pg_trigger AS t
                 WHERE (h.classid, h.objid) = (t.tableoid, t.oid) AND NOT t.tgisinternal AND t.tgparentid = 0
                UNION ALL
                SELECT p.polrelid, true, format('POLICY %I', p.polname), NULL,
                       format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', p.polname, p.polrelid::regclass,
                              CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                              CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                                            WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                              (SELECT string_agg(coalesce(nullif(r::regrole::text, '-'), 'PUBLIC'), ', ')
                                 FROM unnest(p.polroles) AS r),
                              ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                              ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
                  FROM pg_policy AS p WHERE (h.classid, h.objid) = (p.tableoid, p.oid)
                UNION ALL
                SELECT s.stxrelid, false, n.name, NULL,
                       concat(pg_get_statisticsobjdef(s.oid),
                              format(E';\nALTER %s OWNER TO %s', n.name, s.stxowner::regrole),
                              format(E';\nALTER %s SET STATISTICS ', n.name)
                              || CASE WHEN s.stxstattarget >= 0 THEN s.stxstattarget END)
                  FROM pg_statistic_ext AS s,
                       format('STATISTICS %s.%I', s.stxnamespace::regnamespace, s.stxname) AS n (name)
                 WHERE (h.classid, h.objid) = (s.tableoid, s.oid)
                UNION ALL
                SELECT k.conrelid, true, format('CONSTRAINT %I', k.conname), NULL,
                       format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname,
                              pg_get_constraintdef(k.oid))
                  FROM pg_constraint AS k
                 WHERE (h.classid, h.objid) = (k.tableoid, k.oid) AND k.contype = 'x' AND k.conparentid = 0)
                AS m (home, is_on, name, enabled, definition) ON true
               LEFT JOIN state AS s ON s.enabled = m.enabled
               LEFT JOIN pg_class AS c ON c.oid = m.home,
               LATERAL (SELECT m.name || CASE WHEN m.is_on THEN ' ON ' || m.home ELSE '' END) AS l (label),
               LATERAL (SELECT CASE WHEN v.oid IS NULL THEN obj_description(h.objid, x.relname) END) AS d (comment)
         ORDER BY v.level, h.classid, h.objid, h.objsubid
    LOOP
        IF make IS NOT NULL THEN
            EXECUTE format('SELECT concat_ws(E''\n'', $1, %s.kid_details($2, smallint ''0''))', 'kid')
               INTO make USING make, remade_view;
            RETURN NEXT;
        ELSIF other IS NOT NULL THEN
            others := others || other;
        END IF;
    END LOOP;
    IF others IS NOT NULL THEN
        RAISE 'what depends on the columns cannot be made again: %', array_to_string(others, ', ')
            USING ERRCODE = 'feature_not_supported', HINT = 'Drop it first, and make it again afterwards.';
    END IF;
END $$;

-- `owners` are the roles whose objects are dropped and made again. The statement runs before it is known who runs it,
-- so each function is named with its schema. Names in scripts stand between quotes such as $kid_lock$.
CREATE OR REPLACE FUNCTION kid_checked(tables oid[], owners name[]) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
                      LEFT JOIN pg_attrdef AS f ON f.adrelid = c.oid AND f.adnum = a.attnum
                WHERE c.oid = ANY (tables) AND concat(c.oid::regclass, a.attname, pg_get_userbyid(c.relowner), owners,
                                                      pg_get_expr(f.adbin, f.adrelid)) LIKE '%$kid\_%') THEN
        RAISE 'cannot print a script for %: a name or default contains "$kid_"', tables[1]::regclass
            USING ERRCODE = 'feature_not_supported';
    END IF;
    RETURN format($check$DO $kid_check$
BEGIN
    IF current_user <> %1$L THEN
        RAISE 'must be owner of table %%', %2$L
            USING HINT = pg_catalog.format('Connect as %%I. SET ROLE does as well if you trust all code of that role.',
                                           %1$L);
    ELSIF EXISTS (SELECT FROM pg_catalog.unnest(%3$L::name[]) AS o (name)
                   WHERE NOT pg_catalog.pg_has_role(o.name, 'USAGE')) THEN
        RAISE 'views of other roles are to be made again: GRANT these roles to %%: %%', current_user, %3$L;
    ELSIF EXISTS (SELECT FROM pg_class WHERE oid = ANY (%4$L::oid[]) AND relforcerowsecurity)
          AND NOT (SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE 'a table has FORCE ROW LEVEL SECURITY: its owner needs BYPASSRLS, or would not see all rows';
    END IF;
END $kid_check$;$check$, (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = tables[1]),
                  tables[1]::regclass, coalesce(owners, '{}'), tables);
END $$;

-- New keys have operators of kid where definitions have those of pg_catalog, and JOIN USING, CASE, NULLIF and DISTINCT
-- FROM never name the schema of theirs. So a script looks for operators in the schema of kid, too. If other roles have
-- created there what could fit better than pg_catalog's, it does not: a definition that needs an operator of kid fails.
CREATE OR REPLACE FUNCTION kid_script_path() RETURNS text
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN bool_and(r.rolsuper OR r.rolname = current_user OR r.oid = d.datdba) IS NOT FALSE
                THEN concat('pg_catalog, ', 'kid', ', pg_temp') ELSE 'pg_catalog, pg_temp' END
      FROM (SELECT p.proowner FROM pg_proc AS p JOIN pg_proc AS c USING (proname)
             WHERE p.pronamespace = 'kid'::regnamespace AND c.pronamespace = 'pg_catalog'::regnamespace
            UNION
            SELECT o.oprowner FROM pg_operator AS o JOIN pg_operator AS c USING (oprname)
             WHERE o.oprnamespace = 'kid'::regnamespace AND c.oprnamespace = 'pg_catalog'::regnamespace) AS o (role)
           JOIN pg_roles AS r ON r.oid = o.role JOIN pg_database AS d ON d.datname = current_database()
$$;

-- The statements lock `tables`, a list of names, check the tables `checked`, and make again what hangs on columns, and
-- the foreign keys `keys`. They validate these later if PostgreSQL lets them. `new_root` is the table that becomes a
-- partitioned one, or 0.
CREATE OR REPLACE FUNCTION kid_script_parts(tables text, checked oid[], tabs oid[], nums smallint[], keys oid[], new_root oid)
    RETURNS TABLE (part text, statement text)
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    WITH h AS (SELECT r.* FROM kid_remade(tabs, nums) WITH ORDINALITY AS r (label, owner, remove, make, n))
    SELECT v.part, v.statement
      FROM (VALUES
               (text 'begin', text 'BEGIN ISOLATION LEVEL READ COMMITTED;'),
               ('begin', pg_catalog.format(text 'DO $kid_path$ BEGIN PERFORM pg_catalog.set_config(''search_path'', '
                                                '%s.kid_script_path(), true); END $kid_path$;', 'kid')),
               -- Keeps trying without making writers wait, in a transaction at READ COMMITTED.
               ('lock', $lock$DO $kid_lock$
BEGIN
    FOR attempt IN 1 .. 300 LOOP
        BEGIN
            SET LOCAL lock_timeout = '300ms';        -- less than deadlock_timeout: no writer is canceled
            LOCK TABLE $lock$ || tables || $lock$ IN ACCESS EXCLUSIVE MODE;
            SET LOCAL lock_timeout = '3s';
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random());
        END;
    END LOOP;
    RAISE 'no lock after 300 attempts: run this step again';
END $kid_lock$;$lock$),
               ('check', kid_checked(checked, (SELECT pg_catalog.array_agg(DISTINCT pg_get_userbyid(h.owner)) FROM h))),
               ('rights', kid_details(tabs[1], smallint '0')),
               ('commit', 'COMMIT;')) AS v (part, statement)
    UNION ALL (SELECT 'remove', h.remove FROM h ORDER BY h.n DESC)
    UNION ALL (SELECT 'make', h.make FROM h ORDER BY h.n)
    UNION ALL
    (SELECT v.part, pg_catalog.format(v.template || text ';', k.conrelid::regclass, k.conname,
                                      pg_get_constraintdef(k.oid), o.comment)
       FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid,
            LATERAL (SELECT obj_description(k.oid, name 'pg_constraint'),
                            k.convalidated AND k.conrelid <> new_root
                            AND (c.relkind = "char" 'r' OR new_root = oid '0' AND
                                 current_setting(text 'server_version_num')::integer >= 180000))
                    AS o (comment, is_late),
            LATERAL (VALUES
                (text 'cut', text 'ALTER TABLE %1$s DROP CONSTRAINT %2$I'),
                ('join', 'ALTER TABLE %1$s ADD CONSTRAINT %2$I %3$s'
                         || CASE WHEN o.is_late THEN ' NOT VALID' ELSE '' END),
                ('join', CASE WHEN o.comment <> text '' THEN 'COMMENT ON CONSTRAINT %2$I ON %1$s IS %4$L' END),
                ('validate', CASE WHEN o.is_late THEN 'ALTER TABLE %1$s VALIDATE CONSTRAINT %2$I' END))
            AS v (part, template)
      WHERE k.oid = ANY (keys) ORDER BY k.conname, k.oid, v.template);
END;

COMMENT ON FUNCTION kid_details(tab oid, num smallint) IS
    'prints the owner, privileges, comments and options of a relation, or of one of its columns';
COMMENT ON FUNCTION kid_remade(tabs oid[], nums smallint[]) IS
    'returns the views, rules, policies, triggers and statistics that hang on columns, as statements';
COMMENT ON FUNCTION kid_checked(tables oid[], owners name[]) IS
    'returns a statement that fails unless the session may change tables, and sees all their rows';
COMMENT ON FUNCTION kid_script_path() IS 'returns the search_path of a script';
COMMENT ON FUNCTION kid_script_parts(tables text, checked oid[], tabs oid[], nums smallint[], keys oid[], new_root oid) IS
    'returns the statements that scripts have in common, each with the part of the script that it belongs to';

-- Scripts that partition a table by time, for both editions
--
-- kid_partition_script() executes nothing. A table becomes the first partition of a new one, which takes its name and
-- gets all that it had: PostgreSQL prints objects with the name of the table, and so as the new table needs them. No
-- row is copied. From a default or first partition, rows move into partitions by time.

CREATE OR REPLACE FUNCTION kid_state(relation regclass) RETURNS text
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT md5(pg_catalog.concat(
               (SELECT string_agg(r.make, text '')
                  -- The system columns stand for the relation.
                  FROM (SELECT pg_catalog.array_agg(a.attrelid) AS tabs,
                               pg_catalog.array_agg(greatest(a.attnum, smallint '0')) AS nums
                          FROM pg_attribute AS a WHERE a.attrelid = relation::oid) AS a,
                       kid_remade(a.tabs, a.nums) AS r),
               c.relname, c.relacl, c.relrowsecurity, c.relforcerowsecurity, c.relowner,
               (SELECT string_agg(d::text, text '' ORDER BY d.*) FROM pg_depend AS d
                       LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass::oid AND k.oid = d.objid
                 WHERE d.refclassid = 'pg_class'::regclass::oid AND d.refobjid = c.oid
                       AND k.conname IS DISTINCT FROM name 'kid_until'),
               (SELECT string_agg(pg_catalog.concat_ws(text ' ', a.attname, a.atttypid, a.attacl, a.attnotnull),
                                  text ',' ORDER BY a.attnum)
                  FROM pg_attribute AS a WHERE a.attrelid = c.oid)))
      FROM pg_class AS c WHERE c.oid = relation::oid;
END;

CREATE OR REPLACE FUNCTION kid_partition_script(
    relation regclass, period interval, until timestamptz, rows_of regclass DEFAULT NULL)
    RETURNS TABLE (step text, statement text, lock text, note text)
    LANGUAGE plpgsql STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off AS $$
DECLARE
    home text := 'kid';
    tab record;
    bound text;
    tables oid[];
    problems text;
    state text;
    parts text[];
    statements text[];
BEGIN
    -- `old` is the name that the table gets as a partition. Its indexes get names with their OIDs.
    SELECT c.*, a.attnum AS num, quote_ident(a.attname) AS key, a.atttypid::regtype AS type,
           (SELECT coalesce(b.typnamespace, t.typnamespace)::regnamespace
              FROM pg_type AS t LEFT JOIN pg_type AS b ON b.oid = t.typbasetype WHERE t.oid = a.atttypid) AS operators,
           format('%s.%I', c.relnamespace::regnamespace, o.name) AS old, o.name AS old_name,
           s.*, s.source = d.partdefid AS of_default, n.*
      INTO tab
      FROM pg_class AS c
           LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1
           LEFT JOIN pg_partitioned_table AS d ON d.partrelid = c.oid
           JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = coalesce(d.partattrs[0], i.indkey[0]),
           LATERAL (SELECT CASE WHEN octet_length(c.relname) < 60 AND NOT EXISTS (
                                     SELECT FROM pg_class AS x
                                      WHERE x.relname = c.relname || '_old' AND x.relnamespace = c.relnamespace)
                                THEN c.relname || '_old' ELSE 'kid_old_' || c.oid END) AS o (name),
           -- Either the table is to be partitioned, or rows of a partition move.
           LATERAL (SELECT CASE c.relkind WHEN 'r' THEN relation END,
                           CASE c.relkind WHEN 'p' THEN coalesce(rows_of, d.partdefid::regclass) END)
                   AS s (new_root, source),
           LATERAL (SELECT array_agg(n.attnum) || smallint '0',
                           string_agg(quote_ident(n.attname), ', ' ORDER BY n.attnum)
                           FILTER (WHERE NOT n.attisdropped AND n.attgenerated = '')
                      FROM pg_attribute AS n WHERE n.attrelid = c.oid AND n.attnum > 0) AS n (nums, columns)
     WHERE c.oid = relation AND c.relkind IN ('r', 'p');
    EXECUTE format('SELECT ltrim(%s.kid_bound_at($1, $2)::text)', home) INTO bound USING tab.type, until;
    IF bound IS NULL THEN
        RAISE '% has no primary key that is one column of IDs, and is not partitioned by IDs', relation
            USING ERRCODE = 'wrong_object_type';
    ELSIF tab.relkind = 'p' AND NOT EXISTS (SELECT FROM pg_inherits AS i
                                             WHERE (i.inhparent, i.inhrelid) = (relation, tab.source)) THEN
        RAISE '% has no such partition, or no default partition', relation USING ERRCODE = 'wrong_object_type';
    ELSIF tab.relkind = 'r' AND until <= now() THEN
        RAISE 'the time % has passed', until USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Rows until then stay in the first partition. Inserts would fail before it is one.';
    END IF;
    tables := ARRAY(SELECT k.conrelid FROM pg_constraint AS k
                     WHERE k.confrelid = tab.new_root AND k.conrelid <> tab.new_root
                    UNION SELECT k.confrelid FROM pg_constraint AS k
                     WHERE k.conrelid = tab.new_root AND k.confrelid NOT IN (0, tab.new_root));
    SELECT string_agg(p.text, E'\n' ORDER BY p.text) INTO problems FROM (
        SELECT 'p', format('%s on %s runs in any case: disable it first', h.name, h.tab::regclass)
          FROM (SELECT format('trigger %I', t.tgname), t.tgrelid FROM pg_trigger AS t
                 WHERE t.tgenabled IN ('A', 'R') AND t.tgtype & 12 <> 0 AND NOT t.tgisinternal
                UNION ALL
                SELECT format('rule %I', r.rulename), r.ev_class FROM pg_rewrite AS r
                 WHERE r.ev_enabled IN ('A', 'R') AND r.ev_type IN ('3', '4')) AS h (name, tab)
         WHERE h.tab IN (relation, tab.source)
        UNION ALL
        SELECT 'r', format('index %s is unique without the column of the IDs', i.indexrelid::regclass)
          FROM pg_index AS i
         WHERE i.indrelid = relation AND i.indisunique AND tab.num <> ALL (i.indkey::smallint[])
        UNION ALL
        SELECT 'r', format('constraint %I is an exclusion, not valid, or NO INHERIT', k.conname) FROM pg_constraint AS k
         WHERE k.conrelid = relation AND k.conname <> 'kid_until'
               AND (k.contype = 'x' OR NOT k.convalidated OR k.contype = 'c' AND k.connoinherit)
        UNION ALL
        SELECT 'r', format('trigger %I has a transition table', t.tgname) FROM pg_trigger AS t
         WHERE t.tgrelid = relation AND t.tgtype & 1 = 1 AND coalesce(t.tgoldtable, t.tgnewtable) IS NOT NULL
        UNION ALL
        SELECT 'r', format('publication %I would publish partitions: set its publish_via_partition_root', p.pubname)
          FROM pg_publication AS p
         WHERE NOT p.pubviaroot AND relation IN (SELECT t.relid FROM pg_get_publication_tables(p.pubname::text) AS t)
        UNION ALL
        SELECT 'r', format('%s is a child of %s', relation, i.inhparent::regclass) FROM pg_inherits AS i
         WHERE i.inhrelid = relation
        UNION ALL
        SELECT 'r', format('%s is typed, unlogged or temporary', relation)
         WHERE tab.reloftype <> 0 OR tab.relpersistence <> 'p'
        UNION ALL
        SELECT 'r', format('%s has a foreign key in common, and does not belong to %s', t.oid::regclass,
                           tab.relowner::regrole)
          FROM pg_class AS t WHERE t.oid = ANY (tables) AND t.relowner <> tab.relowner) AS p (relkind, text)
     WHERE p.relkind = tab.relkind;
    IF problems IS NOT NULL THEN
        RAISE 'cannot print a script for %', relation USING ERRCODE = 'feature_not_supported', DETAIL = problems;
    END IF;
    EXECUTE format('SELECT array_agg(p.part), array_agg(p.statement), %1$s.kid_state($6) '
                   'FROM %1$s.kid_script_parts($1, $2, $3, $4, $5, $6::oid) AS p', home) INTO parts, statements, state
      USING concat_ws(', ', relation, (SELECT string_agg(t::regclass::text, ', ') FROM unnest(tables) AS t)),
            array_remove(relation::oid || tables || tab.source::oid, NULL),
            array_fill(tab.new_root::oid, ARRAY[cardinality(tab.nums)]), tab.nums,
            ARRAY(SELECT k.oid FROM pg_constraint AS k WHERE k.confrelid = tab.new_root AND k.conparentid = 0),
            tab.new_root;
    RETURN QUERY
    WITH s (n, m, part, statement) AS (
        SELECT 0 AS n, u.n AS m, u.part, u.statement
          FROM unnest(parts, statements) WITH ORDINALITY AS u (part, statement, n)
        UNION ALL
        SELECT v.n, 0, v.part, format(v.template || ';', relation, tab.old, tab.old_name, tab.relname, tab.key, bound,
                                      tab.type, period, until, home, state, tab.source, tab.columns, tab.operators)
          FROM (VALUES
                   (1, 'move_begin', 'BEGIN ISOLATION LEVEL READ COMMITTED'),
                   (2, 'move_begin', 'SET LOCAL session_replication_role = replica'),
                   (3, 'move_begin', 'SET LOCAL row_security = off'),
                   (1, 'move', 'CREATE TEMP TABLE kid_late ON COMMIT DROP AS SELECT %13$s FROM %12$s'),
                   (2, 'move', 'DELETE FROM %12$s'),
                   (3, 'move', CASE WHEN NOT tab.of_default THEN 'ALTER TABLE %1$s DETACH PARTITION %12$s' END),
                   (4, 'move', CASE WHEN NOT tab.of_default THEN 'DROP TABLE %12$s' END),
                   (5, 'move', 'SELECT %10$s.kid_create_partitions(%1$L::regclass, %8$L::interval, %9$L::timestamptz, '
                    'at_most => NULL::integer, since => (SELECT %10$s.kid_bound_time(%7$L::regtype, '
                    'lpad(l.%5$s::text, 36)::name) FROM pg_temp.kid_late AS l ORDER BY l.%5$s LIMIT 1))'),
                   (6, 'move', 'INSERT INTO %1$s (%13$s) OVERRIDING SYSTEM VALUE SELECT %13$s FROM pg_temp.kid_late'),
                   (1, 'moved', CASE WHEN tab.of_default THEN 'VACUUM (ANALYZE) %12$s' END),
                   (1, 'unchanged',
                    $check$DO $kid_script$ BEGIN IF %10$s.kid_state(%1$L::regclass) <> %11$L THEN
    RAISE 'objects of %% have changed since this script was printed', %1$L USING HINT = 'Print it again.';
END IF; END $kid_script$ $check$),
                   (1, 'until', 'ALTER TABLE %1$s DROP CONSTRAINT IF EXISTS kid_until, '
                                'ADD CONSTRAINT kid_until CHECK (%5$s OPERATOR(%14$s.<) %6$L::%7$s) NOT VALID'),
                   (1, 'prove', 'ALTER TABLE %1$s VALIDATE CONSTRAINT kid_until'),
                   (1, 'partition', 'ALTER TABLE %1$s RENAME TO %3$I'),
                   (2, 'partition', 'CREATE TABLE %1$s (LIKE %2$s INCLUDING DEFAULTS INCLUDING GENERATED '
                                    'INCLUDING STORAGE INCLUDING COMPRESSION) PARTITION BY RANGE (%5$s)'),
                   (1, 'secure', CASE WHEN tab.relrowsecurity THEN 'ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY' END),
                   (2, 'secure', CASE WHEN tab.relforcerowsecurity
                                      THEN 'ALTER TABLE %1$s FORCE ROW LEVEL SECURITY' END),
                   (3, 'secure', CASE tab.relreplident WHEN 'f' THEN 'ALTER TABLE %1$s REPLICA IDENTITY FULL' END),
                   (1, 'attach', 'ALTER TABLE %1$s ATTACH PARTITION %2$s FOR VALUES FROM (MINVALUE) TO (%6$L)'),
                   (1, 'partitions',
                    'SELECT %10$s.kid_create_partitions(%1$L::regclass, %8$L::interval, '
                    '%9$L::timestamptz + float8 ''7'' * %8$L::interval)'),
                   (1, 'proved', 'ALTER TABLE %2$s DROP CONSTRAINT kid_until'),
                   (1, 'check_back', 'SET LOCAL row_security = off'),
                   (2, 'check_back', $check$DO $kid_script$ BEGIN IF to_regclass(%2$L) IS NULL THEN
    RAISE '%% is as it was: of this step only what follows COMMIT is left', %1$L;
ELSIF EXISTS (SELECT FROM %1$s WHERE tableoid <> %2$L::regclass::oid) THEN
    RAISE 'other partitions have rows: move them into %%', %2$L;
END IF; END $kid_script$ $check$),
                   (1, 'detach', 'ALTER TABLE %1$s DETACH PARTITION %2$s'),
                   (1, 'drop', 'DROP TABLE %1$s'),
                   (1, 'return', 'ALTER TABLE %2$s RENAME TO %4$I'),
                   (1, 'unproved', 'ALTER TABLE %1$s DROP CONSTRAINT IF EXISTS kid_until')) AS v (n, part, template)
        UNION ALL
        SELECT v.n, 0, v.part, format(v.template || ';', i.indexrelid::regclass, i.indexrelid,
                                      c.relnamespace::regnamespace, c.relname, pg_get_indexdef(c.oid), o.comment)
          FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid,
               obj_description(c.oid, 'pg_class') AS o (comment),
               LATERAL (VALUES
                   (1, 'rename', 'ALTER INDEX %1$s RENAME TO kid_old_%2$s'),
                   (1, 'unname', 'ALTER INDEX %3$s.kid_old_%2$s RENAME TO %4$I'),
                   (1, 'copy', CASE WHEN NOT EXISTS (SELECT FROM pg_constraint AS k
                                                      WHERE k.conindid = c.oid AND k.contype IN ('p', 'u'))
                                    THEN '%5$s' END),
                   (2, 'copy', left(o.comment, 0) || 'COMMENT ON INDEX %1$s IS %6$L')) AS v (n, part, template)
         WHERE i.indrelid = relation
        UNION ALL
        -- A foreign key to the table itself, and those of others, refer to the partition until they are joined.
        SELECT 2, row_number() OVER (ORDER BY k.contype = 'f', k.conname), v.part,
               format(v.template || ';', relation, quote_ident(k.conname), pg_get_constraintdef(k.oid), o.comment)
          FROM pg_constraint AS k, obj_description(k.oid, 'pg_constraint') AS o (comment),
               LATERAL (VALUES
                   ('first_copy', 'ALTER TABLE %1$s ADD CONSTRAINT %2$s %3$s'),
                   ('copy', left(o.comment, 0) || 'COMMENT ON CONSTRAINT %2$s ON %1$s IS %4$L')) AS v (part, template)
         WHERE k.conrelid = relation AND k.confrelid <> relation AND k.contype IN ('c', 'f', 'p', 'u')
               AND k.conparentid = 0 AND k.conname <> 'kid_until'
        UNION ALL
        SELECT v.n, a.attnum, v.part,
               format(v.template || ';', relation, tab.old, quote_ident(a.attname), n.oid::regclass,
                      'kid_script.last_' || a.attnum,
                      concat_ws(' ', 'INCREMENT', s.seqincrement, 'MINVALUE', s.seqmin, 'MAXVALUE', s.seqmax,
                                'START', s.seqstart, 'CACHE', s.seqcache, CASE WHEN s.seqcycle THEN 'CYCLE' END),
                      CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END,
                      (SELECT string_agg(format('GRANT %s ON SEQUENCE %s TO %s', x.privilege_type, n.oid::regclass,
                                                coalesce(nullif(x.grantee::regrole::text, '-'), 'PUBLIC')), '; ')
                         FROM aclexplode(n.relacl) AS x))
          FROM pg_attribute AS a
               JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid
                                      AND d.refobjsubid = a.attnum AND d.classid = 'pg_class'::regclass
               JOIN pg_sequence AS s ON s.seqrelid = d.objid JOIN pg_class AS n ON n.oid = s.seqrelid,
               LATERAL (VALUES
                   (false, 3, 'copy', 'ALTER SEQUENCE %4$s OWNED BY %1$s.%3$s'),
                   (false, 3, 'keep', 'ALTER SEQUENCE %4$s OWNED BY %2$s.%3$s'),
                   (true, 1, 'keep_identity',
                    'SELECT pg_catalog.set_config(%5$L, pg_catalog.concat(last_value, '' '', is_called), true) '
                    'FROM %4$s'),
                   (true, 1, 'drop_identity', 'ALTER TABLE %2$s ALTER %3$s DROP IDENTITY'),
                   (true, 1, 'identity',
                    'ALTER TABLE %1$s ALTER %3$s ADD GENERATED %7$s AS IDENTITY (SEQUENCE NAME %4$s %6$s)'),
                   (true, 2, 'identity', 'SELECT pg_catalog.setval(%4$L, '
                    'pg_catalog.split_part(pg_catalog.current_setting(%5$L), '' '', 1)::bigint, '
                    'pg_catalog.split_part(pg_catalog.current_setting(%5$L), '' '', 2)::boolean)'),
                   (true, 3, 'identity', CASE WHEN n.relacl::text <> '' THEN '%8$s' END))
               AS v (is_identity, n, part, template)
         WHERE a.attrelid = relation AND d.deptype IN ('a', 'i') AND v.is_identity = (a.attidentity <> ''))
    SELECT e.step, s.statement, e.lock, e.note
      FROM (VALUES
               (1, 'check', NULL, 'Changes nothing. An error says what to do.', '{check}'),
               (2, 'prepare', 'ACCESS EXCLUSIVE, brief',
                'From here on IDs of that time or later are errors, until the swap.',
                '{begin,lock,check,until,commit}'),
               (3, 'prepare', 'none that blocks reads or writes', 'Reads the table.', '{prove}'),
               (4, 'swap', 'ACCESS EXCLUSIVE, brief',
                'Fills materialized views under the lock. On an error all is as before: run it again.',
                '{begin,lock,check,unchanged,remove,cut,rename,keep_identity,partition,first_copy,copy,rights,secure,'
                'drop_identity,identity,attach,make,join,commit}'),
               (5, 'partitions', 'SHARE UPDATE EXCLUSIVE', 'Repeat it regularly, for later times.',
                '{begin,check,partitions,commit,validate,proved}'),
               (6, 'back', 'ACCESS EXCLUSIVE, brief', 'Instead of the step partitions: all is as before.',
                '{begin,lock,check,check_back,remove,cut,keep,keep_identity,detach,drop,return,unname,identity,make,'
                'join,unproved,commit,validate}'),
               (7, 'move', 'ACCESS EXCLUSIVE',
                'Needs GRANT SET ON PARAMETER session_replication_role. Subscribers delete and insert the rows, too.',
                '{move_begin,lock,check,move,commit,moved}')) AS e (n, step, lock, note, contents),
           unnest(e.contents::text[]) WITH ORDINALITY AS p (part, n)
           JOIN s ON s.part = p.part
     WHERE s.statement <> '' AND (e.n = 7) = (tab.relkind = 'p') ORDER BY e.n, p.n, s.n, s.m, s.statement;
END $$;

COMMENT ON FUNCTION kid_state(relation regclass) IS
    'returns what changes when a table gets other objects, rights or policies';
COMMENT ON FUNCTION kid_partition_script(
    relation regclass, period interval, until timestamptz, rows_of regclass) IS
    'prints the statements that partition a table by time, or move rows of a partition into partitions by time';

-- Scripts that take kid's types and functions away from a table, for both editions

CREATE OR REPLACE FUNCTION kid_uninstall_script(relation regclass)
    RETURNS TABLE (step text, statement text, lock text, note text)
    LANGUAGE plpgsql STABLE ROWS 20
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off AS $$
DECLARE
    home text := 'kid';
    types oid[];
    generators name[];
    columns record;
    parts text[];
    statements text[];
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT f.type::oid) FILTER (WHERE f.type <> ''uuid''::regtype), '
                   'array_agg(DISTINCT f.next::name) FROM %s.kid_stored_forms() AS f', home) INTO types, generators;
    -- The types are kid's own, domains over them, and arrays of both. Foreign keys link the columns that have to change
    -- together. `makes` is what the default of a column calls, if it is a function of kid.
    WITH RECURSIVE base (domain, type, not_null, checks) AS (
        SELECT t, t, false, NULL COLLATE "C" FROM unnest(types) AS t
        UNION ALL
        SELECT t.oid, b.type, b.not_null OR t.typnotnull, concat_ws(', ', b.checks,
               CASE WHEN t.typdefault <> '' THEN 'DEFAULT' END,
               (SELECT string_agg(quote_ident(k.conname), ', ') FROM pg_constraint AS k
                 WHERE k.contypid = t.oid AND k.contype = 'c'))
          FROM base AS b JOIN pg_type AS t ON t.typbasetype = b.domain AND t.typtype = 'd'),
    typed AS (
        SELECT a.attrelid, a.attnum, b.not_null, b.checks,
               format(CASE WHEN t.typname IN ('kid64', 'flake') THEN 'bigint%s' ELSE 'text%s COLLATE "C"' END,
                      CASE WHEN a.atttypid <> b.domain THEN '[]' END) AS type
          FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f')
               JOIN pg_type AS y ON y.oid = a.atttypid JOIN base AS b ON b.domain IN (y.oid, y.typelem)
               JOIN pg_type AS t ON t.oid = b.type
         WHERE NOT a.attisdropped),
    linked (tab, num) AS (
        SELECT relation::oid, a.attnum FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attnum > 0
        UNION
        SELECT o.*
          FROM linked AS l JOIN pg_constraint AS k ON k.contype = 'f' AND l.tab IN (k.conrelid, k.confrelid),
               unnest(k.conkey, k.confkey) AS p (child, parent),
               LATERAL (VALUES (k.conrelid, p.child), (k.confrelid, p.parent)) AS o (tab, num)
         WHERE (l.tab, l.num) IN ((k.conrelid, p.child), (k.confrelid, p.parent))
               AND EXISTS (SELECT FROM typed AS t WHERE (t.attrelid, t.attnum) = (l.tab, l.num))),
    c AS (
        SELECT p.tab, b.attnum AS num, p.tab = l.tab AND b.attinhcount = 0 AS own, quote_ident(a.attname) AS name,
               t.type, t.not_null, t.checks, m.makes, b.atthasdef, b.atttypid,
               row_number() OVER (ORDER BY l.tab <> relation, l.tab, l.num, p.tab <> l.tab, p.tab) AS n
          FROM linked AS l JOIN pg_attribute AS a ON a.attrelid = l.tab AND a.attnum = l.num AND NOT a.attisdropped
               LEFT JOIN typed AS t ON (t.attrelid, t.attnum) = (l.tab, l.num),
               LATERAL (SELECT (
                   SELECT p.oid::regproc::text
                     FROM pg_attrdef AS f JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
                                                                 AND d.refclassid = 'pg_proc'::regclass
                          JOIN pg_proc AS p ON p.oid = d.refobjid AND p.pronamespace = home::regnamespace
                    WHERE (f.adrelid, f.adnum) = (l.tab, l.num) AND p.proname = ANY (generators) LIMIT 1)) AS m (makes),
               LATERAL (SELECT l.tab UNION SELECT p.relid FROM pg_partition_tree(l.tab) AS p) AS p (tab)
               JOIN pg_attribute AS b ON b.attrelid = p.tab
         WHERE b.attname = a.attname AND coalesce(t.type, m.makes) <> '')
    SELECT array_agg(c.tab ORDER BY c.n) AS tabs, array_agg(c.num ORDER BY c.n) AS nums,
           string_agg(DISTINCT c.tab::regclass::text, ', ') FILTER (WHERE c.own) AS own,
           ARRAY(SELECT k.oid FROM pg_constraint AS k
                  WHERE k.contype = 'f' AND k.conparentid = 0
                        AND EXISTS (SELECT FROM c WHERE c.type <> '' AND c.tab = k.conrelid AND c.num = ANY (k.conkey)))
           AS keys,
           (SELECT string_agg(DISTINCT format('%s %s', t.oid::regclass, w.text), E'\n')
              FROM c JOIN pg_class AS t ON t.oid = c.tab, LATERAL (VALUES
                       (c.checks <> '', format('has a domain for %s with constraints: %s', c.name, c.checks)),
                       (c.atthasdef AND CASE WHEN c.type <> '' THEN c.makes IS NULL
                                             ELSE c.atttypid::regtype NOT IN ('bigint', 'uuid', 'text') END,
                        format('has a default for %s that cannot be made again', c.name)),
                       (t.relowner <> (SELECT r.relowner FROM pg_class AS r WHERE r.oid = relation),
                        'belongs to another role'),
                       (c.type <> '' AND EXISTS (SELECT FROM pg_partitioned_table AS p
                                                  WHERE p.partrelid = c.tab AND c.num = ANY (p.partattrs)),
                        format('is partitioned by %s', c.name))) AS w (is_so, text)
             WHERE w.is_so) AS problems,
           ARRAY(SELECT format('ALTER TABLE %s %s;', c.tab::regclass, string_agg(concat(
                                   'ALTER ' || c.name || ' DROP DEFAULT',
                                   ', ALTER ' || c.name || ' TYPE ' || c.type,
                                   CASE WHEN c.not_null THEN ', ALTER ' || c.name || ' SET NOT NULL' END), ', '))
                   FROM c WHERE c.own GROUP BY c.tab) AS types,
           ARRAY(SELECT format(v.template, c.tab::regclass, c.name, n.name, c.makes, n.value)
                   FROM c JOIN pg_class AS t ON t.oid = c.tab,
                        LATERAL (SELECT format('%s.kid_numbers_%s_%s', t.relnamespace::regnamespace, c.tab, c.num),
                                        CASE WHEN c.type LIKE 'text%' THEN 'pg_catalog.gen_random_uuid()::text'
                                             WHEN current_setting('server_version_num')::integer >= 180000
                                             THEN 'pg_catalog.uuidv7()'
                                             ELSE 'pg_catalog.gen_random_uuid()' END) AS n (name, value),
                        LATERAL (VALUES
                            (true, 1, 'CREATE SEQUENCE %3$s OWNED BY %1$s.%2$s;'),
                            (true, 2, 'SELECT pg_catalog.setval(%3$L, greatest(%4$s()::bigint, max(%2$s))) FROM %1$s;'),
                            (true, 3, 'GRANT USAGE ON SEQUENCE %3$s TO PUBLIC;'),
                            (true, 4, 'ALTER TABLE %1$s ALTER %2$s SET DEFAULT pg_catalog.nextval(%3$L);'),
                            (false, 1, 'ALTER TABLE %1$s ALTER %2$s SET DEFAULT %5$s;')) AS v (is_number, n, template)
                  WHERE c.makes <> '' AND c.own
                        AND v.is_number = (coalesce(c.type, format_type(c.atttypid, NULL)) = 'bigint')
                  ORDER BY v.n, c.n) AS defaults
      INTO columns FROM c;
    IF columns.tabs IS NULL THEN
        RAISE '% has no columns of kid''s types, and no default that calls kid', relation
            USING ERRCODE = 'wrong_object_type';
    ELSIF columns.problems IS NOT NULL THEN
        RAISE 'cannot print a script for %', relation
            USING ERRCODE = 'feature_not_supported', DETAIL = columns.problems;
    END IF;
    EXECUTE format('SELECT array_agg(p.part), array_agg(p.statement) '
                   'FROM %s.kid_script_parts($1, $2, $2, $3, $4, oid ''0'') AS p', home) INTO parts, statements
      USING columns.own, columns.tabs, columns.nums, columns.keys;
    RETURN QUERY
    WITH s (n, part, statement) AS (
        -- bigint and text have other operators, which search_path finds.
        SELECT u.n, u.part, CASE u.part WHEN 'make' THEN regexp_replace(
                   u.statement, 'OPERATOR\(' || regexp_replace(home, '(\W)', '\\\1', 'g') || '\.([<>=]+)\)', '\1', 'g')
                            ELSE u.statement END
          FROM unnest(parts, statements) WITH ORDINALITY AS u (part, statement, n)
         WHERE u.statement !~ '^CREATE TRIGGER .* EXECUTE FUNCTION [^ ]*kid_own_ids_trigger[(]'
        UNION ALL
        SELECT t.oid, 'cut', format('DROP TRIGGER IF EXISTS %I ON %s;', t.tgname, t.tgrelid::regclass)
          FROM pg_trigger AS t JOIN pg_proc AS f ON f.oid = t.tgfoid AND f.proname = 'kid_own_ids_trigger'
         WHERE t.tgrelid = ANY (columns.tabs) AND t.tgparentid = 0
        UNION ALL
        SELECT k.oid, 'cut', format('ALTER TABLE %s DROP CONSTRAINT %I;', k.conrelid::regclass, k.conname)
          FROM pg_constraint AS k
         WHERE k.conrelid = ANY (columns.tabs) AND k.conname ~ '^kid_time(_[0-9]+|)$' AND k.conparentid = 0
               AND pg_get_constraintdef(k.oid) LIKE '%kid_timestamp(%'
        UNION ALL SELECT 0, 'type', t FROM unnest(columns.types) AS t
        UNION ALL SELECT d.n, 'default', d.statement FROM unnest(columns.defaults) WITH ORDINALITY AS d (statement, n))
    SELECT e.step, s.statement, e.lock, e.note
      FROM (VALUES
               (0, 'check', NULL, 'Changes nothing. An error says what to do.', '{check}'),
               (1, 'swap', 'ACCESS EXCLUSIVE',
                'Rewrites tables with columns that become text. On an error all is as before.',
                '{begin,lock,check,remove,cut,type,default,join,make,commit}'),
               (2, 'validate', 'none that blocks reads or writes', NULL, '{validate}'))
           AS e (n, step, lock, note, contents),
           unnest(e.contents::text[]) WITH ORDINALITY AS p (part, n) JOIN s ON s.part = p.part
     ORDER BY e.n, p.n, s.n;
END $$;

COMMENT ON FUNCTION kid_uninstall_script(relation regclass) IS
    'prints the statements that take kid''s types and functions away from a table, and the columns linked with it';

-- Rights, whatever the default privileges of the role are

GRANT USAGE ON TYPE kid64 TO PUBLIC;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA kid TO PUBLIC;
-- A role that calls kid64_at() often can make it repeat IDs for others.
REVOKE ALL ON FUNCTION kid_stats(), kid64_at(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

FOR what IN
    WITH objects (kind, home, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname IN ('kid', 'kid_clocks')
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, c.oid::regclass::text,
               c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'FUNCTION', p.pronamespace, p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = 'kid_clocks'::regnamespace
                               OR p.pronamespace = 'kid'::regnamespace AND p.proname IN ('kid_observe', 'kid_observe_all'))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = 'kid_clocks'::regnamespace OR true) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;
FOR what IN SELECT c.oid::regclass AS name FROM pg_class AS c
             WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname ~ '_clock$' LOOP
    -- For kid_track(). Nobody can name the clocks, but who knows their OID can read what kid_next() returned.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
