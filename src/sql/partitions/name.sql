-- All partitions of a width have names of one form, unless one begins where the width alone would not let it begin.
CREATE FUNCTION kid_partition_name(parent regclass, width interval, begins timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    is_of_days boolean := extract(month FROM width) + extract(year FROM width) > 0 OR mod(extract(epoch FROM width), 86400) = 0;
    is_of_minutes boolean := is_of_days OR mod(extract(epoch FROM width), 60) = 0;
    suffix text := to_char(begins, CASE WHEN is_of_days AND begins = date_trunc('day', begins) THEN '"_p"YYYYMMDD'
                                        WHEN is_of_minutes AND begins = date_trunc('minute', begins) THEN '"_p"YYYYMMDD_HH24MI'
                                        WHEN begins = date_trunc('second', begins) THEN '"_p"YYYYMMDD_HH24MISS'
                                        ELSE '"_p"YYYYMMDD_HH24MISSUS' END);
    again int := 0;
    base text;
    schema name;
    name text;
BEGIN
    SELECT c.relname, n.nspname INTO base, schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent;
    -- A partition that was detached keeps its name.
    LOOP
        name := base || suffix || CASE WHEN again > 0 THEN '_' || again ELSE '' END;
        EXIT WHEN octet_length(name) <= current_setting('max_identifier_length')::int
              AND to_regclass(format('%I.%I', schema, name)) IS NULL AND to_regtype(format('%I.%I', schema, name)) IS NULL;
        IF octet_length(name) > current_setting('max_identifier_length')::int THEN
            base := left(base, -1);
        ELSE
            again := again + 1;
        END IF;
    END LOOP;
    RETURN format('%I.%I', schema, name);
END $$;

COMMENT ON FUNCTION kid_partition_name(regclass, interval, timestamptz) IS
    'a name, that no relation and no type has, for the partition that begins at a time';
