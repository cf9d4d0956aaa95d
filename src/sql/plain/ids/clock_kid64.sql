-- kid64: the logical clock and the generator

\set type kid64
\set prefix kid64
\set label type kid64
\set greatest 9223372036854775807
\set sequence_bits 14
\set last_to_draw 8191
\set most_sessions 8192
\set observe kid_observe
\set state id
\i plain/ids/clock.sql.in

-- Without SET search_path, which would double the time. PL/pgSQL evaluates each expression here without a query of its
-- own, because PostgreSQL replaces the functions in it by their definitions. The CASE evaluates only one of its
-- branches, see above. An IF with an assignment in each branch would be one expression more, and takes 9 % longer.
CREATE OR REPLACE FUNCTION kid_next() RETURNS kid64
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
    state bigint := kid.kid64_state();
BEGIN
    state := CASE WHEN kid.kid64_is_open(state, kid.kid_clock_micros()) THEN kid.kid64_draw()
                  ELSE kid_clocks.kid64_open() END;
    RETURN state;
END $$;
COMMENT ON FUNCTION kid_next() IS
    'makes a kid64 that is greater than all IDs that this function returned before in the database';
CREATE OR REPLACE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid_next(n bigint) IS 'makes n IDs, each greater than the one before it';
