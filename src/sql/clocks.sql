-- The logical clocks: what has become of them, and lowering them

CREATE FUNCTION kid_clocks(
    OUT clock text, OUT last_issued timestamptz, OUT lease_until timestamptz, OUT renewals bigint,
    OUT waits bigint, OUT backward_steps bigint, OUT ticks bigint, OUT safe_mark timestamptz,
    OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_clocks() IS 'what kid_stats shows';

CREATE VIEW kid_stats AS
    SELECT clock, last_issued,
           CASE WHEN last_issued IS NOT NULL THEN greatest(last_issued - clock_timestamp(), interval '0') END AS ahead,
           waits, backward_steps, ticks, safe_mark, lease_until, renewals, problem
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
COMMENT ON COLUMN kid_stats.problem IS
    'what keeps this logical clock from making IDs after the next start, or now; null when all is well';

REVOKE ALL ON FUNCTION kid_clocks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_clocks() TO pg_read_all_stats;
GRANT SELECT ON kid_stats TO pg_read_all_stats;

CREATE FUNCTION kid_reset_clock(above timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_reset_clock_to_time';

COMMENT ON FUNCTION kid_reset_clock(timestamptz) IS
    'lowers all logical clocks that are ahead of a time, above which no ID is in use: delete the rows whose IDs are of the future, then pass now(); IDs above it may be issued again; superuser only';

REVOKE ALL ON FUNCTION kid_reset_clock(timestamptz) FROM PUBLIC;

-- Not from a parallel worker, nor beside one: it looks at each table in a subtransaction.
CREATE FUNCTION kid_observe_all(
    OUT clock text, OUT id text, OUT issued timestamptz, OUT relation regclass, OUT column_name text, OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000 ROWS 10 AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_observe_all() IS
    'for what WAL does not carry, so after pg_upgrade, after a dump was restored, when a logical replica takes over: moves each logical clock past the IDs that the columns of this database hold, so that new ones are later. It looks at columns of the types whose IDs have a logical clock, at domains over them, and at columns of type bigint or uuid whose default, or that of their domain or partitioned parent, calls a generator of such IDs; in ordinary tables, partitions and materialized views, where a valid btree that is not partial begins with the column, in its default operator class. Of each it takes the greatest ID that is at most kid.max_observe ahead of the system clock, whoever calls, also of rows that are deleted or were rolled back while the index has them; and with it all IDs of that time unit, of a sno those of both ticks, of a kid96 those of its neighborhood. One row for each logical clock: the ID that decided, its time and where it is; null where there is none. Then a row for each column that was not used, or has IDs beyond kid.max_observe, with the problem. A table that is locked is not waited for, and locks are not kept. It reads all tables, whatever privileges the caller has on them, and runs nothing that their owners wrote. For superusers, and whom they grant EXECUTE; an error during recovery';

REVOKE ALL ON FUNCTION kid_observe_all() FROM PUBLIC;
