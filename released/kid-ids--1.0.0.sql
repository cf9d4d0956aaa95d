-- kid in plain SQL, for a server where no extension in C can be installed: IDs of 8 bytes. This is version 1.0.0.
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

-- The extension kid and its edition in plain SQL would take each other's names. The extension does not look for this
-- edition: in the schema kid its names are taken, so PostgreSQL refuses it there until docs/start/to_the_extension.sql
-- has dropped them. In another schema the extension can be created beside this edition.

IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
    RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
END IF;

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

-- What names without a schema mean from here on

PERFORM pg_catalog.set_config('search_path', 'kid, pg_temp', true);

-- The version, where people and functions find it

COMMENT ON SCHEMA kid IS 'kid 1.0.0, in plain SQL';
COMMENT ON SCHEMA kid_clocks IS 'logical clocks of kid, for the functions of kid alone';

CREATE OR REPLACE FUNCTION kid_version() RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE RETURN '1.0.0'::text;
COMMENT ON FUNCTION kid_version() IS 'returns the version of the script that made these functions';

-- kid64: the bits of the type in C, as a bigint, until the sign bit would be set, in 18584. src/core/types/kid64.hpp
-- draws them: megaseconds << 44 | seconds << 24 | microseconds >> 10 << 14 | sequence.

IF to_regtype('kid.kid64') IS NULL THEN
    CREATE DOMAIN kid64 AS bigint;
END IF;
COMMENT ON DOMAIN kid64 IS
    'k-ordered ID in 8 bytes, with the time from 1970 to 18584 in units of 1.024 ms: the local ID of the Erlang '
    'library uid';

-- Conversions of times, in microseconds since 1970. The name 'UTC' would be an abbreviation, to which PostgreSQL 18
-- gives the meaning that it has in the time zone of the session, such as 'UTC+5'.

CREATE OR REPLACE FUNCTION kid_micros(ts timestamptz) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN date_part('epoch', date_trunc('second', ts AT TIME ZONE interval '0'))::bigint * 1000000
       + date_part('microseconds', ts AT TIME ZONE interval '0')::bigint % 1000000;
COMMENT ON FUNCTION kid_micros(ts timestamptz) IS 'returns the microseconds since 1970 of an instant';
CREATE OR REPLACE FUNCTION kid_time(micros bigint) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN (date '1970-01-01' + (micros / 86400000000)::integer + micros % 86400000000 * interval '1 us')
       AT TIME ZONE interval '0';
COMMENT ON FUNCTION kid_time(micros bigint) IS 'returns the instant that is so many microseconds after 1970';

CREATE OR REPLACE FUNCTION kid64_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN (micros / 1000000000000 << 44) + (micros / 1000000 % 1000000 << 24) + (micros % 1000000 >> 10 << 14);
COMMENT ON FUNCTION kid64_unit_of(micros bigint) IS 'returns the lowest ID of the time unit that contains an instant';
CREATE OR REPLACE FUNCTION kid64_micros(id bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ((id >> 44) * 1000000 + (id >> 24 & 1048575)) * 1000000 + (id >> 14 & 1023) * 1024;
COMMENT ON FUNCTION kid64_micros(id bigint) IS 'returns when the time unit of an ID begins, in microseconds since 1970';
-- An ID is a state of its clock.
CREATE OR REPLACE FUNCTION kid64_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ((state >> 44) * 1000000 + (state >> 24 & 1048575)) * 1000000
       + least(((state >> 14 & 1023) + 1) * 1024, 1000000);
COMMENT ON FUNCTION kid64_unit_end(state bigint) IS 'returns when the time unit of a state ends, in microseconds';

CREATE OR REPLACE FUNCTION kid_timestamp(id kid64) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_time(kid64_micros(id));
COMMENT ON FUNCTION kid_timestamp(id kid64) IS 'returns the beginning of the time unit of an ID';
CREATE OR REPLACE FUNCTION kid64_timestamp(id kid64) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_time(kid64_micros(id));
COMMENT ON FUNCTION kid64_timestamp(id kid64) IS 'same as kid_timestamp(), under a name that is not overloaded';
CREATE OR REPLACE FUNCTION kid_sequence(id kid64) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN (id & 16383)::integer;
COMMENT ON FUNCTION kid_sequence(id kid64) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE OR REPLACE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid64) IS 'lists the components of an ID, most significant first';

-- The text form of the type in C: base64 with another alphabet, in ASCII order.

