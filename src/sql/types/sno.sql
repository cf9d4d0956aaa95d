-- traits: io base32 order gist time time_casts time_comparison range_operators uuid observe sequence
-- storage: INTERNALLENGTH = 10, ALIGNMENT = char
-- parts: timestamp 39, tick 1, meta 8, partition 16, sequence 16

-- sno: what only this type has

COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes, with the time from 2010 to 2079 in units of 4 ms, a metabyte and a partition, as the '
    'Go library sno makes it';

--- makes a sno with a metabyte, 0 to 255, and the partition of this server
CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
--- makes n sno with a metabyte, 0 to 255, each greater than the one before it unless the tick toggles between them
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'sno_next_many';
--- makes a sno with the time of an old row and a metabyte, 0 to 255
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
--- assembles a sno from an instant, a metabyte, a partition, a sequence and a tick
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false)
    RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
--- returns the tick, which toggles whenever the system clock of the generator goes back
CREATE FUNCTION kid_tick(sno) RETURNS boolean AS 'sno_tick';
--- returns the metabyte, 0 to 255, that the caller of the generator gave
CREATE FUNCTION kid_meta(sno) RETURNS integer AS 'sno_meta';
--- returns the partition that made an ID, 0 to 65535
CREATE FUNCTION kid_partition(sno) RETURNS integer AS 'sno_partition';
