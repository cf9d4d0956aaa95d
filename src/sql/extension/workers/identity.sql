-- Worker numbers: what kid puts into the IDs of this server
--
-- The schema of kid can be any role's, and can be renamed. So the function of kid is looked up once, here. Nothing else
-- is looked up there, and the end of the script checks what was found.

\i extension/kid_path.sql

CREATE FUNCTION kid_workers.identity(
    OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint)
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT i.node, i.partition, i.generator, i.lane, i.lanes FROM kid_identity() AS i;
END;
COMMENT ON FUNCTION kid_workers.identity() IS 'returns what kid_identity() does, whatever its schema is called later';

SET LOCAL search_path = pg_catalog, pg_temp;
