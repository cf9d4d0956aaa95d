-- Rights, whatever the default privileges of the role are
--
-- The pattern has no question mark, which some drivers take for a parameter.
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace
               AND p.proname ~ '^(kid_(refuse|check_isolation|(|un)track.*)|kid.*_horizon)$' LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
