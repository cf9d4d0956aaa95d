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
