-- kid64 is a state of its clock

--- returns when the time unit of a state ends, in microseconds
CREATE FUNCTION kid64_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ((state >> 44) * 1000000 + (state >> 24 & 1048575)) * 1000000
       + least(((state >> 14 & 1023) + 1) * 1024, 1000000);
