-- traits: base32 time timestamp time_comparison generators horizon observe inspect_uuid
-- type: uuid
-- own: uuid
-- clock: 'uuidv7'
-- bound: (left(bound::text, 13) || '-7000-8000-000000000000')::uuid
-- prefix: kid_uuidv7
-- base32: kid_uuid
-- next: kid_uuidv7

-- uuid version 7: what only it has
--
-- It has kid_within() instead of the operator <@, which would interfere with range types over uuid.

COMMENT ON FUNCTION kid_within(uuid, kid_span) IS 'tells whether a uuid, of whatever version, is in a range of time';

COMMENT ON FUNCTION kid_uuidv7() IS 'makes a uuid of version 7 greater than all that the cluster issued before';
COMMENT ON FUNCTION kid_uuidv7(bigint) IS 'makes n uuids of version 7, each greater than the one before it';
COMMENT ON FUNCTION kid_uuidv7_at(timestamptz) IS 'makes a uuid of version 7 with the millisecond of an old row';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
COMMENT ON FUNCTION kid_uuidv7_floor(timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
COMMENT ON FUNCTION kid_uuidv7_ceil(timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';
