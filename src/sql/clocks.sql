-- The logical clocks: what has become of them, and lowering them

CREATE FUNCTION kid_clocks(
    OUT clock text, OUT last_issued timestamptz, OUT lease_until timestamptz, OUT renewals bigint,
    OUT waits bigint, OUT backward_steps bigint, OUT ticks bigint, OUT safe_mark timestamptz)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_clocks() IS 'what kid_stats shows';

CREATE VIEW kid_stats AS
    SELECT clock, last_issued,
           CASE WHEN last_issued IS NOT NULL THEN greatest(last_issued - clock_timestamp(), interval '0') END AS ahead,
           waits, backward_steps, ticks, safe_mark, lease_until, renewals
      FROM kid_clocks();

COMMENT ON VIEW kid_stats IS
    'one row for each logical clock in this cluster, counted since the server started';
COMMENT ON COLUMN kid_stats.clock IS 'which logical clock: the type that it is of, or kid for kid64 and kid96';
COMMENT ON COLUMN kid_stats.last_issued IS
    'time in the last ID issued, or where IDs go on after a start; null before the first call of a generator';
COMMENT ON COLUMN kid_stats.ahead IS 'how far that is ahead of the system clock';
COMMENT ON COLUMN kid_stats.waits IS 'calls that had to wait for the system clock, or failed because they may not';
COMMENT ON COLUMN kid_stats.backward_steps IS 'how often the system clock was found to have gone back';
COMMENT ON COLUMN kid_stats.ticks IS 'how often the tick changed; null for clocks without one';
COMMENT ON COLUMN kid_stats.safe_mark IS
    'where the IDs end that were made with the other tick: a system clock that goes back below it makes generators wait; null for clocks without a tick, and before it changed';
COMMENT ON COLUMN kid_stats.lease_until IS
    'time that no ID reaches before the bound is written to WAL again; null when there is no lease';
COMMENT ON COLUMN kid_stats.renewals IS 'how often the bound of this logical clock was written';

REVOKE ALL ON FUNCTION kid_clocks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_clocks() TO pg_read_all_stats;
GRANT SELECT ON kid_stats TO pg_read_all_stats;

CREATE FUNCTION kid_reset_clock(above timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_reset_clock_to_time';

COMMENT ON FUNCTION kid_reset_clock(timestamptz) IS
    'lowers all logical clocks that are ahead of a time, above which no ID is in use: delete the rows whose IDs are of the future, then pass now(); IDs above it may be issued again; superuser only';

REVOKE ALL ON FUNCTION kid_reset_clock(timestamptz) FROM PUBLIC;
