-- kid in plain SQL: the modules kid-ids, kid-uuid, kid-tables, kid-track and kid-workers. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid,kid_clocks,kid_workers. The role that runs it owns the logical clocks. To upgrade,
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
FOREACH schema_name IN ARRAY '{kid,kid_clocks,kid_workers}'::text[] LOOP
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

-- When the script runs again, it keeps the worker numbers. A later version that needs another column has it in
-- workers/tables.sql, and after END IF here, for tables that an earlier version created:
--
--     ALTER TABLE kid_workers.numbers ADD COLUMN IF NOT EXISTS other bigint;

PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
IF to_regclass('kid_workers.numbers') IS NULL THEN

-- Worker numbers: the tables
--
-- A process that makes IDs itself needs a number that no other process has: the generator of flake, the partition of
-- sno, a lane of kid64 or kid53, or the node of kid96. It leases one. A lease is not a right to act for a while,
-- because a process that was paused cannot know that it has lost such a right. It is a window of times in IDs: with
-- this number the process makes only IDs whose time is at or after `since`, and before `until`. The windows of a number
-- never overlap, so no pause, clock or lost message lets two processes make the same ID.
-- docs/guides/worker-rules.md has the rules for clients and the proof. Those for the server are:
--
--   1. `until` of a number is the end of all windows that were ever granted of it. It only rises. A number is closed,
--      never deleted. A new number begins when windows that an earlier table may have granted have ended, unless nobody
--      ever had it. The same holds for a number that was closed and is opened again.
--   2. A grant locks the row of the number, then reads the clock. Its window begins at the later of `until` and now.
--      Windows begin and end with whole seconds, which begin time units of all types.
--   3. A renewal is a grant of the next window, with a new token. No reply is given twice: of two copies of a
--      process, one gets another number.
--   4. A transaction that comes after the one that granted a window returns the window. If replication is synchronous,
--      another commit comes between them, because the first returns with a mere warning if its wait for a standby is
--      canceled.
--   5. If the table is in another database than the one that granted, granting is an error until the owner adopts it.
--      On another timeline of WAL, windows may be missing, so all numbers are postponed first, in a transaction of its
--      own.
--   6. No number that is granted is one with which this server makes IDs.
--   7. The type of IDs, lanes, epoch, the greatest ttl and the margin belong to the pool, and never change.
--   8. Roles have no rights on the tables. A role has at most so many numbers of a pool at a time.
--
-- Times are milliseconds since 1970, as bigint, because drivers cut fractions of a timestamp.

CREATE TABLE kid_workers.pools (
    pool text PRIMARY KEY CHECK (pool <> ''),
    type text NOT NULL,
    lanes integer,
    epoch bigint,
    max_ttl integer NOT NULL CHECK (max_ttl BETWEEN 1 AND 3600),
    margin integer NOT NULL CHECK (margin BETWEEN 0 AND 3600),
    per_role integer NOT NULL CHECK (per_role > 0),
    history text NOT NULL
);
COMMENT ON TABLE kid_workers.pools IS 'pools of worker numbers: what their IDs are, and how many a role may lease';
COMMENT ON COLUMN kid_workers.pools.epoch IS 'from when a flake counts, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.pools.max_ttl IS 'the longest window, in seconds';
COMMENT ON COLUMN kid_workers.pools.margin IS
    'by how many seconds the clocks of a former and a new primary can differ at an asynchronous failover';
COMMENT ON COLUMN kid_workers.pools.history IS 'the database and the timeline that granted the windows';

