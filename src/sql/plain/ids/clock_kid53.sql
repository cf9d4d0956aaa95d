-- kid53: the logical clock and the generator

\set type bigint
\set prefix kid53
\set label kid53
\set greatest 9007199254740991
\set sequence_bits 12
\set last_to_draw 1023
\set most_sessions 3072
\set observe kid53_observe
\set state kid53_checked(id)
\i plain/ids/clock.sql.in

-- As kid_next(): see the comment there.
CREATE OR REPLACE FUNCTION kid53_next() RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
    state bigint := kid.kid53_state();
BEGIN
    state := CASE WHEN kid.kid53_is_open(state, kid.kid_clock_micros()) THEN kid.kid53_draw()
                  ELSE kid_clocks.kid53_open() END;
    RETURN state;
END $$;
COMMENT ON FUNCTION kid53_next() IS
    'makes a bigint that is greater than all IDs that this function returned before in the database';
CREATE OR REPLACE FUNCTION kid53_next(n bigint) RETURNS SETOF bigint
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid53_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid53_next(n bigint) IS 'makes n IDs, each greater than the one before it';
