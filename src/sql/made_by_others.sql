-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Raises an error if one of the functions `members` uses what another role may have made, which a body in SQL found by
-- name. Only a superuser can have made functions in C and base types. What is in the schemas `trusted` is of this role,
-- and so are the functions themselves.
FOR what IN
    SELECT pg_describe_object(d.classid, d.objid, 0) AS name,
           pg_describe_object(d.refclassid, d.refobjid, 0) AS used
      FROM pg_depend AS d
           CROSS JOIN pg_identify_object(d.refclassid, d.refobjid, 0) AS o
           LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
           LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
     WHERE d.classid = 'pg_proc'::regclass AND d.objid = ANY (members) AND d.deptype = 'n'
       AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
       AND (to_regnamespace(o.schema) = ANY (trusted)) IS NOT TRUE
       AND (p.oid = ANY (members)) IS NOT TRUE
       AND p.prolang IS DISTINCT FROM (SELECT l.oid FROM pg_language AS l WHERE l.lanname = 'c')
       AND t.typtype IS DISTINCT FROM 'b' LOOP
    RAISE '% would depend on %, which another role may have made', what.name, what.used
        USING ERRCODE = 'invalid_object_definition';
END LOOP;
