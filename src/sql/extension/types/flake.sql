-- traits: io base32 order gist time timestamp time_casts time_comparison range_operators setting bigint generators
--     horizon observe sequence
-- storage: LIKE = bigint
-- setting: epoch timestamptz
-- setting_name: kid.flake_epoch
-- clock: 'flake'
-- stored_as: '@own@', 'bigint'
-- size: 8
-- bound_of_number: stored::bigint::@own@::text
-- number_of_bound: ltrim(bound::text)::@own@::bigint::text
-- last: 4095
-- components: ('timestamp', 42, kid_timestamp(id)::text), ('datacenter', 5, kid_datacenter(id)::text),
--     ('worker', 5, kid_worker(id)::text), ('sequence', 12, kid_sequence(id)::text)

-- flake: what only this type has

COMMENT ON TYPE flake IS
    'k-ordered ID in 8 bytes, with 139 years of milliseconds from kid.flake_epoch on, a datacenter and a worker, as '
    'the Node library flake-idgen makes it';

CREATE FUNCTION flake_make(
    ts timestamptz, datacenter integer, worker integer, sequence integer, epoch timestamptz DEFAULT NULL) RETURNS flake
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_make(timestamptz, integer, integer, integer, timestamptz) IS
    'assembles a flake from an instant, a datacenter, a worker, a sequence and an epoch';
CREATE FUNCTION kid_datacenter(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_datacenter';
COMMENT ON FUNCTION kid_datacenter(flake) IS
    'returns the datacenter that made an ID, 0 to 31, the upper half of the generator';
CREATE FUNCTION kid_worker(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_worker';
COMMENT ON FUNCTION kid_worker(flake) IS 'returns the worker that made an ID, 0 to 31, the lower half of the generator';
CREATE FUNCTION kid_generator(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_generator';
COMMENT ON FUNCTION kid_generator(flake) IS
    'returns the generator that made an ID, 0 to 1023: 32 times the datacenter, plus the worker';

COMMENT ON FUNCTION flake_next() IS
    'makes a flake greater than all that the cluster issued with this generator and epoch';
COMMENT ON FUNCTION kid_timestamp(flake, timestamptz) IS
    'returns the beginning of the millisecond of an ID that counts from the given epoch';
