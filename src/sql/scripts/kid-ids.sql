-- The module kid-ids of plain SQL: IDs of 8 bytes
--
-- Every module of the edition in plain SQL has this order:
--
--     \set about, schemas     what the head of the script says, and the schemas that it creates
--     \set extschema          the schema of its functions
--     begin.sql.in            opens the DO statement that the script consists of. Its body is PL/pgSQL, so the parts
--                             can have IF and PERFORM besides CREATE
--     no_extension.sql        refuses a database with the extension kid, whose functions have the same names
--     schemas.sql.in          creates the schemas, and refuses those of another role
--     needs.sql.in            in kid-tables, kid-uuid and kid-seal, instead of no_extension.sql: refuses a database
--                             without kid-ids, which did the same. It calls a function of the schema kid. So it comes
--                             after schemas.sql.in: otherwise the owner of a foreign schema kid could run code with the
--                             rights of the role that installs the module
--     search_path.sql         from here on, names without a schema are those of the schema kid, and of pg_catalog
--     .../parts.sql           the parts of the module, in a file of their own where kid-all has the same
--     .../rights.sql          who may call what has been created so far
--     end.sql                 closes the statement
--
-- kid-track and kid-workers need no other module. One procedure of kid-uuid, kid_uuidv7_horizon(table), needs kid-track
-- when it is called.
--
-- There are no update scripts: a module runs again, over itself or over an earlier version. So each part can run again.
-- It replaces functions, but keeps tables and sequences, whose files say how a later version changes them. Before a
-- function whose arguments or result CREATE OR REPLACE cannot change, a later version has DROP FUNCTION IF EXISTS.

\set about kid in plain SQL, for a server where no extension in C can be installed: IDs of 8 bytes
\set schemas kid,kid_clocks
\set extschema kid

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i plain/search_path.sql
\i plain/version.sql.in
\i plain/ids/parts.sql
\i plain/rights.sql
\i plain/end.sql
