-- The extension kid: IDs in C
--
-- Of the other files in this folder, kid_seal.sql and kid_workers.sql are extensions, too. Those with a hyphen in their
-- names are the modules of the edition in plain SQL. src/sql/assemble says what \i and \set mean here.

\set extension kid
-- For the files in tables/track, some conditions in which are only for one edition
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

-- Functions on tables, which both editions have. common.sql sets the search_path to that of the rest of the script.
\i tables/common.sql
\i extension/forms.sql
\i tables/parts.sql
\i tables/track/source.sql.in
\i tables/track/problem.sql.in
\i tables/track/triggers.sql
\i extension/track/track.sql
\i tables/track/horizon.sql

\i extension/reset_clock.sql
