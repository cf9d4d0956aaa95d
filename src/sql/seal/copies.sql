-- A dump can be restored into a database that has keys already. If the number of a key is taken, the key gets another
-- one. A key that is there already is not added. No expression here may have a key either: NEW is a variable.
CREATE FUNCTION kid_seal_internal.number_key() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM kid_seal_internal.keys AS k WHERE k.n = NEW.n) THEN
        NEW.n := (SELECT max(k.n) + 1 FROM kid_seal_internal.keys AS k);
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION kid_seal_internal.drop_copies() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM kid_seal_internal.keys AS k
          USING kid_seal_internal.keys AS same WHERE same.key = k.key AND same.n < k.n;
    RETURN NULL;
END $$;
CREATE TRIGGER number_key BEFORE INSERT ON kid_seal_internal.keys
    FOR EACH ROW EXECUTE FUNCTION kid_seal_internal.number_key();
CREATE TRIGGER drop_copies AFTER INSERT ON kid_seal_internal.keys
    FOR EACH STATEMENT EXECUTE FUNCTION kid_seal_internal.drop_copies();
COMMENT ON FUNCTION kid_seal_internal.number_key() IS 'gives a key the next number if its own is taken';
COMMENT ON FUNCTION kid_seal_internal.drop_copies() IS 'deletes keys that are there with a lower number';
SELECT pg_extension_config_dump('kid_seal_internal.keys'::regclass, ''::text);
