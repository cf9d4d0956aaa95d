-- The module kid-uuid of plain SQL: uuids of version 7
--
-- kid-ids.sql explains the parts that all modules have.

\set about uuids of version 7 in strict order, in plain SQL, beside kid-ids
\set schemas kid,kid_clocks
\set extschema kid

\i plain/begin.sql.in
\i plain/schemas.sql.in
\i plain/needs.sql.in
\i plain/search_path.sql
\i plain/uuid/parts.sql
\i plain/rights.sql
\i plain/end.sql
