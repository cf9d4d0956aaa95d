-- The date of an ID is the date of its timestamptz, in the time zone of the session.
PREPARE dates AS
SELECT current_setting('TimeZone') AS zone, count(*) AS dates,
       count(*) FILTER (WHERE kid64_floor(t)::date = kid64_floor(t)::timestamptz::date
                          AND kid96_floor(t)::date = kid96_floor(t)::timestamptz::date
                          AND sno_floor(t)::date = sno_floor(t)::timestamptz::date
                          AND flake_floor(t)::date = flake_floor(t)::timestamptz::date
                          AND flax_floor(t)::date = flax_floor(t)::timestamptz::date) AS equal,
       min(kid64_floor(t)::date), max(kid64_floor(t)::date)
  FROM generate_series('2026-03-07 23:00+00'::timestamptz, '2026-03-09 01:00+00', interval '30 min') AS t;
SET DateStyle = 'ISO';
SET TimeZone = 'UTC';
EXECUTE dates;
SET TimeZone = 'Asia/Kolkata';
EXECUTE dates;
SET TimeZone = 'America/New_York';
EXECUTE dates;
SELECT NULL::kid64::date IS NULL AS "null";
-- A query by date calls no function for each row except those of timestamptz.
CREATE TEMPORARY TABLE dated (id kid64);
EXPLAIN (VERBOSE, COSTS OFF) SELECT id::date FROM dated;
