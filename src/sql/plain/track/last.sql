-- What kid_horizon(table) reads first: null if this role may not read the sequence, or if it was never called

CREATE OR REPLACE FUNCTION kid_track_last(tab oid, col text, seq oid) RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN CASE WHEN has_sequence_privilege(seq, text 'SELECT') THEN pg_sequence_last_value(seq::regclass) END;
COMMENT ON FUNCTION kid_track_last(tab oid, col text, seq oid) IS 'returns the last value of what a column draws from';
