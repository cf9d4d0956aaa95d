-- traits: io base32 order gist time time_casts time_comparison range_operators uuid observe
-- storage: INTERNALLENGTH = 10, ALIGNMENT = char

-- sno: what only this type has

COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes, with the time from 2010 to 2079 in units of 4 ms, a metabyte and a partition, as the '
    'Go library sno makes it';

CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'sno_next_many';
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false)
    RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_tick(sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_tick';
CREATE FUNCTION kid_meta(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_meta';
CREATE FUNCTION kid_partition(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_partition';
CREATE FUNCTION kid_sequence(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_sequence';

COMMENT ON FUNCTION sno_next(integer) IS 'makes a sno with a metabyte, 0 to 255, and the partition of this server';
COMMENT ON FUNCTION sno_next(integer, bigint) IS
    'makes n sno with a metabyte, 0 to 255, each greater than the one before it unless the tick toggles between them';
COMMENT ON FUNCTION sno_at(timestamptz, integer) IS
    'makes a sno for an old row, with a metabyte, 0 to 255, and the given time, or a later one if the IDs of its time '
    'unit may be used up';
COMMENT ON FUNCTION sno_make(timestamptz, integer, integer, integer, boolean) IS
    'assembles a sno from an instant, a metabyte, 0 to 255, a partition and a sequence, 0 to 65535 each, and a tick';
COMMENT ON FUNCTION kid_tick(sno) IS
    'returns the tick, which toggles whenever the system clock of the generator goes back';
COMMENT ON FUNCTION kid_meta(sno) IS 'returns the metabyte, 0 to 255, that the caller of the generator gave';
COMMENT ON FUNCTION kid_partition(sno) IS 'returns the partition that made an ID, 0 to 65535';
COMMENT ON FUNCTION kid_sequence(sno) IS 'returns the sequence of an ID within its time unit, 0 to 65535';

CREATE FUNCTION kid_inspect(id sno, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 39, kid_timestamp(id)::text),
           ('tick', 1, kid_tick(id)::text),
           ('meta', 8, kid_meta(id)::text),
           ('partition', 16, kid_partition(id)::text),
           ('sequence', 16, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(sno) IS
    'lists the components of an ID, most significant first, with their widths in bits';
