-- Worker numbers: rights
--
-- Any role may call the functions that kid_lease_worker() calls. They check that their caller may call
-- kid_lease_worker(). The owner of the database grants that right, and can dump and restore the tables.

\i extension/own_rights.sql.in
GRANT EXECUTE ON FUNCTION @extschema@.kid_workers() TO pg_read_all_stats;
GRANT SELECT, INSERT ON kid_workers.pools, kid_workers.numbers TO pg_database_owner;
\i workers/rights_of_steps.sql
SELECT pg_extension_config_dump('kid_workers.pools', '');
SELECT pg_extension_config_dump('kid_workers.numbers', '');
