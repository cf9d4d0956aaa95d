-- kid_workers: worker numbers, which PostgreSQL leases

\set extension kid_workers
\set schema kid_workers
\set comment worker numbers, and functions that kid_lease_worker() calls
\set owner adds worker numbers, and says who leases them

\i extension/own_schema.sql.in
\i tables/workers.sql
\i extension/workers_identity.sql
\i tables/workers_keep.sql
\i extension/workers_server.sql
\i tables/workers_history.sql
\i tables/workers_pools.sql.in
\i tables/workers_lease.sql.in
\i extension/workers_rights.sql.in
