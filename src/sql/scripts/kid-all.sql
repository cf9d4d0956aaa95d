-- The modules kid-ids, kid-uuid, kid-tables, kid-track and kid-workers of plain SQL, as one script. kid-seal is not in
-- it, because it needs pgcrypto. kid-ids.sql explains the parts that all modules have.

\set about kid in plain SQL: the modules kid-ids, kid-uuid, kid-tables, kid-track and kid-workers
\set schemas kid,kid_clocks,kid_workers
\set extschema kid
-- For the files in tables/track, some conditions in which are only for one edition
\set plain true

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i plain/search_path.sql
\i plain/version.sql.in
\i plain/ids/parts.sql
\i plain/uuid/parts.sql
\i tables/common.sql
\i plain/forms.sql
\i tables/parts.sql
\i plain/track/parts.sql
-- The rights of all but worker numbers, which have their own
\i plain/rights.sql
\i plain/workers/tables.sql
\i plain/workers/parts.sql
\i plain/end.sql