-- A renewal changes no indexed column, and finds space on its page, so that it is a HOT update.
CREATE TABLE kid_workers.numbers (
    pool text NOT NULL REFERENCES kid_workers.pools,
    number bigint NOT NULL,
    until bigint NOT NULL CHECK (until % 1000 = 0),
    since bigint,
    token uuid,
    xid xid8,
    role name,
    holder text,
    closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (pool, number)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX numbers_role ON kid_workers.numbers (pool, role) WHERE role IS NOT NULL;
COMMENT ON TABLE kid_workers.numbers IS 'worker numbers, each with the last window that was granted of it';
COMMENT ON COLUMN kid_workers.numbers.until IS
    'the end of all windows that were ever granted, or 0, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.numbers.since IS 'when the last window begins, or null if it was postponed';
COMMENT ON COLUMN kid_workers.numbers.token IS 'lets the holder of the last window lease the next one';
COMMENT ON COLUMN kid_workers.numbers.xid IS 'the transaction that granted the last window';
COMMENT ON COLUMN kid_workers.numbers.role IS 'the role that leased the number last';

-- Sessions of one role wait for each other, so that its numbers can be counted. Advisory locks would not do: any role
-- can take them. The rows are good for nothing but locks, so they are neither logged nor published.
CREATE UNLOGGED TABLE kid_workers.roles (pool text, role name, PRIMARY KEY (pool, role)) WITH (fillfactor = 50);
COMMENT ON TABLE kid_workers.roles IS 'a row for each role that has leased from a pool, to be locked';

END IF;

-- Worker numbers: what changes of the tables are rejected, also those that come by replication

-- Logical replication of all tables brings the numbers of another server, which are not this server's. The triggers for
-- rows ignore such changes. A trigger for statements cannot skip its statement, so a TRUNCATE that comes by replication
-- raises the error, and the apply worker ends with it.
CREATE OR REPLACE FUNCTION kid_workers.keep() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'ROW' AND current_setting('session_replication_role') = 'replica' THEN
        RETURN NULL;
    END IF;
    RAISE 'worker numbers are closed, not deleted, and their windows do not go back'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_close_workers().';
END $$;
COMMENT ON FUNCTION kid_workers.keep() IS
    'rejects a change after which a window could be granted again, and ignores rows that come by replication';

CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON kid_workers.numbers FOR EACH ROW
    WHEN (NEW.until < OLD.until OR NEW.pool <> OLD.pool OR NEW.number <> OLD.number
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON kid_workers.pools FOR EACH ROW
    WHEN ((NEW.pool, NEW.type, NEW.lanes, NEW.epoch, NEW.max_ttl, NEW.margin)
          IS DISTINCT FROM (OLD.pool, OLD.type, OLD.lanes, OLD.epoch, OLD.max_ttl, OLD.margin)
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER ignore BEFORE INSERT ON kid_workers.numbers FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER ignore BEFORE INSERT ON kid_workers.pools FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_row BEFORE DELETE ON kid_workers.numbers FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_row BEFORE DELETE ON kid_workers.pools FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.numbers
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.pools
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
ALTER TABLE kid_workers.numbers ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;
ALTER TABLE kid_workers.pools ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;

-- Worker numbers: with which numbers this edition makes IDs itself
--
-- A number n is the server's if n % modulus = number. This edition has neither nodes nor lanes. If it makes kid64 or
-- kid53, it uses all of the sequence.

CREATE OR REPLACE FUNCTION kid_workers.server(
    type text, lanes integer, OUT number bigint, OUT modulus bigint, OUT epoch bigint, OUT problem text,
    OUT remedy text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    epoch := CASE type WHEN 'flake' THEN 0 END;
    IF type IN ('kid64', 'kid53') AND to_regprocedure(format('kid.%s_next()', type)) IS NOT NULL THEN
        problem := format('This database makes %s with all lanes, because kid in plain SQL has none.', type);
        remedy := 'Install the extension kid, or choose another type.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.server(text, integer) IS
    'returns the numbers of a type with which this database makes IDs, and its epoch of flake';

-- Worker numbers: time, and which database and timeline grants windows

CREATE OR REPLACE FUNCTION kid_workers.this_second() RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()))::bigint * 1000;
COMMENT ON FUNCTION kid_workers.this_second() IS
    'returns when the present second of the system clock began, in milliseconds since 1970';

-- Returns "cluster.database.table", during recovery, too.
CREATE OR REPLACE FUNCTION kid_workers.database_identity() RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT concat(s.system_identifier, '.', d.oid, '.', 'kid_workers.numbers'::regclass::oid)
              FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database());
END $$;
COMMENT ON FUNCTION kid_workers.database_identity() IS
    'returns the cluster, the database and the table, which differ from those of a copy';

-- Returns "cluster.database.table/timeline". The control file lags behind a promotion until the next checkpoint, so the
-- timeline is that of the WAL that is written now.
CREATE OR REPLACE FUNCTION kid_workers.history() RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'cannot lease worker numbers during recovery'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Connect to the primary.';
    END IF;
    RETURN concat(kid_workers.database_identity(), '/', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8));
END $$;
COMMENT ON FUNCTION kid_workers.history() IS
    'returns the database and the timeline that grant windows now; an error on a standby';

-- A renewal grants a window of at most max_ttl seconds, which begins where the last one ends. It is refused while the
-- last one has more than that left. So a window ends at most twice max_ttl after it was granted.
CREATE OR REPLACE FUNCTION kid_workers.quarantine(max_ttl integer, margin integer) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN (2 * max_ttl + margin) * 1000::bigint;
COMMENT ON FUNCTION kid_workers.quarantine(integer, integer) IS
    'returns after how many milliseconds all windows have ended that another server granted, by a clock that differs '
    'by at most the margin';

