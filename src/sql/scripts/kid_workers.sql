-- The extension kid_workers: worker numbers, which PostgreSQL leases
--
-- own_schema.sql.in creates the schema kid_workers, and extension/workers/rights.sql, at the end, decides who may do
-- what. Between them, each file needs only those before it.

\set extension kid_workers
\set schema kid_workers
\set comment worker numbers, and functions that kid_lease_worker() calls
\set owner adds worker numbers, and says who leases them

\i extension/own_schema.sql.in
\i workers/tables.sql
\i extension/workers/identity.sql
\i workers/keep.sql
\i extension/workers/server.sql
\i workers/history.sql
\i workers/pools.sql
\i workers/lease.sql
\i extension/workers/rights.sql
