-- The module kid-track of plain SQL: a horizon for tables with IDs of a sequence
--
-- kid-ids.sql explains the parts that all modules have. Here plain/track/parts.sql includes the search_path and the
-- rights.

\set about a horizon for tables with IDs of a sequence, in plain SQL, which needs no other module
\set schemas kid
\set extschema kid
-- For the files in tables/track, some conditions in which are only for one edition
\set plain true

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i tables/common.sql
\i plain/track/parts.sql
\i plain/end.sql
