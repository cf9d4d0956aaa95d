
-- The timelines: what has become of them, and moving them

CREATE FUNCTION kid_clocks(
    OUT clock text, OUT last_issued timestamptz, OUT lease_until timestamptz, OUT renewals bigint,
    OUT waits bigint, OUT backward_steps bigint, OUT ticks bigint)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_clocks() IS 'what kid_stats shows';

CREATE VIEW kid_stats AS
    SELECT clock, last_issued,
           CASE WHEN last_issued IS NOT NULL THEN greatest(last_issued - clock_timestamp(), interval '0') END AS ahead,
           waits, backward_steps, ticks, lease_until, renewals
      FROM kid_clocks();

COMMENT ON VIEW kid_stats IS
    'one row for each clock of IDs in this cluster, counted since the server started';
COMMENT ON COLUMN kid_stats.clock IS 'kid (of kid64 and kid96), flake or sno';
COMMENT ON COLUMN kid_stats.last_issued IS
    'time in the last ID issued, or where IDs go on after a start; null before the first call of a generator';
COMMENT ON COLUMN kid_stats.ahead IS 'how far that is ahead of the clock';
COMMENT ON COLUMN kid_stats.waits IS 'calls that had to wait for the clock, or failed because they may not';
COMMENT ON COLUMN kid_stats.backward_steps IS 'how often the clock was found to have gone back';
COMMENT ON COLUMN kid_stats.ticks IS 'how often sno changed its tick; null for the others';
COMMENT ON COLUMN kid_stats.lease_until IS
    'time that no ID reaches before the lease file is written again; null when there is no lease';
COMMENT ON COLUMN kid_stats.renewals IS 'how often the lease file was written for this clock';

REVOKE ALL ON FUNCTION kid_clocks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_clocks() TO pg_read_all_stats;
GRANT SELECT ON kid_stats TO pg_read_all_stats;

CREATE FUNCTION kid_observe(kid64) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_observe';
CREATE FUNCTION kid_observe(kid96) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_observe';
CREATE FUNCTION kid_observe(sno) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_observe';
CREATE FUNCTION kid_observe(flake) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_observe';

COMMENT ON FUNCTION kid_observe(kid64) IS
    'moves the clock of kid64 and kid96 past an ID from elsewhere, so that new ones are greater; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(kid96) IS
    'moves the clock of kid64 and kid96 past an ID from elsewhere, whatever its node, so that new ones are later; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(sno) IS
    'moves the clock of sno past an ID from elsewhere, on the side of its tick, so that it is not made again; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(flake) IS
    'moves the clock of flake past an ID from elsewhere, so that new ones are later; an error when it is further ahead of the clock than kid.max_observe, except for superusers';

REVOKE ALL ON FUNCTION kid_observe(kid64) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(kid96) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(sno) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(flake) FROM PUBLIC;

CREATE FUNCTION kid_reset_clock(above timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_reset_clock_to_time';
CREATE FUNCTION kid_reset_clock(above kid64) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_reset_clock';
CREATE FUNCTION kid_reset_clock(above sno) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_reset_clock';
CREATE FUNCTION kid_reset_clock(above flake) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_reset_clock';

COMMENT ON FUNCTION kid_reset_clock(timestamptz) IS
    'lowers all timelines that are ahead of a time, above which no ID is in use: IDs above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(kid64) IS
    'lowers the clock of kid64 and kid96 to an ID, above which none is in use: those above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(sno) IS
    'lowers the clock of sno to an ID, above which none is in use: those above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(flake) IS
    'lowers the clock of flake to an ID, above which none is in use: those above it may be issued again; superuser only';

REVOKE ALL ON FUNCTION kid_reset_clock(timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(kid64) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(sno) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(flake) FROM PUBLIC;
