-- Rights: the owner of the database grants them to others. PUBLIC may not even seal: a role that seals can find the ID
-- of a text by trying the IDs of its time.
SET LOCAL search_path = pg_catalog, pg_temp;

\i extension/own_rights.sql.in
-- The owner of the database can dump and restore the forgotten keys.
GRANT USAGE ON SCHEMA kid_seal_internal TO pg_database_owner;
GRANT SELECT, INSERT ON kid_seal_internal.forgotten TO pg_database_owner;
SELECT pg_extension_config_dump('kid_seal_internal.forgotten', '');
