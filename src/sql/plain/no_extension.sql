-- The extension kid and its edition in plain SQL would take each other's names.

IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
    RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
END IF;
