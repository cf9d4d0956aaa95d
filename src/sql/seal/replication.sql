-- A publication FOR ALL TABLES has the keys, too. On a subscriber nothing of them arrives: each server keeps its own keys,
-- and no line of the log can show one of either side.
CREATE FUNCTION kid_seal_internal.keep_keys() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        RAISE 'keys cannot be truncated'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_seal_forget_key().';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION kid_seal_internal.keep_keys() IS 'ignores changes of keys that come by replication, and refuses TRUNCATE';

CREATE TRIGGER keep_keys BEFORE INSERT OR UPDATE OR DELETE ON kid_seal_internal.keys
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.keep_keys();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON kid_seal_internal.keys
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.keep_keys();
ALTER TABLE kid_seal_internal.keys ENABLE REPLICA TRIGGER keep_keys, ENABLE ALWAYS TRIGGER refuse_truncate;
