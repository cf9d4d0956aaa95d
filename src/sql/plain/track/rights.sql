-- Rights, whatever the default privileges of the role are
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace
               AND (p.proname ~ 'track|horizon'
                    OR p.proname IN ('kid_refuse', 'kid_refuse_null', 'kid_check_isolation')) LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
