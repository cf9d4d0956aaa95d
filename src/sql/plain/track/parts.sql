-- The parts of kid-track after tables/common.sql, without what begins and ends a module

\i tables/track/source.sql.in
\i tables/track/problem.sql.in
\i plain/search_path.sql
\i plain/track/last.sql
\i plain/track/triggers.sql.in
\i tables/track/triggers.sql
\i plain/track/track.sql
\i tables/track/horizon.sql
\i plain/track/rights.sql
