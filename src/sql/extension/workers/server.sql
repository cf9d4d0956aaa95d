-- Worker numbers: with which numbers this server makes IDs itself

-- A number n is the server's if n % modulus = number. `problem` says why all numbers of such a pool may be the
-- server's, or is null. The settings exist once the library is loaded, which the call of identity() does.
CREATE FUNCTION kid_workers.server(
    type text, lanes integer, OUT number bigint, OUT modulus bigint, OUT epoch bigint, OUT problem text,
    OUT remedy text)
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT CASE type WHEN 'flake'::text THEN i.generator
                     WHEN 'sno'::text THEN i.partition
                     WHEN 'kid96'::text THEN i.node
                     ELSE i.lane % least(i.lanes, lanes) END,
           CASE type WHEN 'flake'::text THEN 1024
                     WHEN 'sno'::text THEN 65536
                     WHEN 'kid96'::text THEN 4294967296
                     ELSE least(i.lanes, lanes) END,
           CASE type WHEN 'flake'::text THEN current_setting('kid.flake_epoch'::text)::numeric::bigint END,
           CASE WHEN type IN ('kid64'::text, 'kid53'::text) AND i.lanes = 1
                THEN format('The server makes %s with all lanes, because kid.lanes is 1.'::text, type)
                WHEN type IN ('sno'::text, 'kid96'::text) AND lower(current_setting('kid.node'::text)) = 'auto'::text
                     AND (type = 'kid96'::text OR lower(current_setting('kid.sno_partition'::text)) = 'auto'::text)
                THEN 'The server''s own number is a hash, which changes when a standby is promoted: kid.node is auto.'
                WHEN EXISTS (SELECT FROM pg_db_role_setting AS r, unnest(r.setconfig) AS assigned
                              WHERE r.setrole <> 0
                                    AND r.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d
                                                               WHERE d.datname = current_database()))
                                    AND lower(assigned) ~ CASE type
                                        WHEN 'flake'::text THEN '^kid[.]flake_(id|datacenter|worker)='::text
                                        WHEN 'sno'::text THEN '^kid[.]sno_partition='::text END)
                THEN format(
                         'The server has more than one number of %s, because ALTER ROLE has set it for a role.'::text,
                         type)
                END,
           CASE WHEN type IN ('kid64'::text, 'kid53'::text)
                THEN format('Set kid.lanes to %s, and kid.node to a number that is not in the pool.'::text, lanes)
                WHEN type = 'flake'::text
                THEN 'Set kid.flake_id, for the whole server, to a number that is not in the pool.'
                ELSE 'Set kid.node to a number that is not in the pool.' END
      FROM kid_workers.identity() AS i;
END;
COMMENT ON FUNCTION kid_workers.server(text, integer) IS
    'returns the numbers of a type with which this server makes IDs, and its epoch of flake';
