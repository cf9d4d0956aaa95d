-- Compares what each index finds with the row itself, for a thousand keys of each type.
CREATE EXTENSION IF NOT EXISTS amcheck;
SELECT count(bt_index_check(indexrelid, true)) > 0
  FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
 WHERE amname = 'btree' AND relkind = 'i' AND relnamespace = 'public'::regnamespace;
CREATE FUNCTION pg_temp.disagree(t regclass, i regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    key record;
    found bigint;
    wrong bigint := 0;
BEGIN
    -- Make this index the only valid one.
    EXECUTE format('UPDATE pg_index SET indisvalid = indexrelid = %s WHERE indrelid = %s', i::oid, t::oid);
    FOR key IN EXECUTE format('SELECT old::text, n FROM %s WHERE n %% 20 = 0', t) LOOP
        EXECUTE format('SELECT n FROM %s WHERE old = %L', t, key.old) INTO found;
        wrong := wrong + (found IS DISTINCT FROM key.n)::int;
    END LOOP;
    EXECUTE format('UPDATE pg_index SET indisvalid = true WHERE indrelid = %s', t::oid);
    RETURN wrong;
END $$;
SET allow_system_table_mods = on;
SET enable_seqscan = off;
SELECT sum(pg_temp.disagree(indrelid, indexrelid)), count(*) FROM pg_index
 WHERE indrelid::regclass::text ~ '^t_' AND NOT indisprimary;
