-- What distinguishes this server from others that fill the same tables

--- returns what this server puts into IDs: the node of kid96, the partition of sno, the generator of flake, and the
--- lane of kid64 and kid96
CREATE FUNCTION kid_identity(
    OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint)
    RETURNS record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
