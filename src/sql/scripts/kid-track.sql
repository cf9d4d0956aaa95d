-- kid-track: a horizon for tables with IDs of a sequence, in plain SQL

\set about a horizon for tables with IDs of a sequence, in plain SQL, which needs no other module
\set schemas kid
\set extschema kid
\set plain true

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i tables/common.sql
\i plain/track/parts.sql
\i plain/end.sql
