-- kid: IDs in C

\set extension kid
\set plain false

\i extension/head.sql.in
\i extension/planner.sql
\i extension/span.sql
\i extension/ambiguous.sql
\i extension/index_support.sql

-- In this order: kid96 has casts to kid64.
\i extension/types/kid64.sql
\i extension/types/kid96.sql
\i extension/types/sno.sql
\i extension/types/flake.sql
\i extension/types/flax.sql
\i extension/types/uuidv7.sql
\i extension/types/kid53.sql

\i of_bigint.sql
\i extension/status.sql
\i extension/track/triggers.sql

-- Functions on tables. common.sql sets the search_path to that of the rest of the script.
\i tables/common.sql
\i extension/forms.sql
\i tables/parts.sql
\i tables/track/source.sql.in
\i tables/track/problem.sql.in
\i tables/track/triggers.sql
\i extension/track/track.sql
\i tables/track/horizon.sql

\i extension/reset_clock.sql