-- Postpones all numbers of a pool, because windows may be missing here, and notes that this database grants from now
-- on. The caller has locked the row of the pool.
CREATE OR REPLACE FUNCTION kid_workers.postpone(pool_name text, now_history text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    UPDATE kid_workers.pools AS p SET history = now_history WHERE p.pool = pool_name RETURNING p.* INTO pool;
    UPDATE kid_workers.numbers AS n
       SET until = greatest(n.until, kid_workers.this_second()) + kid_workers.quarantine(pool.max_ttl, pool.margin),
           since = NULL, token = NULL, role = NULL, holder = NULL
     WHERE n.pool = pool_name;
END $$;
COMMENT ON FUNCTION kid_workers.postpone(text, text) IS
    'postpones all numbers of a pool until windows that may be missing here have ended';

-- Worker numbers: what the owner calls

-- Raises an error if a pool cannot have this type, these lanes and this epoch. Lanes and epoch must be null if the type
-- has none.
CREATE OR REPLACE FUNCTION kid_workers.check_type(type text, lanes integer, epoch bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_lanes integer := CASE type WHEN 'kid64' THEN 1024 WHEN 'kid53' THEN 64 END;
BEGIN
    IF type IS NULL OR type NOT IN ('flake', 'sno', 'kid96', 'kid64', 'kid53') THEN
        RAISE 'type of a new pool of worker numbers is missing or unknown'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'It is flake, sno, kid96, kid64 or kid53.';
    ELSIF most_lanes IS NULL AND lanes IS NOT NULL THEN
        RAISE 'type % has no lanes', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF most_lanes IS NOT NULL AND (lanes BETWEEN 2 AND most_lanes AND lanes & (lanes - 1) = 0) IS NOT TRUE THEN
        RAISE 'lanes of % are missing or out of range', type
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = format('They are a power of two, from 2 to %s.', most_lanes);
    ELSIF type <> 'flake' AND epoch IS NOT NULL THEN
        RAISE 'type % has no epoch to choose', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF epoch NOT BETWEEN 0 AND kid_workers.this_second() THEN
        RAISE 'epoch is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'It is in milliseconds since 1970, and not later than now.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_type(text, integer, bigint) IS
    'raises an error if a pool cannot have this type, these lanes and this epoch';

-- Creates a pool, if there is none of the name, and returns it locked. An argument that is null stands for what the
-- pool has, or for the default of a new one.
CREATE OR REPLACE FUNCTION kid_workers.open_pool(
    pool_name text, type text, lanes integer, epoch bigint, max_ttl integer, margin integer, per_role integer)
    RETURNS kid_workers.pools
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    IF max_ttl NOT BETWEEN 1 AND 3600 OR margin NOT BETWEEN 0 AND 3600 OR per_role < 1 THEN
        RAISE 'max_ttl, margin or per_role is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'max_ttl is 1 to 3600 seconds, margin 0 to 3600 seconds, and per_role at least 1.';
    END IF;
    IF NOT EXISTS (SELECT FROM kid_workers.pools AS p WHERE p.pool = pool_name) THEN
        PERFORM kid_workers.check_type(type, lanes, epoch);
        INSERT INTO kid_workers.pools
        SELECT pool_name, open_pool.type, open_pool.lanes, coalesce(open_pool.epoch, s.epoch),
               coalesce(open_pool.max_ttl, 10), coalesce(open_pool.margin, 5), coalesce(open_pool.per_role, 1024),
               kid_workers.history()
          FROM kid_workers.server(type, lanes) AS s
            ON CONFLICT ON CONSTRAINT pools_pkey DO NOTHING;
    END IF;
    UPDATE kid_workers.pools AS p SET per_role = coalesce(open_pool.per_role, p.per_role)
     WHERE p.pool = pool_name RETURNING p.* INTO pool;
    IF (coalesce(type, pool.type), coalesce(lanes, pool.lanes), coalesce(epoch, pool.epoch),
        coalesce(max_ttl, pool.max_ttl), coalesce(margin, pool.margin))
       IS DISTINCT FROM (pool.type, pool.lanes, pool.epoch, pool.max_ttl, pool.margin) THEN
        RAISE 'pool "%" has another type, lanes, epoch, max_ttl or margin', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'They never change, because windows that were granted go by them.',
                  HINT = 'Close the numbers of the pool, and add another one.';
    END IF;
    RETURN pool;
END $$;
COMMENT ON FUNCTION kid_workers.open_pool(text, text, integer, bigint, integer, integer, integer) IS
    'locks and returns a pool, which it creates if there is none of this name';

-- Raises an error if these numbers cannot be in a pool.
CREATE OR REPLACE FUNCTION kid_workers.check_numbers(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    greatest_number bigint := coalesce(pool.lanes - 1, CASE pool.type WHEN 'flake' THEN 1023 WHEN 'sno' THEN 65535
                                                                      ELSE 4294967295 END);
    server record;
    taken bigint;
BEGIN
    IF (first BETWEEN 0 AND last AND last <= greatest_number) IS NOT TRUE THEN
        RAISE 'worker numbers are out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('Numbers of pool "%s" are 0 to %s, the first not above the last.', pool.pool,
                                  greatest_number);
    ELSIF last - first >= 65536 THEN
        RAISE 'too many worker numbers'
            USING ERRCODE = 'program_limit_exceeded', DETAIL = 'One call adds at most 65536.';
    END IF;
    SELECT s.* INTO server FROM kid_workers.server(pool.type, pool.lanes) AS s;
    SELECT n INTO taken FROM generate_series(first, last) AS n WHERE n % server.modulus = server.number LIMIT 1;
    IF server.problem IS NOT NULL THEN
        RAISE 'this server makes IDs with numbers of pool "%"', pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = server.problem, HINT = server.remedy;
    ELSIF taken IS NOT NULL THEN
        RAISE 'this server makes IDs with number % of pool "%"', taken, pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Add the numbers below and above it.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_numbers(kid_workers.pools, bigint, bigint) IS
    'raises an error if numbers are out of the range of a pool, or this server makes IDs with one';

-- Lanes of two pools overlap if they have the same number in the pool with fewer lanes.
CREATE OR REPLACE FUNCTION kid_workers.in_common(pool kid_workers.pools, first bigint, last bigint)
    RETURNS SETOF kid_workers.numbers
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT n.*
      FROM kid_workers.pools AS p JOIN kid_workers.numbers AS n ON n.pool = p.pool
     WHERE p.type = pool.type AND p.pool <> pool.pool
           AND CASE WHEN p.lanes IS NULL THEN n.number BETWEEN first AND last
                    ELSE EXISTS (SELECT FROM generate_series(first, last) AS m
                                  WHERE (m - n.number) % least(p.lanes, pool.lanes) = 0) END;
END $$;
COMMENT ON FUNCTION kid_workers.in_common(kid_workers.pools, bigint, bigint) IS
    'returns the numbers of other pools of the same type with which IDs can be equal to IDs with these numbers';

CREATE OR REPLACE FUNCTION kid_workers.notice_overlap(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other record;
BEGIN
    FOR other IN
        SELECT n.pool, min(n.number) AS number
          FROM kid_workers.in_common(pool, first, last) AS n
         WHERE NOT n.closed
         GROUP BY n.pool ORDER BY n.pool
    LOOP
        RAISE NOTICE 'pools "%" and "%" have worker numbers in common', pool.pool, other.pool
            USING DETAIL = format('The first of them in pool "%s" is %s. '
                                    'An ID of one pool can be equal to an ID of the other.', other.pool, other.number),
                  HINT = 'If the IDs must differ, close these numbers in one of the pools with kid_close_workers().';
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_workers.notice_overlap(kid_workers.pools, bigint, bigint) IS
    'names the other pools of the same type that have some of these numbers';

-- A number that is there keeps its windows, and is opened if it was closed. While it was closed, a server or another
-- pool may have used it, for times until now or shortly after. So it is postponed like a new number, unless it is
-- fresh. In another pool of this database, where it is closed, its windows can last longer than those of this pool do,
-- and it is postponed until they end. Where it is open, a notice says that the pools share it.
CREATE OR REPLACE FUNCTION kid.kid_add_workers(
    pool text, first bigint, last bigint, type text DEFAULT NULL, lanes integer DEFAULT NULL,
    epoch bigint DEFAULT NULL, max_ttl integer DEFAULT NULL, margin integer DEFAULT NULL,
    per_role integer DEFAULT NULL, fresh boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened kid_workers.pools;
    free_from bigint;
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF fresh IS NULL THEN
        RAISE 'argument "fresh" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    opened := kid_workers.open_pool(pool, type, lanes, epoch, max_ttl, margin, per_role);
    PERFORM kid_workers.check_numbers(opened, first, last);
    free_from := CASE WHEN fresh THEN 0
                      ELSE greatest(kid_workers.this_second() + kid_workers.quarantine(opened.max_ttl, opened.margin),
                                    (SELECT max(n.until) FROM kid_workers.in_common(opened, first, last) AS n
                                      WHERE n.closed)) END;
    INSERT INTO kid_workers.numbers (pool, number, until)
    SELECT opened.pool, n, free_from FROM generate_series(first, last) AS n
        ON CONFLICT ON CONSTRAINT numbers_pkey DO NOTHING;
    -- Locks no number that is open, so that processes can renew it while the caller's transaction lasts.
    UPDATE kid_workers.numbers AS n
       SET closed = false, until = greatest(n.until, free_from), since = NULL, token = NULL, role = NULL, holder = NULL
     WHERE n.pool = opened.pool AND n.number BETWEEN first AND last AND n.closed;
    PERFORM kid_workers.notice_overlap(opened, first, last);
END $$;
COMMENT ON FUNCTION kid.kid_add_workers(
    text, bigint, bigint, text, integer, bigint, integer, integer, integer, boolean) IS
    'adds worker numbers to a pool, and creates the pool if there is none of this name; `fresh` numbers, which nobody '
    'ever had, can be leased at once, others when earlier windows have ended';

CREATE OR REPLACE FUNCTION kid.kid_close_workers(pool text, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    UPDATE kid_workers.numbers AS n SET closed = true
     WHERE n.pool = kid_close_workers.pool AND n.number BETWEEN first AND last;
    IF NOT FOUND THEN
        RAISE 'pool "%" has no worker numbers from % to %', pool, first, last USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_close_workers(text, bigint, bigint) IS
    'closes worker numbers: no further windows of them are granted, and windows that were granted stay valid';

CREATE OR REPLACE FUNCTION kid.kid_adopt_workers(pool text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM FROM kid_workers.pools AS p WHERE p.pool = kid_adopt_workers.pool FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE 'pool "%" does not exist', pool USING ERRCODE = 'undefined_object';
    END IF;
    PERFORM kid_workers.postpone(pool, kid_workers.history());
END $$;
COMMENT ON FUNCTION kid.kid_adopt_workers(text) IS
    'declares that the database from which a pool was restored or copied leases no worker numbers any more, so that '
    'this database can lease them when earlier windows have ended';

CREATE OR REPLACE FUNCTION kid.kid_workers(
    OUT pool text, OUT number bigint, OUT state text, OUT role name, OUT holder text, OUT since timestamptz,
    OUT until timestamptz, OUT per_role integer)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    second bigint := kid_workers.this_second();
    this_database text := kid_workers.database_identity();
BEGIN
    RETURN QUERY
    SELECT n.pool, n.number,
           CASE WHEN n.closed THEN 'closed'
                WHEN n.number % s.modulus = s.number OR s.problem IS NOT NULL THEN 'server'
                WHEN split_part(p.history, '/', 1) <> this_database THEN 'unadopted'
                WHEN n.until <= second THEN 'free'
                -- A window ends within one quarantine of when it was granted, and postpone() adds another. More comes
                -- of a clock that has gone back since, or of several postponements in a row.
                WHEN n.until > second + 2 * kid_workers.quarantine(p.max_ttl, p.margin) THEN 'ahead'
                WHEN n.since IS NULL THEN 'postponed'
                ELSE 'leased' END,
           n.role, n.holder, to_timestamp(n.since / 1000), to_timestamp(nullif(n.until, 0) / 1000), p.per_role
      FROM kid_workers.pools AS p
           CROSS JOIN LATERAL kid_workers.server(p.type, p.lanes) AS s
           JOIN kid_workers.numbers AS n ON n.pool = p.pool
     ORDER BY n.pool, n.number;
END $$;
COMMENT ON FUNCTION kid.kid_workers() IS
    'lists worker numbers: who leased each number last, whether it is leased, free, postponed, ahead of the clock, '
    'closed, in a pool that has to be adopted first, or a number with which this server makes IDs, and how many '
    'numbers of the pool a role may have';

-- Worker numbers: kid_lease_worker() grants a window, and returns it
--
-- It commits, which PostgreSQL allows only to a procedure that runs with the rights of its caller and sets nothing. So
-- each step is a function that runs as its owner, and checks that its caller may call the procedure. In the procedure
-- itself names mean what the caller's search_path says. It has no operator, and only names with a schema.

CREATE OR REPLACE PROCEDURE kid.kid_lease_worker(
    pool text, INOUT number bigint DEFAULT NULL, INOUT token uuid DEFAULT NULL, INOUT since bigint DEFAULT NULL,
    INOUT until bigint DEFAULT NULL, INOUT now bigint DEFAULT NULL, INOUT lanes integer DEFAULT NULL,
    INOUT epoch bigint DEFAULT NULL, INOUT type text DEFAULT NULL, ttl integer DEFAULT 10, holder text DEFAULT NULL)
    LANGUAGE plpgsql AS $$
BEGIN
    COMMIT;   -- in a transaction block an error, before anything is granted
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    IF kid_workers.notice_failover(pool) THEN
        COMMIT AND CHAIN;
    END IF;
    SELECT g.number, g.token INTO number, token FROM kid_workers.grant_window(pool, number, token, ttl, holder) AS g;
    COMMIT AND CHAIN;
    IF kid_workers.wait_again(pool, number) THEN
        COMMIT AND CHAIN;
    END IF;
    SELECT t.since, t.until, t.now, t.lanes, t.epoch, t.type INTO since, until, now, lanes, epoch, type
      FROM kid_workers.tell_window(pool, number, token) AS t;
END $$;
COMMENT ON PROCEDURE kid.kid_lease_worker(
    text, bigint, uuid, bigint, bigint, bigint, integer, bigint, text, integer, text) IS
    'leases a worker number for the times at or after "since" and before "until", in milliseconds since 1970; with the '
    'number and token of the last reply, it leases the next window of that number if it can';

-- The procedure is found when this script runs, whatever its schema is called later.
CREATE OR REPLACE FUNCTION kid_workers.lease_procedure() RETURNS regprocedure
    LANGUAGE SQL IMMUTABLE
RETURN ('kid.kid_lease_worker(text,bigint,uuid,bigint,bigint,bigint,integer,bigint,text,integer,text)'
        )::regprocedure;
COMMENT ON FUNCTION kid_workers.lease_procedure() IS 'returns kid_lease_worker()';

-- Returns the role that leases, and raises an error if it may not. In a function that runs as its owner, the setting
-- "role" still has the role that the session chose by SET ROLE.
--
-- But ANALYZE, autovacuum and the like run functions in indexes and materialized views, with the rights of the owner of
-- the table and not of the session. That is a security-restricted operation, in which UNLISTEN is an error. Otherwise
-- it does nothing, because no session listens to this channel.
CREATE OR REPLACE FUNCTION kid_workers.caller() RETURNS name
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    role name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    UNLISTEN kid_workers;
    IF NOT has_function_privilege(role, kid_workers.lease_procedure()::oid, 'EXECUTE') THEN
        RAISE 'permission denied for procedure kid_lease_worker' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN role;
END $$;
COMMENT ON FUNCTION kid_workers.caller() IS 'returns the role that leases, and raises an error if it may not';

-- Lets the commit of this transaction wait for synchronous standbys, and warn if that wait is canceled, whatever the
-- settings of the session are.
CREATE OR REPLACE FUNCTION kid_workers.wait_for_standbys() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true);
END $$;
COMMENT ON FUNCTION kid_workers.wait_for_standbys() IS
    'lets the commit of this transaction wait for synchronous standbys, and warn if that is canceled';

-- Postpones all numbers of a pool if the timeline is another one, and returns whether. That has to be committed before
-- a window is granted, whether or not a number is free then. Otherwise each call that fails would take the postponement
-- back, and the next one would begin it anew.
CREATE OR REPLACE FUNCTION kid_workers.notice_failover(pool_name text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_history text;
    old_history text;
BEGIN
    PERFORM kid_workers.caller();
    IF pool_name IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    now_history := kid_workers.history();
    SELECT p.history INTO old_history FROM kid_workers.pools AS p WHERE p.pool = pool_name;
    IF NOT FOUND THEN
        RAISE 'pool "%" of worker numbers does not exist', pool_name
            USING ERRCODE = 'undefined_object', HINT = 'The owner of the database makes one with kid_add_workers().';
    ELSIF old_history = now_history THEN
        RETURN false;
    ELSIF split_part(old_history, '/', 1) <> split_part(now_history, '/', 1) THEN
        RAISE 'pool "%" comes from another database, which may still lease its worker numbers', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'If no process leases them there any more, the owner of this database calls '
                           'kid_adopt_workers().';
    END IF;
    PERFORM kid_workers.wait_for_standbys();
    -- If another session is about to do the same, waits for it.
    PERFORM FROM kid_workers.pools AS p WHERE p.pool = pool_name AND p.history = old_history FOR NO KEY UPDATE;
    IF FOUND THEN
        PERFORM kid_workers.postpone(pool_name, now_history);
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_workers.notice_failover(text) IS
    'postpones the numbers of a pool if the timeline of WAL has changed, and returns whether; a part of '
    'kid_lease_worker()';

-- Returns a pool that may lease windows of this length now, and raises an error if there is none.
CREATE OR REPLACE FUNCTION kid_workers.leasing_pool(pool_name text, ttl integer) RETURNS kid_workers.pools
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE 'worker numbers can only be leased at READ COMMITTED' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    SELECT p.* INTO pool FROM kid_workers.pools AS p WHERE p.pool = pool_name;
    IF (pool.history = kid_workers.history()) IS NOT TRUE THEN
        RAISE 'pool "%" cannot lease worker numbers here yet', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker() again.';
    ELSIF ttl IS NULL THEN
        RAISE 'argument "ttl" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF ttl NOT BETWEEN 1 AND pool.max_ttl THEN
        RAISE 'ttl is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('Windows of pool "%s" have 1 to %s seconds.', pool.pool, pool.max_ttl),
                  HINT = 'Ask for such a window. max_ttl of a pool never changes: the owner of the database can '
                           'create another pool, with a greater one.';
    END IF;
    RETURN pool;
END $$;
COMMENT ON FUNCTION kid_workers.leasing_pool(text, integer) IS
    'returns a pool, and raises an error if it cannot lease windows of this length here now';

-- Locks a number of which the caller has the last window, and returns where that ends, or null if the number cannot be
-- had: another process has leased it since, or it was closed, or a copy of this process has renewed it.
CREATE OR REPLACE FUNCTION kid_workers.lock_own(
    pool kid_workers.pools, wanted bigint, its_token uuid, its_role name, ttl integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ended bigint;
BEGIN
    SELECT n.until INTO ended
      FROM kid_workers.numbers AS n
     WHERE n.pool = pool.pool AND n.number = wanted AND n.token = its_token AND n.role = its_role AND NOT n.closed
           FOR NO KEY UPDATE;
    IF ended > kid_workers.this_second() + ttl * 1000 THEN
        RAISE 'it is too early to renew worker number %', wanted
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Its last window ends at %s.', to_timestamp(ended / 1000)),
                  HINT = 'If that window is used up, lease another number, without a token.';
    END IF;
    RETURN ended;
END $$;
COMMENT ON FUNCTION kid_workers.lock_own(kid_workers.pools, bigint, uuid, name, integer) IS
    'locks the number of which a caller has the last window, and returns where that ends';

-- Returns whether a transaction has not ended yet. It began when a row that the caller sees was changed or locked, so
-- its ID is less than 2^31 from the next one.
CREATE OR REPLACE FUNCTION kid_workers.is_running(id xid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- pg_xact_status() needs the upper half of the transaction's ID, too.
    above bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 2147483647;
BEGIN
    RETURN pg_xact_status((above - (above - id::text::bigint & 4294967295))::text::xid8) IS NOT DISTINCT FROM
           'in progress';
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN false;   -- no transaction has this ID yet
END $$;
COMMENT ON FUNCTION kid_workers.is_running(xid) IS 'returns whether a transaction has not ended yet';

-- Returns whether a transaction has not ended yet that has changed this version of a number's row, or has locked it to
-- do so. `marked_by` is xmax of the row: the last such transaction, or a MultiXactId, which stands for several of them,
-- if others have locked the row, too. Nothing tells which of the two it is. So both are looked at, and if the number
-- is in use as both, the answer can be true for a while without a reason.
CREATE OR REPLACE FUNCTION kid_workers.is_unfinished(marked_by xid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Those of the rows are not older than relminmxid. Others may be gone, and asking for one that is gone, or that has
    -- not been made yet, is an error.
    IF mxid_age(marked_by) BETWEEN 1 AND (SELECT mxid_age(c.relminmxid) FROM pg_class AS c
                                           WHERE c.oid = 'kid_workers.numbers'::regclass)
       AND EXISTS (SELECT FROM pg_get_multixact_members(marked_by) AS m
                    WHERE m.mode NOT IN ('keysh', 'sh') AND kid_workers.is_running(m.xid)) THEN
        RETURN true;
    END IF;
    RETURN kid_workers.is_running(marked_by);
END $$;
COMMENT ON FUNCTION kid_workers.is_unfinished(xid) IS
    'returns whether a transaction has not ended yet that has changed a row with this xmax';

-- Raises an error if a role has as many numbers as it may have. A number counts until its last window ends, and until
-- a transaction that has renewed it or given it up ends, too, because nobody else can lease it so long. Most rows are
-- still marked as locked by the transaction that has granted their window. It has ended, because others see the row.
--
-- Sessions of the role wait for each other only if it has nearly as many numbers as it may have: each transaction takes
-- at most one, so no more than the server has transactions can be missing from the count. `renewed` is not counted: it
-- is a number whose window has ended, which this transaction has locked to renew it, or null.
CREATE OR REPLACE FUNCTION kid_workers.check_quota(pool kid_workers.pools, its_role name, renewed bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing integer := current_setting('max_connections')::integer + current_setting('max_worker_processes')::integer
        + current_setting('max_prepared_transactions')::integer;
    second bigint;
    held bigint;
    own bigint;
BEGIN
    FOR attempt IN 1..2 LOOP
        second := kid_workers.this_second();
        SELECT count(*) FILTER (WHERE n.number IS DISTINCT FROM renewed
                                      AND (n.until > second
                                           OR n.xmax <> 0 AND n.xmax IS DISTINCT FROM n.xid::xid
                                              AND kid_workers.is_unfinished(n.xmax))),
               count(*) FILTER (WHERE n.xid = pg_current_xact_id_if_assigned())
          INTO held, own
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND n.role = its_role;
        IF own > 0 THEN
            RAISE 'this transaction has taken a worker number already'
                USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker().';
        ELSIF held >= pool.per_role THEN
            RAISE 'role "%" has too many worker numbers of pool "%"', its_role, pool.pool
                USING ERRCODE = 'configuration_limit_exceeded',
                      DETAIL = format('A role has at most %s at a time.', pool.per_role),
                      HINT = 'Processes that end keep their number until its window ends. The owner of the database '
                               'can raise the limit with kid_add_workers().';
        END IF;
        EXIT WHEN held + missing < pool.per_role OR attempt = 2;
        -- Waits in a queue, and then counts again. To lock the row changes nothing in it.
        INSERT INTO kid_workers.roles AS r VALUES (pool.pool, its_role) ON CONFLICT DO NOTHING;
        PERFORM FROM kid_workers.roles AS r WHERE r.pool = pool.pool AND r.role = its_role FOR UPDATE;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_workers.check_quota(kid_workers.pools, name, bigint) IS
    'raises an error if a role has as many numbers of a pool as it may have';

-- Locks a free number, and returns it, and the end of its last window. Looks from a random number on, by the primary
-- key: to find the one that is free for the longest would need an index on `until`, and no renewal would be HOT.
CREATE OR REPLACE FUNCTION kid_workers.lock_free(
    pool kid_workers.pools, of_server bigint, modulus bigint, OUT number bigint, OUT ended bigint)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    second bigint;
    lowest bigint;
    highest bigint;
    start bigint;
BEGIN
    second := kid_workers.this_second();
    SELECT min(n.number), max(n.number) INTO lowest, highest FROM kid_workers.numbers AS n WHERE n.pool = pool.pool;
    FOREACH start IN ARRAY ARRAY[lowest + floor(random() * (highest - lowest + 1))::bigint, lowest] LOOP
        SELECT n.number, n.until INTO number, ended
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND n.number >= start AND NOT n.closed AND n.until <= second
               AND (n.number % modulus = of_server) IS NOT TRUE
         ORDER BY n.number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
        EXIT WHEN FOUND;
    END LOOP;
    IF number IS NULL THEN
        SELECT min(n.until) INTO ended
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND NOT n.closed AND (n.number % modulus = of_server) IS NOT TRUE;
        RAISE 'no worker number of pool "%" is free', pool.pool
            USING ERRCODE = 'configuration_limit_exceeded',
                  DETAIL = CASE WHEN ended IS NULL THEN 'All of its numbers are closed, or those of this server.'
                                WHEN ended <= second THEN 'Transactions that have not ended hold one or more of them.'
                                ELSE format('The next one that nobody renews is free at %s.',
                                            to_timestamp(ended / 1000)) END,
                  HINT = CASE WHEN ended IS NULL THEN 'Ask the owner of the database to add numbers with '
                                                       'kid_add_workers().'
                              ELSE 'Try again later. The owner of the database can add numbers with '
                                   'kid_add_workers().' END;
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.lock_free(kid_workers.pools, bigint, bigint) IS
    'locks a number of which no window lasts, and returns it, and where its last one ends';

-- Grants a window, but does not return it, because the caller's transaction may be rolled back. A token is good for one
-- renewal.
CREATE OR REPLACE FUNCTION kid_workers.grant_window(
    pool_name text, INOUT number bigint, INOUT token uuid, ttl integer, holder text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
    pool kid_workers.pools;
    ended bigint;
    renewed bigint;
    server record;
    starts bigint;
BEGIN
    its_role := kid_workers.caller();
    pool := kid_workers.leasing_pool(pool_name, ttl);
    ended := kid_workers.lock_own(pool, number, token, its_role, ttl);
    PERFORM kid_workers.wait_for_standbys();
    SELECT s.* INTO server FROM kid_workers.server(pool.type, pool.lanes) AS s;
    IF server.problem IS NOT NULL THEN
        RAISE 'this server makes IDs with numbers of pool "%"', pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = server.problem, HINT = server.remedy;
    END IF;
    renewed := CASE WHEN ended <= kid_workers.this_second() THEN number END;
    IF number % server.modulus = server.number THEN
        ended := NULL;
    END IF;
    IF ended IS NULL OR renewed IS NOT NULL THEN
        PERFORM kid_workers.check_quota(pool, its_role, renewed);
    END IF;
    IF ended IS NULL THEN
        SELECT f.number, f.ended INTO number, ended
          FROM kid_workers.lock_free(pool, server.number, server.modulus) AS f;
    END IF;
    starts := greatest(ended, kid_workers.this_second());   -- reads the clock while the number is locked
    token := gen_random_uuid();
    UPDATE kid_workers.numbers AS n
       SET since = starts, until = starts + ttl * 1000, token = grant_window.token, xid = pg_current_xact_id(),
           role = its_role, holder = left(grant_window.holder, 200)
     WHERE n.pool = pool.pool AND n.number = grant_window.number;
END $$;
COMMENT ON FUNCTION kid_workers.grant_window(text, bigint, uuid, integer, text) IS
    'grants a window of times, which the caller may use once tell_window() has returned it; a part of '
    'kid_lease_worker()';

-- A commit that waits for a standby returns with a warning if the wait is canceled, though the standby may not have the
-- window. So where replication is synchronous, writes something for another commit, and returns true. Raises an error
-- if the window has ended, because a role must lock no numbers but those that check_quota() counts.
CREATE OR REPLACE FUNCTION kid_workers.wait_again(pool_name text, its_number bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    IF current_setting('synchronous_standby_names') = '' THEN
        RETURN false;
    END IF;
    PERFORM kid_workers.wait_for_standbys();
    UPDATE kid_workers.numbers AS n SET holder = n.holder
     WHERE n.pool = pool_name AND n.number = its_number AND n.role = its_role
           AND n.until > kid_workers.this_second();
    IF NOT FOUND THEN
        RAISE 'the window of worker number % has ended before standbys confirmed it', its_number
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker() with a longer ttl.';
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_workers.wait_again(text, bigint) IS
    'writes something for a second commit if replication is synchronous, and returns whether; a part of '
    'kid_lease_worker()';

-- Returns a window that an earlier transaction granted, and the time of the server, so that a process needs no clock.
CREATE OR REPLACE FUNCTION kid_workers.tell_window(
    pool_name text, its_number bigint, its_token uuid, OUT since bigint, OUT until bigint, OUT now bigint,
    OUT lanes integer, OUT epoch bigint, OUT type text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    SELECT n.since, n.until, floor(extract(epoch FROM clock_timestamp()) * 1000), p.lanes, p.epoch, p.type
      INTO since, until, now, lanes, epoch, type
      FROM kid_workers.numbers AS n JOIN kid_workers.pools AS p ON p.pool = n.pool
     WHERE n.pool = pool_name AND n.number = its_number AND n.token = its_token AND n.role = its_role
           AND n.xid IS DISTINCT FROM pg_current_xact_id_if_assigned();
    IF NOT FOUND THEN
        RAISE 'this window of worker number % is not committed, or not its last one', its_number
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.tell_window(text, bigint, uuid) IS
    'returns the window that an earlier transaction granted; a part of kid_lease_worker()';

-- A role locks only numbers that check_quota() counts, so it does not change one whose window has ended.
CREATE OR REPLACE FUNCTION kid.kid_forget_worker(pool text, number bigint, token uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    UPDATE kid_workers.numbers AS n SET token = NULL, holder = NULL
     WHERE n.pool = kid_forget_worker.pool AND n.number = kid_forget_worker.number
           AND n.token = kid_forget_worker.token AND n.role = its_role AND n.until > kid_workers.this_second();
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION kid.kid_forget_worker(text, bigint, uuid) IS
    'gives up a worker number, and returns whether it was held; others can lease it when its window ends';

-- Worker numbers: rights, whatever the default privileges of the role are. Rights that it gave since stay.

private := 'kid_workers';
schemas := '{kid_workers}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace AND p.proname ~ 'worker');

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

GRANT EXECUTE ON FUNCTION kid.kid_workers() TO pg_read_all_stats;

-- Any role may call kid_forget_worker() and the functions that kid_lease_worker() calls, because each of them checks
-- that its caller may lease.
GRANT USAGE ON SCHEMA kid_workers TO PUBLIC;
GRANT EXECUTE ON FUNCTION kid_workers.notice_failover, kid_workers.grant_window, kid_workers.wait_again,
    kid_workers.tell_window, kid.kid_forget_worker TO PUBLIC;

GRANT USAGE ON SCHEMA kid TO PUBLIC;
COMMENT ON SCHEMA kid_workers IS 'worker numbers, and functions that kid_lease_worker() calls';

-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
