-- Functions on tables, for both editions
--
-- Other roles may be able to create functions and operators in the schema of kid, and the owner of the schema can
-- rename it. So nothing here depends on what a name means when a function runs:
--
--   PostgreSQL looks up the names in functions in SQL when it creates them. They name objects of pg_catalog, and
--   objects of kid with their schema and with arguments of exactly the types of the parameters. Only functions in SQL
--   call functions of kid.
--
--   Functions in PL/pgSQL look up names when they run, in pg_catalog alone. They call no function of kid, but get what
--   they need as arguments. Where the text of a query has to name kid's schema, they read its name from the catalog
--   just before, and a superuser first locks the name. Only a superuser can. Where a statement creates or drops
--   something that they name, and may wait before it looks for the name, they then check what it found.

-- From here to the end of tables/parts.sql, names without a schema are those of pg_catalog.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Raises an error. A function in SQL, which has no IF, calls it for a condition under which it cannot go on:
--
--     SELECT kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
--
-- PostgreSQL calls it only if the condition is true, and not while it plans, because the function is VOLATILE.
CREATE FUNCTION @extschema@.kid_refuse(state text, message text, detail text DEFAULT '', hint text DEFAULT '')
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF detail <> '' AND hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail, HINT = hint;
    ELSIF detail <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail;
    ELSIF hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, HINT = hint;
    END IF;
    RAISE '%', message USING ERRCODE = state;
END $$;
COMMENT ON FUNCTION @extschema@.kid_refuse(text, text, text, text) IS 'raises an error, for functions in SQL';

-- Raises the error for an argument that is null:
--
--     SELECT kid_refuse_null('parent') WHERE parent IS NULL;
--
-- A function that is called for what it does refuses null, unless that has a meaning of its own. Functions on worker
-- numbers and keys of kid_seal raise the same error themselves. What computes something from its arguments returns
-- null instead, as kid_timestamp() does. test/t/null_arguments.pl lists them.
CREATE FUNCTION @extschema@.kid_refuse_null(argument text, hint text DEFAULT '') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF hint <> '' THEN
        RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed', HINT = hint;
    END IF;
    RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed';
END $$;
COMMENT ON FUNCTION @extschema@.kid_refuse_null(text, text) IS
    'raises an error for an argument that is null, for functions in SQL';

-- Raises an error at isolation levels at which later queries of a function would not see what others have committed
-- meanwhile. The function is in PL/pgSQL, which keeps the plan of its query for the next call.
CREATE FUNCTION @extschema@.kid_check_isolation(message text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE '%', message
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'At other levels, later statements do not see what was committed after the first one.',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_check_isolation(text) IS
    'raises an error if all statements of this transaction have the same snapshot';
