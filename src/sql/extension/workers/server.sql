-- Worker numbers: with which numbers this server makes IDs itself

-- A number n is the server's if n % modulus = number. `problem` says why all numbers of such a pool may be the
-- server's, or is null. The settings exist once the library is loaded, which the call of identity() does.
CREATE FUNCTION kid_workers.server(
    type text, lanes integer, OUT number bigint, OUT modulus bigint, OUT epoch bigint, OUT problem text,
    OUT remedy text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own record;
BEGIN
    SELECT i.* INTO own FROM kid_workers.identity() AS i;
    CASE type
        WHEN 'flake' THEN
            number := own.generator;
            modulus := 1024;
            epoch := current_setting('kid.flake_epoch')::numeric;
            remedy := 'Set kid.flake_id, for the whole server, to a number that is not in the pool.';
        WHEN 'sno' THEN
            number := own.partition;
            modulus := 65536;
            remedy := 'Set kid.node to a number that is not in the pool.';
        WHEN 'kid96' THEN
            number := own.node;
            modulus := 4294967296;
            remedy := 'Set kid.node to a number that is not in the pool.';
        ELSE
            modulus := least(own.lanes, lanes);
            number := own.lane % modulus;
            remedy := format('Set kid.lanes to %s, and kid.node to a number that is not in the pool.', lanes);
            IF own.lanes = 1 THEN
                problem := format('The server makes %s with all lanes, because kid.lanes is 1.', type);
            END IF;
    END CASE;
    IF type IN ('sno', 'kid96') AND lower(current_setting('kid.node')) = 'auto'
       AND (type = 'kid96' OR lower(current_setting('kid.sno_partition')) = 'auto') THEN
        problem := 'The server''s own number is a hash, which changes when a standby is promoted: kid.node is auto.';
    ELSIF type IN ('flake', 'sno')
          AND EXISTS (SELECT FROM pg_db_role_setting AS r, unnest(r.setconfig) AS assigned
                       WHERE r.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d
                                                    WHERE d.datname = current_database()))
                         AND lower(assigned) ~ CASE type WHEN 'flake' THEN '^kid[.]flake_(id|datacenter|worker)='
                                                         ELSE '^kid[.]sno_partition=' END) THEN
        -- It holds for some roles, or from the next session on. So this session's number is not that of all others.
        problem := format('Sessions can have more than one number of %s, because ALTER ROLE or ALTER DATABASE sets it.',
                          type);
        remedy := 'Reset it there, and set it by ALTER SYSTEM, to a number that is not in the pool.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.server(text, integer) IS
    'returns the numbers of a type with which this server makes IDs, and its epoch of flake';
