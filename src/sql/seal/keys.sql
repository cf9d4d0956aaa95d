-- The keys: to make, use, forget, list, export and import them

-- Each change of keys comes after all before it, so it must not go by an older snapshot. Changes in a session that
-- replicates would be ignored.
CREATE FUNCTION kid_seal_internal.lock_keys() RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    IF current_setting('session_replication_role') = 'replica' THEN
        RAISE 'keys cannot be changed while session_replication_role is "replica"'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE 'keys can only be changed at READ COMMITTED'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
    LOCK TABLE kid_seal_internal.keys IN SHARE ROW EXCLUSIVE MODE;
END $$;
COMMENT ON FUNCTION kid_seal_internal.lock_keys() IS 'waits for other changes of keys';

-- A number stands for one key only, even after that key was forgotten.
CREATE FUNCTION kid_seal_internal.free_number(wanted integer) RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN (SELECT CASE WHEN wanted IS NULL OR bool_or(t.n = wanted) THEN coalesce(max(t.n), 0) + 1 ELSE wanted END
              FROM (SELECT k.n FROM kid_seal_internal.keys AS k
                    UNION ALL SELECT f.n FROM kid_seal_internal.forgotten AS f) AS t);
END $$;
COMMENT ON FUNCTION kid_seal_internal.free_number(wanted integer) IS
    'returns the number that a key is to have, or the next one if that is NULL or taken';

-- Writes the row anew instead of updating it: see the table.
CREATE FUNCTION kid_seal_internal.rewrite(n integer, seals boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    WITH old AS (DELETE FROM kid_seal_internal.keys AS k WHERE k.n = rewrite.n RETURNING k.*)
    INSERT INTO kid_seal_internal.keys (n, key, made, seals)
    SELECT old.n, old.key, old.made, rewrite.seals FROM old;
END $$;
COMMENT ON FUNCTION kid_seal_internal.rewrite(n integer, seals boolean) IS 'sets whether a key seals';

CREATE FUNCTION @extschema@.kid_seal_new_key() RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made integer;
BEGIN
    PERFORM kid_seal_internal.lock_keys();
    INSERT INTO kid_seal_internal.keys (n, key)
    VALUES (kid_seal_internal.free_number(NULL), kid_seal_internal.new_key()) RETURNING n INTO made;
    RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_new_key() IS
    'makes a random key, which unseals, and seals after kid_seal_use_key(); returns its number';

CREATE FUNCTION @extschema@.kid_seal_use_key(n integer) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF n IS NULL THEN
        RAISE 'argument "n" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    PERFORM kid_seal_internal.rewrite(k.n, false) FROM kid_seal_internal.keys AS k WHERE k.seals;
    PERFORM kid_seal_internal.rewrite(k.n, true) FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_use_key.n;
    IF NOT FOUND THEN
        RAISE 'there is no key %', kid_seal_use_key.n USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_use_key(n integer) IS
    'makes a key the one that seals; the others still unseal';

CREATE FUNCTION @extschema@.kid_seal_forget_key(n integer) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF n IS NULL THEN
        RAISE 'argument "n" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    IF EXISTS (SELECT FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_forget_key.n AND k.seals) THEN
        RAISE 'key % seals', kid_seal_forget_key.n
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Call kid_seal_use_key() for another one before.';
    END IF;
    WITH old AS (DELETE FROM kid_seal_internal.keys AS k WHERE k.n = kid_seal_forget_key.n RETURNING k.*)
    INSERT INTO kid_seal_internal.forgotten (n, mark) SELECT old.n, kid_seal_internal.mark(old.key) FROM old;
    IF NOT FOUND THEN
        RAISE 'there is no key %', kid_seal_forget_key.n USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_forget_key(n integer) IS
    'deletes a key for good, so that no text that it sealed can be unsealed; the key that seals cannot be deleted';

CREATE FUNCTION @extschema@.kid_seal_keys(OUT n integer, OUT made timestamptz, OUT seals boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT k.n, k.made, k.seals FROM kid_seal_internal.keys AS k ORDER BY k.n;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_keys() IS 'lists the keys by their numbers, without their contents';

CREATE FUNCTION @extschema@.kid_seal_export_keys(OUT n integer, OUT key text, OUT seals boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT k.n, encode(k.key, 'hex'), k.seals FROM kid_seal_internal.keys AS k ORDER BY k.n;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_export_keys() IS
    'returns the keys in hexadecimal, for kid_seal_import_key() in another database and for services that unseal';

-- A key is checked before it is inserted, because the error of a constraint shows the row. It does not seal: an export
-- can be older than the last change of keys.
CREATE FUNCTION @extschema@.kid_seal_import_key(n integer, key text, forgotten_ok boolean DEFAULT false) RETURNS integer
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    number integer;
BEGIN
    IF key IS NULL THEN
        RAISE 'argument "key" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF forgotten_ok IS NULL THEN
        RAISE 'argument "forgotten_ok" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF key !~ '^[0-9a-fA-F]{64}$' THEN
        RAISE 'a key has 64 hexadecimal digits' USING ERRCODE = 'invalid_parameter_value';
    ELSIF n > 1000000 THEN
        -- Later keys get greater numbers.
        RAISE 'the number of a key is at most 1000000' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM kid_seal_internal.lock_keys();
    SELECT k.n INTO number
      FROM kid_seal_internal.keys AS k WHERE k.key = decode(kid_seal_import_key.key, 'hex');
    IF FOUND THEN
        RETURN number;
    END IF;
    SELECT f.n INTO number
      FROM kid_seal_internal.forgotten AS f
     WHERE f.mark = kid_seal_internal.mark(decode(kid_seal_import_key.key, 'hex')) LIMIT 1;
    IF FOUND AND NOT forgotten_ok THEN
        RAISE WARNING 'key % was forgotten, and is not imported', number
            USING HINT = 'To open its texts again, call kid_seal_import_key() with forgotten_ok => true.';
        RETURN NULL;
    END IF;
    DELETE FROM kid_seal_internal.forgotten AS f
     WHERE f.mark = kid_seal_internal.mark(decode(kid_seal_import_key.key, 'hex'));
    INSERT INTO kid_seal_internal.keys (n, key)
    VALUES (kid_seal_internal.free_number(kid_seal_import_key.n), decode(kid_seal_import_key.key, 'hex'))
    RETURNING keys.n INTO number;
    RETURN number;
END $$;
COMMENT ON FUNCTION @extschema@.kid_seal_import_key(n integer, key text, forgotten_ok boolean) IS
    'adds a key, which unseals, and seals after kid_seal_use_key(); returns the number of the key, which is the next '
    'free one if n is taken, or NULL if the key was forgotten, unless forgotten_ok';
