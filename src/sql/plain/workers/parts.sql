-- The parts of kid-workers after the tables, without what begins and ends a module

\i workers/keep.sql
\i plain/workers/server.sql
\i workers/history.sql
\i workers/pools.sql
\i workers/lease.sql
\i plain/workers/rights.sql
