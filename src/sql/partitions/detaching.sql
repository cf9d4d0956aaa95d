-- PostgreSQL cannot tell a detach that was broken off from one that goes on, so it is not for us to complete it, and less to
-- drop what somebody detaches to keep.
CREATE FUNCTION kid_report_detaching(parent regclass, partition regclass, fails boolean) RETURNS void
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    message text := format('detaching partition %s from %s is not complete', partition, parent);
    detail text := 'It takes no more rows, but until then no other partition can take its place.';
    hint text := format('Unless that is still going on, complete it with ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent, partition);
BEGIN
    IF fails THEN
        RAISE EXCEPTION '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;

COMMENT ON FUNCTION kid_report_detaching(regclass, regclass, boolean) IS
    'warns, or fails, because a partition is neither attached nor detached';
