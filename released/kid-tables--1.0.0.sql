-- partitions by time, in plain SQL, beside kid-ids. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid,kid_clocks. The role that runs it owns the logical
-- clocks. To upgrade, run it again, or a later version, as the same role: it replaces functions, and keeps clocks, types
-- and keys.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, those in
-- PL/pgSQL in the caller's session: so they set the search_path or, where that would take too long, use no operator and
-- give every name its schema.

DO $kid$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    home pg_catalog.text;
    what record;
    -- For revoke.sql
    private pg_catalog.regnamespace;
    schemas pg_catalog.name[];
    functions pg_catalog.oid[];
    is_new boolean;
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
RETURN (lpad(to_hex(kid_micros(least(greatest(ts, timestamptz '1970-01-01 00:00:00+00'),
                                     timestamptz '10889-08-02 05:31:50.655999+00')) / 1000), 12, '0') || below)::uuid;
COMMENT ON FUNCTION kid_uuidv7_bound(ts timestamptz, below text) IS
    'returns the uuid of the millisecond of an instant with the other 80 bits as given in hexadecimal';

CREATE OR REPLACE FUNCTION kid_uuidv7_floor(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
            ELSE kid_uuidv7_bound(ts, '70008000000000000000') END;
COMMENT ON FUNCTION kid_uuidv7_floor(ts timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid_uuidv7_ceil(ts timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < timestamptz '1970-01-01 00:00:00+00' THEN '00000000-0000-7000-8000-000000000000'
            ELSE kid_uuidv7_bound(ts, '7fffbfffffffffffffff') END;
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

-- The types that IDs have here. A further type needs a line in each of these functions.
--
-- A bound is the text of an ID, with spaces before it, as a name: bounds sort by their bytes, and so as the IDs do.

CREATE OR REPLACE FUNCTION kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN regtype 'kid64'::oid THEN kid64_floor(ts)::text
                WHEN regtype 'uuid'::oid THEN kid_uuidv7_floor(ts)::text
            END, 36)::name;
COMMENT ON FUNCTION kid_bound_at(type regtype, ts timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';

-- A bound of uuids need not be of version 7.
CREATE OR REPLACE FUNCTION kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN regtype 'kid64'::oid THEN kid_timestamp(ltrim(bound::text)::kid64)
           WHEN regtype 'uuid'::oid THEN kid_timestamp((left(bound::text, 13) || text '-7000-8000-000000000000')::uuid)
       END;
COMMENT ON FUNCTION kid_bound_time(type regtype, bound name) IS 'returns when the time unit of a bound begins';

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
COMMENT ON FUNCTION kid_stored_forms() IS 'returns the types of IDs, and the types of columns that they are stored in';

-- Partitions by time, for both editions
--
-- A table, its constraints and its triggers can run code of the owner. So these functions work only for the owner, who
-- can do all of it without them.
--
-- Functions in SQL are bound when they are created, and each operand has exactly the type of its operator: others may
-- be able to create functions and operators in the schema of kid. Functions in PL/pgSQL look up names when they run, in
-- pg_catalog alone, and name kid's schema where they call kid's functions.

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
    SELECT pg_get_userbyid(c.relowner), a.atttypid, a.attname,
           CASE t.typname WHEN 'kid96' THEN 'kid.neighborhood' WHEN 'flake' THEN 'kid.flake_epoch' END
      INTO owner, type, name, setting
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
COMMENT ON FUNCTION kid_partition_key(parent regclass, change boolean) IS
    'returns the column that a table is partitioned by; locks the table if its partitions are to be changed';

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
COMMENT ON FUNCTION kid_partition_bounds(parent regclass) IS
    'returns the partitions of a table with their bounds and times';

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
COMMENT ON FUNCTION kid_partitions(parent regclass) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';

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
COMMENT ON FUNCTION kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer, boolean) IS
    'creates the missing partitions of a table until a time, and returns their names';

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
COMMENT ON FUNCTION kid_drop_partitions(parent regclass, older_than timestamptz, dry_run boolean, at_most integer) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';

-- The IDs that tables contain, and kid_observe_all(), for both editions
--
-- As a superuser these functions run no code that an owner of a table wrote. Even planning a query can run such code,
-- because PostgreSQL evaluates the constant parts of index expressions, of predicates, and of statistics. So
-- kid_stored_ids() first takes locks that keep the table, its indexes, its statistics and its name from being changed.
-- Then it refuses tables with objects that depend on code of others. Its settings keep constraints from being evaluated
-- and policies from being applied. Functions of kid and operators on IDs are named with their schema, and operands
-- have exactly their types, so that nothing of others in that schema fits better: a cast removes domains.

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
COMMENT ON FUNCTION kid_stored_ids(after timestamptz, only_clock text, parent regclass) IS
    'returns the columns of IDs, the greatest ID of each up to a time, and a later one';

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
COMMENT ON FUNCTION kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';
REVOKE ALL ON FUNCTION kid_observe_all() FROM PUBLIC;

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

-- Rights, whatever the default privileges of the role are

GRANT USAGE ON TYPE kid64 TO PUBLIC;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA kid TO PUBLIC;
-- A role that calls kid64_at() often can make it repeat IDs for others.
REVOKE ALL ON FUNCTION kid_stats(), kid64_at(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

private := 'kid_clocks';
schemas := '{kid,kid_clocks}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace AND p.proname IN ('kid_observe', 'kid_observe_all'));
is_new := true;
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`. Unless
-- `is_new`, other roles than PUBLIC keep what they have outside `private`.
FOR what IN
    WITH objects (kind, home, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, c.oid::regclass::text,
               c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'FUNCTION', p.pronamespace, p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR is_new OR a.grantee = 0) LOOP
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
