-- The module kid-tables of plain SQL: functions on tables, such as those that create partitions
--
-- kid-ids.sql explains the parts that all modules have.

\set about partitions by time, in plain SQL, beside kid-ids
\set schemas kid,kid_clocks
\set extschema kid
\set plain true

\i plain/begin.sql.in
\i plain/schemas.sql.in
\i plain/needs.sql.in
\i plain/search_path.sql
-- The times of uuids are in each module that needs them, so that none needs kid-uuid.
\i plain/uuid/uuidv7.sql
\i tables/common.sql
\i plain/forms.sql
\i tables/parts.sql
\i plain/rights.sql
\i plain/end.sql
