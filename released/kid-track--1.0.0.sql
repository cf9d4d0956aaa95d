-- a horizon for tables with IDs of a sequence, in plain SQL, which needs no other module. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid. The role that runs it owns the logical clocks. To upgrade,
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

-- The extension kid and its edition in plain SQL would take each other's names. The extension does not look for this
-- edition: in the schema kid its names are taken, so PostgreSQL refuses it there until docs/start/to_the_extension.sql
-- has dropped them. In another schema the extension can be created beside this edition.

IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
    RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
END IF;

-- Creates the schemas that are missing. The others must belong to this role, and so must all that is in them: functions
-- that run as this role call it.
FOREACH schema_name IN ARRAY '{kid}'::text[] LOOP
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

-- A horizon for tables that draw their IDs from a sequence, for both editions
--
-- Before a statement inserts rows or updates the column of IDs, the trigger kid_track takes a shared advisory lock,
-- once in a transaction, for a floor. If the IDs are those of a sequence, the floor is its last value. If they are
-- those of a logical clock of the edition in plain SQL, it is the last value of the clock's sequence, shifted right by
-- the number of bits that count in a time unit. What the transaction draws afterwards is above its floor. PostgreSQL
-- releases the lock when others see the rows. So if kid_horizon() reads the sequence first, and then sees no lock,
-- later statements see all rows up to what it read.
--
-- The key of the lock has these bits. pg_locks shows the upper half as classid, the lower half as objid. If another
-- lock happens to have such a key, the horizon is lower until that lock ends.
--
--     62 to 40   the last 23 bits of the table's OID        & 8388607, which is 2^23 - 1
--     39 to 0    the last 40 bits of the floor              & 1099511627775, which is 2^40 - 1
--
-- The triggers make keys: in C lock_floor() in src/pg/triggers/track_triggers.cpp, in plain SQL kid_track_key().
-- kid_track_locks() in horizon.sql reads them. test/t/track.pl lets the triggers take each
-- other's place while transactions are open.
--
-- The trigger kid_track has the following arguments. TG_ARGV in PL/pgSQL and tgargs in C count from 0, as here. The
-- array that kid_track_column() returns counts from 1, and so does split_part() in kid_track_drawers().
--
--     0   the OID of the table: if it is another one, as after a restore, the next argument is of no use
--     1   the OID of the sequence
--     2   by how many bits its value is shifted
--     3   t if kid_track() let every role read the sequence, otherwise f
--     4   t if rows are rejected, otherwise missing
--
-- The trigger zz_kid_track, which rejects rows, has the name of the column as its only argument. PostgreSQL fires
-- triggers in the order of their names, so it sees an ID that another trigger has set.
--
-- A role that may read a table, or a column of it, may ask for its horizon. In C the sequence is read with the rights
-- of the owner of the table. In plain SQL everything runs with the rights of the caller, so every role has to be
-- allowed to read the sequence. Conditions that are only for one edition begin with the value of `plain`, which the
-- script sets.

-- Returns the column by which a table is tracked, and the arguments of the trigger, the first as args[1], or nulls if
-- the table is not tracked: if it has no trigger of kid_track() that fires whatever session_replication_role is, for
-- which tgenabled is A. Raises an error if there is no such table.
--
-- In tgargs a zero byte follows each argument. encode() prints that as a backslash and three digits.
CREATE OR REPLACE FUNCTION kid.kid_track_column(tab oid, OUT attname name, OUT args text[])
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = tab) THEN
        RAISE 'relation with OID % does not exist', tab USING ERRCODE = 'undefined_table';
    END IF;
    -- By name, because no body in PL/pgSQL can name the schema of kid, which may be renamed.
    SELECT a.attname, string_to_array(encode(t.tgargs, 'escape'), chr(92) || '000') INTO attname, args
      FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid AND p.proname = 'kid_track_enter'
           JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = t.tgattr[0]
     WHERE t.tgrelid = tab AND t.tgname = 'kid_track' AND t.tgenabled = 'A';
END $$;
COMMENT ON FUNCTION kid.kid_track_column(tab oid) IS
    'returns the column by which a table is tracked, and the arguments of the trigger';

CREATE OR REPLACE FUNCTION kid.kid_track_primary_key(tab oid) RETURNS name
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT a.attname
      FROM pg_index AS x JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
     WHERE x.indrelid = tab AND x.indisprimary AND x.indnkeyatts = 1;
