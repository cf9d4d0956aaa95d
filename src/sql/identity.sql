-- Who this server is among others that fill the same tables

CREATE FUNCTION kid_identity(
    OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint)
    RETURNS record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_identity() IS
    'what this server puts into IDs, to be run on all servers and compared, and after a reload to see that kid.node and kid.lanes are in force: node, the number of kid.node, 0 to 4294967295, that kid96 has; partition, 0 to 65535, of sno; generator, 0 to 1023, of flake; lane of lanes, of kid64 and kid96, 0 where there is one. NULL where this server has none, and the generator of that type raises an error; during recovery what it would have, and node that of the primary, if it is a hash';
