-- Keeps logical replication from the keys
--
-- A publication FOR ALL TABLES has the keys, and the forgotten ones, too. On a subscriber nothing of them arrives: each
-- server keeps its own keys, and no line of the log can show one of either side.
CREATE FUNCTION kid_seal_internal.keep_keys() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'STATEMENT' THEN
        RAISE 'keys cannot be changed by %', TG_OP
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call the functions of kid_seal.';
    ELSIF current_setting('session_replication_role') = 'replica' THEN
        RETURN NULL;
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
COMMENT ON FUNCTION kid_seal_internal.keep_keys() IS
    'ignores changes of keys that come by replication, and refuses UPDATE and TRUNCATE';

-- From 18 on a subscriber logs an UPDATE of a row that it does not have, with its values.
CREATE TRIGGER keep_keys BEFORE INSERT OR UPDATE OR DELETE ON kid_seal_internal.keys
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.keep_keys();
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON kid_seal_internal.keys
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.keep_keys();
ALTER TABLE kid_seal_internal.keys ENABLE ALWAYS TRIGGER keep_keys, ENABLE ALWAYS TRIGGER refuse_change;
CREATE TRIGGER keep_keys BEFORE INSERT OR UPDATE OR DELETE ON kid_seal_internal.forgotten
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.keep_keys();
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON kid_seal_internal.forgotten
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.keep_keys();
ALTER TABLE kid_seal_internal.forgotten ENABLE ALWAYS TRIGGER keep_keys, ENABLE ALWAYS TRIGGER refuse_change;