END;
COMMENT ON FUNCTION kid.kid_track_primary_key(tab oid) IS
    'returns the primary key of a table if that is one column, otherwise NULL';

-- Returns the sequence that a column draws from, or null if there is none, and by how many bits its value is shifted.
-- `attname` is null if there is no such column. Raises an error if there is no such table.
CREATE OR REPLACE FUNCTION kid.kid_track_source(
    tab oid, col name, OUT attname name, OUT seq oid, OUT shift integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    num integer;                                -- the number of the column
    is_identity boolean;
    value text;                                 -- the default of the column, as SQL
    clock text;                                 -- the sequence of the logical clock that the default draws from
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = tab) THEN
        RAISE 'relation with OID % does not exist', tab USING ERRCODE = 'undefined_table';
    END IF;
    SELECT a.attname, a.attnum, a.attidentity <> '' INTO attname, num, is_identity
      FROM pg_attribute AS a WHERE a.attrelid = tab AND a.attname = col;

    -- If the default is a generator in plain SQL: the clock, and how many bits of its states count within a time unit.
    -- The files of the clocks in src/sql/plain set the same numbers as sequence_bits. They are here once more, because
    -- kid-track can be installed without these files, and test/t/plain.pl compares them with the clocks.
    SELECT pg_get_expr(e.adbin, e.adrelid) INTO value FROM pg_attrdef AS e WHERE e.adrelid = tab AND e.adnum = num;
    SELECT k.clock, k.bits INTO clock, shift
      FROM (VALUES ('kid64_clock', 14, '{kid.kid_next(),kid.kid64_next()}'::text[]),
                   ('kid53_clock', 12, '{kid.kid53_next()}'),
                   ('kid_uuidv7_clock', 14, '{kid.kid_uuidv7()}'))
           AS k (clock, bits, generators)
     WHERE true AND replace(value, '"', '') = ANY (k.generators);
    shift := coalesce(shift, 0);

    IF is_identity THEN
        -- pg_get_serial_sequence() may return the sequence of a former serial, which the column still owns.
        SELECT d.objid INTO seq
          FROM pg_depend AS d
         WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = tab AND d.refobjsubid = num
               AND d.classid = 'pg_class'::regclass AND d.deptype = 'i';
    ELSIF clock IS NULL THEN
        -- For example nextval('items_id_seq'::regclass); with quote_all_identifiers the names have quotation marks.
        seq := to_regclass(replace(substring(value FROM '^"*nextval"*[(]''(.*)''::"*regclass"*[)]$'), '''''', ''''));
    ELSE
        SELECT c.oid INTO seq
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE n.nspname = 'kid_clocks' AND c.relname = clock;
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_track_source(tab oid, col name) IS
    'returns what a column draws from: a sequence, and by how many bits its value is shifted';

-- What keeps a column from being tracked, for both editions

-- Takes what kid_track_source() and, if the table is tracked, kid_track_column() returned. Otherwise `is_tracked` is
-- false and `args` null. Says first what is wrong with the table, then with the default, then with the sequence, in the
-- order in which a user would mend it. `hint` is what mends the problem, or empty if the problem says that itself.
--
-- A value is shifted only if it is a state of a clock, so a column of type uuid can be tracked only with a shift. With
-- quote_all_identifiers, which a user may have set, a default has quotation marks.
CREATE OR REPLACE FUNCTION kid.kid_track_problem(
    tab oid, is_tracked boolean, attname name, seq oid, shift integer, args text[], OUT problem text, OUT hint text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tracked pg_class;                           -- the table
    source pg_class;                            -- the sequence
    setup pg_sequence;                          -- and its properties
    value text;                                 -- the default of the column, as SQL
    type regtype;                               -- of the column
    base_type regtype;                          -- the same, or what this domain is over
    found text[];                               -- the problem, and what mends it
    again CONSTANT text := CASE WHEN is_tracked THEN 'Call kid_track() for the table again.' END;
    -- The arguments of the trigger that source.sql.in lists
    tab_then CONSTANT text := args[1];
    seq_then CONSTANT text := args[2];
    shift_then CONSTANT text := args[3];
BEGIN
    SELECT c.* INTO tracked FROM pg_class AS c WHERE c.oid = tab;
    SELECT c.* INTO source FROM pg_class AS c WHERE c.oid = seq;
    SELECT q.* INTO setup FROM pg_sequence AS q WHERE q.seqrelid = seq;
    SELECT pg_get_expr(e.adbin, e.adrelid), y.oid, coalesce(nullif(y.typbasetype, 0), y.oid)
      INTO value, type, base_type
      FROM pg_attribute AS a
           JOIN pg_type AS y ON y.oid = a.atttypid
           LEFT JOIN pg_attrdef AS e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
     WHERE a.attrelid = tab AND a.attname = kid_track_problem.attname;

    found := CASE
        WHEN attname IS NULL AND is_tracked
        THEN ARRAY['it has no trigger of kid_track() that is enabled always', 'Call kid_track() for the table.']
        WHEN attname IS NULL
        THEN ARRAY['it has no such column, or no primary key of one column: name a column']
        WHEN tracked.relkind NOT IN ('r', 'p') OR tracked.relispartition
        THEN ARRAY['it is no table, or a partition: track its parent']
        WHEN tracked.relkind = 'r' AND tracked.relhassubclass
             AND EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = tab)
        THEN ARRAY['other tables inherit it']
        WHEN tracked.relkind = 'p' AND EXISTS (SELECT FROM pg_partition_tree(tab) AS p
                                                           JOIN pg_foreign_table AS f ON f.ftrelid = p.relid)
        THEN ARRAY['it has foreign partitions']

        WHEN seq IS NULL AND value ~ '^"*nextval"*[(].*::"*text"*[)]::"*regclass"*[)]$'
        THEN ARRAY[format('the default of column "%s" casts the name of its sequence to text', attname)]
        WHEN seq IS NULL
        THEN ARRAY[format('the default of column "%s" is not the next value of a sequence', attname)
                   || CASE WHEN true THEN '' ELSE '; IDs that kid makes need no tracking, see kid_horizon()' END]

        WHEN tracked.relpersistence <> 'p' OR source.relpersistence <> 'p'
        THEN ARRAY['it, or its sequence, does not outlast a crash']
        WHEN NOT has_sequence_privilege(tracked.relowner, seq, 'SELECT, USAGE')
        THEN ARRAY[format('its owner may not read sequence %s', seq::regclass)]
        -- A default can name a sequence of another owner, which kid_track() must not make public.
        WHEN true AND (is_tracked OR tracked.relowner <> source.relowner)
             AND NOT has_sequence_privilege('public', seq, 'SELECT')
        THEN ARRAY[format('not everybody may read sequence %s', seq::regclass), again]
        WHEN (shift_then = '0') <> (shift = 0) OR tab_then = tab::text AND seq_then <> seq::text
        THEN ARRAY[format('column "%s" drew from another sequence when the table was tracked', attname), again]
        -- To set it to 1 also discards the values that sessions have cached.
        WHEN setup.seqcache <> 1
        THEN ARRAY[format('sequence %s has CACHE %s, not 1', seq::regclass, setup.seqcache),
                   format('Run ALTER SEQUENCE %s CACHE 1', seq::regclass)
                   || CASE WHEN is_tracked THEN '.' ELSE ', then call kid_track() again.' END]
        WHEN setup.seqincrement < 1 OR setup.seqmin < 0 OR setup.seqcycle
        THEN ARRAY[format('sequence %s is not ascending from 0 or above without CYCLE', seq::regclass)]
        WHEN base_type <> ALL ('{int2,int4,int8}'::regtype[]) AND shift = 0
        THEN ARRAY[format('column "%s" is of type %s', attname, type)] END;
    problem := found[1];
    hint := CASE WHEN found[2] IS NOT NULL THEN found[2]
                 WHEN is_tracked THEN 'Undo what was changed after kid_track() was called for the table.'
                 ELSE '' END;
END $$;
COMMENT ON FUNCTION kid.kid_track_problem(
    tab oid, is_tracked boolean, attname name, seq oid, shift integer, args text[]) IS
    'returns why a column cannot be tracked, or NULL, and what mends that';

-- What names without a schema mean from here on

PERFORM pg_catalog.set_config('search_path', 'kid, pg_temp', true);

-- What kid_horizon(table) reads first: null if this role may not read the sequence, or if it was never called

CREATE OR REPLACE FUNCTION kid_track_last(tab oid, col text, seq oid) RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN CASE WHEN has_sequence_privilege(seq, text 'SELECT') THEN pg_sequence_last_value(seq::regclass) END;
COMMENT ON FUNCTION kid_track_last(tab oid, col text, seq oid) IS 'returns the last value of what a column draws from';

-- The triggers of kid_track() in PL/pgSQL, see tables/track/source.sql.in for their locks and for their arguments
--
-- They set no search_path, which would double their time, so they use no operator of the caller's. They assign results
-- that they need not keep, because PERFORM would be a query.
--
-- Two settings of the transaction have what a trigger keeps for the next one, each with the OID of a table in its name:
--
--     kid_track.fOID   the floor whose lock the transaction holds
--     kid_track.eOID   the last value of the sequence after it took that lock, if rows are rejected: the IDs above
--                      that value may be its own

-- The triggers read their arguments by these names. Variables would take up to a tenth of the time of an insert.
--
--     tracked   of kid_track: the OID of the table when it was tracked
--     seq       of kid_track: the OID of the sequence
--     shift     of kid_track: by how many bits the value of the sequence is shifted
--     rejects   of kid_track: whether rows are rejected
--     column    of zz_kid_track: the name of the column

-- The key has the last 23 bits of the OID and the last 40 bits of the floor, as source.sql.in says.
CREATE OR REPLACE FUNCTION kid_track_key(tab oid, floor bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (tab::bigint & bigint '8388607') << 40 | (floor & bigint '1099511627775');
COMMENT ON FUNCTION kid_track_key(tab oid, floor bigint) IS
    'returns the key of the advisory lock of a table and a floor';

-- Searches the catalogs, as after a restore. Null if there is no sequence that this role may read: kid_horizon() fails.
-- Queries read the catalogs with the snapshot of the transaction. One that is older than the trigger cannot know the
-- sequence.
CREATE OR REPLACE FUNCTION kid_track_find(tab oid) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seq oid;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname = 'kid_track') THEN
        RAISE 'could not serialize access because table % was tracked after this transaction began', tab::regclass
            USING ERRCODE = 'serialization_failure', HINT = 'Try the transaction again.';
    END IF;
    SELECT s.seq INTO seq
      FROM kid.kid_track_column(tab) AS c, LATERAL kid.kid_track_source(tab, c.attname) AS s;
    RETURN CASE WHEN has_sequence_privilege(seq, 'SELECT') THEN pg_sequence_last_value(seq) END;
END $$;
COMMENT ON FUNCTION kid_track_find(tab oid) IS 'returns the last value of what a table draws from';

-- Takes the first two arguments of the trigger, `tracked` and `seq`. Returns -1 if the sequence was never called.
CREATE OR REPLACE FUNCTION kid_track_reached(tab oid, tracked oid, seq oid) RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN coalesce(CASE WHEN tab = tracked AND has_sequence_privilege(seq, text 'SELECT')
                     THEN pg_sequence_last_value(seq::regclass) ELSE kid_track_find(tab) END, bigint '-1');
COMMENT ON FUNCTION kid_track_reached(tab oid, tracked oid, seq oid) IS
    'returns for the triggers the last value of what a table draws from; '
    'faster if the table still has the OID with which its sequence was found';

-- The setting kid_track.fOID is rolled back with the subtransaction that took the lock, as the lock is. No row is
-- missed if it was set by hand: the trigger takes the lock of the lesser of that floor and the true one, within half of
-- the range of keys, which is 2^39 or 549755813888. If others hold that lock exclusively, one that is not far below
-- does as well: each try doubles the range of the next one, to at most 2^37 or 137438953472. To take a lock again costs
-- little.
--
-- The first statement of a transaction, which has no ID yet, takes the lock, and then assigns the ID, by which later
-- statements know that they are not the first. To set kid_track.fOID would take a third of its time. So the second
-- statement finds no setting: it takes the lock again, and sets it. Each expression takes time in each transaction, so
-- the first statement has only one: a CASE, which puts its steps in order, as AND does not.
CREATE OR REPLACE FUNCTION kid_track_enter() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    setting pg_catalog.text;
    held bigint;
    last bigint;
    floor bigint;
    range bigint := 1;
BEGIN
    IF (CASE WHEN (TG_ARGV[4] IS NOT NULL) OR pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN false
             WHEN pg_catalog.pg_try_advisory_xact_lock_shared(kid.kid_track_key(
                      TG_RELID, kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid)
                                OPERATOR(pg_catalog.>>) TG_ARGV[2]::integer))
             THEN pg_catalog.pg_current_xact_id() IS NOT NULL END) THEN
        RETURN NEW;
    END IF;
    setting := pg_catalog.concat('kid_track.f', TG_RELID);
    held := CASE WHEN pg_catalog.current_setting(setting, true) OPERATOR(pg_catalog.<>) ''
                 THEN pg_catalog.current_setting(setting, true)::bigint END;
    last := kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid)
            OPERATOR(pg_catalog.>>) TG_ARGV[2]::integer;
    floor := greatest(least(held, last), last OPERATOR(pg_catalog.-) 549755813888);
    WHILE NOT pg_catalog.pg_try_advisory_xact_lock_shared(kid.kid_track_key(TG_RELID, floor)) LOOP
        IF range OPERATOR(pg_catalog.>) 137438953472 THEN
            RAISE 'could not lock a floor of table %', TG_RELID::pg_catalog.regclass
                USING ERRCODE = 'lock_not_available',
                      DETAIL = 'Other sessions hold advisory locks with the keys of its floors exclusively.',
                      HINT = 'End these sessions; pg_locks lists them.';
        END IF;
        floor := floor OPERATOR(pg_catalog.-) 1
                 OPERATOR(pg_catalog.-) pg_catalog.trunc(pg_catalog.random() OPERATOR(pg_catalog.*) range)::bigint;
        range := range OPERATOR(pg_catalog.*) 2;
    END LOOP;
    IF (held OPERATOR(pg_catalog.=) floor) IS NOT TRUE THEN
        setting := pg_catalog.set_config(setting, floor::pg_catalog.text, true);
        IF (TG_ARGV[4] IS NOT NULL) THEN
            -- Read after the lock was taken: what kid_track_check() accepts is above it.
            floor := kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid);
            setting := pg_catalog.set_config(pg_catalog.concat('kid_track.e', TG_RELID), floor::pg_catalog.text, true);
        END IF;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION kid_track_enter() IS 'takes the lock of a transaction for `kid_horizon(table)`';

-- Rejects rows whose ID may have been drawn before the transaction had its lock: consumers could miss them.
--
-- PL/pgSQL reads a field of NEW only by a name in its source, so the whole
-- row becomes jsonb. That takes 4 microseconds for six short columns. EXECUTE 'SELECT ($1).' || column would plan a
-- query for each row, which takes 8. If the row has a text of 10 kB, both take the same time.
--
-- kid_uuidv7_state_of() is in kid-uuid, which a server with kid-track alone lacks. There no column of type uuid can be
-- tracked: kid_track() accepts one only if its default is kid_uuidv7(), which is in kid-uuid, too.
CREATE OR REPLACE FUNCTION kid_track_check() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    id pg_catalog.text := pg_catalog.to_jsonb(NEW) OPERATOR(pg_catalog.->>) TG_ARGV[0];
    id_before pg_catalog.text;
    entered pg_catalog.text := pg_catalog.current_setting(pg_catalog.concat('kid_track.e', coalesce(
        pg_catalog.pg_partition_root(TG_RELID)::pg_catalog.oid, TG_RELID)), true);
    drawn bigint;                       -- what the sequence returned for this ID
BEGIN
    -- An update may leave an ID as it was.
    IF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' THEN
        id_before := pg_catalog.to_jsonb(OLD) OPERATOR(pg_catalog.->>) TG_ARGV[0];
        IF id_before OPERATOR(pg_catalog.=) id OR (id_before IS NULL AND id IS NULL) THEN
            RETURN NEW;
        END IF;
    END IF;
    IF pg_catalog.strpos(id, '-') OPERATOR(pg_catalog.>) 1 THEN
        -- A uuid of another version was drawn from nothing.
        drawn := CASE WHEN kid.kid_timestamp(id::pg_catalog.uuid) IS NOT NULL
                      THEN kid.kid_uuidv7_state_of(id::pg_catalog.uuid) END;
    ELSE
        drawn := id;
    END IF;
    entered := CASE WHEN entered OPERATOR(pg_catalog.<>) '' THEN entered END;
    IF drawn OPERATOR(pg_catalog.>) entered::bigint THEN
        RETURN NEW;
    END IF;
    RAISE 'ID % was not made in this transaction', coalesce(id, 'NULL')
        USING ERRCODE = 'check_violation', DETAIL = 'Consumers that read up to the horizon would miss the row.',
              HINT = pg_catalog.format(
                  'Leave the column to its default, and insert through the table that is tracked. If the transaction '
                  'takes the ID from the sequence first, begin it with INSERT INTO %1$s SELECT FROM %1$s WHERE false.',
                  coalesce(pg_catalog.pg_partition_root(TG_RELID), TG_RELID::pg_catalog.regclass));
END $$;
COMMENT ON FUNCTION kid_track_check() IS 'rejects rows whose ID was not made in their transaction';

-- The fourth argument of the trigger kid_track says whether kid_track() granted the right to read the sequence.
-- Triggers of other owners do not count, because any role can create one with any arguments, on a table with any
-- default.
CREATE OR REPLACE FUNCTION kid_track_drawers(seq oid) RETURNS TABLE (tab oid, granted boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT c.oid, split_part(encode(t.tgargs, 'escape'), chr(92) || '000', 4) = 't'
      FROM pg_class AS s
           JOIN pg_class AS c ON c.relowner = s.relowner
           JOIN pg_trigger AS t ON t.tgrelid = c.oid AND t.tgname = 'kid_track'
                                   AND t.tgfoid = 'kid.kid_track_enter()'::regprocedure
           JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = t.tgattr[0]
     WHERE s.oid = seq AND (kid.kid_track_source(c.oid, a.attname)).seq = kid_track_drawers.seq;
END $$;
COMMENT ON FUNCTION kid_track_drawers(seq oid) IS
    'lists the tables that draw from a sequence, and whether every role may read it because of them';

CREATE OR REPLACE FUNCTION kid_track_grant(seq oid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF has_sequence_privilege('public', seq, 'SELECT') THEN
        RETURN EXISTS (SELECT FROM kid.kid_track_drawers(seq) AS d WHERE d.granted);
    END IF;
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', seq::regclass);
    RAISE NOTICE 'every role may now read sequence %', seq::regclass
        USING HINT = 'kid_untrack() revokes this right.';
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_track_grant(seq oid) IS
    'lets every role read a sequence; returns whether kid_track() did that, now or before';

CREATE OR REPLACE FUNCTION kid_track_granted(tab oid) RETURNS oid
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT s.seq
      FROM pg_trigger AS t
           JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = t.tgattr[0],
           LATERAL (SELECT (kid_track_source(tab, a.attname)).seq OFFSET 0) AS s
     WHERE t.tgrelid = tab AND t.tgname = name 'kid_track'
           AND (SELECT bool_and(d.tab = t.tgrelid AND d.granted) FROM kid_track_drawers(s.seq) AS d);
END;
COMMENT ON FUNCTION kid_track_granted(tab oid) IS
    'returns the sequence that no other tracked table draws from, if kid_track() let every role read it';

-- The triggers of kid_track(): creates and drops them, for both editions

-- Takes the arguments of the trigger kid_track as SQL, and the functions of both triggers. `check_row` is null if no
-- rows are rejected: then a trigger from an earlier call is dropped.
--
-- CREATE TRIGGER waits for the transactions that have inserted without it. A WHEN would be prepared in each statement,
-- which takes longer than the function. While CREATE TRIGGER waits, another function can get the name that it was
-- given.
--
-- These commands take only names, so their text is put together.
CREATE OR REPLACE FUNCTION kid.kid_track_create(
    tab regclass, col name, arguments text, enter regproc, check_row regproc) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE concat_ws(
        '; ',
        format('CREATE OR REPLACE TRIGGER kid_track BEFORE INSERT OR UPDATE OF %I ON %s FOR EACH STATEMENT '
               'EXECUTE FUNCTION %s(%s)', col, tab, enter, arguments),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER kid_track', tab),
        CASE WHEN check_row IS NOT NULL
             THEN format('CREATE OR REPLACE TRIGGER zz_kid_track BEFORE INSERT OR UPDATE OF %1$I ON %2$s FOR EACH ROW '
                         'EXECUTE FUNCTION %3$s(%1$L)', col, tab, check_row)
             WHEN EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname = 'zz_kid_track')
             THEN format('DROP TRIGGER zz_kid_track ON %s', tab) END);
    IF (SELECT count(*) FROM pg_trigger AS t
         WHERE t.tgrelid = tab AND (t.tgname, t.tgfoid) IN (('kid_track', enter), ('zz_kid_track', check_row)))
       <> num_nonnulls(enter, check_row) THEN
        RAISE 'table %, or function %, was renamed while the table was to be tracked', tab, enter
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_track_create(regclass, name, text, regproc, regproc) IS
    'creates the triggers of `kid_track()`';

-- Drops both triggers, and takes the right to read the sequence `granted` from PUBLIC if that is not null. While DROP
-- TRIGGER waits, another table can get the name that it was given. The commands are text for the same reason.
CREATE OR REPLACE FUNCTION kid.kid_track_drop(tab regclass, granted oid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS kid_track ON %1$s; DROP TRIGGER IF EXISTS zz_kid_track ON %1$s', tab);
    IF EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname IN ('kid_track', 'zz_kid_track')) THEN
        RAISE 'table % was renamed while its triggers were to be dropped', tab
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF granted IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON SEQUENCE %s FROM PUBLIC', granted::regclass);
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_track_drop(regclass, oid) IS
    'removes the triggers of `kid_track()` from a table, and a right that it granted';

-- kid_track() and kid_untrack(), for both editions
--
-- In plain SQL they also grant and revoke the right to read the sequence. An edition sets these two expressions:
--
--     grant       grants the right to read the sequence `s.seq`, and returns whether it did: the argument 3 that
--                 source.sql.in lists
--     granted     the sequence of the table `tab` to which this right was granted, or null

CREATE OR REPLACE FUNCTION kid.kid_track(tab regclass, col name DEFAULT NULL, reject boolean DEFAULT false)
    RETURNS void
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT kid.kid_refuse_null('reject') WHERE reject IS NULL;
    -- One query either raises the error or creates the triggers, so that both see the same column and sequence.
    SELECT CASE WHEN p.problem IS NOT NULL
                THEN kid.kid_refuse(
                         '55000', format('table %s cannot be tracked: %s', tab, p.problem), '', p.hint)
                ELSE kid.kid_track_create(
                         tab, s.attname,
                         -- The arguments of the trigger, which source.sql.in lists
                         concat_ws(', ', tab::oid, s.seq, s.shift, kid.kid_track_grant(s.seq),
                                   CASE WHEN reject THEN true END),
                         'kid.kid_track_enter()'::regprocedure::oid::regproc,
                         CASE WHEN reject THEN 'kid.kid_track_check()'::regprocedure::oid::regproc END) END
      FROM kid.kid_track_source(tab::oid, coalesce(col, kid.kid_track_primary_key(tab::oid))) AS s,
           LATERAL kid.kid_track_problem(
               tab::oid, false, s.attname, s.seq, s.shift, NULL::text[]) AS p;
END;
COMMENT ON FUNCTION kid.kid_track(regclass, name, boolean) IS
    'installs a trigger on a table, so that `kid_horizon(table)` knows which open transactions insert rows; with '
    '`reject`, a second trigger raises an error for a row whose ID was not made in its own transaction';

CREATE OR REPLACE FUNCTION kid.kid_untrack(tab regclass) RETURNS void
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('tab') WHERE tab IS NULL;
    -- An error if there is no such table
    SELECT kid.kid_track_column(tab::oid);
    SELECT kid.kid_track_drop(tab, kid.kid_track_granted(tab::oid));
END;
COMMENT ON FUNCTION kid.kid_untrack(regclass) IS
    'removes the triggers of `kid_track()` from a table';

-- kid_horizon(table) and kid_track_holders(), for both editions

-- Returns a row for each lock, and before them one without a transaction, for what the sequence allows.
--
-- `last` is the last value of the sequence, read before the locks are, or null if there is none. A key has only the
-- last bits of a floor, as source.sql.in says. They tell the floor, because it is near that of `last`: below it, or, if
-- the transaction has begun since, above it. `behind` says by how much it is below: of the 2^40 numbers from -2^32 on,
-- it is the one that fits these bits. A transaction that has begun since does not hold the horizon back.
--
-- pg_lock_status() shows the key of an advisory lock as classid, bits 63 to 32, and objid, bits 31 to 0. objsubid is 1
-- if the key is one bigint.
CREATE OR REPLACE FUNCTION kid.kid_track_locks(tab regclass, shift integer, problem text, hint text, last bigint)
    RETURNS TABLE (horizon bigint, pid integer, virtualtransaction text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- How many bits of a key are those of the floor, and how many above them are those of the table's OID
    floor_bits CONSTANT integer := 40;
    table_bits CONSTANT integer := 23;
    most_above CONSTANT bigint := bigint '1' << 32;
    last_floor bigint;
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'table % has no horizon on a standby', tab
            USING ERRCODE = 'read_only_sql_transaction',
                  DETAIL = 'A standby does not know which transactions are open.';
    ELSIF NOT has_any_column_privilege(tab, 'SELECT') THEN
        RAISE 'permission denied for table %', tab USING ERRCODE = 'insufficient_privilege';
    ELSIF problem IS NOT NULL THEN
        RAISE 'table % is not tracked: %', tab, problem
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = hint;
    END IF;
    last := coalesce(last, -1);
    last_floor := last >> shift;
    horizon := last + 1;
    RETURN NEXT;
    -- In FROM, as in the view pg_locks, PostgreSQL would store all rows of pg_lock_status() before it reads the first.
    -- In the list of a SELECT it reads one row at a time.
    RETURN QUERY
    SELECT ((last_floor - d.behind) << shift) + 1, d.pid, d.virtualtransaction
      FROM (SELECT ((last_floor - k.key + most_above) & ((bigint '1' << floor_bits) - 1)) - most_above AS behind,
                   (l).pid, (l).virtualtransaction
              FROM (SELECT pg_lock_status() AS l OFFSET 0) AS locks,
                   LATERAL (SELECT (l).classid::bigint << 32 | (l).objid::bigint) AS k (key)
             WHERE (l).objsubid = 1 AND k.key >> floor_bits = (tab::oid::bigint & ((bigint '1' << table_bits) - 1))
                   AND (l).locktype = 'advisory' AND (l).mode = 'ShareLock' AND (l).granted
                   AND (l).database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())) AS d;
END $$;
COMMENT ON FUNCTION kid.kid_track_locks(regclass, integer, text, text, bigint) IS
    'returns the locks of open transactions on the floors of a table, and the horizon that each allows';

-- A procedure cannot stand in the query that reads the rows, whose snapshot would be older.
CREATE OR REPLACE PROCEDURE kid.kid_horizon(tab regclass, INOUT horizon bigint DEFAULT NULL)
    LANGUAGE SQL
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT kid.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    -- The last value is an argument, so it is read before the locks.
    SELECT min(l.horizon)
      FROM kid.kid_track_column(tab::oid) AS c,
           LATERAL kid.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL kid.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL kid.kid_track_locks(
               tab, s.shift, why.problem, why.hint, kid.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l;
END;
COMMENT ON PROCEDURE kid.kid_horizon(tab regclass, INOUT horizon bigint) IS
    'returns the horizon of a tracked table: later statements in `READ COMMITTED` see all rows with lower IDs';

CREATE OR REPLACE FUNCTION kid.kid_track_holders(
    tab regclass, OUT horizon bigint, OUT pid integer, OUT gid text, OUT usename name, OUT application_name text,
    OUT since timestamptz)
    RETURNS SETOF record
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT kid.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT kid.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    SELECT l.horizon, l.pid, p.gid, coalesce(a.usename, p.owner), a.application_name, coalesce(a.xact_start, p.prepared)
      FROM kid.kid_track_column(tab::oid) AS c,
           LATERAL kid.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL kid.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL kid.kid_track_locks(
               tab, s.shift, why.problem, why.hint, kid.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l
           LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
           LEFT JOIN pg_locks AS x ON l.pid IS NULL AND x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction
                                      AND x.locktype = text 'transactionid' AND x.mode = text 'ExclusiveLock'
           LEFT JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
     WHERE l.virtualtransaction IS NOT NULL
     ORDER BY 1;
END;
COMMENT ON FUNCTION kid.kid_track_holders(tab regclass) IS
    'lists the running and prepared transactions that hold back `kid_horizon(table)`, and the horizon that each allows';

-- Rights, whatever the default privileges of the role are
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace
               AND (p.proname ~ 'track|horizon'
                    OR p.proname IN ('kid_refuse', 'kid_refuse_null', 'kid_check_isolation')) LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;

-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
