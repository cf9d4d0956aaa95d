-- kid_track() of the extension, which grants no right, because functions in C read the sequence

\set grant false
\set granted NULL::oid
\i tables/track/track.sql.in