CREATE OR REPLACE FUNCTION kid64_to_text(id kid64) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(encode(int8send(id), 'base64'),
                 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
                 '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
COMMENT ON FUNCTION kid64_to_text(id kid64) IS 'returns an ID in the text form of the type in C';

-- The collation is that of the argument otherwise, and may equate upper and lower case.
CREATE OR REPLACE FUNCTION kid64_from_text(encoded text) RETURNS kid64
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    id bigint;
BEGIN
    IF encoded COLLATE "C" ~ '^[.0-9A-U][.0-9A-Z_a-z]{10}$' THEN
        id := ('x' || encode(decode(translate(encoded COLLATE "C",
                                              '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
                                              'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
                                    || '=', 'base64'), 'hex'))::bit(64)::bigint;
        -- The last character has two bits that no ID has.
        IF kid64_to_text(id) COLLATE "C" = encoded COLLATE "C" THEN
            RETURN id;
        END IF;
    END IF;
    RAISE 'invalid input syntax for type kid64: "%"', encoded
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = 'An ID until 18584 has 11 characters of .0-9A-Z_a-z, the first from "." to "U".';
END $$;
COMMENT ON FUNCTION kid64_from_text(encoded text) IS 'returns the ID that kid64_to_text() wrote';

-- kid64: bounds of time, and IDs for old rows
--
-- This is a piece of the body of the DO statement that begin.sql.in opens.
--
-- kid64_inline_floor() is not STRICT, because PostgreSQL would not inline it then. It also replaces
-- kid64_first() and kid64_last() by their values.
--
-- PostgreSQL does not inline PL/pgSQL, so EXPLAIN shows calls of kid64_floor() and not its long body. It sets no
-- search_path, which would take longer than the rest, and uses no name without a schema.

CREATE OR REPLACE FUNCTION kid64_first() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '1970-01-01 00:00:00+00';
COMMENT ON FUNCTION kid64_first() IS 'returns the first instant that a kid64 can have';
CREATE OR REPLACE FUNCTION kid64_last() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '18584-01-10 03:33:19.999999+00';
COMMENT ON FUNCTION kid64_last() IS 'returns the last instant that a kid64 can have';

CREATE OR REPLACE FUNCTION kid64_inline_floor(ts timestamptz) RETURNS kid64
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts < kid64_first() THEN 0 WHEN ts > kid64_last() THEN 9223372036854775807
            ELSE kid64_unit_of(kid_micros(ts)) END;
COMMENT ON FUNCTION kid64_inline_floor(ts timestamptz) IS 'body of kid64_floor()';
CREATE OR REPLACE FUNCTION kid64_floor(ts timestamptz) RETURNS kid64
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN kid.kid64_inline_floor(ts);
END $$;
COMMENT ON FUNCTION kid64_floor(ts timestamptz) IS
    'returns the lowest kid64 of the time unit that contains an instant';
CREATE OR REPLACE FUNCTION kid64_ceil(ts timestamptz) RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < kid64_first() THEN 0 ELSE kid64_inline_floor(ts) | 16383 END;
COMMENT ON FUNCTION kid64_ceil(ts timestamptz) IS
    'returns the highest kid64 of the time unit that contains an instant';

CREATE OR REPLACE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < kid64_first() OR ts > kid64_last() THEN
        RAISE 'timestamp out of range for type kid64'
            USING ERRCODE = 'datetime_field_overflow', DETAIL = 'The range is 1970-01-01 00:00:00+00 to 18584-01-10 03:33:19.999999+00.';
    ELSIF sequence NOT BETWEEN 0 AND 16383 THEN
        RAISE 'sequence % is out of range for type kid64', sequence
            USING ERRCODE = 'numeric_value_out_of_range', DETAIL = 'The range is 0 to 16383.';
    END IF;
    RETURN kid64_inline_floor(ts) + sequence;
END $$;
COMMENT ON FUNCTION kid64_make(ts timestamptz, sequence integer) IS
    'assembles a kid64 from an instant and a sequence, 0 to 16383';

IF to_regclass('kid_clocks.kid64_at_sequence') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid64_at_sequence MINVALUE 0 MAXVALUE 16383 START 0 CYCLE;
    COMMENT ON SEQUENCE kid_clocks.kid64_at_sequence IS 'the sequences of kid64_at()';
END IF;

CREATE OR REPLACE FUNCTION kid64_at(ts timestamptz) RETURNS kid64
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
BEGIN
    RETURN kid64_make(ts, nextval('kid_clocks.kid64_at_sequence')::integer);
END $$;
COMMENT ON FUNCTION kid64_at(ts timestamptz) IS
    'makes a kid64 for a given time in the past, and takes the sequences 0 to 16383 in turn';

-- kid64: a range of time for both editions
--
-- In plain SQL no operator compares an ID with a time: one for kid64, a domain over bigint, would compare every
-- integer. If this function were STRICT, PostgreSQL would not inline it, and a condition would not become a range of
-- the key.
--
-- An instant that is NULL is unknown, as in the comparisons of which this function consists. For columns of type
-- bigint, kid53_within() and kid64_within() take it for no limit instead, because tools leave a filter that is not set
-- NULL.

CREATE OR REPLACE FUNCTION kid_within(id kid64, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN id >= kid64_floor(since) AND id < kid64_floor(until);
COMMENT ON FUNCTION kid_within(id kid64, since timestamptz, until timestamptz) IS
    'returns true if the time of an ID is at or after "since" and before "until"; '
    'infinity means no limit, NULL an unknown time';

-- kid53: a bigint that JavaScript's numbers represent exactly. src/core/types/kid53.hpp draws its bits: milliseconds
-- since 2020 << 12 | sequence.

CREATE OR REPLACE FUNCTION kid53_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN greatest(micros - 1577836800000000, 0) / 1000 << 12;
COMMENT ON FUNCTION kid53_unit_of(micros bigint) IS
    'returns the lowest ID of the millisecond that contains an instant, given in microseconds since 1970';
-- An ID is a state of its clock.
CREATE OR REPLACE FUNCTION kid53_micros(id bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN (id >> 12) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_micros(id bigint) IS
    'returns when the millisecond of an ID begins, in microseconds since 1970';
CREATE OR REPLACE FUNCTION kid53_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN ((state >> 12) + 1) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_unit_end(state bigint) IS 'returns when the millisecond of a state ends, in microseconds';

-- Raises an error for a number that is not a kid53.
CREATE OR REPLACE FUNCTION kid53_checked(id bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF id NOT BETWEEN 0 AND 9007199254740991 THEN
        RAISE 'bigint % is out of range for kid53', id
            USING ERRCODE = 'numeric_value_out_of_range', DETAIL = 'The range is 0 to 9007199254740991.';
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION kid53_checked(id bigint) IS 'returns a kid53, and raises an error for other numbers';

CREATE OR REPLACE FUNCTION kid53_timestamp(id bigint) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN kid_time(kid53_micros(id)) END;
COMMENT ON FUNCTION kid53_timestamp(id bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
CREATE OR REPLACE FUNCTION kid53_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN (id & 4095)::integer END;
COMMENT ON FUNCTION kid53_sequence(id bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
CREATE OR REPLACE FUNCTION kid53_inspect(id bigint, OUT component text, OUT bits integer, OUT value text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text);
END;
COMMENT ON FUNCTION kid53_inspect(id bigint) IS 'lists the components of an ID, most significant first';

-- kid53: bounds of time, and IDs for old rows
--
-- This is a piece of the body of the DO statement that begin.sql.in opens.
--
-- kid53_inline_floor() is not STRICT, because PostgreSQL would not inline it then. It also replaces
-- kid53_first() and kid53_last() by their values.
--
-- PostgreSQL does not inline PL/pgSQL, so EXPLAIN shows calls of kid53_floor() and not its long body. It sets no
-- search_path, which would take longer than the rest, and uses no name without a schema.

CREATE OR REPLACE FUNCTION kid53_first() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '2020-01-01 00:00:00+00';
COMMENT ON FUNCTION kid53_first() IS 'returns the first instant that a kid53 can have';
CREATE OR REPLACE FUNCTION kid53_last() RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN timestamptz '2089-09-06 15:47:35.551999+00';
COMMENT ON FUNCTION kid53_last() IS 'returns the last instant that a kid53 can have';

CREATE OR REPLACE FUNCTION kid53_inline_floor(ts timestamptz) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts < kid53_first() THEN 0 WHEN ts > kid53_last() THEN 9007199254740991
            ELSE kid53_unit_of(kid_micros(ts)) END;
COMMENT ON FUNCTION kid53_inline_floor(ts timestamptz) IS 'body of kid53_floor()';
CREATE OR REPLACE FUNCTION kid53_floor(ts timestamptz) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN kid.kid53_inline_floor(ts);
END $$;
COMMENT ON FUNCTION kid53_floor(ts timestamptz) IS
    'returns the lowest kid53 of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid53_ceil(ts timestamptz) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ts < kid53_first() THEN 0 ELSE kid53_inline_floor(ts) | 4095 END;
COMMENT ON FUNCTION kid53_ceil(ts timestamptz) IS
    'returns the highest kid53 of the millisecond that contains an instant';

CREATE OR REPLACE FUNCTION kid53_make(ts timestamptz, sequence integer) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < kid53_first() OR ts > kid53_last() THEN
        RAISE 'timestamp out of range for kid53'
            USING ERRCODE = 'datetime_field_overflow', DETAIL = 'The range is 2020-01-01 00:00:00+00 to 2089-09-06 15:47:35.551999+00.';
    ELSIF sequence NOT BETWEEN 0 AND 4095 THEN
        RAISE 'sequence % is out of range for kid53', sequence
            USING ERRCODE = 'numeric_value_out_of_range', DETAIL = 'The range is 0 to 4095.';
    END IF;
    RETURN kid53_inline_floor(ts) + sequence;
END $$;
COMMENT ON FUNCTION kid53_make(ts timestamptz, sequence integer) IS
    'assembles a kid53 from an instant and a sequence, 0 to 4095';

IF to_regclass('kid_clocks.kid53_at_sequence') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid53_at_sequence MINVALUE 0 MAXVALUE 4095 START 0 CYCLE;
    COMMENT ON SEQUENCE kid_clocks.kid53_at_sequence IS 'the sequences of kid53_at()';
END IF;

CREATE OR REPLACE FUNCTION kid53_at(ts timestamptz) RETURNS bigint
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
BEGIN
    RETURN kid53_make(ts, nextval('kid_clocks.kid53_at_sequence')::integer);
END $$;
COMMENT ON FUNCTION kid53_at(ts timestamptz) IS
    'makes a kid53 for a given time in the past, and takes the sequences 0 to 4095 in turn';

-- What the logical clocks share

CREATE OR REPLACE FUNCTION kid_clock_micros() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
COMMENT ON FUNCTION kid_clock_micros() IS 'returns the system clock, in microseconds since 1970';

CREATE OR REPLACE FUNCTION kid_clocks.kid_random() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN uuid_hash_extended(gen_random_uuid(), 0) & 9223372036854775807;
COMMENT ON FUNCTION kid_clocks.kid_random() IS 'returns 63 random bits, for a secret';

-- A session draws from this sequence before it takes the lock of a clock: see clock.sql.in.
IF to_regclass('kid_clocks.attempt') IS NULL THEN
    CREATE SEQUENCE kid_clocks.attempt CYCLE;
    COMMENT ON SEQUENCE kid_clocks.attempt IS 'fails where the logical clocks cannot be moved';
END IF;

CREATE OR REPLACE FUNCTION kid_checked_count(n bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF n < 0 THEN
        RAISE 'number of IDs must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN n;
END $$;
COMMENT ON FUNCTION kid_checked_count(n bigint) IS
    'returns how many IDs to make, and raises an error if it is negative';

-- kid64: the logical clock, and the generator
--
-- This is a piece of the body of the DO statement that begin.sql.in opens.
--
-- The sequence kid64_clock is the clock: its last value is the state that was issued last. Within a time unit
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
IF to_regclass('kid_clocks.kid64_clock') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid64_clock MINVALUE 0 MAXVALUE 9223372036854775807;
    PERFORM setval('kid_clocks.kid64_clock', (1 << 14) - 1);
    COMMENT ON SEQUENCE kid_clocks.kid64_clock IS
        'the logical clock of kid64; nothing but functions of kid may change it';
END IF;

-- What others would have to know to keep the clock from moving. It is in a sequence, whose value does not depend on a
-- snapshot, and which logical replication does not copy. A dump without data restores no secret, so the script makes
-- one then.
IF to_regclass('kid_clocks.kid64_secret') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid64_secret MINVALUE 0;
    COMMENT ON SEQUENCE kid_clocks.kid64_secret IS
        'the secret of the logical clock of kid64; only kid_clocks.kid_new_secrets() may change it';
END IF;
IF pg_sequence_last_value('kid_clocks.kid64_secret') IS NULL THEN
    PERFORM setval('kid_clocks.kid64_secret', kid_clocks.kid_random());
END IF;

CREATE OR REPLACE FUNCTION kid64_state() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN pg_sequence_last_value('kid_clocks.kid64_clock');
COMMENT ON FUNCTION kid64_state() IS 'returns the last state of the logical clock of kid64';
CREATE OR REPLACE FUNCTION kid64_draw() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN nextval('kid_clocks.kid64_clock');
COMMENT ON FUNCTION kid64_draw() IS 'returns the next state of the logical clock of kid64';
CREATE OR REPLACE FUNCTION kid64_is_open(state bigint, micros bigint) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN micros < kid64_unit_end(state) AND state & (1 << 14) - 1 <= 8191;
COMMENT ON FUNCTION kid64_is_open(state bigint, micros bigint) IS
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
CREATE OR REPLACE FUNCTION kid_clocks.kid64_key(secret bigint, unit bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN ('x' || left(encode(sha256(int8send(secret) || int8send(unit)), 'hex'), 16))::bit(64)::bigint;
COMMENT ON FUNCTION kid_clocks.kid64_key(secret bigint, unit bigint) IS
    'returns the key of the advisory lock that a session holds to leave a time unit';

-- This is one function for IDs and for new secrets, because both leave a unit by the same steps.
--
-- Returns the first state of a later unit, or, if another session has opened one, its next state; with `beyond`, a
-- state above that.
--
-- With `new_secret`, opens a unit, and changes the secret before. While the clock is in the unit that ends, the session
-- holds the locks of both keys of that unit, so nobody else leaves it. A session that sees the next unit reads the
-- secret afterwards, and gets the new one.
CREATE OR REPLACE FUNCTION kid_clocks.kid64_open(beyond bigint DEFAULT -1, new_secret boolean DEFAULT false)
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
        state := coalesce(kid64_state(), 0);
        later := kid64_unit_of(greatest(micros, kid64_unit_end(greatest(state, beyond))));
        IF greatest(state, beyond) < 1 << 14
           AND micros NOT BETWEEN kid_micros(kid64_first()) AND kid_micros(kid64_last()) THEN
            RAISE 'timestamp out of range for type kid64'
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('The range is %s to %s.', kid64_first(), kid64_last());
        ELSIF later NOT BETWEEN state AND 9223372036854775807 THEN
            RAISE 'the range of IDs is used up'
                USING ERRCODE = 'sequence_generator_limit_exceeded',
                      DETAIL = 'There is no time unit after that of the last ID issued.';
        ELSIF state > beyond AND NOT new_secret AND kid64_is_open(state, micros) THEN
            RETURN kid64_draw();
        END IF;
        key := kid_clocks.kid64_key(pg_sequence_last_value('kid_clocks.kid64_secret'), state >> 14);
        IF key IS NULL THEN
            RAISE 'the secret of the logical clocks is missing'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = 'It is the value of kid_clocks.kid64_secret. A dump without data has none.',
                      HINT = 'Run the script of kid again, which makes one.';
        END IF;
        IF new_secret THEN
            -- Another one for each attempt: if the attempt fails, pg_locks has shown its key.
            secret := kid_clocks.kid_random();
            new_key := kid_clocks.kid64_key(secret, state >> 14);
        END IF;
        BEGIN
            opened :=
                -- 1
                CASE WHEN nextval('kid_clocks.attempt') IS NOT NULL AND pg_current_xact_id() IS NOT NULL THEN
                -- 2. No lock is needed to see that another session has left the unit.
                CASE WHEN pg_sequence_parameters('kid_clocks.kid64_clock'::regclass) IS NOT NULL
                          AND pg_sequence_parameters('kid_clocks.kid64_secret'::regclass) IS NOT NULL
                          AND coalesce(kid64_state(), 0) >> 14 = state >> 14 THEN
                -- 3
                CASE WHEN NOT new_secret OR pg_try_advisory_xact_lock(new_key) THEN
                -- 4
                CASE WHEN pg_try_advisory_xact_lock(key) THEN
                -- 5
                CASE WHEN coalesce(kid64_state(), 0) >> 14 = state >> 14 THEN
                -- 6
                CASE WHEN NOT new_secret OR setval('kid_clocks.kid64_secret', secret) IS NOT NULL THEN
                -- 7
                setval('kid_clocks.kid64_clock', later) END END END END END END;
            -- 8
            RAISE SQLSTATE 'KID00';
        EXCEPTION WHEN SQLSTATE 'KID00' THEN
        END;
        IF opened IS NOT NULL THEN
            RETURN opened;
        END IF;
        -- Another session has opened a unit, or is about to. Until it has, the last few units are good enough. If all
        -- sessions stood in line for the lock, passing it on would take longer than a unit lasts.
        state := kid64_state();
        IF state > beyond AND NOT new_secret AND kid64_is_open(state, micros - few_units) THEN
            RETURN kid64_draw();
        END IF;
        PERFORM pg_sleep(0.001);
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid64_open(beyond bigint, new_secret boolean) IS
    'moves the logical clock of kid64 to a later time unit, and returns a state of it';

CREATE OR REPLACE FUNCTION kid_observe(id kid64) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
DECLARE
    state bigint;
BEGIN
    state := id;
    IF kid64_micros(state) > kid_clock_micros() + 3600000000 THEN
        RAISE 'ID is too far ahead of the system clock'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is more than an hour ahead.',
                  HINT = 'New IDs would stay ahead until the system clock catches up.';
    END IF;
    IF state > coalesce(kid64_state(), 0) THEN
        PERFORM kid_clocks.kid64_open(state);
    END IF;
END $$;
COMMENT ON FUNCTION kid_observe(id kid64) IS 'moves the logical clock past an ID from elsewhere';

-- kid64: the generator
--
-- It is without SET search_path, which would double the time. PL/pgSQL evaluates each expression here without a query
-- of its own, because PostgreSQL replaces the functions in it by their definitions. The CASE evaluates only one of its
-- branches, as clock.sql.in says. An IF with an assignment in each branch would be one expression more, and takes 9 %
-- longer.
CREATE OR REPLACE FUNCTION kid_next() RETURNS kid64
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
    state bigint := kid.kid64_state();
BEGIN
    state := CASE WHEN kid.kid64_is_open(state, kid.kid_clock_micros()) THEN kid.kid64_draw()
                  ELSE kid_clocks.kid64_open() END;
    RETURN state;
END $$;
COMMENT ON FUNCTION kid_next() IS
    'makes a kid64 that is greater than all IDs that this function returned before in the database';
CREATE OR REPLACE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid_next(n bigint) IS 'makes n IDs, each greater than the one before it';

-- bigint: the logical clock, and the generator
--
-- This is a piece of the body of the DO statement that begin.sql.in opens.
--
-- The sequence kid53_clock is the clock: its last value is the state that was issued last. Within a time unit
-- nextval() returns the next state, without a lock. Under a lock, setval() goes to a later unit: to that of the system
-- clock, or to the next one if the unit is used up or the system clock is behind. WAL carries a sequence through
-- crashes and promotions.
--
-- setval() must not go back behind a nextval() of another session. A session draws only after it saw the clock at or
-- before state 1023 of its unit. So once the clock is past that state, each session draws at most once more.
-- A unit has 3072 states more. With fewer sessions, no state leaves its unit, and setval() always opens a
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
IF to_regclass('kid_clocks.kid53_clock') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid53_clock MINVALUE 0 MAXVALUE 9007199254740991;
    PERFORM setval('kid_clocks.kid53_clock', (1 << 12) - 1);
    COMMENT ON SEQUENCE kid_clocks.kid53_clock IS
        'the logical clock of bigint; nothing but functions of kid may change it';
END IF;

-- What others would have to know to keep the clock from moving. It is in a sequence, whose value does not depend on a
-- snapshot, and which logical replication does not copy. A dump without data restores no secret, so the script makes
-- one then.
IF to_regclass('kid_clocks.kid53_secret') IS NULL THEN
    CREATE SEQUENCE kid_clocks.kid53_secret MINVALUE 0;
    COMMENT ON SEQUENCE kid_clocks.kid53_secret IS
        'the secret of the logical clock of bigint; only kid_clocks.kid_new_secrets() may change it';
END IF;
IF pg_sequence_last_value('kid_clocks.kid53_secret') IS NULL THEN
    PERFORM setval('kid_clocks.kid53_secret', kid_clocks.kid_random());
END IF;

CREATE OR REPLACE FUNCTION kid53_state() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN pg_sequence_last_value('kid_clocks.kid53_clock');
COMMENT ON FUNCTION kid53_state() IS 'returns the last state of the logical clock of bigint';
CREATE OR REPLACE FUNCTION kid53_draw() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN nextval('kid_clocks.kid53_clock');
COMMENT ON FUNCTION kid53_draw() IS 'returns the next state of the logical clock of bigint';
CREATE OR REPLACE FUNCTION kid53_is_open(state bigint, micros bigint) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN micros < kid53_unit_end(state) AND state & (1 << 12) - 1 <= 1023;
COMMENT ON FUNCTION kid53_is_open(state bigint, micros bigint) IS
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
CREATE OR REPLACE FUNCTION kid_clocks.kid53_key(secret bigint, unit bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN ('x' || left(encode(sha256(int8send(secret) || int8send(unit)), 'hex'), 16))::bit(64)::bigint;
COMMENT ON FUNCTION kid_clocks.kid53_key(secret bigint, unit bigint) IS
    'returns the key of the advisory lock that a session holds to leave a time unit';

-- This is one function for IDs and for new secrets, because both leave a unit by the same steps.
--
-- Returns the first state of a later unit, or, if another session has opened one, its next state; with `beyond`, a
-- state above that.
--
-- With `new_secret`, opens a unit, and changes the secret before. While the clock is in the unit that ends, the session
-- holds the locks of both keys of that unit, so nobody else leaves it. A session that sees the next unit reads the
-- secret afterwards, and gets the new one.
CREATE OR REPLACE FUNCTION kid_clocks.kid53_open(beyond bigint DEFAULT -1, new_secret boolean DEFAULT false)
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
        state := coalesce(kid53_state(), 0);
        later := kid53_unit_of(greatest(micros, kid53_unit_end(greatest(state, beyond))));
        IF greatest(state, beyond) < 1 << 12
           AND micros NOT BETWEEN kid_micros(kid53_first()) AND kid_micros(kid53_last()) THEN
            RAISE 'timestamp out of range for kid53'
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('The range is %s to %s.', kid53_first(), kid53_last());
        ELSIF later NOT BETWEEN state AND 9007199254740991 THEN
            RAISE 'the range of IDs is used up'
                USING ERRCODE = 'sequence_generator_limit_exceeded',
                      DETAIL = 'There is no time unit after that of the last ID issued.';
        ELSIF state > beyond AND NOT new_secret AND kid53_is_open(state, micros) THEN
            RETURN kid53_draw();
        END IF;
        key := kid_clocks.kid53_key(pg_sequence_last_value('kid_clocks.kid53_secret'), state >> 12);
        IF key IS NULL THEN
            RAISE 'the secret of the logical clocks is missing'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = 'It is the value of kid_clocks.kid53_secret. A dump without data has none.',
                      HINT = 'Run the script of kid again, which makes one.';
        END IF;
        IF new_secret THEN
            -- Another one for each attempt: if the attempt fails, pg_locks has shown its key.
            secret := kid_clocks.kid_random();
            new_key := kid_clocks.kid53_key(secret, state >> 12);
        END IF;
        BEGIN
            opened :=
                -- 1
                CASE WHEN nextval('kid_clocks.attempt') IS NOT NULL AND pg_current_xact_id() IS NOT NULL THEN
                -- 2. No lock is needed to see that another session has left the unit.
                CASE WHEN pg_sequence_parameters('kid_clocks.kid53_clock'::regclass) IS NOT NULL
                          AND pg_sequence_parameters('kid_clocks.kid53_secret'::regclass) IS NOT NULL
                          AND coalesce(kid53_state(), 0) >> 12 = state >> 12 THEN
                -- 3
                CASE WHEN NOT new_secret OR pg_try_advisory_xact_lock(new_key) THEN
                -- 4
                CASE WHEN pg_try_advisory_xact_lock(key) THEN
                -- 5
                CASE WHEN coalesce(kid53_state(), 0) >> 12 = state >> 12 THEN
                -- 6
                CASE WHEN NOT new_secret OR setval('kid_clocks.kid53_secret', secret) IS NOT NULL THEN
                -- 7
                setval('kid_clocks.kid53_clock', later) END END END END END END;
            -- 8
            RAISE SQLSTATE 'KID00';
        EXCEPTION WHEN SQLSTATE 'KID00' THEN
        END;
        IF opened IS NOT NULL THEN
            RETURN opened;
        END IF;
        -- Another session has opened a unit, or is about to. Until it has, the last few units are good enough. If all
        -- sessions stood in line for the lock, passing it on would take longer than a unit lasts.
        state := kid53_state();
        IF state > beyond AND NOT new_secret AND kid53_is_open(state, micros - few_units) THEN
            RETURN kid53_draw();
        END IF;
        PERFORM pg_sleep(0.001);
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid53_open(beyond bigint, new_secret boolean) IS
    'moves the logical clock of bigint to a later time unit, and returns a state of it';

CREATE OR REPLACE FUNCTION kid53_observe(id bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
DECLARE
    state bigint;
BEGIN
    state := kid53_checked(id);
    IF kid53_micros(state) > kid_clock_micros() + 3600000000 THEN
        RAISE 'ID is too far ahead of the system clock'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is more than an hour ahead.',
                  HINT = 'New IDs would stay ahead until the system clock catches up.';
    END IF;
    IF state > coalesce(kid53_state(), 0) THEN
        PERFORM kid_clocks.kid53_open(state);
    END IF;
END $$;
COMMENT ON FUNCTION kid53_observe(id bigint) IS 'moves the logical clock past an ID from elsewhere';

-- bigint: the generator
--
-- It is without SET search_path, which would double the time. PL/pgSQL evaluates each expression here without a query
-- of its own, because PostgreSQL replaces the functions in it by their definitions. The CASE evaluates only one of its
-- branches, as clock.sql.in says. An IF with an assignment in each branch would be one expression more, and takes 9 %
-- longer.
CREATE OR REPLACE FUNCTION kid53_next() RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
    state bigint := kid.kid53_state();
BEGIN
    state := CASE WHEN kid.kid53_is_open(state, kid.kid_clock_micros()) THEN kid.kid53_draw()
                  ELSE kid_clocks.kid53_open() END;
    RETURN state;
END $$;
COMMENT ON FUNCTION kid53_next() IS
    'makes a bigint that is greater than all IDs that this function returned before in the database';
CREATE OR REPLACE FUNCTION kid53_next(n bigint) RETURNS SETOF bigint
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid53_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid53_next(n bigint) IS 'makes n IDs, each greater than the one before it';

-- Other ways to make IDs, and the clocks as a table
--
-- Each clock has a sequence kid_clocks.PREFIX_clock, and functions named PREFIX_state and so on, of clock.sql.in. Those
-- below find the clocks by the names of the sequences, because kid-uuid, with a clock of its own, can be there or not.

CREATE OR REPLACE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE SQL VOLATILE RETURN kid_next();
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
CREATE OR REPLACE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid64_next(n bigint) IS 'same as kid_next(n)';

CREATE OR REPLACE FUNCTION kid_clocks.kid_new_secrets() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sequence_name name;                 -- such as kid64_clock
BEGIN
    FOR sequence_name IN SELECT c.relname FROM pg_class AS c
                          WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock' LOOP
        EXECUTE format('SELECT kid_clocks.%I(new_secret => true)', replace(sequence_name, '_clock', '_open'));
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid_new_secrets() IS
    'changes the secrets of the logical clocks, also while IDs are made';

CREATE OR REPLACE FUNCTION kid_stats(OUT clock text, OUT last_issued timestamptz, OUT ahead interval)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 3 SET search_path = kid, pg_temp AS $$
DECLARE
    sequence_name name;                 -- such as kid64_clock
BEGIN
    FOR sequence_name IN SELECT c.relname FROM pg_class AS c
                          WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock'
                          ORDER BY 1 LOOP
        EXECUTE format('SELECT kid_time(%I(%I()))', replace(sequence_name, '_clock', '_micros'),
                       replace(sequence_name, '_clock', '_state')) INTO last_issued;
        ahead := greatest(last_issued - clock_timestamp(), interval '0');
        -- The names that kid_stats() of the extension shows.
        clock := CASE sequence_name WHEN 'kid64_clock' THEN 'kid' WHEN 'kid_uuidv7_clock' THEN 'uuidv7'
                                    ELSE replace(sequence_name, '_clock', '') END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_stats() IS 'returns the state of each logical clock of the database';

-- Crockford's base32, 5 bits in each character, after a prefix. src/core/base32.hpp has the rules.

CREATE OR REPLACE FUNCTION kid_base32(bits bit varying) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM i FOR 5)::bit(5)::integer + 1, 1),
                      '' ORDER BY i)
      FROM generate_series(1, length(bits), 5) AS i;
END;
COMMENT ON FUNCTION kid_base32(bits bit varying) IS 'returns bits, in groups of 5, as digits';

-- Returns a prefix and "_", or nothing if the prefix is empty. Raises an error for a prefix that no ID can have.
CREATE OR REPLACE FUNCTION kid_checked_prefix(prefix text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF prefix COLLATE "C" = '' THEN
        RETURN '';
    ELSIF prefix COLLATE "C" ~ '^[a-z]([a-z_]{0,61}[a-z]|)$' THEN
        RETURN prefix || '_';
    END IF;
    RAISE 'invalid prefix of an ID: "%"', prefix
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = 'A prefix has at most 63 characters of a-z_, and begins and ends with a letter.';
END $$;
COMMENT ON FUNCTION kid_checked_prefix(prefix text) IS 'returns what precedes the digits of an ID with a prefix';

-- Returns the bits of a text that is the prefix and `length` digits, the first of which is at most `first`. `label` is
-- what messages call the IDs.
CREATE OR REPLACE FUNCTION kid_decoded_bits(encoded text, prefix text, label text, first text, length integer)
    RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    checked text;
BEGIN
    checked := kid_checked_prefix(prefix);
    IF starts_with(encoded COLLATE "C", checked COLLATE "C") AND substr(encoded, length(checked) + 1) COLLATE "C"
       ~ format('^[0-%s][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{%s}$', first, length - 1) COLLATE "C" THEN
        RETURN (SELECT string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', lower(t.c COLLATE "C")) - 1)
                                  ::bit(5)::text, '' ORDER BY t.i)
                  FROM regexp_split_to_table(substr(encoded COLLATE "C", length(checked) + 1), '')
                       WITH ORDINALITY AS t (c, i));
    END IF;
    RAISE 'invalid input syntax for %: "%"', label, encoded
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = format('A value of %s is %s characters of 0-9a-hjkmnp-tv-z in base32, the first from "0" '
                              'to "%s", after the prefix "%s".', label, length, first, checked);
END $$;
COMMENT ON FUNCTION kid_decoded_bits(encoded text, prefix text, label text, first text, length integer) IS
    'returns the bits of an ID with a prefix, as text';

CREATE OR REPLACE FUNCTION kid_encode(id kid64, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(B'0' || id::bigint::bit(64));
COMMENT ON FUNCTION kid_encode(id kid64, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid64_decode(encoded text, prefix text DEFAULT '') RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(kid_decoded_bits(encoded, prefix, 'type kid64', '7', 13), 2)::bit(64)::bigint;
COMMENT ON FUNCTION kid64_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- kid53 in base32

CREATE OR REPLACE FUNCTION kid53_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN kid_checked_prefix(prefix) || kid_base32(substring(B'00' || kid53_checked(id)::bit(64) FROM 12));
COMMENT ON FUNCTION kid53_encode(id bigint, prefix text) IS 'writes a kid53 in Crockford''s base32, after a prefix';
CREATE OR REPLACE FUNCTION kid53_decode(encoded text, prefix text DEFAULT '') RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN lpad(kid_decoded_bits(encoded, prefix, 'kid53', '7', 11), 64, '0')::bit(64)::bigint;
COMMENT ON FUNCTION kid53_decode(encoded text, prefix text) IS 'reads what kid53_encode() wrote with the same prefix';

-- Functions for columns of type bigint, for both editions. A name that is overloaded over the types of IDs cannot tell
-- which IDs a bigint is, so the scheme stands in these names.
--
-- If a function for a range were STRICT, or named an argument twice, PostgreSQL would not inline it for every argument,
-- and a condition would not become a range of the key.
--
-- An instant after the range of kid53 has the greatest number as its floor, which no generator makes.
CREATE OR REPLACE FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= coalesce(kid53_floor(since), 0)
       AND id < coalesce(nullif(kid53_floor(until), 9007199254740991), 9007199254740992);
COMMENT ON FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of a kid53 is at or after "since" and before "until"; NULL means no limit';

-- A kid64 with a time from 18584-01-10 03:33:20 on is negative as a bigint. For such a time the function returns the
-- greatest bigint.
CREATE OR REPLACE FUNCTION kid64_number(ts timestamptz, is_end boolean) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts IS NULL AND NOT is_end THEN 0
            WHEN kid64_floor(ts)::bigint BETWEEN 0 AND 9223372036854775806
            THEN kid64_floor(ts)::bigint - is_end::integer
            ELSE 9223372036854775807 END;
COMMENT ON FUNCTION kid64_number(ts timestamptz, is_end boolean) IS
    'returns the lowest kid64 of an instant, or the number before, as a bigint; a part of kid64_within()';
CREATE OR REPLACE FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= kid64_number(since, false) AND id <= kid64_number(until, true);
COMMENT ON FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of the kid64 in a bigint is at or after "since" and before "until"; NULL means no limit';
CREATE OR REPLACE FUNCTION kid64_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_sequence(id::kid64);
COMMENT ON FUNCTION kid64_sequence(id bigint) IS 'same as kid_sequence(), for the kid64 in a bigint';
CREATE OR REPLACE FUNCTION kid64_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(id::kid64, prefix);
COMMENT ON FUNCTION kid64_encode(id bigint, prefix text) IS 'same as kid_encode(), for the kid64 in a bigint';
CREATE OR REPLACE FUNCTION kid64_inspect(id bigint, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT * FROM kid_inspect(id::kid64);
END;
COMMENT ON FUNCTION kid64_inspect(id bigint) IS 'same as kid_inspect(), for the kid64 in a bigint';

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
