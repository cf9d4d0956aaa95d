-- Worker numbers: what the owner calls

-- Raises an error if a pool cannot have this type, these lanes and this epoch. Lanes and epoch must be null if the type
-- has none.
CREATE FUNCTION kid_workers.check_type(type text, lanes integer, epoch bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_lanes integer := CASE type WHEN 'kid64' THEN 1024 WHEN 'kid53' THEN 64 END;
BEGIN
    IF type IS NULL OR type NOT IN ('flake', 'sno', 'kid96', 'kid64', 'kid53') THEN
        RAISE 'type of a new pool of worker numbers is missing or unknown'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'It is flake, sno, kid96, kid64 or kid53.';
    ELSIF most_lanes IS NULL AND lanes IS NOT NULL THEN
        RAISE 'type % has no lanes', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF most_lanes IS NOT NULL AND (lanes BETWEEN 2 AND most_lanes AND lanes & (lanes - 1) = 0) IS NOT TRUE THEN
        RAISE 'lanes of % are missing or out of range', type
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = format('They are a power of two, from 2 to %s.', most_lanes);
    ELSIF type <> 'flake' AND epoch IS NOT NULL THEN
        RAISE 'type % has no epoch to choose', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF epoch NOT BETWEEN 0 AND kid_workers.this_second() THEN
        RAISE 'epoch is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'It is in milliseconds since 1970, and not later than now.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_type(text, integer, bigint) IS
    'raises an error if a pool cannot have this type, these lanes and this epoch';

-- Creates a pool, if there is none of the name, and returns it locked. An argument that is null stands for what the
-- pool has, or for the default of a new one.
CREATE FUNCTION kid_workers.open_pool(
    pool_name text, type text, lanes integer, epoch bigint, max_ttl integer, margin integer, per_role integer)
    RETURNS kid_workers.pools
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    IF max_ttl NOT BETWEEN 1 AND 3600 OR margin NOT BETWEEN 0 AND 3600 OR per_role < 1 THEN
        RAISE 'max_ttl, margin or per_role is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'max_ttl is 1 to 3600 seconds, margin 0 to 3600 seconds, and per_role at least 1.';
    END IF;
    IF NOT EXISTS (SELECT FROM kid_workers.pools AS p WHERE p.pool = pool_name) THEN
        PERFORM kid_workers.check_type(type, lanes, epoch);
        INSERT INTO kid_workers.pools
        SELECT pool_name, open_pool.type, open_pool.lanes, coalesce(open_pool.epoch, s.epoch),
               coalesce(open_pool.max_ttl, 10), coalesce(open_pool.margin, 5), coalesce(open_pool.per_role, 1024),
               kid_workers.history()
          FROM kid_workers.server(type, lanes) AS s
            ON CONFLICT ON CONSTRAINT pools_pkey DO NOTHING;
    END IF;
    UPDATE kid_workers.pools AS p SET per_role = coalesce(open_pool.per_role, p.per_role)
     WHERE p.pool = pool_name RETURNING p.* INTO pool;
    IF (coalesce(type, pool.type), coalesce(lanes, pool.lanes), coalesce(epoch, pool.epoch),
        coalesce(max_ttl, pool.max_ttl), coalesce(margin, pool.margin))
       IS DISTINCT FROM (pool.type, pool.lanes, pool.epoch, pool.max_ttl, pool.margin) THEN
        RAISE 'pool "%" has another type, lanes, epoch, max_ttl or margin', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'They never change, because windows that were granted go by them.',
                  HINT = 'Close the numbers of the pool, and add another one.';
    END IF;
    RETURN pool;
END $$;
COMMENT ON FUNCTION kid_workers.open_pool(text, text, integer, bigint, integer, integer, integer) IS
    'locks and returns a pool, which it creates if there is none of this name';

-- Raises an error if these numbers cannot be in a pool.
CREATE FUNCTION kid_workers.check_numbers(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    greatest_number bigint := coalesce(pool.lanes - 1, CASE pool.type WHEN 'flake' THEN 1023 WHEN 'sno' THEN 65535
                                                                      ELSE 4294967295 END);
    server record;
    taken bigint;
BEGIN
    IF (first BETWEEN 0 AND last AND last <= greatest_number) IS NOT TRUE THEN
        RAISE 'worker numbers are out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('Numbers of pool "%s" are 0 to %s, the first not above the last.', pool.pool,
                                  greatest_number);
    ELSIF last - first >= 65536 THEN
        RAISE 'too many worker numbers'
            USING ERRCODE = 'program_limit_exceeded', DETAIL = 'One call adds at most 65536.';
    END IF;
    SELECT s.* INTO server FROM kid_workers.server(pool.type, pool.lanes) AS s;
    SELECT n INTO taken FROM generate_series(first, last) AS n WHERE n % server.modulus = server.number LIMIT 1;
    IF server.problem IS NOT NULL THEN
        RAISE 'this server makes IDs with numbers of pool "%"', pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = server.problem, HINT = server.remedy;
    ELSIF taken IS NOT NULL THEN
        RAISE 'this server makes IDs with number % of pool "%"', taken, pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Add the numbers below and above it.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_numbers(kid_workers.pools, bigint, bigint) IS
    'raises an error if numbers are out of the range of a pool, or this server makes IDs with one';

-- Lanes of two pools overlap if they have the same number in the pool with fewer lanes.
CREATE FUNCTION kid_workers.in_common(pool kid_workers.pools, first bigint, last bigint)
    RETURNS SETOF kid_workers.numbers
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT n.*
      FROM kid_workers.pools AS p JOIN kid_workers.numbers AS n ON n.pool = p.pool
     WHERE p.type = pool.type AND p.pool <> pool.pool
           AND CASE WHEN p.lanes IS NULL THEN n.number BETWEEN first AND last
                    ELSE EXISTS (SELECT FROM generate_series(first, last) AS m
                                  WHERE (m - n.number) % least(p.lanes, pool.lanes) = 0) END;
END $$;
COMMENT ON FUNCTION kid_workers.in_common(kid_workers.pools, bigint, bigint) IS
    'returns the numbers of other pools of the same type with which IDs can be equal to IDs with these numbers';

CREATE FUNCTION kid_workers.notice_overlap(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other record;
BEGIN
    FOR other IN
        SELECT n.pool, min(n.number) AS number
          FROM kid_workers.in_common(pool, first, last) AS n
         WHERE NOT n.closed
         GROUP BY n.pool ORDER BY n.pool
    LOOP
        RAISE NOTICE 'pools "%" and "%" have worker numbers in common', pool.pool, other.pool
            USING DETAIL = format('The first of them in pool "%s" is %s. '
                                    'An ID of one pool can be equal to an ID of the other.', other.pool, other.number),
                  HINT = 'If the IDs must differ, close these numbers in one of the pools with kid_close_workers().';
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_workers.notice_overlap(kid_workers.pools, bigint, bigint) IS
    'names the other pools of the same type that have some of these numbers';

-- A number that is there keeps its windows, and is opened if it was closed. While it was closed, a server or another
-- pool may have used it, for times until now or shortly after. So it is postponed like a new number, unless it is
-- fresh. In another pool of this database, where it is closed, its windows can last longer than those of this pool do,
-- and it is postponed until they end. Where it is open, a notice says that the pools share it.
CREATE FUNCTION @extschema@.kid_add_workers(
    pool text, first bigint, last bigint, type text DEFAULT NULL, lanes integer DEFAULT NULL,
    epoch bigint DEFAULT NULL, max_ttl integer DEFAULT NULL, margin integer DEFAULT NULL,
    per_role integer DEFAULT NULL, fresh boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened kid_workers.pools;
    free_from bigint;
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF fresh IS NULL THEN
        RAISE 'argument "fresh" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    opened := kid_workers.open_pool(pool, type, lanes, epoch, max_ttl, margin, per_role);
    PERFORM kid_workers.check_numbers(opened, first, last);
    free_from := CASE WHEN fresh THEN 0
                      ELSE greatest(kid_workers.this_second() + kid_workers.quarantine(opened.max_ttl, opened.margin),
                                    (SELECT max(n.until) FROM kid_workers.in_common(opened, first, last) AS n
                                      WHERE n.closed)) END;
    INSERT INTO kid_workers.numbers (pool, number, until)
    SELECT opened.pool, n, free_from FROM generate_series(first, last) AS n
        ON CONFLICT ON CONSTRAINT numbers_pkey DO NOTHING;
    -- Locks no number that is open, so that processes can renew it while the caller's transaction lasts.
    UPDATE kid_workers.numbers AS n
       SET closed = false, until = greatest(n.until, free_from), since = NULL, token = NULL, role = NULL, holder = NULL
     WHERE n.pool = opened.pool AND n.number BETWEEN first AND last AND n.closed;
    PERFORM kid_workers.notice_overlap(opened, first, last);
END $$;
COMMENT ON FUNCTION @extschema@.kid_add_workers(
    text, bigint, bigint, text, integer, bigint, integer, integer, integer, boolean) IS
    'adds worker numbers to a pool, and creates the pool if there is none of this name; `fresh` numbers, which nobody '
    'ever had, can be leased at once, others when earlier windows have ended';

CREATE FUNCTION @extschema@.kid_close_workers(pool text, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    UPDATE kid_workers.numbers AS n SET closed = true
     WHERE n.pool = kid_close_workers.pool AND n.number BETWEEN first AND last;
    IF NOT FOUND THEN
        RAISE 'pool "%" has no worker numbers from % to %', pool, first, last USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_close_workers(text, bigint, bigint) IS
    'closes worker numbers: no further windows of them are granted, and windows that were granted stay valid';

CREATE FUNCTION @extschema@.kid_adopt_workers(pool text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM FROM kid_workers.pools AS p WHERE p.pool = kid_adopt_workers.pool FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE 'pool "%" does not exist', pool USING ERRCODE = 'undefined_object';
    END IF;
    PERFORM kid_workers.postpone(pool, kid_workers.history());
END $$;
COMMENT ON FUNCTION @extschema@.kid_adopt_workers(text) IS
    'declares that the database from which a pool was restored or copied leases no worker numbers any more, so that '
    'this database can lease them when earlier windows have ended';

CREATE FUNCTION @extschema@.kid_workers(
    OUT pool text, OUT number bigint, OUT state text, OUT role name, OUT holder text, OUT since timestamptz,
    OUT until timestamptz, OUT per_role integer)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    second bigint := kid_workers.this_second();
    this_database text := kid_workers.database_identity();
BEGIN
    RETURN QUERY
    SELECT n.pool, n.number,
           CASE WHEN n.closed THEN 'closed'
                WHEN n.number % s.modulus = s.number OR s.problem IS NOT NULL THEN 'server'
                WHEN split_part(p.history, '/', 1) <> this_database THEN 'unadopted'
                WHEN n.until <= second THEN 'free'
                -- A window ends within one quarantine of when it was granted, and postpone() adds another. More comes
                -- of a clock that has gone back since, or of several postponements in a row.
                WHEN n.until > second + 2 * kid_workers.quarantine(p.max_ttl, p.margin) THEN 'ahead'
                WHEN n.since IS NULL THEN 'postponed'
                ELSE 'leased' END,
           n.role, n.holder, to_timestamp(n.since / 1000), to_timestamp(nullif(n.until, 0) / 1000), p.per_role
      FROM kid_workers.pools AS p
           CROSS JOIN LATERAL kid_workers.server(p.type, p.lanes) AS s
           JOIN kid_workers.numbers AS n ON n.pool = p.pool
     ORDER BY n.pool, n.number;
END $$;
COMMENT ON FUNCTION @extschema@.kid_workers() IS
    'lists worker numbers: who leased each number last, whether it is leased, free, postponed, ahead of the clock, '
    'closed, in a pool that has to be adopted first, or a number with which this server makes IDs, and how many '
    'numbers of the pool a role may have';
