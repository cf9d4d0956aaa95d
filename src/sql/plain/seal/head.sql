-- Nobody else may call the functions in the schema kid_seal until this role says so. Rights that it gave stay.

IF NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'pgcrypto') THEN
    RAISE 'extension "pgcrypto" is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'CREATE EXTENSION pgcrypto.';
END IF;
