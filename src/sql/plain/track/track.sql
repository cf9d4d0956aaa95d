-- kid_track() in plain SQL, which lets every role read the sequence

\set grant kid.kid_track_grant(s.seq)
\set granted kid.kid_track_granted(tab::oid)
\i tables/track/track.sql.in
