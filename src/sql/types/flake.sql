-- traits: io order gist time time_casts minus time_comparison time_range range_operators setting bigint generators observe reset_clock
-- storage: LIKE = bigint
-- setting: epoch timestamptz
--     kid.flake_epoch says what the milliseconds count from

-- flake: what only this type has

COMMENT ON TYPE flake IS
    'k-ordered ID in 8 bytes: 42 bits of time in ms from kid.flake_epoch for 139 years, datacenter and worker of 5 bits each, 12 bits of sequence; as of the Node library flake-idgen';

CREATE FUNCTION flake_make(ts timestamptz, datacenter integer, worker integer, sequence integer, epoch timestamptz DEFAULT NULL) RETURNS flake
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_datacenter(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_datacenter';
CREATE FUNCTION kid_worker(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_worker';
CREATE FUNCTION kid_generator(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_generator';
CREATE FUNCTION kid_sequence(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_sequence';

COMMENT ON FUNCTION flake_next() IS
    'a new flake of the server''s generator (kid.flake_id, or kid.flake_datacenter and kid.flake_worker), greater than every one issued before in the cluster with the same generator and epoch, also after a crash or a promotion; waits, at most kid.max_wait, when the sequences of a millisecond to kid.flake_sequence_max are used up; an error when the system clock is not in the 139 years from kid.flake_epoch, and during recovery';
COMMENT ON FUNCTION flake_next(bigint) IS
    'n new flake, each greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION flake_at(timestamptz) IS
    'flake for a row from the past: stamped with the given time, in the 139 years from kid.flake_epoch, or one of the time units after it; unique as those of kid64_at are, with as many to a time unit as there are sequences; an error during recovery';
COMMENT ON FUNCTION flake_make(timestamptz, integer, integer, integer, timestamptz) IS
    'flake of the millisecond that holds an instant, in the 139 years from the epoch, with a datacenter and a worker, each 0 to 31, and a sequence, 0 to 4095; epoch a whole millisecond from 1970 to 2109-05-15, NULL for kid.flake_epoch';
COMMENT ON FUNCTION kid_timestamp(flake, timestamptz) IS
    'when the millisecond of an ID begins that counts from the given epoch, a whole millisecond from 1970 to 2109-05-15';
COMMENT ON FUNCTION kid_datacenter(flake) IS 'datacenter, 0 to 31: the upper half of the generator';
COMMENT ON FUNCTION kid_worker(flake) IS 'worker, 0 to 31: the lower half of the generator';
COMMENT ON FUNCTION kid_generator(flake) IS 'which generator made the ID, 0 to 1023: 32 times the datacenter plus the worker';
COMMENT ON FUNCTION kid_sequence(flake) IS 'sequence within the millisecond, 0 to 4095';
COMMENT ON FUNCTION kid_observe(flake) IS
    'moves the logical clock of flake past an ID from elsewhere, so that new ones are later; an error when it is further ahead of the system clock than kid.max_observe, except for superusers';

CREATE FUNCTION kid_inspect(id flake, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 4
BEGIN ATOMIC
    VALUES ('timestamp', 42, kid_timestamp(id)::text),
           ('datacenter', 5, kid_datacenter(id)::text),
           ('worker', 5, kid_worker(id)::text),
           ('sequence', 12, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(flake) IS 'components of an ID, most significant first, with their widths in bits';
