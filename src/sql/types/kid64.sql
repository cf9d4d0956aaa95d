-- traits: io order gist time time_casts minus time_comparison time_range range_operators bigint generators observe reset_clock
-- storage: LIKE = bigint
-- clock: kid64 and kid96

-- kid64: what only this type has

COMMENT ON TYPE kid64 IS
    'k-ordered ID in 8 bytes: 50 bits of time in units of 1.024 ms from 1970 to 35198, 14 bits of sequence; the local identity of the Erlang library uid';

CREATE FUNCTION kid_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next';
CREATE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next_many';
CREATE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_sequence(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_sequence';

COMMENT ON FUNCTION kid_next() IS
    'a new kid64, greater than every one issued before in the cluster, also after a crash or a promotion; waits, at most kid.max_wait, when all 16384 of a time unit are used up; an error during recovery';
COMMENT ON FUNCTION kid_next(bigint) IS
    'n new kid64, each greater than the one before it, as kid_next() gives one; up to 1024 at a time, a sixteenth of a time unit, so that another session''s IDs, or those of another call, may be greater than those that are still to come; the last sixteenth of each unit is left to calls for single IDs; an error when n is negative';
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
COMMENT ON FUNCTION kid64_next(bigint) IS 'same as kid_next(n)';
COMMENT ON FUNCTION kid64_at(timestamptz) IS
    'kid64 for a row from the past: stamped with the given time, 1970 to 35198, or, where the 16384 IDs of a time unit may be used up, with one of those after it; a call in a statement gives no ID twice, for any number of rows in the order of time, or in any order as long as work_mem lasts, then an error, 54000; nor do 16384 calls in a row, in all sessions; they may equal IDs that kid_next() made in that time unit; an error during recovery';
COMMENT ON FUNCTION kid64_make(timestamptz, integer) IS
    'kid64 of the time unit that holds an instant, 1970 to 35198, with a sequence, 0 to 16383';
COMMENT ON FUNCTION kid_sequence(kid64) IS
    'sequence within the time unit, 0 to 16383';
COMMENT ON FUNCTION kid_observe(kid64) IS
    'moves the logical clock of kid64 and kid96 past an ID from elsewhere, so that new ones are greater; an error when it is further ahead of the system clock than kid.max_observe, except for superusers';

CREATE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(kid64) IS 'components of an ID, most significant first, with their widths in bits';
