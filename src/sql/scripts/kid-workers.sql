-- The module kid-workers of plain SQL: worker numbers, which PostgreSQL leases
--
-- kid-ids.sql explains the parts that all modules have. Here plain/workers/tables.sql sets the search_path, and
-- plain/workers/parts.sql includes the rights.

\set about worker numbers, which PostgreSQL leases, in plain SQL, which needs no other module
\set schemas kid,kid_workers
\set extschema kid

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i plain/workers/tables.sql
\i plain/workers/parts.sql
\i plain/end.sql
