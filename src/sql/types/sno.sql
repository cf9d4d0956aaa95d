-- traits: io order gist time time_casts minus time_comparison time_range range_operators uuid observe reset_clock
-- storage: INTERNALLENGTH = 10, ALIGNMENT = char

-- sno: what only this type has

COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes: 39 bits of time in units of 4 ms from 2010 to 2079, tick bit, metabyte, 16 bits of partition, 16 bits of sequence; as of the Go library sno';

CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'sno_next_many';
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_tick(sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_tick';
CREATE FUNCTION kid_meta(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_meta';
CREATE FUNCTION kid_partition(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_partition';
CREATE FUNCTION kid_sequence(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_sequence';

COMMENT ON FUNCTION sno_next(integer) IS
    'a new sno with a metabyte, 0 to 255, kid.sno_partition and a sequence from kid.sno_sequence_min to kid.sno_sequence_max; when the system clock goes back the tick is toggled; waits, at most kid.max_wait, when all sequences of a time unit are used up, and when the system clock goes back again into time that was used with the other tick; an error when the system clock is not in 2010 to 2079-09-07, and during recovery';
COMMENT ON FUNCTION sno_next(integer, bigint) IS
    'n new sno with a metabyte, 0 to 255, each of the same tick greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION sno_at(timestamptz, integer) IS
    'sno for a row from the past: stamped with the given time, 2010 to 2079-09-07, a metabyte, 0 to 255, and kid.sno_partition, its tick false, or one of the time units after it; unique as those of kid64_at are, with as many to a time unit as there are sequences; an error during recovery';
COMMENT ON FUNCTION sno_make(timestamptz, integer, integer, integer, boolean) IS
    'sno of the time unit that holds an instant, 2010 to 2079-09-07, with a metabyte, 0 to 255, a partition and a sequence, each 0 to 65535, and a tick';
COMMENT ON FUNCTION kid_tick(sno) IS 'tick-tock bit, toggled whenever the system clock of the generator went back';
COMMENT ON FUNCTION kid_meta(sno) IS 'metabyte, 0 to 255: what whoever made the ID put into it';
COMMENT ON FUNCTION kid_partition(sno) IS 'partition, 0 to 65535: which generator made the ID';
COMMENT ON FUNCTION kid_sequence(sno) IS 'sequence within the time unit, 0 to 65535';
COMMENT ON FUNCTION kid_observe(sno) IS
    'moves the logical clock of sno past an ID from elsewhere, on the side of its tick, so that it is not made again; an error when it is further ahead of the system clock than kid.max_observe, except for superusers';

CREATE FUNCTION kid_inspect(id sno, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 39, kid_timestamp(id)::text),
           ('tick', 1, kid_tick(id)::text),
           ('meta', 8, kid_meta(id)::text),
           ('partition', 16, kid_partition(id)::text),
           ('sequence', 16, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(sno) IS 'components of an ID, most significant first, with their widths in bits';
