-- uuids of version 7 in strict order, in plain SQL, beside kid-ids. This is version 1.0.0.
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

-- uuid version 7: its components

CREATE OR REPLACE FUNCTION kid_inspect(id uuid, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 6
BEGIN ATOMIC
    WITH parts AS (SELECT get_byte(b, 6) >> 4 AS version, (get_byte(b, 6) & 15) << 8 | get_byte(b, 7) AS fraction,
                          get_byte(b, 8) >> 6 AS variant, get_byte(b, 8) >> 2 & 15 AS count,
                          encode(set_byte(substr(b, 9), 0, get_byte(b, 8) & 3), 'hex') AS random
                     FROM uuid_send(id) AS b)
    SELECT c.component, c.bits, CASE WHEN c.always OR kid_timestamp(id) IS NOT NULL THEN c.value END
      FROM parts, LATERAL (VALUES ('timestamp', 48, kid_timestamp(id)::text, false),
                                  ('version', 4, version::text, true),
                                  ('fraction', 12, fraction::text, false),
                                  ('variant', 2, variant::text, true),
                                  ('count', 4, count::text, false),
                                  ('random', 58, random, false)) AS c (component, bits, value, always);
END;
COMMENT ON FUNCTION kid_inspect(id uuid) IS 'lists the components of a uuid of version 7, most significant first';

-- uuid version 7: the states of its logical clock, and IDs for old rows

-- A state of the clock of uuids is the milliseconds since 1970, then 14 bits that count. They follow the milliseconds
-- in the uuid: the fraction of the edition in C, and half of its count.
CREATE OR REPLACE FUNCTION kid_uuidv7_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN micros / 1000 << 14;
COMMENT ON FUNCTION kid_uuidv7_unit_of(micros bigint) IS
    'returns the first state of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid_uuidv7_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN ((state >> 14) + 1) * 1000;
COMMENT ON FUNCTION kid_uuidv7_unit_end(state bigint) IS
    'returns when the millisecond of a state ends, in microseconds';
CREATE OR REPLACE FUNCTION kid_uuidv7_state_of(id uuid) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    bytes bytea := uuid_send(id);
BEGIN
    IF kid_timestamp(id) IS NULL THEN
        RAISE 'uuid "%" is not of version 7', id USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN (kid_uuidv7_millis(id) << 14) + ((get_byte(bytes, 6) & 15) << 10) + (get_byte(bytes, 7) << 2)
           + (get_byte(bytes, 8) >> 4 & 3);
END $$;
COMMENT ON FUNCTION kid_uuidv7_state_of(id uuid) IS 'returns the state that has a uuid of version 7';
CREATE OR REPLACE FUNCTION kid_uuidv7_micros(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN (state >> 14) * 1000;
COMMENT ON FUNCTION kid_uuidv7_micros(state bigint) IS
    'returns when the millisecond of a state begins, in microseconds';
CREATE OR REPLACE FUNCTION kid_uuidv7_of(state bigint, random bigint) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN encode(int8send((state >> 14 << 16) + 28672 + (state >> 2 & 4095))
              || int8send((8 + (state & 3) << 60) + (random & 1152921504606846975)), 'hex')::uuid;
COMMENT ON FUNCTION kid_uuidv7_of(state bigint, random bigint) IS
    'returns the uuid of version 7 of a state, with 60 random bits';

-- uuid: the logical clock, and the generator
--
-- This is a piece of the body of the DO statement that begin.sql.in opens.
--
-- The sequence kid_uuidv7_clock is the clock: its last value is the state that was issued last. Within a time unit
-- nextval() returns the next state, without a lock. Under a lock, setval() goes to a later unit: to that of the system
-- clock, or to the next one if the unit is used up or the system clock is behind. WAL carries a sequence through
-- crashes and promotions.
--
-- setval() must not go back behind a nextval() of another session. A session draws only after it saw the clock at or
-- before state 8191 of its unit. So once the clock is past that state, each session draws at most once more.
-- A unit has 8192 states more. With fewer sessions, no state leaves its unit, and setval() always opens a
-- later unit. That holds however long a session is stalled between any two steps, and whatever the system clock does.
-- If a session drew first and looked then, states would leave their unit, and repeat.
--
-- It holds while all states come from here. The functions run as their owner, so nobody else needs rights to draw from
-- the sequence; rights.sql lets everybody read it, for kid_track(). It is in the schema kid_clocks, where only members
-- of pg_read_all_data can name it: a role that can name a relation can wait for a lock on it, because PostgreSQL checks
-- rights only afterwards. The owner must leave it as it is: with a CACHE, for example, IDs would fall.

-- When the script runs again, it does not lock the sequence. Otherwise sessions that make IDs would wait for the
-- script, and the script for a running dump.
--
-- The clock begins at the end of the first unit, where no session draws: the first ID of all has to open a unit. So it
-- is an error, as in the edition in C, if the type cannot have the time of the system clock.
IF to_regclass('kid_clocks.kid_uuidv7_clock') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid_uuidv7_clock MINVALUE 0 MAXVALUE 4611686018427387903;
    PERFORM setval('kid_clocks.kid_uuidv7_clock', (1 << 14) - 1);
    COMMENT ON SEQUENCE kid_clocks.kid_uuidv7_clock IS
        'the logical clock of uuid; nothing but functions of kid may change it';
END IF;

-- What others would have to know to keep the clock from moving. It is in a sequence, whose value does not depend on a
-- snapshot, and which logical replication does not copy. A dump without data restores no secret, so the script makes
-- one then.
IF to_regclass('kid_clocks.kid_uuidv7_secret') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid_uuidv7_secret MINVALUE 0;
    COMMENT ON SEQUENCE kid_clocks.kid_uuidv7_secret IS
        'the secret of the logical clock of uuid; only kid_clocks.kid_new_secrets() may change it';
END IF;
IF pg_sequence_last_value('kid_clocks.kid_uuidv7_secret') IS NULL THEN
    PERFORM setval('kid_clocks.kid_uuidv7_secret', kid_clocks.kid_random());
END IF;

CREATE OR REPLACE FUNCTION kid_uuidv7_state() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN pg_sequence_last_value('kid_clocks.kid_uuidv7_clock');
COMMENT ON FUNCTION kid_uuidv7_state() IS 'returns the last state of the logical clock of uuid';
CREATE OR REPLACE FUNCTION kid_uuidv7_draw() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN nextval('kid_clocks.kid_uuidv7_clock');
COMMENT ON FUNCTION kid_uuidv7_draw() IS 'returns the next state of the logical clock of uuid';
CREATE OR REPLACE FUNCTION kid_uuidv7_is_open(state bigint, micros bigint) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN micros < kid_uuidv7_unit_end(state) AND state & (1 << 14) - 1 <= 8191;
COMMENT ON FUNCTION kid_uuidv7_is_open(state bigint, micros bigint) IS
    'tells whether a session that saw a state at an instant, in microseconds, may draw the next one';

-- To leave a unit takes these steps, in this order:
--
--     1. try what setval() needs
--     2. read what the following steps read of catalogs
--     3. with a new secret, take the lock of the unit's key with the new secret
--     4. take the lock of the unit's key
--     5. see that the clock is still in the unit
--     6. with a new secret, set the secret
--     7. set the clock to a later unit
--     8. release the locks
--
-- The key of the advisory lock is made of a secret and of the unit. So one session at a time leaves a unit. When
-- pg_locks shows the key to others, who could hold that lock for ever, it is about to be of no use: the next unit has
-- another key.
--
-- The key is of no use only if step 7 succeeds. If it failed, the unit would still be the current one, and others would
-- know its key. So step 1 comes first. nextval() of another sequence fails in a read-only transaction, in recovery and
-- in a parallel worker. pg_current_xact_id() fails if the lock table is full. The session has held the locks on the
-- sequences that it sets since it read their last values.
--
-- Nor may the session with the lock be made to wait before it has set the clock, for example for a client that does not
-- read. So steps 1 to 7 are one expression, which PL/pgSQL evaluates without looking for a cancel or a termination. For
-- step 8 an exception ends the subtransaction, as any other error does before it is sent. Debugging messages are not
-- sent.
--
-- Nested CASEs put the steps in order. PostgreSQL promises that a CASE evaluates no part that its result does not need,
-- except immutable functions of constants, which the planner computes, and aggregates. No step calls such a function.
-- AND and OR promise no order. Within a step none is needed:
--
--     1, 2    the step is done when both sides of AND are
--     3, 6    without a new secret the side after OR gets NULL, so it does nothing
--
-- Step 2 comes after nextval() of step 1, which can discard what was read.
CREATE OR REPLACE FUNCTION kid_clocks.kid_uuidv7_key(secret bigint, unit bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN ('x' || left(encode(sha256(int8send(secret) || int8send(unit)), 'hex'), 16))::bit(64)::bigint;
COMMENT ON FUNCTION kid_clocks.kid_uuidv7_key(secret bigint, unit bigint) IS
    'returns the key of the advisory lock that a session holds to leave a time unit';

-- This is one function for IDs and for new secrets, because both leave a unit by the same steps.
--
-- Returns the first state of a later unit, or, if another session has opened one, its next state; with `beyond`, a
-- state above that.
--
-- With `new_secret`, opens a unit, and changes the secret before. While the clock is in the unit that ends, the session
-- holds the locks of both keys of that unit, so nobody else leaves it. A session that sees the next unit reads the
-- secret afterwards, and gets the new one.
CREATE OR REPLACE FUNCTION kid_clocks.kid_uuidv7_open(beyond bigint DEFAULT -1, new_secret boolean DEFAULT false)
    RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = kid, pg_temp SET client_min_messages = error AS $$
DECLARE
    micros bigint;
    state bigint;
    later bigint;
    opened bigint;
    key bigint;
    secret bigint;
    new_key bigint;
    few_units CONSTANT bigint := 3 * 1024;    -- microseconds; a time unit has at most 1024
BEGIN
    LOOP
        micros := kid_clock_micros();
        -- A dump without data restores a sequence that has no last value.
        state := coalesce(kid_uuidv7_state(), 0);
        later := kid_uuidv7_unit_of(greatest(micros, kid_uuidv7_unit_end(greatest(state, beyond))));
        IF greatest(state, beyond) < 1 << 14
           AND micros NOT BETWEEN kid_micros(kid_uuidv7_first()) AND kid_micros(kid_uuidv7_last()) THEN
            RAISE 'timestamp out of range for uuid version 7'
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('The range is %s to %s.', kid_uuidv7_first(), kid_uuidv7_last());
        ELSIF later NOT BETWEEN state AND 4611686018427387903 THEN
            RAISE 'the range of IDs is used up'
                USING ERRCODE = 'sequence_generator_limit_exceeded',
                      DETAIL = 'There is no time unit after that of the last ID issued.';
        ELSIF state > beyond AND NOT new_secret AND kid_uuidv7_is_open(state, micros) THEN
            RETURN kid_uuidv7_draw();
        END IF;
        key := kid_clocks.kid_uuidv7_key(pg_sequence_last_value('kid_clocks.kid_uuidv7_secret'), state >> 14);
        IF key IS NULL THEN
            RAISE 'the secret of the logical clocks is missing'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = 'It is the value of kid_clocks.kid_uuidv7_secret. A dump without data has none.',
                      HINT = 'Run the script of kid again, which makes one.';
        END IF;
        IF new_secret THEN
            -- Another one for each attempt: if the attempt fails, pg_locks has shown its key.
            secret := kid_clocks.kid_random();
            new_key := kid_clocks.kid_uuidv7_key(secret, state >> 14);
        END IF;
        BEGIN
            opened :=
                -- 1
                CASE WHEN nextval('kid_clocks.attempt') IS NOT NULL AND pg_current_xact_id() IS NOT NULL THEN
                -- 2. No lock is needed to see that another session has left the unit.
                CASE WHEN pg_sequence_parameters('kid_clocks.kid_uuidv7_clock'::regclass) IS NOT NULL
                          AND pg_sequence_parameters('kid_clocks.kid_uuidv7_secret'::regclass) IS NOT NULL
                          AND coalesce(kid_uuidv7_state(), 0) >> 14 = state >> 14 THEN
                -- 3
                CASE WHEN NOT new_secret OR pg_try_advisory_xact_lock(new_key) THEN
                -- 4
                CASE WHEN pg_try_advisory_xact_lock(key) THEN
                -- 5
                CASE WHEN coalesce(kid_uuidv7_state(), 0) >> 14 = state >> 14 THEN
                -- 6
                CASE WHEN NOT new_secret OR setval('kid_clocks.kid_uuidv7_secret', secret) IS NOT NULL THEN
                -- 7
                setval('kid_clocks.kid_uuidv7_clock', later) END END END END END END;
            -- 8
            RAISE SQLSTATE 'KID00';
        EXCEPTION WHEN SQLSTATE 'KID00' THEN
        END;
        IF opened IS NOT NULL THEN
            RETURN opened;
        END IF;
        -- Another session has opened a unit, or is about to. Until it has, the last few units are good enough. If all
        -- sessions stood in line for the lock, passing it on would take longer than a unit lasts.
        state := kid_uuidv7_state();
        IF state > beyond AND NOT new_secret AND kid_uuidv7_is_open(state, micros - few_units) THEN
            RETURN kid_uuidv7_draw();
        END IF;
        PERFORM pg_sleep(0.001);
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid_uuidv7_open(beyond bigint, new_secret boolean) IS
    'moves the logical clock of uuid to a later time unit, and returns a state of it';

CREATE OR REPLACE FUNCTION kid_observe(id uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
DECLARE
    state bigint;
BEGIN
    state := kid_uuidv7_state_of(id);
    IF kid_uuidv7_micros(state) > kid_clock_micros() + 3600000000 THEN
        RAISE 'ID is too far ahead of the system clock'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is more than an hour ahead.',
                  HINT = 'New IDs would stay ahead until the system clock catches up.';
    END IF;
    IF state > coalesce(kid_uuidv7_state(), 0) THEN
        PERFORM kid_clocks.kid_uuidv7_open(state);
    END IF;
END $$;
COMMENT ON FUNCTION kid_observe(id uuid) IS 'moves the logical clock past an ID from elsewhere';

-- uuid: the generator
--
-- It is without SET search_path, which would double the time. PL/pgSQL evaluates each expression here without a query
-- of its own, because PostgreSQL replaces the functions in it by their definitions. The CASE evaluates only one of its
-- branches, as clock.sql.in says. An IF with an assignment in each branch would be one expression more, and takes 9 %
-- longer.
CREATE OR REPLACE FUNCTION kid_uuidv7() RETURNS uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
    state bigint := kid.kid_uuidv7_state();
BEGIN
    state := CASE WHEN kid.kid_uuidv7_is_open(state, kid.kid_clock_micros()) THEN kid.kid_uuidv7_draw()
                  ELSE kid_clocks.kid_uuidv7_open() END;
    RETURN kid.kid_uuidv7_of(state, pg_catalog.uuid_hash_extended(pg_catalog.gen_random_uuid(), 0));
END $$;
COMMENT ON FUNCTION kid_uuidv7() IS
    'makes a uuid that is greater than all IDs that this function returned before in the database';
CREATE OR REPLACE FUNCTION kid_uuidv7(n bigint) RETURNS SETOF uuid
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_uuidv7() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid_uuidv7(n bigint) IS 'makes n IDs, each greater than the one before it';

CREATE OR REPLACE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < kid_uuidv7_first() OR ts > kid_uuidv7_last() THEN
        RAISE 'timestamp out of range for uuid version 7'
            USING ERRCODE = 'datetime_field_overflow',
                  DETAIL = 'The range is 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
    END IF;
    RETURN kid_uuidv7_of(kid_uuidv7_unit_of(kid_micros(ts)) + (uuid_hash_extended(gen_random_uuid(), 0) & 16383),
                         uuid_hash_extended(gen_random_uuid(), 0));
END $$;
COMMENT ON FUNCTION kid_uuidv7_at(ts timestamptz) IS 'makes a uuid of version 7 for a given time in the past';

-- The horizon of a table that is tracked by uuids, as a uuid
--
-- kid_horizon(table) is in kid-track, which can be installed later.

CREATE OR REPLACE PROCEDURE kid_uuidv7_horizon(tab regclass, INOUT horizon uuid DEFAULT NULL)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    state bigint;
BEGIN
    CALL kid.kid_horizon(tab, state);
    horizon := kid.kid_uuidv7_of(state, 0);
END $$;
COMMENT ON PROCEDURE kid_uuidv7_horizon(tab regclass, INOUT horizon uuid) IS
    'does the same as `kid_horizon(table)` for a table with uuids of version 7';

-- uuid in base32

CREATE OR REPLACE FUNCTION kid_encode(id uuid, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(B'00' || ('x' || encode(uuid_send(id), 'hex'))::bit(128));
COMMENT ON FUNCTION kid_encode(id uuid, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid_uuid_decode(encoded text, prefix text DEFAULT '') RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    bits text;
BEGIN
    bits := kid_decoded_bits(encoded, prefix, 'type uuid', '7', 26);
    RETURN encode(int8send(substr(bits, 3, 64)::bit(64)::bigint) || int8send(substr(bits, 67)::bit(64)::bigint),
                  'hex')::uuid;
END $$;
COMMENT ON FUNCTION kid_uuid_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

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
