-- The parts of kid-workers after the tables, without what begins and ends a module

\i tables/workers_keep.sql
\i plain/workers_server.sql
\i tables/workers_history.sql
\i tables/workers_pools.sql.in
\i tables/workers_lease.sql.in
\i plain/workers_rights.sql.in
