-- The extension kid and its edition in plain SQL would take each other's names. The extension does not look for this
-- edition: in the schema kid its names are taken, so PostgreSQL refuses it there until docs/start/to_the_extension.sql
-- has dropped them. In another schema the extension can be created beside this edition.

IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
    RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
END IF;
