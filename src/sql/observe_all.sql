-- Moving the logical clocks past the IDs that a database holds

-- Not from a parallel worker, nor beside one: it looks at each table in a subtransaction.
CREATE FUNCTION kid_observe_all(
    OUT clock text, OUT id text, OUT issued timestamptz, OUT relation regclass, OUT column_name text, OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000 ROWS 10 AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_observe_all() IS
    'for what WAL does not carry, so after pg_upgrade, after a dump was restored, when a logical replica takes over: moves each logical clock past the IDs that the columns of this database hold, so that new ones are later. It looks at columns of the types whose IDs have a logical clock, at domains over them, and at columns of type bigint or uuid whose default, or that of their domain or partitioned parent, calls a generator of such IDs; in ordinary tables, partitions and materialized views, where a valid btree that is not partial begins with the column, in its default operator class. Of each it takes the greatest ID that is at most kid.max_observe ahead of the system clock, whoever calls, also of rows that are deleted or were rolled back while the index has them; and with it all IDs of that time unit, of a sno those of both ticks, of a kid96 those of its neighborhood. One row for each logical clock: the ID that decided, its time and where it is; null where there is none. Then a row for each column that was not used, or has IDs beyond kid.max_observe, with the problem. A table that is locked is not waited for, and locks are not kept. It reads all tables, whatever privileges the caller has on them, and runs nothing that their owners wrote. For superusers, and whom they grant EXECUTE; an error during recovery';

REVOKE ALL ON FUNCTION kid_observe_all() FROM PUBLIC;
