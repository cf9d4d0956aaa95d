-- uuid version 7: IDs for old rows

--- makes a uuid of version 7 with the millisecond of an old row
CREATE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < timestamptz '1970-01-01 00:00:00+00' OR ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN
        RAISE 'timestamp out of range for type uuid version 7'
            USING ERRCODE = 'datetime_field_overflow',
                  DETAIL = 'The range is 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
    END IF;
    RETURN encode(overlay(set_byte(b, 6, 112 + (get_byte(b, 6) & 15))
                          PLACING substr(uuid_send(kid_uuidv7_floor(ts)), 1, 6) FROM 1), 'hex')::uuid
      FROM uuid_send(gen_random_uuid()) AS b;
END $$;
