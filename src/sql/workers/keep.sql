-- Worker numbers: what changes of the tables are rejected, also those that come by replication

-- Logical replication of all tables brings the numbers of another server, which are not this server's. The triggers for
-- rows ignore such changes. A trigger for statements cannot skip its statement, so a TRUNCATE that comes by replication
-- raises the error, and the apply worker ends with it.
CREATE FUNCTION kid_workers.keep() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'ROW' AND current_setting('session_replication_role') = 'replica' THEN
        RETURN NULL;
    END IF;
    RAISE 'worker numbers are closed, not deleted, and their windows do not go back'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_close_workers().';
END $$;
COMMENT ON FUNCTION kid_workers.keep() IS
    'rejects a change after which a window could be granted again, and ignores rows that come by replication';

CREATE TRIGGER keep BEFORE UPDATE ON kid_workers.numbers FOR EACH ROW
    WHEN (NEW.until < OLD.until OR NEW.pool <> OLD.pool OR NEW.number <> OLD.number
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER keep BEFORE UPDATE ON kid_workers.pools FOR EACH ROW
    WHEN ((NEW.pool, NEW.type, NEW.lanes, NEW.epoch, NEW.max_ttl, NEW.margin)
          IS DISTINCT FROM (OLD.pool, OLD.type, OLD.lanes, OLD.epoch, OLD.max_ttl, OLD.margin)
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER ignore BEFORE INSERT ON kid_workers.numbers FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER ignore BEFORE INSERT ON kid_workers.pools FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER keep_row BEFORE DELETE ON kid_workers.numbers FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER keep_row BEFORE DELETE ON kid_workers.pools FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.numbers
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.pools
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
ALTER TABLE kid_workers.numbers ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;
ALTER TABLE kid_workers.pools ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;
