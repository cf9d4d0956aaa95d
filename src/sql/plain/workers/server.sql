-- Worker numbers: with which numbers this edition makes IDs itself
--
-- A number n is the server's if n % modulus = number. This edition has neither nodes nor lanes. If it makes kid64 or
-- kid53, it uses all of the sequence.

CREATE OR REPLACE FUNCTION kid_workers.server(
    type text, lanes integer, OUT number bigint, OUT modulus bigint, OUT epoch bigint, OUT problem text,
    OUT remedy text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    epoch := CASE type WHEN 'flake' THEN 0 END;
    IF type IN ('kid64', 'kid53') AND to_regprocedure(format('kid.%s_next()', type)) IS NOT NULL THEN
        problem := format('This database makes %s with all lanes, because kid in plain SQL has none.', type);
        remedy := 'Install the extension kid, or choose another type.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.server(text, integer) IS
    'returns the numbers of a type with which this database makes IDs, and its epoch of flake';
