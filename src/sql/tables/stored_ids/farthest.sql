-- The latest time of an ID that kid_observe() accepts, for both editions
--
-- In the extension the call of kid64_floor() loads the library, which defines the setting. The edition in plain SQL has
-- no library.

CREATE FUNCTION @extschema@.kid_farthest() RETURNS timestamptz
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid64_floor(now());
    SELECT clock_timestamp() + coalesce(current_setting('kid.max_observe'::text, true), '1 hour')::interval;
END;
COMMENT ON FUNCTION @extschema@.kid_farthest() IS 'returns the latest time of an ID that kid_observe() accepts';
